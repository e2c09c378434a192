package xxladapter

import (
	"context"
	"slices"
	"strings"
	"time"
)

// LostMsg begins the HandleMsg of a run that was ended because its result will never arrive.
const LostMsg = "lost: "

// Lost reports whether the row's result is lost: its executor is gone, or it is unknown whether the
// request arrived and no result has come. Its status is [LogFail].
func (l *Log) Lost() bool {
	if l.HandleCode == ResultNone {
		return l.TriggerCode == ResultUnknown
	}
	return l.HandleCode == ResultFail && strings.HasPrefix(l.HandleMsg, LostMsg)
}

// Took returns how long the run has taken until now, or until its result. h is its history, nil if
// it has none; then the whole seconds of the log row are compared. ok is false for a run that an
// executor never took.
func (l *Log) Took(h *RunHistory, now time.Time) (d time.Duration, ok bool) {
	if h != nil {
		if d, ok := h.Duration(); ok {
			return d, true
		}
	}
	switch {
	case l.TriggerTime.IsZero():
		return 0, false
	case l.Status() == LogRunning:
		return max(now.Sub(l.TriggerTime), 0), true
	case l.HandleTime.IsZero():
		return 0, false
	}
	return max(l.HandleTime.Sub(l.TriggerTime), 0), true
}

// A RunFilter selects runs for a list. Zero fields do not restrict.
//
// Trigger times and ids of log rows have the same order, except for rows of almost the same time:
// Since and Before rely on that order to within a minute, and may miss a row that a clock set back
// has put further out of order.
type RunFilter struct {
	LogFilter
	Lost    bool   // only rows that [Log.Lost] reports
	Address string // a part of the executor's address
	Type    TriggerType
	// AtLeast selects runs that took this long or longer, as [Log.Took] says.
	AtLeast time.Duration
	Text    string // a part of TriggerMsg or HandleMsg
	// Examine limits how many rows one call reads for conditions that no index serves, which are
	// all but JobID, Since, Before and the status [LogRunning]. 0 means [DefaultExamine]. A store
	// may read more.
	Examine int
}

// DefaultExamine is the number of log rows that a page of a list reads before it ends without being
// full.
const DefaultExamine = 50_000

// A RunListStore is the part of [Store] that lists runs for people. In a log of millions of rows a
// search for what no index serves is divided among many calls.
type RunListStore interface {
	// Runs lists log rows that f selects, by id. next is the AfterID of the next page, or 0 if
	// there are no further rows. With a next, the list may be shorter than f.Limit, or empty:
	// f.Examine rows were read.
	//
	// REQUIRES: f.Limit is above 0.
	Runs(ctx context.Context, f RunFilter) (logs []*Log, next int64, err error)
	// CountRuns counts up to limit rows that f selects. more is true if there may be further rows,
	// because limit or f.Examine was reached. The position, order and limit of f are ignored.
	//
	// REQUIRES: limit is above 0.
	CountRuns(ctx context.Context, f RunFilter, limit int) (n int, more bool, err error)
	// JobNames returns the names of the jobs that exist among the ids, in these groups; nil means
	// all groups, and an empty list none.
	JobNames(ctx context.Context, ids, groups []int64) (map[int64]string, error)
}

// A LastRun is what lists of jobs show of a job's newest log row.
type LastRun struct {
	LogID     int64
	Status    LogStatus
	Triggered time.Time // in whole seconds
}

// A RecentRunStore is the part of [Store] that returns the recent runs of many jobs.
type RecentRunStore interface {
	// LastRuns returns the newest log row of each job among the ids that has any.
	LastRuns(ctx context.Context, jobIDs []int64) (map[int64]LastRun, error)
	// RecentRuns returns up to limit log rows of each job among the ids that has any, the newest
	// first.
	//
	// REQUIRES: limit is above 0.
	RecentRuns(ctx context.Context, jobIDs []int64, limit int) (map[int64][]LastRun, error)
	// MeanDurations returns the mean [RunHistory.Duration] of each job that has one among the
	// newest histories: those whose log id is greater than the highest one minus rows. The means
	// are whole milliseconds.
	//
	// REQUIRES: rows is above 0.
	MeanDurations(ctx context.Context, rows int) (map[int64]time.Duration, error)
}

// A LastResult selects jobs by the status of their newest run that has ended.
type LastResult string

const (
	LastSuccess LastResult = "SUCCESS"
	LastFail    LastResult = "FAIL"
	LastNone    LastResult = "NONE" // no run has ended
)

// Values lists all of them.
func (LastResult) Values() []LastResult { return []LastResult{LastSuccess, LastFail, LastNone} }

// Validate refuses a value that does not exist; the empty one means any.
func (r LastResult) Validate() error { return checkOneOfOrEmpty("lastResult", r) }

// Ranked lists the results in the order of [SortByResult].
func (LastResult) Ranked() []LastResult { return []LastResult{LastFail, LastSuccess, LastNone} }

// rank returns the place of a result in that order. The empty one is [LastNone].
func (r LastResult) rank() int {
	if r == "" {
		r = LastNone
	}
	return slices.Index(r.Ranked(), r)
}
