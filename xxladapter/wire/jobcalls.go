package wire

// The job calls of XXL-JOB 3.5 (G4), by which programs manage jobs. They are
// answered like all calls to an admin; [OpAddJob] has the new id, as a string,
// for payload.
const (
	OpAddJob     = "addJob"
	OpUpdateJob  = "updateJob"
	OpRemoveJob  = "removeJob"
	OpStartJob   = "startJob"
	OpStopJob    = "stopJob"
	OpTriggerJob = "triggerJob"
)

// CodeTooMany is the code of a job call that was made too soon after others.
const CodeTooMany = 502

// Texts of G4 admins.
const (
	MsgWrongAppToken = "invalid request, accessToken or appname invalid."
	PrefixNoAppName  = "invalid request, accessToken or appname is empty" // executor: one of the two headers is missing
	MsgTooMany       = "Too many requests, please try again later."
)

// A JobFields is what [OpAddJob] and [OpUpdateJob] have in common.
type JobFields struct {
	Name       string `json:"name"`
	Author     string `json:"author"`
	AlarmEmail string `json:"alarmEmail"`

	ScheduleType    string `json:"scheduleType"`
	ScheduleConf    string `json:"scheduleConf"`
	MisfireStrategy string `json:"misfireStrategy"`

	RouteStrategy  string `json:"executorRouteStrategy"`
	Handler        string `json:"executorHandler"`
	Param          string `json:"executorParam"` // singular, unlike in a [RunRequest]
	BlockStrategy  string `json:"executorBlockStrategy"`
	Timeout        Int    `json:"executorTimeout"` // seconds
	FailRetryCount Int    `json:"executorFailRetryCount"`

	// Upstream reads the glue fields of an update and does not apply them.
	GlueType   string `json:"glueType"`
	GlueSource string `json:"glueSource"`
	GlueRemark string `json:"glueRemark"`
}

// An AddJob is the body of [OpAddJob].
type AddJob struct {
	JobGroup Int `json:"jobGroup"`
	JobFields
}

// An UpdateJob is the body of [OpUpdateJob]. The job stays in its group.
type UpdateJob struct {
	ID Int `json:"id"`
	JobFields
}

// A JobID is the body of [OpRemoveJob], [OpStartJob] and [OpStopJob].
type JobID struct {
	ID Int `json:"id"`
}

// A TriggerJob is the body of [OpTriggerJob].
type TriggerJob struct {
	ID Int `json:"id"`
	// Param replaces the job's own also when it is empty or left out.
	Param string `json:"executorParam"`
	// AddressList is comma separated; empty: the group's.
	AddressList string `json:"addressList"`
}
