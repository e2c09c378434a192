package records

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// MaxGroup is how many writes share a commit at most, so that the first of
// them does not wait for a queue without end.
const MaxGroup = 256

// groupText is how many bytes of text make a group full. Servers take four
// times as much at once, and far more as they come.
const groupText = 1 << 20

// ErrAlone tells a caller to do without the group: it failed, and none of its
// calls has happened. Whose fault it was shows when each is made alone.
var ErrAlone = errors.New("sqlstore: the group was taken back")

// A fireQueue runs the calls that every fire makes, ClaimFire, SettleFire
// and FinishRun: all that wait share a transaction and a few statements, so
// that many callers need few round trips and few syncs.
type fireQueue struct {
	Transact fireTransaction
	waiting  chan *FireCall
	stopped  chan struct{} // closed when the goroutine has ended
}

// A fireTransaction runs a group in one transaction and sets what the calls
// return. again is false if an error leaves open whether it has happened.
type fireTransaction func(ctx context.Context, group []*FireCall) (again bool, err error)

// Repeated runs a group anew that the server took back for another's sake, as
// repeat tells by the error.
func Repeated(once fireTransaction, repeat func(error) bool) fireTransaction {
	return func(ctx context.Context, group []*FireCall) (again bool, err error) {
		for attempt := 1; ; attempt++ {
			again, err = once(ctx, group)
			if !again || !repeat(err) || attempt == network.WriteAttempts {
				return again, err
			}
			// Lets the other one of a deadlock pass, and by chance, so that two groups
			// do not meet again and again.
			time.Sleep(time.Duration(rand.Int64N(int64(attempt) * int64(5*time.Millisecond))))
		}
	}
}

// A FireCall is one waiting call; of claim, settle and finish one is set.
type FireCall struct {
	By     xxladapter.Term // of claim and settle
	Claim  *xxladapter.Log
	Settle *xxladapter.Settlement
	Finish *xxladapter.RunResult

	FireID int64 // of claim and settle
	LogID  int64 // of settle and finish

	taken  atomic.Bool // by the group, or by its caller, to leave
	answer chan error

	Err     error
	Claimed xxladapter.Fire // of claim
	Applied bool            // of finish
}

// Text is about how many bytes of text the call stores.
func (c *FireCall) text() int {
	switch {
	case c.Claim != nil:
		l := c.Claim
		return len(l.Address) + len(l.Handler) + len(l.Param) + len(l.TriggerMsg) + len(l.HandleMsg)
	case c.Settle != nil:
		return len(c.Settle.Msg)
	}
	return len(c.Finish.Msg)
}

func NewFireQueue(transact fireTransaction) *fireQueue {
	q := &fireQueue{Transact: transact, waiting: make(chan *FireCall, MaxGroup), stopped: make(chan struct{})}
	go q.run()
	return q
}

// Close ends the goroutine. REQUIRES: no call runs or will be made.
func (q *fireQueue) Close() {
	close(q.waiting)
	<-q.stopped
}

// Grouped makes the call with others. It returns [ErrAlone] if the call is to be
// made alone.
func (s *Store) Grouped(ctx context.Context, c *FireCall) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.running.Done()
	return s.Fires.call(ctx, c)
}

// call returns when the call is durable, or has failed. If ctx ends before its
// group begins it has not happened, and after that nobody knows.
func (q *fireQueue) call(ctx context.Context, c *FireCall) error {
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
			now, later := Apart(group)
			q.commit(now)
			group = later
		}
	}
}

// gather takes first and what waits behind it, without those whose callers
// have left.
func (q *fireQueue) gather(first *FireCall) []*FireCall {
	var group []*FireCall
	text := 0
	for c := first; ; {
		if c.taken.CompareAndSwap(false, true) {
			group = append(group, c)
			text += c.text()
		}
		if len(group) == MaxGroup || text >= groupText {
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

// Apart splits a group so that no two calls of a kind are about the same fire
// or log row: one statement cannot do the one thing after the other.
func Apart(group []*FireCall) (now, later []*FireCall) {
	type about struct {
		claim, finish bool
		fireID, logID int64
	}
	seen := make(map[about]bool, 2*len(group))
	for _, c := range group {
		fire := about{claim: c.Claim != nil, fireID: c.FireID}
		log := about{finish: c.Finish != nil, logID: c.LogID}
		if c.FireID != 0 && seen[fire] || c.LogID != 0 && seen[log] {
			later = append(later, c)
			continue
		}
		seen[fire], seen[log] = true, true
		now = append(now, c)
	}
	return now, later
}

// commit runs the group and answers its callers.
func (q *fireQueue) commit(group []*FireCall) {
	ctx, cancel := context.WithTimeout(context.Background(), network.GroupLife)
	defer cancel()
	again, err := q.Transact(ctx, group)
	if again && err != nil {
		err = ErrAlone
	}
	for _, c := range group {
		if err != nil {
			c.answer <- err
		} else {
			c.answer <- c.Err
		}
	}
}

// ColumnOf is one argument of all calls.
func ColumnOf[T any](calls []*FireCall, value func(*FireCall) T) []T {
	column := make([]T, len(calls))
	for i, c := range calls {
		column[i] = value(c)
	}
	return column
}

func FireIDOf(c *FireCall) int64 { return c.FireID }
func LogIDOf(c *FireCall) int64  { return c.LogID }
