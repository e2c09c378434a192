package records

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/gather"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// MaxBatch limits the writes that share a commit, so that the first of them does not wait for an
// endless queue.
const MaxBatch = 256

// batchText is the size of texts, in bytes, that fills a batch. MySQL 5.7 accepts four times as
// much in one packet by default, and later servers far more.
const batchText = 1 << 20

// ErrAlone tells a caller to retry without the batch: the call took no effect, because its batch
// was rolled back or because a batch cannot do it. After a rollback the single calls show which of
// them was at fault.
var ErrAlone = errors.New("sqlstore: the call has to run outside its batch")

// A fireQueue batches the calls that every fire makes, ClaimFire, SettleFire, AcceptRuns and
// FinishRun: all waiting calls share a transaction and a few statements, so that many callers need
// few round trips and few syncs.
type fireQueue struct {
	Transact fireTransaction
	queue    *gather.Queue[*FireCall]
	holder   settleHolder
}

// A fireTransaction runs a batch in one transaction and sets the results of its calls. again is
// false if an error leaves open whether the transaction was committed.
type fireTransaction func(ctx context.Context, batch []*FireCall) (again bool, err error)

// Repeated retries a batch that the server rolled back for another transaction's sake, which repeat
// recognizes by the error.
func Repeated(once fireTransaction, repeat func(error) bool) fireTransaction {
	return func(ctx context.Context, batch []*FireCall) (again bool, err error) {
		for attempt := 1; ; attempt++ {
			again, err = once(ctx, batch)
			if !again || !repeat(err) || attempt == network.WriteAttempts {
				return again, err
			}
			// The other transaction of a deadlock can pass meanwhile. The pause is random, so that
			// two batches do not collide again and again.
			time.Sleep(time.Duration(rand.Int64N(int64(attempt) * int64(5*time.Millisecond))))
		}
	}
}

// A FireCall is one waiting call; one of Claim, Settle, Accept and Finish is set.
type FireCall struct {
	By     xxladapter.Term // of Claim and Settle
	Claim  *xxladapter.Log
	Settle *xxladapter.Settlement
	Accept *xxladapter.Accept
	Finish *xxladapter.RunResult

	FireID int64 // of Claim and Settle; DecideFires sets it for Accept and Finish, by the log row
	LogID  int64 // of Settle, Accept and Finish

	Err      error
	Claimed  xxladapter.Fire // of Claim
	MayBegin bool            // of Accept
	Applied  bool            // of Finish

	Log      transition.LogChange // of Settle, Accept and Finish
	WantText bool                 // of Finish
	Settled  *FireCall            // of Finish: the settlement that is written with it; nil means none

	before *heldSettle // of Finish: the settlement to make first; nil means none
}

// text estimates the bytes of text that the call stores.
func (c *FireCall) text() int {
	switch {
	case c.Claim != nil:
		l := c.Claim
		return len(l.Address) + len(l.Handler) + len(l.Param) + len(l.TriggerMsg) + len(l.HandleMsg)
	case c.Settle != nil:
		return len(c.Settle.Msg)
	case c.Accept != nil:
		return len(c.Accept.Address)
	}
	return len(c.Finish.Msg)
}

// NewFireQueue returns a queue that runs its batches with transact.
func NewFireQueue(transact fireTransaction) *fireQueue {
	q := &fireQueue{Transact: transact}
	q.queue = &gather.Queue[*FireCall]{Run: q.run, Limit: MaxBatch, Admit: AdmitFires}
	return q
}

// Close waits for the running batch.
//
// REQUIRES: no call is made or waits.
func (q *fireQueue) Close() { q.queue.Wait() }

// Batch makes the call in a batch. It returns [ErrAlone] if the caller has to make it alone.
func (s *Store) Batch(ctx context.Context, c *FireCall) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	defer s.Leave()
	switch {
	case c.Settle != nil:
		return s.Fires.settle(ctx, c)
	case c.Finish != nil:
		return s.Fires.finish(ctx, c)
	}
	return s.Fires.call(ctx, c)
}

// batchAll makes the calls of AcceptRuns in batches. Each call has its own error, as Batch returns
// it; err says that some of them may not have been made.
func (s *Store) batchAll(ctx context.Context, calls []*FireCall) error {
	if err := s.Enter(ctx); err != nil {
		return err
	}
	defer s.Leave()
	err := s.Fires.queue.DoAll(ctx, calls)
	if errors.Is(err, gather.ErrRunning) {
		return fmt.Errorf("%w: %w", xxladapter.ErrInDoubt, ctx.Err())
	}
	return err
}

// call returns when the call is durable or has failed. If ctx ends before the batch starts, the
// call has had no effect. If ctx ends later, the outcome is unknown ([xxladapter.ErrInDoubt]).
func (q *fireQueue) call(ctx context.Context, c *FireCall) error {
	err := q.queue.Do(ctx, c)
	switch {
	case errors.Is(err, gather.ErrRunning):
		return fmt.Errorf("%w: %w", xxladapter.ErrInDoubt, ctx.Err())
	case err != nil:
		if c.before != nil {
			c.before.leave()
		}
		return err
	}
	return c.Err
}

// AdmitFires returns a function that admits calls to a batch until their texts fill it. It never
// admits two calls of a kind about the same fire or log row, because all calls of a kind share one
// statement, which writes a row once.
func AdmitFires() func(*FireCall) bool {
	type about struct {
		claim, finish bool
		fireID, logID int64
	}
	seen, text := map[about]bool{}, 0
	return func(c *FireCall) bool {
		calls := withSettlements([]*FireCall{c})
		for _, c := range calls {
			fire := about{claim: c.Claim != nil, fireID: c.FireID}
			log := about{finish: c.Finish != nil, logID: c.LogID}
			if text >= batchText || c.FireID != 0 && seen[fire] || c.LogID != 0 && seen[log] {
				return false
			}
		}
		for _, c := range calls {
			seen[about{claim: c.Claim != nil, fireID: c.FireID}] = true
			seen[about{finish: c.Finish != nil, logID: c.LogID}] = true
			text += c.text()
		}
		return true
	}
}

func (q *fireQueue) run(batch []*FireCall) {
	ctx, cancel := context.WithTimeout(context.Background(), network.BatchLife)
	defer cancel()
	all := withSettlements(batch)
	again, err := q.Transact(ctx, all)
	if again && err != nil {
		err = ErrAlone
	}
	if err != nil {
		for _, c := range all {
			c.Err = err
		}
	}
	for _, c := range batch {
		if c.before != nil {
			close(c.before.done)
		}
	}
}

// ColumnOf returns one argument of all calls, in their order.
func ColumnOf[T any](calls []*FireCall, value func(*FireCall) T) []T {
	column := make([]T, len(calls))
	for i, c := range calls {
		column[i] = value(c)
	}
	return column
}

// FireIDOf returns the fire's id, for ColumnOf.
func FireIDOf(c *FireCall) int64 { return c.FireID }

// LogIDOf returns the log row's id, for ColumnOf.
func LogIDOf(c *FireCall) int64 { return c.LogID }
