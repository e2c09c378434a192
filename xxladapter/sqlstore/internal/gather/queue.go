// Package gather runs calls in batches: calls that arrive while a batch runs wait and form the next
// batch. The calls of a batch share its cost, such as a round trip or a sync. A call that meets no
// other one does not wait.
package gather

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// ErrRunning means that the caller's context ended while the call's batch ran: the call may take
// effect.
var ErrRunning = errors.New("gather: the call was left while it ran")

// A Queue runs batches of calls, one batch at a time. A call of type T holds its own arguments and
// results. The fields must not change after the first call of Do.
type Queue[T any] struct {
	// Run runs a batch, on a goroutine of the queue. It sets the results of all calls.
	Run func(batch []T)
	// Alone runs a call of Do that meets no other, on its caller's goroutine and with the caller's
	// context. Nil leaves the call to Run.
	Alone func(ctx context.Context, call T)
	// Limit bounds the number of calls in a batch; 0 means no limit.
	Limit int
	// Admit is called for each new batch and returns the function that decides call by call whether
	// it may join. A call that may not join waits for the next batch; the first call joins in any
	// case. Nil admits every call.
	Admit func() func(call T) bool
	// Rest returns how long the queue waits before the next batch, so that more calls can join it,
	// after batch has run for the time took. Nil means no rest.
	Rest func(batch []T, took time.Duration) time.Duration
	// Stay makes Do wait for a running batch even if the caller's context ends.
	Stay bool

	mu      sync.Mutex   // guards the fields below
	waiting []*waiter[T] // in order of arrival
	running bool         // Invariant: true while waiting is not empty
	batches sync.WaitGroup
}

// A waiter is one call that waits for a batch or is in one.
type waiter[T any] struct {
	call  T
	taken bool          // by a batch; guarded by the queue's mutex
	done  chan struct{} // closed when the batch has run
}

// Do returns nil when the call has run. If ctx ends while the call waits, Do returns the context's
// error and the call never runs. If ctx ends while its batch runs, the error is [ErrRunning] as
// well, and the caller must not touch the call again; see also Stay.
func (q *Queue[T]) Do(ctx context.Context, call T) error {
	q.mu.Lock()
	if !q.running {
		q.running = true
		if q.Alone != nil {
			q.mu.Unlock()
			defer q.release()
			q.Alone(ctx, call)
			return nil
		}
		q.batches.Go(q.work)
	}
	w := &waiter[T]{call: call, done: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	return q.await(ctx, w)
}

// DoAll runs several calls as Do runs one. They share batches as far as Admit and Limit permit. If
// ctx ends, some calls may have run; the error is [ErrRunning] if that is unknown for any of them.
func (q *Queue[T]) DoAll(ctx context.Context, calls []T) (err error) {
	waiters := make([]*waiter[T], len(calls))
	for i, call := range calls {
		waiters[i] = &waiter[T]{call: call, done: make(chan struct{})}
	}
	q.mu.Lock()
	q.waiting = append(q.waiting, waiters...)
	if !q.running {
		q.running = true
		q.batches.Go(q.work)
	}
	q.mu.Unlock()
	for _, w := range waiters {
		if left := q.await(ctx, w); err == nil || errors.Is(left, ErrRunning) {
			err = left
		}
	}
	return err
}

// await returns when a call has run, or its caller has left.
func (q *Queue[T]) await(ctx context.Context, w *waiter[T]) error {
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return q.leave(ctx, w)
	}
}

// leave takes w out of the queue, unless a batch has it.
func (q *Queue[T]) leave(ctx context.Context, w *waiter[T]) error {
	q.mu.Lock()
	if !w.taken {
		defer q.mu.Unlock()
		i := slices.Index(q.waiting, w)
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return ctx.Err()
	}
	q.mu.Unlock()
	if q.Stay {
		<-w.done
		return nil
	}
	return fmt.Errorf("%w: %w", ErrRunning, ctx.Err())
}

// release ends the run of a lone call and starts the calls that have arrived meanwhile.
func (q *Queue[T]) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running = len(q.waiting) > 0; q.running {
		q.batches.Go(q.work)
	}
}

// work runs batches until no call waits.
func (q *Queue[T]) work() {
	for {
		batch, waiters := q.take()
		if waiters == nil {
			return
		}
		begun := time.Now()
		q.Run(batch)
		took := time.Since(begun)
		for _, w := range waiters {
			close(w.done)
		}
		if q.Rest != nil {
			if rest := q.Rest(batch, took); rest > 0 {
				time.Sleep(rest)
			}
		}
	}
}

// take forms the next batch of waiting calls; nil waiters mean that no call waits.
func (q *Queue[T]) take() (batch []T, waiters []*waiter[T]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.running = false
		return nil, nil
	}
	admit := func(T) bool { return true }
	if q.Admit != nil {
		admit = q.Admit()
	}
	var later []*waiter[T]
	for i, w := range q.waiting {
		if q.Limit > 0 && len(batch) == q.Limit {
			later = append(later, q.waiting[i:]...)
			break
		}
		if !admit(w.call) && len(batch) > 0 {
			later = append(later, w)
			continue
		}
		w.taken = true
		batch, waiters = append(batch, w.call), append(waiters, w)
	}
	q.waiting = later
	return batch, waiters
}

// Load returns how many calls wait, and whether any call runs or the queue rests.
func (q *Queue[T]) Load() (waiting int, running bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting), q.running
}

// Wait returns when nothing runs, including the batches of callers that have left.
//
// REQUIRES: no call of Do is made or waits.
func (q *Queue[T]) Wait() { q.batches.Wait() }
