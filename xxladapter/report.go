package xxladapter

import (
	"context"
	"time"
)

// A Report counts the triggers of one day by the outcome that each of them has so far: a row of
// xxl_job_log_report. A result that comes days later changes the figures of the day of its trigger.
//
// Rows that are deleted after they have ended stay counted. Rows that are deleted without an end,
// with their job, are no longer counted.
type Report struct {
	Day     string // in the format time.DateOnly, in the store's zone
	Running int64
	Success int64
	Failed  int64
}

// An Outcome is what a log row's two codes say about its trigger.
type Outcome int

// The outcomes, in upstream's order of columns.
const (
	OutcomeRunning Outcome = iota // being handed over, or no result yet
	OutcomeSuccess
	OutcomeFailed // not taken by an executor, or ended with any code but 200
)

// OutcomeOf classifies a pair of trigger code and handle code as upstream's report does
// (XxlJobLogMapper.findLogReport).
func OutcomeOf(triggerCode, handleCode int) Outcome {
	switch {
	case handleCode == ResultOK:
		return OutcomeSuccess
	case handleCode == ResultNone && (triggerCode == ResultNone || triggerCode == ResultOK):
		return OutcomeRunning
	}
	return OutcomeFailed
}

// Outcome returns what the row's codes say.
func (l *Log) Outcome() Outcome { return OutcomeOf(l.TriggerCode, l.HandleCode) }

// Add counts n more triggers with an outcome.
func (r *Report) Add(o Outcome, n int64) {
	switch o {
	case OutcomeRunning:
		r.Running += n
	case OutcomeSuccess:
		r.Success += n
	default:
		r.Failed += n
	}
}

// A ReportStore is the part of [Store] that keeps the figures of each day.
type ReportStore interface {
	// Reports lists the figures of the days from that of from to that of to, both included, by
	// day; a zero time means no limit. Days without a trigger are left out. The figures include
	// everything that was stored before the call.
	Reports(ctx context.Context, from, to time.Time) ([]Report, error)
	// FoldReports moves the figures into the table that other programs read. It changes no figure.
	FoldReports(ctx context.Context) error
}
