package admin

import (
	"net/mail"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A jobForm is a job as the management API shows and accepts it, with the names of XXL-JOB's own
// job calls. Pointers distinguish "not given" from "empty" when an existing job is changed.
type jobForm struct {
	ID       int64   `json:"id,omitempty" doc:"Must be omitted for a new job."`
	JobGroup *int64  `json:"jobGroup,omitempty" doc:"The id of the group whose executors run the job; a new job requires it or appName."`
	AppName  *string `json:"appName,omitempty" doc:"The app name of the group, in place of jobGroup." example:"billing"` // in place of jobGroup

	Name       *string `json:"name,omitempty" doc:"1 to 255 characters." example:"nightly"`
	Author     *string `json:"author,omitempty" doc:"1 to 64 characters." example:"ops"`
	AlarmEmail *string `json:"alarmEmail,omitempty" doc:"Addresses separated by commas." example:"ops@example.org"`

	ScheduleType    *xxladapter.ScheduleType    `json:"scheduleType,omitempty" doc:"The meaning of scheduleConf; defaults to NONE for a new job." example:"CRON"`
	ScheduleConf    *string                     `json:"scheduleConf,omitempty" doc:"Depends on scheduleType. NONE: empty. CRON: an expression of six or seven fields, such as 0 0 2 * * ?. FIX_RATE: seconds between two due times, such as 30. FIX_DELAY: seconds between the end of a run and the next, such as 30. ONCE: an RFC 3339 instant, such as 2030-01-02T15:04:05Z." example:"0 0 2 * * ?"`
	MisfireStrategy *xxladapter.MisfireStrategy `json:"misfireStrategy,omitempty" doc:"What happens to missed due times."`

	ExecutorRouteStrategy  *xxladapter.RouteStrategy `json:"executorRouteStrategy,omitempty" doc:"Which executor of the group gets a run."`
	ExecutorHandler        *string                   `json:"executorHandler,omitempty" doc:"The name of the handler in the executor; required for BEAN jobs." example:"nightly"`
	ExecutorParam          *string                   `json:"executorParam,omitempty" doc:"The parameter passed to the handler, at most 65535 bytes."`
	ExecutorBlockStrategy  *xxladapter.BlockStrategy `json:"executorBlockStrategy,omitempty" doc:"What happens to a run that arrives while another of the job is in progress."`
	ExecutorTimeout        *int64                    `json:"executorTimeout,omitempty" doc:"Longest run time in seconds; 0 means no limit."` // seconds
	ExecutorFailRetryCount *int                      `json:"executorFailRetryCount,omitempty" doc:"Further attempts after a failed run."`

	GlueType   *xxladapter.GlueType `json:"glueType,omitempty" doc:"BEAN, or the language of glueSource."`
	GlueSource *string              `json:"glueSource,omitempty" doc:"The source of a script job. A change creates a new version; see the glue calls."`
	GlueRemark *string              `json:"glueRemark,omitempty" doc:"A description of the version, at most 128 characters. A change of the source without a remark empties it."`

	ChildJobIDs *[]int64 `json:"childJobIds,omitempty" doc:"Ids of the jobs to trigger when a run succeeds."`

	// Settings replace the job's settings as a whole.
	Settings *xxladapter.Settings `json:"settings,omitempty" doc:"Replaces the job's settings as a whole."`

	Tags *[]string `json:"tags,omitempty" doc:"Words by which the job is found, at most 20 of 1 to 64 characters, without commas. They are kept sorted, each once."`

	// Read-only.
	Running     *bool      `json:"running,omitempty" doc:"Read-only."`
	TriggerLast *time.Time `json:"triggerLastTime,omitempty" doc:"Read-only: the last due time."`
	TriggerNext *time.Time `json:"triggerNextTime,omitempty" doc:"Read-only: the next due time; omitted if there is none."`
	Added       *time.Time `json:"addTime,omitempty" doc:"Read-only."`
	Updated     *time.Time `json:"updateTime,omitempty" doc:"Read-only. Each change increases it."`
}

func showForm(j *xxladapter.Job) jobForm {
	timeout := int64(j.Timeout / time.Second)
	children := append([]int64{}, j.ChildIDs...) // a list in JSON, never null
	tags := append([]string{}, j.Tags...)
	return jobForm{
		ID: j.ID, JobGroup: &j.GroupID,
		Name: &j.Name, Author: &j.Author, AlarmEmail: &j.AlarmEmail,
		ScheduleType: &j.ScheduleType, ScheduleConf: &j.ScheduleConf, MisfireStrategy: &j.Misfire,
		ExecutorRouteStrategy: &j.Route, ExecutorHandler: &j.Handler, ExecutorParam: &j.Param,
		ExecutorBlockStrategy: &j.Block, ExecutorTimeout: &timeout, ExecutorFailRetryCount: &j.RetryCount,
		GlueType: &j.GlueType, GlueSource: &j.GlueSource, GlueRemark: &j.GlueRemark,
		ChildJobIDs: &children, Settings: &j.Settings, Tags: &tags, Running: &j.Running,
		TriggerLast: api.Given(j.TriggerLast), TriggerNext: givenNext(j),
		Added: api.Given(j.Added), Updated: api.Given(j.Updated),
	}
}

// givenNext omits a next due time that is unknown until a run has ended.
func givenNext(j *xxladapter.Job) *time.Time {
	if j.Waits() {
		return nil
	}
	return api.Given(j.TriggerNext)
}

// apply sets the given fields on j. The caller sets the group.
func (f *jobForm) apply(j *xxladapter.Job) {
	api.Set(&j.Name, f.Name)
	api.Set(&j.Author, f.Author)
	api.Set(&j.AlarmEmail, f.AlarmEmail)
	api.Set(&j.ScheduleType, f.ScheduleType)
	api.Set(&j.ScheduleConf, f.ScheduleConf)
	api.Set(&j.Misfire, f.MisfireStrategy)
	api.Set(&j.Route, f.ExecutorRouteStrategy)
	api.Set(&j.Handler, f.ExecutorHandler)
	api.Set(&j.Param, f.ExecutorParam)
	api.Set(&j.Block, f.ExecutorBlockStrategy)
	api.Set(&j.RetryCount, f.ExecutorFailRetryCount)
	api.Set(&j.GlueType, f.GlueType)
	api.Set(&j.GlueSource, f.GlueSource)
	api.Set(&j.GlueRemark, f.GlueRemark)
	api.Set(&j.ChildIDs, f.ChildJobIDs)
	api.Set(&j.Settings, f.Settings)
	if f.Tags != nil {
		j.SetTags(*f.Tags)
	}
	if f.ExecutorTimeout != nil {
		j.Timeout = time.Duration(*f.ExecutorTimeout) * time.Second
	}
}

// check refuses read-only fields, and numbers that would overflow.
func (f *jobForm) check() error {
	for name, isSet := range map[string]bool{
		"running": f.Running != nil, "triggerLastTime": f.TriggerLast != nil, "triggerNextTime": f.TriggerNext != nil,
		"addTime": f.Added != nil, "updateTime": f.Updated != nil,
	} {
		if isSet {
			return xxladapter.Invalidf(errorrule.ReadOnly, "%s is given, must be omitted: it is read-only", name)
		}
	}
	if f.ExecutorTimeout != nil && (*f.ExecutorTimeout < 0 || *f.ExecutorTimeout > maxTimeoutSeconds) {
		return xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d seconds",
			"executorTimeout", *f.ExecutorTimeout, 0, maxTimeoutSeconds)
	}
	return nil
}

// checkEmails refuses addresses that cannot receive mail.
//
// REQUIRES: the call gives the addresses; stored ones may come from another tool.
func checkEmails(list string) error {
	for address := range strings.SplitSeq(list, ",") {
		address = strings.TrimSpace(address)
		if address == "" {
			continue
		}
		if err := checkEmail("alarmEmail", address); err != nil {
			return err
		}
	}
	return nil
}

// checkEmail refuses an address that cannot receive mail.
func checkEmail(field, address string) error {
	if _, err := mail.ParseAddress(address); err != nil {
		return xxladapter.Invalidf(errorrule.Email, "%s contains %q, must be an address such as ops@example.org",
			field, address)
	}
	return nil
}

// maxTimeoutSeconds is the largest value that the column and the executors' 32-bit field can hold.
const maxTimeoutSeconds = 1<<31 - 1
