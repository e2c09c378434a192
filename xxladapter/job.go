package xxladapter

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A Job is what an operator schedules: one row of xxl_job_info.
type Job struct {
	ID      int64
	GroupID int64 // the executors that run it

	Name       string // job_desc; 1 to 255 characters
	Author     string // 1 to 64 characters
	AlarmEmail string // comma separated; at most 255 characters

	ScheduleType ScheduleType
	ScheduleConf string // read by the type's rule; at most 128 characters
	Misfire      MisfireStrategy

	Route      RouteStrategy
	Handler    string        // the name that the executor registered; at most 255 characters
	Param      string        // passed to the handler unchanged
	Block      BlockStrategy // what happens to a run while another one of the job is in progress
	Timeout    time.Duration // whole seconds; 0 means no limit
	RetryCount int           // further attempts after a failed one; 0 or more

	GlueType    GlueType
	GlueSource  string
	GlueRemark  string    // at most 128 characters
	GlueUpdated time.Time // identifies the source's version; never zero in the store

	ChildIDs []int64 // triggered when a run of this job succeeds

	Settings Settings // settings for which XXL-JOB has no column

	// Tags are words by which people find jobs, see [Job.SetTags]: sorted, each once.
	Tags []string

	// Running is trigger_status: whether the schedule is on.
	Running bool

	// Restrictions are set only in the jobs that [ScheduleStore.ClaimDue] gives to decide: the
	// pauses and calendars at that moment. Stores do not keep them with the job.
	Restrictions *Restrictions

	// LastResult is set only in lists that are sorted by it, see [SortByResult]. Stores keep it
	// apart from the job.
	LastResult LastResult

	// TriggerLast and TriggerNext are due times in whole milliseconds; zero means none. While the
	// job runs, TriggerNext is the first due time without a fire record, or [AfterRun].
	TriggerLast time.Time
	TriggerNext time.Time

	Added time.Time
	// Updated is the time of an operator's last change, in whole seconds. It grows with each change
	// and so distinguishes the states of a job, see [TouchedAt].
	Updated time.Time
}

// TouchedAt returns the new Updated of a job that is changed at now. Several changes within one
// second move it ahead of the clock, by one second each.
func TouchedAt(now, before time.Time) time.Time {
	now = now.Truncate(time.Second)
	if before.IsZero() || now.After(before) {
		return now
	}
	return before.Add(time.Second)
}

// AfterRun is the [Job.TriggerNext] of a running job of type [ScheduleFixDelay] while its run is in
// progress: from the moment when a due time became a fire until all shards and retries have ended.
// It is so far ahead that no scheduler finds the job due, XXL-JOB's included.
var AfterRun = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Waits reports whether the job is running and its schedule waits for the end of a run.
func (j *Job) Waits() bool { return j.Running && j.TriggerNext.Equal(AfterRun) }

// SameSchedule reports whether two states of a job have the same due times.
func (j *Job) SameSchedule(as *Job) bool {
	return j.ScheduleType == as.ScheduleType && j.ScheduleConf == as.ScheduleConf && j.Settings.Zone == as.Settings.Zone
}

// RescheduledBy reports whether an edit that turns j into after needs another next due time: it
// does if both run and their schedules differ. A job that waits for the end of its run continues to
// wait unless its type changes: like the old delay, the new one counts from there.
func (j *Job) RescheduledBy(after *Job) bool {
	waits := j.Waits() && j.ScheduleType == after.ScheduleType
	return j.Running && after.Running && !j.SameSchedule(after) && !waits
}

// SetDefaults sets the empty enumerations of a new job to the initial values of upstream's form.
func (j *Job) SetDefaults() {
	setDefault(&j.ScheduleType, ScheduleNone)
	setDefault(&j.Misfire, MisfireDoNothing)
	setDefault(&j.Route, RouteFirst)
	setDefault(&j.Block, BlockSerial)
	setDefault(&j.GlueType, GlueBean)
}

func setDefault[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}

// StripReturns removes the carriage returns from the source of a shell script, which XXL-JOB does
// for new jobs. The source of before, the stored job, stays as it is, since another tool may have
// stored it with them; before is zero for a new job.
func (j *Job) StripReturns(before *Job) {
	if j.GlueType == GlueShell && (j.GlueType != before.GlueType || j.GlueSource != before.GlueSource) {
		j.GlueSource = strings.ReplaceAll(j.GlueSource, "\r", "")
	}
}

// Validate checks everything that the row alone can show, by the rules of upstream's job form and
// the widths of its columns. It returns all broken rules as one [Error] with [CodeInvalid]; each
// names field, value and rule. The caller has to check that the group and the children exist and
// that ScheduleConf can be parsed.
func (j *Job) Validate() error {
	return j.Broken().Together()
}

// Broken returns the rules of [Job.Validate] that the job breaks, each as an [Error] whose message
// begins with the name of the field.
func (j *Job) Broken() (broken BrokenRules) {
	checks := []func() error{
		func() error { return checkText("name", j.Name, 1, 255) },
		func() error { return checkText("author", j.Author, 1, 64) },
		func() error { return checkText("alarmEmail", j.AlarmEmail, 0, 255) },
		func() error { return CheckOneOf("scheduleType", j.ScheduleType) },
		func() error { return checkText("scheduleConf", j.ScheduleConf, 0, 128) },
		func() error { return CheckOneOf("misfireStrategy", j.Misfire) },
		func() error { return CheckOneOf("executorRouteStrategy", j.Route) },
		func() error { return CheckOneOf("executorBlockStrategy", j.Block) },
		func() error { return CheckOneOf("glueType", j.GlueType) },
		func() error { return checkText("executorHandler", j.Handler, 0, 255) },
		func() error { return CheckParam(j.Param) },
		func() error { return checkText("glueRemark", j.GlueRemark, 0, 128) },
	}
	checks = append(checks, j.checkHandler, j.checkNumbers, j.Settings.validate, j.checkTags, j.CheckChildren)
	for _, check := range checks {
		if err := check(); err != nil {
			broken = append(broken, err)
		}
	}
	return broken
}

