package xxladapter

import (
	"context"
	"time"
)

// A Log is the stored record of one trigger and its run: one row of xxl_job_log. Its state is the
// pair of codes; see [ResultNone] and its neighbours.
type Log struct {
	ID      int64
	GroupID int64
	JobID   int64

	Address    string // empty if none was chosen
	Handler    string
	Param      string // like TriggerMsg, truncated by stores to [MaxRowText] bytes
	Sharding   string // "index/total" of a sharding broadcast, otherwise empty
	RetryCount int    // further attempts after this one

	// TriggerTime is in whole seconds. It is the instant that the executor received, which leads to
	// its log file.
	TriggerTime time.Time
	TriggerCode int
	TriggerMsg  string

	HandleTime time.Time // zero while there is no result
	HandleCode int
	HandleMsg  string // at most 15000 characters

	AlarmStatus int
}

// HandOverFailed reports whether a trigger code means that the hand-over failed: certainly, or
// because the executor did not confirm it for half a minute. The next attempt was planned when that
// code was stored, so a later failure of the run plans nothing. An outcome that stayed unknown
// planned nothing.
func HandOverFailed(triggerCode int) bool {
	switch triggerCode {
	case ResultNone, ResultOK, ResultUnknown:
		return false
	}
	return true
}

// MaxHandleMsg is the length of the longest HandleMsg in characters; upstream truncates there.
const MaxHandleMsg = 15000

// A LogStatus classifies log rows by their pair of codes, as upstream's daily report does. Each row
// has exactly one.
type LogStatus string

const (
	LogRunning LogStatus = "RUNNING" // about to be sent, or sent and without a result
	LogSuccess LogStatus = "SUCCESS"
	LogFail    LogStatus = "FAIL" // not sent, or ended badly
)

// Values lists all statuses.
func (LogStatus) Values() []LogStatus { return []LogStatus{LogRunning, LogSuccess, LogFail} }

// StatusOf classifies a pair of trigger code and handle code (XxlJobLogMapper.findLogReport).
func StatusOf(triggerCode, handleCode int) LogStatus {
	switch {
	case handleCode == ResultOK:
		return LogSuccess
	case handleCode == ResultNone && (triggerCode == ResultNone || triggerCode == ResultOK):
		return LogRunning
	}
	return LogFail
}

// Status returns the row's status.
func (l *Log) Status() LogStatus { return StatusOf(l.TriggerCode, l.HandleCode) }

// Validate refuses a status that does not exist; the empty one means any.
func (s LogStatus) Validate() error {
	return checkOneOfOrEmpty("status", s)
}

// A LogFilter selects log rows; zero fields do not restrict.
type LogFilter struct {
	JobID   int64
	GroupID int64
	// Groups selects rows of these groups; nil means all, and an empty list none.
	Groups []int64
	Status LogStatus
	// Taken selects rows whose run an executor has taken: those with the trigger code [ResultOK].
	Taken bool
	// Since is inclusive and Before exclusive; both are about TriggerTime.
	Since, Before time.Time
	// AfterID is a position in the listed order: the rows behind it are listed, which with Newest
	// are the older ones.
	AfterID int64
	// Newest lists the newest rows first.
	Newest bool
	Limit  int // 0 means no limit
}

// A LogStore is the part of [Store] that reads log rows.
type LogStore interface {
	// Log returns a log row. The error is [ErrNotFound] if there is none.
	Log(ctx context.Context, id int64) (*Log, error)
	// Logs lists the log rows that f selects, by id.
	Logs(ctx context.Context, f LogFilter) ([]*Log, error)
}
