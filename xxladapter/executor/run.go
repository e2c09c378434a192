package executor

import (
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Run is one run of a job, as its handler sees it. It must not be used after
// the handler has returned.
type Run struct {
	JobID int64
	LogID int64  // the scheduler's id of this run
	Param string // as the job or the caller gave it

	// ShardIndex counts from 0. Both are as the scheduler sent them: 0 and 1
	// for a run that is not part of a sharding broadcast.
	ShardIndex, ShardTotal int

	// Due is the instant the run was scheduled for; zero if the scheduler does
	// not say, as Java admins do not. Triggered is when it was triggered.
	Due, Triggered time.Time

	// Timeout is after how long the context will be cancelled; 0: never.
	Timeout time.Duration

	// Logger writes to the run's log, which the scheduler shows: every level, one
	// line for each record.
	Logger *slog.Logger

	log *runLog

	mu     sync.Mutex // guards the fields below
	set    bool
	code   int
	result string
}

// SetResult sets code and message of the result in place of 200 and nothing:
// 200 for success, 500 for failure, 502 for a time-out. It counts only if the
// handler then returns nil and was not cancelled. The last call counts; a code
// of 0 or less is reported as failure. XXL-JOB: XxlJobHelper.handleResult.
func (r *Run) SetResult(code int, msg string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set, r.code, r.result = true, code, msg
}

// msgResultLost is what XXL-JOB reports for a code of 0 or less.
const msgResultLost = "job handle result lost."

func (r *Run) takeResult() (code int, msg string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.set:
		return wire.CodeOK, ""
	case r.code <= 0:
		return wire.CodeFail, msgResultLost
	}
	return r.code, r.result
}

// maxMsg is the longest result message in characters. XXL-JOB: JobThread.
const maxMsg = 50_000

func cutMsg(msg string) string {
	if len(msg) <= maxMsg || utf8.RuneCountInString(msg) <= maxMsg {
		return msg
	}
	n := 0
	for i := range msg {
		if n == maxMsg {
			return msg[:i] + "..."
		}
		n++
	}
	return msg
}

// stopCause is why a run's context was cancelled.
type stopCause struct {
	code int
	msg  string // of the result
}

func (c *stopCause) Error() string { return c.msg }
