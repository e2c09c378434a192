package records

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// settleHold is how long a settlement waits for the run's result. Most runs end within
// milliseconds, but where many are due at once, their results wait for the executor's and this
// node's processors.
const settleHold = 250 * time.Millisecond

// A settleHolder holds settlements back until the results of their runs arrive, so that both are
// written together: the fire, the log row and the history change once, with one commit. A
// settlement whose result does not arrive in time is written alone. So is a result that finds no
// settlement here, for instance because another node has sent the run.
type settleHolder struct {
	mu   sync.Mutex            // guards the field below
	held map[int64]*heldSettle // by log id
}

// A heldSettle is a settlement that waits for its result.
type heldSettle struct {
	call *FireCall
	// done is closed when the batch of the result has ended or does not run. call.Err is final
	// then.
	done chan struct{}
}

// mayWait reports whether a settlement may be held back.
func mayWait(s *xxladapter.Settlement) bool {
	return s.AwaitResult && s.State == "" && s.Code == xxladapter.ResultOK && s.LogID != 0
}

// hold waits until a result takes the settlement along and their batch has ended, and then returns
// true. It returns false if no result comes within settleHold or before ctx ends: the settlement
// then has to be written alone.
func (h *settleHolder) hold(ctx context.Context, c *FireCall) (taken bool) {
	s := &heldSettle{call: c, done: make(chan struct{})}
	h.mu.Lock()
	if h.held == nil {
		h.held = map[int64]*heldSettle{}
	}
	if h.held[c.LogID] != nil { // another settlement of the same run; the store decides which one counts
		h.mu.Unlock()
		return false
	}
	h.held[c.LogID] = s
	h.mu.Unlock()
	timer := time.NewTimer(settleHold)
	defer timer.Stop()
	select {
	case <-s.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	if h.take(c.LogID, s) != nil {
		return false
	}
	<-s.done // a result has taken it; its batch ends within BatchLife
	return true
}

// take removes the settlement of a run and returns it; if which is not nil, it takes only that one.
// It returns nil if there is none to take.
func (h *settleHolder) take(logID int64, which *heldSettle) *heldSettle {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.held[logID]
	if s == nil || which != nil && s != which {
		return nil
	}
	delete(h.held, logID)
	return s
}

// leave lets a settlement continue alone, because the batch that would have taken it along does not
// run.
func (s *heldSettle) leave() {
	s.call.Err = ErrAlone
	close(s.done)
}

// settle makes the call of a settlement, which may wait for its result.
func (q *fireQueue) settle(ctx context.Context, c *FireCall) error {
	if mayWait(c.Settle) && q.holder.hold(ctx, c) {
		return c.Err
	}
	return q.call(ctx, c)
}

// finish makes the call of a result, which takes the settlement of its run along.
func (q *fireQueue) finish(ctx context.Context, c *FireCall) error {
	c.before = q.holder.take(c.LogID, nil)
	return q.call(ctx, c)
}

// withSettlements returns the calls of a batch and the settlements that its results have taken
// along.
func withSettlements(batch []*FireCall) []*FireCall {
	all := batch[:len(batch):len(batch)]
	for _, c := range batch {
		if c.before != nil {
			all = append(all, c.before.call)
		}
	}
	return all
}

// follows reports whether the batch makes the settlement of the run too.
func (c *FireCall) follows() bool { return c.before != nil }
