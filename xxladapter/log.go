package xxladapter

import "time"

// A Log is the stored record of one trigger and its run: one row of
// xxl_job_log. Its state is the pair of codes; see [ResultNone] and its
// neighbours.
type Log struct {
	ID      int64
	GroupID int64
	JobID   int64

	Address    string // empty: none was chosen
	Handler    string
	Param      string
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

// MaxHandleMsg is the longest HandleMsg, in characters; upstream cuts there.
const MaxHandleMsg = 15000
