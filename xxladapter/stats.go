package xxladapter

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// A StatResult is how a run ended, for the statistics.
type StatResult string

const (
	StatSuccess StatResult = "SUCCESS"
	StatFailed  StatResult = "FAILED"   // the handler reported a failure
	StatTimeout StatResult = "TIMEOUT"  // it exceeded the job's time limit
	StatKilled  StatResult = "KILLED"   // it was killed, or ended by a later run of its job
	StatLost    StatResult = "LOST"     // its executor is gone, or it is unknown whether the request arrived
	StatNotSent StatResult = "NOT_SENT" // no executor took it
)

// Values lists all results.
func (StatResult) Values() []StatResult {
	return []StatResult{StatSuccess, StatFailed, StatTimeout, StatKilled, StatLost, StatNotSent}
}

// StatResultOf classifies a log row. open says that the row has an open fire. result is empty while
// there is none. final is false if another result may still come: the row has to be looked at
// again.
//
// A hand-over that failed is final, see [HandOverFailed]. Should a result come after all, it is not
// counted.
func StatResultOf(l *Log, open bool) (result StatResult, final bool) {
	switch {
	case l.HandleCode == ResultOK:
		return StatSuccess, true
	case l.HandleCode == ResultTimeout:
		return StatTimeout, true
	case l.Lost():
		return StatLost, l.HandleCode != ResultNone
	case killed(l.HandleMsg):
		return StatKilled, true
	case l.HandleCode != ResultNone:
		return StatFailed, true
	case open || !HandOverFailed(l.TriggerCode):
		return "", false
	}
	return StatNotSent, true
}

// killed reports whether the message of a result ends as that of a killed run does, on executors of
// XXL-JOB and on ours.
func killed(handleMsg string) bool {
	return strings.HasSuffix(handleMsg, "killed]") || strings.HasSuffix(handleMsg, "killed.]")
}

// Figures are the statistics of some runs. Each run counts once, by its result.
type Figures struct {
	Success, Failed, Timeout, Killed, Lost, NotSent int64
	// Durations are those of runs with a result from their executor and a [RunHistory].
	Durations Histogram
	// Lateness is that of first attempts that a schedule fired, and that have a [RunHistory].
	Lateness Histogram
}

// of returns the count of a result.
func (f *Figures) of(r StatResult) *int64 {
	switch r {
	case StatSuccess:
		return &f.Success
	case StatTimeout:
		return &f.Timeout
	case StatKilled:
		return &f.Killed
	case StatLost:
		return &f.Lost
	case StatNotSent:
		return &f.NotSent
	}
	return &f.Failed
}

// Runs returns the number of runs.
func (f *Figures) Runs() int64 { return f.Success + f.Unsuccessful() }

// Unsuccessful returns the number of runs that did not succeed.
func (f *Figures) Unsuccessful() int64 { return f.Failed + f.Timeout + f.Killed + f.Lost + f.NotSent }

// Merge adds other figures.
func (f *Figures) Merge(other *Figures) {
	for _, r := range StatResult("").Values() {
		*f.of(r) += *other.of(r)
	}
	f.Durations.Merge(other.Durations)
	f.Lateness.Merge(other.Lateness)
}

// CountRun counts what is known of a run. It returns the result by which the run counts now, and
// whether that result is final. before is the result by which it was counted earlier, empty if it
// was not; it is taken back. Durations and lateness count with the final result. h is the run's
// history, nil if it has none.
func (f *Figures) CountRun(l *Log, h *RunHistory, open bool, before StatResult) (now StatResult, final bool) {
	now, final = StatResultOf(l, open)
	if before != "" {
		*f.of(before)--
	}
	if now != "" {
		*f.of(now)++
	}
	if !final || h == nil {
		return now, final
	}
	if d, ok := h.Duration(); ok && now != StatLost && now != StatNotSent {
		f.Durations.Add(d)
	}
	if h.Attempt <= 1 && h.Type.Scheduled() {
		f.Lateness.Add(h.Lateness())
	}
	return now, final
}

// A StatBy is what statistics are divided by.
type StatBy string

const (
	StatByHour  StatBy = "hour"
	StatByGroup StatBy = "group"
	StatByJob   StatBy = "job"
)

// Values lists all of them.
func (StatBy) Values() []StatBy { return []StatBy{StatByHour, StatByGroup, StatByJob} }

