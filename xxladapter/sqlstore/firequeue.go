package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// groupText is how many bytes of text make a group full. Servers take four
// times as much at once, and far more as they come.
const groupText = 1 << 20

// errAlone tells a caller to do without the group: it failed, and none of its
// calls has happened. Whose fault it was shows when each is made alone.
var errAlone = errors.New("sqlstore: the group was taken back")

// A fireQueue runs the calls that every fire makes, ClaimFire, SettleFire
// and FinishRun: all that wait share a transaction and a few statements, so
// that many callers need few round trips and few syncs.
type fireQueue struct {
	transact fireTransaction
	waiting  chan *fireCall
	stopped  chan struct{} // closed when the goroutine has ended
}

// A fireTransaction runs a group in one transaction and sets what the calls
// return. again is false if an error leaves open whether it has happened.
type fireTransaction func(ctx context.Context, group []*fireCall) (again bool, err error)

// repeated runs a group anew that the server took back for another's sake, as
// repeat tells by the error.
func repeated(once fireTransaction, repeat func(error) bool) fireTransaction {
	return func(ctx context.Context, group []*fireCall) (again bool, err error) {
		for attempt := 1; ; attempt++ {
			again, err = once(ctx, group)
			if !again || !repeat(err) || attempt == writeAttempts {
				return again, err
			}
			// Lets the other one of a deadlock pass, and by chance, so that two groups
			// do not meet again and again.
			time.Sleep(time.Duration(rand.Int64N(int64(attempt) * int64(5*time.Millisecond))))
		}
	}
}

// A fireCall is one waiting call; of claim, settle and finish one is set.
type fireCall struct {
	by     xxladapter.Term // of claim and settle
	claim  *xxladapter.Log
	settle *xxladapter.Settlement
	finish *xxladapter.RunResult

	fireID int64 // of claim and settle
	logID  int64 // of settle and finish

	taken  atomic.Bool // by the group, or by its caller, to leave
	answer chan error

	err     error
	claimed xxladapter.Fire // of claim
	applied bool            // of finish
}

// text is about how many bytes of text the call stores.
func (c *fireCall) text() int {
	switch {
	case c.claim != nil:
		l := c.claim
		return len(l.Address) + len(l.Handler) + len(l.Param) + len(l.TriggerMsg) + len(l.HandleMsg)
	case c.settle != nil:
		return len(c.settle.Msg)
	}
	return len(c.finish.Msg)
}

func newFireQueue(transact fireTransaction) *fireQueue {
	q := &fireQueue{transact: transact, waiting: make(chan *fireCall, maxGroup), stopped: make(chan struct{})}
	go q.run()
	return q
}

// close ends the goroutine. REQUIRES: no call runs or will be made.
func (q *fireQueue) close() {
	close(q.waiting)
	<-q.stopped
}

// grouped makes the call with others. It returns [errAlone] if the call is to be
// made alone.
func (s *Store) grouped(ctx context.Context, c *fireCall) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	return s.fires.call(ctx, c)
}

// call returns when the call is durable, or has failed. If ctx ends before its
// group begins it has not happened, and after that nobody knows.
func (q *fireQueue) call(ctx context.Context, c *fireCall) error {
	c.answer = make(chan error, 1)
	select {
	case q.waiting <- c:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-c.answer:
		return err
	case <-ctx.Done():
		if c.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		return fmt.Errorf("%w: %w", xxladapter.ErrInDoubt, ctx.Err())
	}
}

func (q *fireQueue) run() {
	defer close(q.stopped)
	for first := range q.waiting {
		group := q.gather(first)
		for len(group) > 0 {
			now, later := apart(group)
			q.commit(now)
			group = later
		}
	}
}

// gather takes first and what waits behind it, without those whose callers
// have left.
func (q *fireQueue) gather(first *fireCall) []*fireCall {
	var group []*fireCall
	text := 0
	for c := first; ; {
		if c.taken.CompareAndSwap(false, true) {
			group = append(group, c)
			text += c.text()
		}
		if len(group) == maxGroup || text >= groupText {
			return group
		}
		select {
		case next, ok := <-q.waiting:
			if !ok {
				return group
			}
			c = next
		default:
			return group
		}
	}
}

// apart splits a group so that no two calls of a kind are about the same fire
// or log row: one statement cannot do the one thing after the other.
func apart(group []*fireCall) (now, later []*fireCall) {
	type about struct {
		claim, finish bool
		fireID, logID int64
	}
	seen := make(map[about]bool, 2*len(group))
	for _, c := range group {
		fire := about{claim: c.claim != nil, fireID: c.fireID}
		log := about{finish: c.finish != nil, logID: c.logID}
		if c.fireID != 0 && seen[fire] || c.logID != 0 && seen[log] {
			later = append(later, c)
			continue
		}
		seen[fire], seen[log] = true, true
		now = append(now, c)
	}
	return now, later
}

// commit runs the group and answers its callers.
func (q *fireQueue) commit(group []*fireCall) {
	ctx, cancel := context.WithTimeout(context.Background(), groupLife)
	defer cancel()
	again, err := q.transact(ctx, group)
	if again && err != nil {
		err = errAlone
	}
	for _, c := range group {
		if err != nil {
			c.answer <- err
		} else {
			c.answer <- c.err
		}
	}
}
