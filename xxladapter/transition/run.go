package transition

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A RunChange says what is added to the history of a run. The zero value adds nothing.
type RunChange struct {
	Kind RunChangeKind
	// History has the facts to add. Instants that are zero add nothing. With [ExtendRun] only
	// LogID, Sent, Acknowledged and Finished count.
	History xxladapter.RunHistory
}

// A RunChangeKind says how a [RunChange] is written.
type RunChangeKind int

const (
	KeepRun RunChangeKind = iota
	// RecordRun writes the history, because the fire that held its facts leaves the store, becomes
	// ambiguous or is taken over. If there is a history, only the take-over and the instants are
	// added to it.
	RecordRun
	// ExtendRun adds instants to the history, if there is one.
	ExtendRun
)

// runChange adds instants to the history of a run. A fire in the store has all facts but the
// instants, so a run that fires and ends normally costs one insert when it was handed over and one
// update when it ends.
func runChange(fire *xxladapter.Fire, add xxladapter.RunHistory) RunChange {
	switch {
	case fire != nil && fire.State != xxladapter.FirePlanned && fire.LogID == add.LogID:
		history := xxladapter.HistoryOf(*fire)
		history.Sent, history.Acknowledged, history.Finished = add.Sent, add.Acknowledged, add.Finished
		return RunChange{RecordRun, history}
	case add.Sent.IsZero() && add.Acknowledged.IsZero() && add.Finished.IsZero():
		return RunChange{}
	}
	return RunChange{ExtendRun, add}
}

// TakenOver returns the history that is recorded when by takes over a claimed fire of another term:
// afterwards the fire no longer tells who had claimed it. A second take-over replaces the first.
func TakenOver(f xxladapter.Fire, by xxladapter.Term, now time.Time) RunChange {
	if f.Owner == by {
		return RunChange{}
	}
	history := xxladapter.HistoryOf(f)
	history.TakenBy, history.TakenOver = by.Node, milli(now)
	return RunChange{RecordRun, history}
}

// Add returns the history of a run after a change to it.
//
// REQUIRES: c.Kind is not KeepRun; c is about h, unless h is nil.
func (c RunChange) Add(h *xxladapter.RunHistory) *xxladapter.RunHistory {
	if h == nil {
		if c.Kind == ExtendRun {
			return nil
		}
		return &c.History
	}
	after := *h
	if c.History.TakenBy != "" {
		after.TakenBy, after.TakenOver = c.History.TakenBy, c.History.TakenOver
	}
	for _, at := range []struct{ to, from *time.Time }{
		{&after.Sent, &c.History.Sent}, {&after.Acknowledged, &c.History.Acknowledged},
		{&after.Finished, &c.History.Finished},
	} {
		if !at.from.IsZero() {
			*at.to = *at.from
		}
	}
	return &after
}

// following returns the fires that follow from a run, with the run as their parent. attempt is the
// run's attempt; 0 counts as 1.
func following(next []xxladapter.Fire, logID int64, attempt int) []xxladapter.Fire {
	next = slices.Clone(next)
	for i := range next {
		next[i].Parent = logID
		if next[i].Type == xxladapter.TriggerRetry {
			next[i].Attempt = max(attempt, 1) + 1
		}
	}
	return next
}

// milli returns t in whole milliseconds, in UTC; zero stays zero.
func milli(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}
