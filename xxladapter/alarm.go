package xxladapter

import (
	"context"
	"time"
)

// The values of alarm_status: what happened to the alarm of a failed run. Every change is a
// compare-and-set, so that one of several schedulers, Java admins included, takes the alarm. Runs
// that did not fail stay at [AlarmOpen].
const (
	AlarmOpen      = 0
	AlarmTaken     = -1 // a scheduler is about to send it, or died while sending
	AlarmNotNeeded = 1  // the job's rule needs none, or there are no receivers
	AlarmSent      = 2
	AlarmFailed    = 3 // it did not reach all receivers, and is not retried
)

// A FailedRun is what a rule needs to know about a run that failed: one whose hand-over or whose
// result is not a success.
type FailedRun struct {
	LogID      int64
	JobID      int64
	RetryCount int       // attempts that follow
	At         time.Time // the time of the result, or of the trigger if there is none; whole seconds
}

// An AlarmState is what the store remembers about a job's failures between alarms.
type AlarmState struct {
	JobID   int64
	Version int64 // number of changes; 0 means that nothing is stored yet

	Raised  bool  // an alarm was raised and no success has been seen since
	InARow  int   // failed runs without a success between them
	SinceID int64 // log id of the first of them
	LastID  int64 // log id of the last run that was judged
	// Sent is when the job's last alarm was taken, in whole milliseconds; zero means never.
	Sent time.Time
}

// An AlarmDecision says what happens to some failed runs of one job, and to the job's state.
type AlarmDecision struct {
	// Before is the state that the decision is based on, and After the one that it leads to, whose
	// Version is ignored.
	Before, After AlarmState
	Quiet         []int64 // log ids that need no alarm
	Alarm         []int64 // log ids that the caller will report
	Recovered     int64   // log id of a success that the caller will report; 0 means none
}

// An AlarmClaim is one run that a node has undertaken to report.
type AlarmClaim struct {
	LogID     int64
	JobID     int64
	Recovered bool // it is a success after reported failures
	Node      string
	At        time.Time // when Node claimed it, in whole milliseconds
	Attempts  int       // how many times it was claimed; 1 or more
}

// An AlarmStore is the part of [Store] that keeps which failed runs are reported, by which node,
// and what is remembered of each job's failures. Whether a run has succeeded since is a question
// for [LogStore.Logs].
type AlarmStore interface {
	// FailedRuns lists up to limit failed runs whose alarm is open, with log ids above after.
	FailedRuns(ctx context.Context, after int64, limit int) ([]FailedRun, error)
	// AlarmStates lists the states of the given jobs and of all jobs whose alarm is raised, by
	// job id, each once. A given job without a state, or that does not exist, has the zero state
	// with its id.
	AlarmStates(ctx context.Context, jobIDs []int64) ([]AlarmState, error)

	// DecideAlarms stores decisions, all in one transaction, and returns what node has claimed by
	// them. A decision whose Before is no longer the stored state changes nothing. A run whose
	// alarm is no longer open is left out.
	DecideAlarms(ctx context.Context, node string, decisions []AlarmDecision) ([]AlarmClaim, error)
	// StaleAlarms lists up to limit claims, of any node, that are at least age old and not
	// settled, oldest first. It changes nothing, so that a node which may not send now leaves
	// them to others.
	StaleAlarms(ctx context.Context, age time.Duration, limit int) ([]AlarmClaim, error)
	// RenewAlarms makes claims node's own from now on and returns them as they are then. Claims
	// that another call has renewed or settled since they were read are left out.
	RenewAlarms(ctx context.Context, node string, claims []AlarmClaim) ([]AlarmClaim, error)
	// SettleAlarms ends claims and gives the failed runs among them the status. Claims that
	// another call has renewed or settled since they were read are left alone.
	SettleAlarms(ctx context.Context, claims []AlarmClaim, status int) error
}