func (j *Job) checkHandler() error {
	if j.GlueType == GlueBean && strings.TrimSpace(j.Handler) == "" {
		return Invalidf(errorrule.Missing, "%s is empty, a BEAN job must name its handler", "executorHandler")
	}
	return nil
}

func (j *Job) checkNumbers() error {
	switch {
	case j.Timeout < 0 || j.Timeout%time.Second != 0:
		return Invalidf(errorrule.WholeSeconds, "%s is %v, must be whole seconds, 0 or more", "executorTimeout", j.Timeout)
	case j.Timeout > maxInt*time.Second:
		return Invalidf(errorrule.AtMost, "%s is %v, must be at most %d seconds", "executorTimeout", j.Timeout, maxInt)
	case j.RetryCount < 0 || j.RetryCount > maxInt:
		return Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "executorFailRetryCount", j.RetryCount, 0, maxInt)
	}
	return nil
}

// maxInt is the largest value of upstream's int columns.
const maxInt = 1<<31 - 1

// CheckChildren checks what [Job.Validate] says about ChildIDs: each is the id of another job, and
// they fit into upstream's column. Its error is an [Error] with [CodeInvalid].
func (j *Job) CheckChildren() error {
	for _, id := range j.ChildIDs {
		if id <= 0 || id == j.ID {
			return Invalidf(errorrule.Child, "%s contains %d, must be the id of another job", "childJobIds", id)
		}
	}
	const limit = 255
	n := max(len(j.ChildIDs)-1, 0) // commas
	for _, id := range j.ChildIDs {
		n += len(strconv.FormatInt(id, 10))
	}
	if n > limit {
		return Invalidf(errorrule.CharactersAtMost, "%s has %d characters with its commas, must have at most %d",
			"childJobIds", n, limit)
	}
	return nil
}

// CheckParam refuses a parameter that does not fit into a job or a log row. Before XXL-JOB 3.4.0
// the columns are narrower, with 512 characters.
func CheckParam(param string) error { return checkBytes("executorParam", param, MaxRowText) }

// CheckOverride refuses, as [CheckParam] does, a parameter that replaces a job's; nil fits. The log
// row must have all of it, because a retry takes it from there.
func CheckOverride(param *string) error {
	if param == nil {
		return nil
	}
	return CheckParam(*param)
}

// checkText refuses text with control characters, and text with fewer than least or more than limit
// characters.
func checkText(field, text string, least, limit int) error {
	n := utf8.RuneCountInString(text)
	switch {
	case !utf8.ValidString(text):
		return Invalidf(errorrule.UTF8, "%s is not valid UTF-8", field)
	case least > 0 && strings.TrimSpace(text) == "":
		return Invalidf(errorrule.Characters, "%[1]s is empty, must have %[3]d to %[4]d characters", field, 0, least, limit)
	case n < least || n > limit:
		return Invalidf(errorrule.Characters, "%s has %d characters, must have %d to %d", field, n, least, limit)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return Invalidf(errorrule.ControlCharacters, "%s is %q, must not contain control characters", field, text)
	}
	return nil
}

func checkBytes(field, text string, limit int) error {
	switch {
	case !utf8.ValidString(text):
		return Invalidf(errorrule.UTF8, "%s is not valid UTF-8", field)
	case len(text) > limit:
		return Invalidf(errorrule.BytesAtMost, "%s has %d bytes, must have at most %d", field, len(text), limit)
	}
	return nil
}

// A JobFilter selects jobs; zero fields do not restrict.
type JobFilter struct {
	GroupID int64
	// Groups selects jobs of these groups; nil means all, and an empty list none.
	Groups  []int64
	Name    string // a part of the name
	Handler string // a part of the handler
	Author  string // a part of the author
	Tag     string // a tag, whole
	Type    ScheduleType
	Running *bool
	// Waiting selects running jobs whose TriggerNext is [AfterRun].
	Waiting bool
	// KeepLogs selects jobs that have this setting; empty means all.
	KeepLogs LogPolicy
	// Calendar selects jobs with this name in their settings; empty means all.
	Calendar string
	// LastResult selects jobs by their newest run that has ended; empty means all. The result of a
	// run that was deleted still counts.
	LastResult LastResult

	// Sort orders the list; empty means [SortByID]. Descending reverses the order, also that of
	// the ids of jobs with equal values.
	Sort       JobSort
	Descending bool
	// AfterKey and AfterID name a position in the list: the [Job.SortKey] and the id of a job,
	// which may no longer exist. The jobs behind it are listed. An AfterID of 0 means the
	// beginning.
	//
	// REQUIRES: CheckPosition accepts AfterKey.
	AfterKey string
	AfterID  int64
	Limit    int // 0 means no limit
	// Light leaves Param, GlueSource and GlueRemark empty, which may be large.
	Light bool
}

// A JobStore is the part of [Store] that returns jobs. A [JobEditStore] changes them.
type JobStore interface {
	// Job returns a job. The error is [ErrNotFound] if there is none.
	Job(ctx context.Context, id int64) (*Job, error)
	// Jobs lists the jobs that f selects, in the order of f.
	Jobs(ctx context.Context, f JobFilter) ([]*Job, error)
}
