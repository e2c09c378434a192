package xxladapter

import (
	"context"
	"time"
)

// What becomes of the alarm of a failed run, as it stands in alarm_status.
// Every change is a compare-and-set, so that of several schedulers, a Java
// admin among them, one takes the alarm. Runs that did not fail stay at
// [AlarmOpen].
const (
	AlarmOpen      = 0
	AlarmTaken     = -1 // somebody is about to send it, or died doing so
	AlarmNotNeeded = 1  // by the job's rule, or for want of anybody to tell
	AlarmSent      = 2
	AlarmFailed    = 3 // it reached not all, or nobody, and nobody tries again
)

// A FailedRun is what a rule has to know of a run that failed: its hand-over
// was refused, or its result is not a success.
type FailedRun struct {
	LogID      int64
	JobID      int64
	RetryCount int       // attempts that follow
	At         time.Time // of the result, or else of the trigger; whole seconds
}

// An AlarmState is what is remembered of a job's failures between alarms.
type AlarmState struct {
	JobID   int64
	Version int64 // counts the changes; 0: nothing is stored yet

	Raised  bool  // an alarm was raised and no success has been seen since
	InARow  int   // failed runs without a success between them
	SinceID int64 // log id of the first of them
	LastID  int64 // log id up to which runs have been judged
	// Sent is when the job's last alarm was taken, in whole milliseconds.
	Sent time.Time
}

// An AlarmDecision is what becomes of some failed runs of one job, and of the
// job's state with them.
type AlarmDecision struct {
	// Before is the state that the decision was made on, and After the one that
	// it leads to, whose Version does not count.
	Before, After AlarmState
	Quiet         []int64 // log ids that need no alarm
	Alarm         []int64 // log ids that the caller will tell of
	Recovered     int64   // log id of a success that the caller will tell of; 0: none
}

// An AlarmClaim is one run that a node has undertaken to tell of.
type AlarmClaim struct {
	LogID     int64
	JobID     int64
	Recovered bool // it is a success, after failures that were told of
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
	// them. A decision whose Before is not the stored state any more changes nothing, and a run
	// whose alarm is not open any more is left out.
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
