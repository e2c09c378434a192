package xxladapter

import (
	"context"
	"encoding/json"
	"time"
)

// A JobVersion is the state of a job from one edit to the next. Stores keep one for each edit whose
// context carries a call, see [WithCall].
type JobVersion struct {
	JobID int64
	// Number counts from 1 within the job, without gaps.
	Number int64
	At     time.Time // when it took effect, by the store's clock, in whole milliseconds

	// Actor and Call say who made the edit. Both are zero for a state that the store found: that
	// of a job before its first edit, and what another program has changed.
	Actor Actor
	Call  string

	// Job is the state: GlueUpdated, Updated and what [Job.Fields] lists, without the source, whose
	// versions have their own table.
	Job Job
}

// A JobVersionFilter selects versions of one job; zero fields but JobID do not restrict.
type JobVersionFilter struct {
	JobID  int64
	Number int64
	// Updated selects versions whose [Job.Updated] is not later: the newest one is the state that
	// a caller has read with this time.
	Updated time.Time
	Until   time.Time // versions that took effect at or before this instant
	Before  int64     // versions with smaller numbers
	Limit   int       // 0 means no limit
}

// A JobVersionStore is the part of [Store] that keeps the versions of jobs. They are removed with
// their job.
type JobVersionStore interface {
	// JobVersions lists the versions that f selects, newest first.
	JobVersions(ctx context.Context, f JobVersionFilter) ([]*JobVersion, error)
	// PurgeJobVersions deletes up to limit versions that were replaced before an instant, oldest
	// first, and returns their number.
	PurgeJobVersions(ctx context.Context, before time.Time, limit int) (int, error)
}

// A jobState is the text of a version.
type jobState struct {
	GroupID      int64           `json:"jobGroup"`
	Name         string          `json:"name"`
	Author       string          `json:"author"`
	AlarmEmail   string          `json:"alarmEmail"`
	ScheduleType ScheduleType    `json:"scheduleType"`
	ScheduleConf string          `json:"scheduleConf"`
	Misfire      MisfireStrategy `json:"misfireStrategy"`
	Route        RouteStrategy   `json:"executorRouteStrategy"`
	Handler      string          `json:"executorHandler"`
	Param        string          `json:"executorParam"`
	Block        BlockStrategy   `json:"executorBlockStrategy"`
	Timeout      int64           `json:"executorTimeout"`
	RetryCount   int             `json:"executorFailRetryCount"`
	GlueType     GlueType        `json:"glueType"`
	GlueRemark   string          `json:"glueRemark"`
	GlueUpdated  time.Time       `json:"glueUpdated"`
	ChildIDs     []int64         `json:"childJobIds,omitempty"`
	Settings     Settings        `json:"settings"`
	Tags         []string        `json:"tags,omitempty"`
	Running      bool            `json:"running"`
}

// VersionText returns the state of the job as versions keep it: JSON with valid texts, so that
// every store reads back what it was given.
func (j *Job) VersionText() string {
	text, err := json.Marshal(jobState{
		GroupID: j.GroupID, Name: ValidText(j.Name), Author: ValidText(j.Author), AlarmEmail: ValidText(j.AlarmEmail),
		ScheduleType: j.ScheduleType, ScheduleConf: ValidText(j.ScheduleConf), Misfire: j.Misfire,
		Route: j.Route, Handler: ValidText(j.Handler), Param: ValidText(j.Param), Block: j.Block,
		Timeout: int64(j.Timeout / time.Second), RetryCount: j.RetryCount,
		GlueType: j.GlueType, GlueRemark: ValidText(j.GlueRemark), GlueUpdated: j.GlueUpdated.UTC(),
		ChildIDs: j.ChildIDs, Settings: j.Settings, Tags: validTexts(j.Tags), Running: j.Running,
	})
	if err != nil {
		panic(err) // texts and numbers; the year of GlueUpdated has four digits
	}
	return string(text)
}

// ParseVersion returns the job with an id whose state is in text. A text that another program
// damaged gives the zero state.
func ParseVersion(id int64, text string, updated time.Time) Job {
	var s jobState
	if json.Unmarshal([]byte(text), &s) != nil {
		s = jobState{}
	}
	return Job{
		ID: id, GroupID: s.GroupID, Name: s.Name, Author: s.Author, AlarmEmail: s.AlarmEmail,
		ScheduleType: s.ScheduleType, ScheduleConf: s.ScheduleConf, Misfire: s.Misfire,
		Route: s.Route, Handler: s.Handler, Param: s.Param, Block: s.Block,
		Timeout: time.Duration(s.Timeout) * time.Second, RetryCount: s.RetryCount,
		GlueType: s.GlueType, GlueRemark: s.GlueRemark, GlueUpdated: s.GlueUpdated, ChildIDs: s.ChildIDs,
		Settings: s.Settings, Tags: s.Tags, Running: s.Running, Updated: updated,
	}
}

// NextVersions returns the versions that an edit adds behind last, which is nil if there is none:
// the state before the edit, unless last shows it, and the state after it. An edit that changes
// nothing adds none. was is nil for a new job. A schedule that has ended by itself adds no version
// of its own: that of the next edit shows it.
func NextVersions(ctx context.Context, last *JobVersion, was, is *Job, now time.Time) (added []*JobVersion) {
	add := func(j *Job, at time.Time, by Actor, call string) {
		number := int64(1)
		if last != nil {
			number = last.Number + 1
			if at.Before(last.At) {
				at = last.At // the clock was set back, or another program's is
			}
		}
		last = &JobVersion{
			JobID: j.ID, Number: number, At: time.UnixMilli(at.UnixMilli()).UTC(), Actor: by,
			Call: CutText(ValidText(call), maxAuditText),
			Job:  ParseVersion(j.ID, j.VersionText(), j.Updated),
		}
		added = append(added, last)
	}
	if was != nil && was.VersionText() == is.VersionText() {
		return nil
	}
	if was != nil && !last.Shows(was) {
		add(was, was.Updated, Actor{}, "")
	}
	by := ActorOf(ctx)
	by.Name, by.Address = CutText(ValidText(by.Name), maxActorName), CutText(ValidText(by.Address), maxAuditText)
	add(is, now, by, CallOf(ctx))
	return added
}

// Shows reports whether the version is the state of the job, but for a schedule that has ended
// since. A nil version shows none.
func (v *JobVersion) Shows(j *Job) bool {
	if v == nil {
		return false
	}
	same := v.Job
	if same.Updated.Equal(j.Updated) {
		same.Running = j.Running
	}
	return same.VersionText() == j.VersionText()
}

// A GlueVersion is a source that a job has or had: one row of xxl_job_logglue.
type GlueVersion struct {
	ID     int64
	JobID  int64
	Type   GlueType
	Source string
	Remark string
	Added  time.Time // in whole seconds
}

// MaxGlueVersions is the number of versions of a job's source that a store keeps, the newest ones.
// Upstream keeps the same number.
const MaxGlueVersions = 30

// A GlueStore is the part of [Store] that keeps the versions of jobs' sources, which
// [UpdateJob] writes.
type GlueStore interface {
	// GlueVersions lists the versions of a job's source, newest first. A job whose source was never
	// changed has none; the first change also stores the source that it replaces.
	GlueVersions(ctx context.Context, jobID int64) ([]*GlueVersion, error)
}