// Validate refuses a value that does not exist; the empty one means one sum of everything.
func (b StatBy) Validate() error { return checkOneOfOrEmpty("by", b) }

// StatHour is the resolution of the statistics. Hours are in UTC.
const StatHour = time.Hour

// A StatFilter selects statistics. Zero fields do not restrict, except for From and To.
type StatFilter struct {
	// From is inclusive and To exclusive; both are about the runs' trigger times, and extended to
	// whole hours of UTC.
	From, To time.Time
	By       StatBy
	JobID    int64
	GroupID  int64
	// Groups selects these groups; nil means all, and an empty list none.
	Groups []int64
	// Limit is the most jobs that are returned with [StatByJob]; 0 means no limit.
	Limit int
}

// A Stat has the figures of one hour, group or job, as [StatFilter.By] says.
type Stat struct {
	Hour    time.Time // zero unless divided by hour
	GroupID int64     // 0 unless divided by group
	JobID   int64     // 0 unless divided by job
	Figures
}

// StatDelay is how long the log is left to settle before its rows are counted. A row that is stored
// may have a lower id than rows that were stored earlier; no transaction takes this long.
const StatDelay = 30 * time.Second

// StatWork says what is left to do for the statistics.
type StatWork int

const (
	NoStatWork    StatWork = iota // every row is counted
	LaterStatWork                 // there are rows that have to settle, or whose result is open
	MoreStatWork                  // there are further rows to count now
)

// A StatStore is the part of [Store] that keeps statistics of runs. They count the log rows of all
// schedulers of the store, a Java admin among them, by hour of the trigger time, group and job. A
// run belongs to the group that its log row names. Figures stay when log rows and jobs are deleted.
type StatStore interface {
	// FoldStats counts up to limit log rows that are not counted yet, lowest ids first, and looks
	// at up to limit earlier ones whose result was open. When all settled rows are counted, the
	// call stores the current end of the log; a call at least [StatDelay] later counts up to that
	// end. Deleting a row counts it first. Each run counts once, however many nodes call at the
	// same time. It returns what is left to do.
	FoldStats(ctx context.Context, limit int) (StatWork, error)
	// Stats returns the figures that f selects, as counted so far: by hour, by group id, or by job
	// with the most unsuccessful runs first, then by job id. Without a [StatFilter.By] it returns
	// one sum, even if nothing was counted.
	Stats(ctx context.Context, f StatFilter) ([]Stat, error)
	// PurgeStats deletes figures of hours earlier than the hour that contains before. It deletes at
	// least limit of them if there are so many, and may delete a few more. It returns how many it
	// deleted.
	PurgeStats(ctx context.Context, before time.Time, limit int) (int, error)
}

// StatSums divides figures as [StatFilter.By] says. Its zero value makes one sum.
type StatSums struct {
	By   StatBy
	sums map[statKey]*Stat
}

// A statKey is what figures are divided by: at most one of the fields is set.
type statKey struct{ hour, group, job int64 }

// Add adds the figures of an hour, group and job.
func (s *StatSums) Add(hour time.Time, group, job int64, f *Figures) {
	var key statKey
	var stat Stat
	switch s.By {
	case StatByHour:
		key.hour, stat.Hour = hour.Unix(), hour
	case StatByGroup:
		key.group, stat.GroupID = group, group
	case StatByJob:
		key.job, stat.JobID = job, job
	}
	if s.sums == nil {
		s.sums = map[statKey]*Stat{}
	}
	if s.sums[key] == nil {
		s.sums[key] = &stat
	}
	s.sums[key].Merge(f)
}

// List returns the sums in the order of [StatStore.Stats]. limit is that of jobs; 0 means no limit.
func (s *StatSums) List(limit int) (list []Stat) {
	for _, stat := range s.sums {
		list = append(list, *stat)
	}
	if s.By == "" && len(list) == 0 {
		return []Stat{{}}
	}
	slices.SortFunc(list, func(a, b Stat) int {
		if s.By == StatByJob {
			return cmp.Or(cmp.Compare(b.Unsuccessful(), a.Unsuccessful()), cmp.Compare(a.JobID, b.JobID))
		}
		return cmp.Or(a.Hour.Compare(b.Hour), cmp.Compare(a.GroupID, b.GroupID))
	})
	if s.By == StatByJob && limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}
