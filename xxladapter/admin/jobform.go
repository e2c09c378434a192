package admin

import (
	"net/mail"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A jobForm is a job as the management API shows and takes it, under the names
// of XXL-JOB's own job calls. Pointers tell "not given" from "empty" when an
// existing job is changed.
type jobForm struct {
	ID       int64   `json:"id,omitempty"`
	JobGroup *int64  `json:"jobGroup,omitempty"`
	AppName  *string `json:"appName,omitempty"` // in place of jobGroup

	Name       *string `json:"name,omitempty"`
	Author     *string `json:"author,omitempty"`
	AlarmEmail *string `json:"alarmEmail,omitempty"`

	ScheduleType    *xxladapter.ScheduleType    `json:"scheduleType,omitempty"`
	ScheduleConf    *string                     `json:"scheduleConf,omitempty"`
	MisfireStrategy *xxladapter.MisfireStrategy `json:"misfireStrategy,omitempty"`

	ExecutorRouteStrategy  *xxladapter.RouteStrategy `json:"executorRouteStrategy,omitempty"`
	ExecutorHandler        *string                   `json:"executorHandler,omitempty"`
	ExecutorParam          *string                   `json:"executorParam,omitempty"`
	ExecutorBlockStrategy  *xxladapter.BlockStrategy `json:"executorBlockStrategy,omitempty"`
	ExecutorTimeout        *int64                    `json:"executorTimeout,omitempty"` // seconds
	ExecutorFailRetryCount *int                      `json:"executorFailRetryCount,omitempty"`

	GlueType   *xxladapter.GlueType `json:"glueType,omitempty"`
	GlueSource *string              `json:"glueSource,omitempty"`
	GlueRemark *string              `json:"glueRemark,omitempty"`

	ChildJobIDs *[]int64 `json:"childJobIds,omitempty"`

	// Settings replace the job's settings as a whole.
	Settings *xxladapter.Settings `json:"settings,omitempty"`

	// Only shown.
	Running     *bool      `json:"running,omitempty"`
	TriggerLast *time.Time `json:"triggerLastTime,omitempty"`
	TriggerNext *time.Time `json:"triggerNextTime,omitempty"`
	Added       *time.Time `json:"addTime,omitempty"`
	Updated     *time.Time `json:"updateTime,omitempty"`
}

func showForm(j *xxladapter.Job) jobForm {
	timeout := int64(j.Timeout / time.Second)
	children := append([]int64{}, j.ChildIDs...) // a list in JSON, never null
	return jobForm{
		ID: j.ID, JobGroup: &j.GroupID,
		Name: &j.Name, Author: &j.Author, AlarmEmail: &j.AlarmEmail,
		ScheduleType: &j.ScheduleType, ScheduleConf: &j.ScheduleConf, MisfireStrategy: &j.Misfire,
		ExecutorRouteStrategy: &j.Route, ExecutorHandler: &j.Handler, ExecutorParam: &j.Param,
		ExecutorBlockStrategy: &j.Block, ExecutorTimeout: &timeout, ExecutorFailRetryCount: &j.RetryCount,
		GlueType: &j.GlueType, GlueSource: &j.GlueSource, GlueRemark: &j.GlueRemark,
		ChildJobIDs: &children, Settings: &j.Settings, Running: &j.Running,
		TriggerLast: given(j.TriggerLast), TriggerNext: givenNext(j),
		Added: given(j.Added), Updated: given(j.Updated),
	}
}

// givenNext leaves out a next due time that only the end of a run will tell.
func givenNext(j *xxladapter.Job) *time.Time {
	if j.Waits() {
		return nil
	}
	return given(j.TriggerNext)
}

// given leaves out the zero time, and years that JSON has no form for.
func given(t time.Time) *time.Time {
	if year := t.UTC().Year(); t.IsZero() || year < 1 || year > 9999 {
		return nil
	}
	return &t
}

// apply sets the given fields on j. It leaves the group to the caller.
func (f *jobForm) apply(j *xxladapter.Job) {
	set(&j.Name, f.Name)
	set(&j.Author, f.Author)
	set(&j.AlarmEmail, f.AlarmEmail)
	set(&j.ScheduleType, f.ScheduleType)
	set(&j.ScheduleConf, f.ScheduleConf)
	set(&j.Misfire, f.MisfireStrategy)
	set(&j.Route, f.ExecutorRouteStrategy)
	set(&j.Handler, f.ExecutorHandler)
	set(&j.Param, f.ExecutorParam)
	set(&j.Block, f.ExecutorBlockStrategy)
	set(&j.RetryCount, f.ExecutorFailRetryCount)
	set(&j.GlueType, f.GlueType)
	set(&j.GlueSource, f.GlueSource)
	set(&j.GlueRemark, f.GlueRemark)
	set(&j.ChildIDs, f.ChildJobIDs)
	set(&j.Settings, f.Settings)
	if f.ExecutorTimeout != nil {
		j.Timeout = time.Duration(*f.ExecutorTimeout) * time.Second
	}
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// check refuses fields that are only shown, and numbers that would overflow.
func (f *jobForm) check() error {
	for name, isSet := range map[string]bool{
		"running": f.Running != nil, "triggerLastTime": f.TriggerLast != nil, "triggerNextTime": f.TriggerNext != nil,
		"addTime": f.Added != nil, "updateTime": f.Updated != nil,
	} {
		if isSet {
			return xxladapter.Invalidf("%s is given, must be left out: it cannot be set", name)
		}
	}
	if f.ExecutorTimeout != nil && (*f.ExecutorTimeout < 0 || *f.ExecutorTimeout > maxTimeoutSeconds) {
		return xxladapter.Invalidf("executorTimeout is %d, must be 0 to %d seconds", *f.ExecutorTimeout, maxTimeoutSeconds)
	}
	return nil
}

// checkEmails refuses addresses that no mail can be sent to. REQUIRES: they were
// just given; another tool may have stored what it liked.
func checkEmails(list string) error {
	for address := range strings.SplitSeq(list, ",") {
		address = strings.TrimSpace(address)
		if address == "" {
			continue
		}
		if _, err := mail.ParseAddress(address); err != nil {
			return xxladapter.Invalidf("alarmEmail contains %q, must be an address such as ops@example.org", address)
		}
	}
	return nil
}

// maxTimeoutSeconds is what the column and the executors' 32-bit field can hold.
const maxTimeoutSeconds = 1<<31 - 1
