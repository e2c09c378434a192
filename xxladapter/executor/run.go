package executor

import (
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Run is one run of a job, as its handler sees it. It must not be used after the handler has
// returned.
type Run struct {
	JobID   int64
	LogID   int64  // the scheduler's id of this run
	Handler string // the name of the handler
	Param   string // as given by the job or the trigger

	// ShardIndex counts from 0. Both are as sent by the scheduler: 0 and 1 for a run that is not
	// part of a sharding broadcast.
	ShardIndex, ShardTotal int

	// Due is the due time of the run; it is zero if the scheduler does not send it, as Java admins
	// do not. Triggered is when the run was triggered.
	Due, Triggered time.Time

	// Timeout is the time after which the context is cancelled; 0 means no limit.
	Timeout time.Duration

	// TraceParent is the W3C trace context that the scheduler has sent; empty means that the run is
	// not traced. [Options.Trace] uses it.
	TraceParent string

	// Logger writes to the run's log, which the scheduler shows: every level, one line for each
	// record, and more for a message with line breaks.
	Logger *slog.Logger

	log *runLog

	mu     sync.Mutex // guards the fields below
	set    bool
	code   int
	result string
}

// SetResult sets the code and the message of the result: 200 for success, 500 for failure, 502 for
// a time-out. The default is 200 without a message. They are used only if the handler then returns
// nil and was not cancelled. The last call wins; a code of 0 or less is reported as a failure.
// XXL-JOB: XxlJobHelper.handleResult.
func (r *Run) SetResult(code int, msg string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set, r.code, r.result = true, code, msg
}

func (r *Run) takeResult() (code int, msg string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case !r.set:
		return wire.CodeOK, ""
	case r.code <= 0:
		return wire.CodeFail, wire.MsgResultLost
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
	msg  string // message of the result
}

func (c *stopCause) Error() string { return c.msg }
