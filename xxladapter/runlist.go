package xxladapter

import (
	"context"
	"strings"
	"time"
)

// LostMsg begins the HandleMsg of a run that was ended because its executor is gone.
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
	case l.Outcome() == OutcomeRunning:
		return max(now.Sub(l.TriggerTime), 0), true
	case l.HandleTime.IsZero():
		return 0, false
	}
	return max(l.HandleTime.Sub(l.TriggerTime), 0), true
}

// A RunFilter selects runs for a list. Zero fields do not restrict.
//
// Trigger times and ids of log rows have the same order, except for rows of almost the same time:
// with Since or Before, a row may be missing that is more than a minute out of this order, which
// happens only if a clock was set back.
type RunFilter struct {
	LogFilter
	Lost    bool   // only rows that [Log.Lost] reports
	Address string // a part of the executor's address
	Type    TriggerType
	// AtLeast selects runs that [Log.Took] this long, or longer.
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
	// f.Examine rows were read. REQUIRES: f.Limit is above 0.
	Runs(ctx context.Context, f RunFilter) (logs []*Log, next int64, err error)
	// CountRuns returns how many rows f selects, but at most most. more is true if there may be
	// further rows: counting stops at most, and where Runs would end a page. The position, order
	// and limit of f are ignored. REQUIRES: most is above 0.
	CountRuns(ctx context.Context, f RunFilter, most int) (n int, more bool, err error)
	// JobNames returns the names of the jobs that exist among the ids, in these groups; nil means
	// all groups, and an empty list none.
	JobNames(ctx context.Context, ids, groups []int64) (map[int64]string, error)
}
