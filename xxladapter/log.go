package xxladapter

import (
	"context"
	"time"
)

// A Log is the stored record of one trigger and its run: one row of
// xxl_job_log. Its state is the pair of codes; see [ResultNone] and its
// neighbours.
type Log struct {
	ID      int64
	GroupID int64
	JobID   int64

	Address    string // empty: none was chosen
	Handler    string
	Param      string // like TriggerMsg, at most [MaxRowText] bytes; stores cut them
	Sharding   string // "index/total" of a sharding broadcast, else empty
	RetryCount int    // attempts still allowed after this one

	// TriggerTime is in whole seconds, and the same instant that the executor
	// was sent, so that its log file is found again.
	TriggerTime time.Time
	TriggerCode int
	TriggerMsg  string

	HandleTime time.Time // zero: no result yet
	HandleCode int
	HandleMsg  string // at most 15000 characters

	AlarmStatus int
}

// HandOverFailed reports whether a trigger code says that the hand-over is known
// to have failed. What follows from a failure, the next attempt above all, was
// planned with that, so a run that fails afterwards has no further one. An outcome
// that stayed unknown was followed by nothing.
func HandOverFailed(triggerCode int) bool {
	switch triggerCode {
	case ResultNone, ResultOK, ResultUnknown:
		return false
	}
	return true
}

// MaxHandleMsg is the longest HandleMsg, in characters; upstream cuts there.
const MaxHandleMsg = 15000

// A LogStatus sorts log rows by their pair of codes, as upstream's daily report
// does: each row has exactly one.
type LogStatus string

const (
	LogRunning LogStatus = "RUNNING" // about to be sent, or sent and without a result
	LogSuccess LogStatus = "SUCCESS"
	LogFail    LogStatus = "FAIL" // not sent, or ended badly
)

// Values lists all statuses.
func (LogStatus) Values() []LogStatus { return []LogStatus{LogRunning, LogSuccess, LogFail} }

// Status is the row's status.
func (l *Log) Status() LogStatus {
	switch l.Outcome() {
	case OutcomeRunning:
		return LogRunning
	case OutcomeSuccess:
		return LogSuccess
	}
	return LogFail
}

// Validate refuses a status that does not exist; the empty one means any.
func (s LogStatus) Validate() error {
	return checkOneOfOrEmpty("status", s)
}

// A LogFilter selects log rows; zero fields do not restrict.
type LogFilter struct {
	JobID   int64
	GroupID int64
	Status  LogStatus
	// Since is inclusive and Before exclusive; both are about TriggerTime.
	Since, Before time.Time
	// AfterID is a position in the listed order: with Newest, the rows older than
	// it follow.
	AfterID int64
	// Newest lists the newest rows first.
	Newest bool
	Limit  int // 0: all
}

// A LogStore is the part of [Store] that reads log rows.
type LogStore interface {
	// Log returns a log row. [ErrNotFound] if there is none.
	Log(ctx context.Context, id int64) (*Log, error)
	// Logs lists the log rows that f selects, by id.
	Logs(ctx context.Context, f LogFilter) ([]*Log, error)
}
