package wire

// The job calls of XXL-JOB 3.5 (G4), with which programs manage jobs. Their replies are those of
// all calls to an admin; the payload of [OpAddJob] is the new id, as a string.
const (
	OpAddJob     = "addJob"
	OpUpdateJob  = "updateJob"
	OpRemoveJob  = "removeJob"
	OpStartJob   = "startJob"
	OpStopJob    = "stopJob"
	OpTriggerJob = "triggerJob"
)

// CodeTooMany is the code of the reply to a job call that came too soon after others.
const CodeTooMany = 502

// Texts of G4. The first one is also an executor's reply to a wrong header.
const (
	MsgWrongAppToken = "invalid request, accessToken or appname invalid."
	// PrefixNoAppName begins an executor's reply if one of the two headers is missing.
	PrefixNoAppName = "invalid request, accessToken or appname is empty"
	MsgTooMany      = "Too many requests, please try again later."
)

// A JobFields holds the fields that [OpAddJob] and [OpUpdateJob] share.
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

	// Upstream reads the glue fields of an update but does not apply them.
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
	// Param replaces the job's own, even if it is empty or missing.
	Param string `json:"executorParam"`
	// AddressList is separated by commas; empty means the group's.
	AddressList string `json:"addressList"`
}
