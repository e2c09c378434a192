package journaled

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/gather"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// A sharedWriter runs the writes of one pool of connections. Those that concern rows of the memory
// run one after the other, while this process has the pen.
//
// Calls that arrive while a transaction runs share the next one: each passing of the pen, and each
// commit, would otherwise serve one call.
type sharedWriter struct {
	inner database.Writer
	f     *front
	queue *gather.Queue[*sharedWrite]
}

// A sharedWrite is one call that concerns rows of the memory.
type sharedWrite struct {
	ctx   context.Context
	apply func(context.Context, *database.Tx) error // nil only brings the tables up to date
	err   error
	// failed is set by a batch in which the call failed by an error that is not the store's answer:
	// another call may have caused the error. The call runs again, and shares with none.
	failed bool
	// panicked is the text and the stack of a panic of apply on a goroutine of the queue; nil means
	// none. The panic continues in the goroutine of the caller.
	panicked any
}

func newSharedWriter(inner database.Writer, f *front) *sharedWriter {
	w := &sharedWriter{inner: inner, f: f}
	w.queue = &gather.Queue[*sharedWrite]{
		Run: w.run, Alone: w.alone, Limit: records.MaxBatch, Admit: admitShared, Stay: true,
	}
	return w
}

// passes reports whether a call can go past the memory, because it neither reads nor changes a row
// that the memory caches. A renewal of a lease passes too, since learnLeases reads leases again.
func (s scope) passes() bool {
	return s.needs == nothing && !s.changes || s.load.leases && s.beside
}

// Write implements [database.Writer].
func (w *sharedWriter) Write(ctx context.Context, apply func(context.Context, *database.Tx) error) error {
	if scopeOf(ctx).passes() {
		return w.inner.Write(ctx, apply)
	}
	return w.join(ctx, apply)
}

// WriteOne implements [database.Writer].
func (w *sharedWriter) WriteOne(ctx context.Context, apply func(context.Context, *database.Tx) error) error {
	if scopeOf(ctx).passes() {
		return w.inner.WriteOne(ctx, apply)
	}
	return w.join(ctx, apply)
}

// Close implements [database.Writer].
func (w *sharedWriter) Close() error {
	w.queue.Wait()
	return w.inner.Close()
}

// admitShared keeps a call that failed in a batch apart from others.
func admitShared() func(call *sharedWrite) bool {
	some, apart := false, false
	return func(call *sharedWrite) bool {
		if some && (apart || call.failed) {
			return false
		}
		some, apart = true, call.failed
		return true
	}
}

// join runs a write, together with others that wait. If it fails there, the others do not wait
// until it has run again.
func (w *sharedWriter) join(ctx context.Context, apply func(context.Context, *database.Tx) error) error {
	call := &sharedWrite{ctx: ctx, apply: apply}
	if err := w.queue.Do(ctx, call); err != nil {
		return err
	}
	if call.failed {
		if err := w.queue.Do(ctx, call); err != nil {
			return err
		}
	}
	if call.panicked != nil {
		panic(call.panicked)
	}
	return call.err
}

// alone runs a call that meets no other.
func (w *sharedWriter) alone(ctx context.Context, call *sharedWrite) {
	apply := call.apply
	if apply == nil {
		apply = func(context.Context, *database.Tx) error { return nil }
	}
	call.err = w.fronted(ctx, []context.Context{ctx}, apply)
}

// run runs calls in one transaction.
func (w *sharedWriter) run(batch []*sharedWrite) {
	if w.uptodate(batch) {
		return
	}
	if call := batch[0]; len(batch) == 1 && call.apply != nil {
		ctx := context.WithoutCancel(call.ctx)
		call.err = w.fronted(ctx, []context.Context{ctx}, call.caught)
		return
	}
	ctxs := make([]context.Context, len(batch))
	for i, call := range batch {
		ctxs[i] = call.ctx
	}
	err := w.fronted(context.Background(), ctxs, func(ctx context.Context, tx *database.Tx) error {
		for _, call := range batch {
			if call.apply == nil {
				continue
			}
			var err error
			if call.err, err = call.within(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	for _, call := range batch {
		var answer *xxladapter.Error
		switch {
		case err != nil:
			call.err = err
		case call.err != nil && call.panicked == nil && !errors.As(call.err, &answer):
			call.failed = true
		}
	}
}

// within runs a call between savepoints. failed is its own error. err means that the transaction is
// lost.
func (c *sharedWrite) within(ctx context.Context, tx *database.Tx) (failed, err error) {
	const name = "shared_write"
	if _, err := tx.Exec(ctx, "SAVEPOINT "+name); err != nil {
		return nil, fmt.Errorf("savepoint: %w", err)
	}
	// The call keeps the values of its own context, and gets the deadline of the transaction, which
	// it shares with other calls.
	own, cancel := context.WithoutCancel(c.ctx), func() {}
	if end, limited := ctx.Deadline(); limited {
		own, cancel = context.WithDeadline(own, end)
	}
	defer cancel()
	if failed = c.caught(own, tx); failed != nil {
		if _, err := tx.Exec(ctx, "ROLLBACK TO SAVEPOINT "+name); err != nil {
			return nil, errors.Join(failed, err)
		}
	}
	if _, err := tx.Exec(ctx, "RELEASE SAVEPOINT "+name); err != nil {
		return nil, errors.Join(failed, err)
	}
	return failed, nil
}

// caught runs apply; a panic counts as its failure.
func (c *sharedWrite) caught(ctx context.Context, tx *database.Tx) (err error) {
	defer func() {
		if c.panicked = recover(); c.panicked != nil {
			c.panicked = fmt.Sprintf("%v\n\n%s", c.panicked, debug.Stack())
			err = errors.New("sqlstore: panic in a write")
		}
	}()
	return c.apply(ctx, tx)
}

// uptodate reports whether no call of a batch changes anything, and the tables have what they need.
func (w *sharedWriter) uptodate(batch []*sharedWrite) bool {
	f, needs := w.f, nothing
	for _, call := range batch {
		if call.apply != nil {
			return false
		}
		needs = max(needs, scopeOf(call.ctx).needs)
	}
	f.mu.Lock()
	clean := f.ready() && f.clean(needs)
	var position journal.Position
	if clean {
		position = f.journal.Last()
	}
	f.mu.Unlock()
	return clean && f.journal.Wait(position) == nil
}

// penTries limits how often a write begins again because another process took the pen.
const penTries = 20

// errPen is why a transaction must begin again: another process has taken the pen.
var errPen = errors.New("another process writes to the tables")

// fronted runs the writes of calls together with what the tables lack.
func (w *sharedWriter) fronted(
	ctx context.Context, calls []context.Context, apply func(context.Context, *database.Tx) error,
) (err error) {
	for range penTries {
		if err = w.once(ctx, calls, apply); !errors.Is(err, errPen) {
			return err
		}
	}
	return err
}

// rowLife is how much longer a transaction may last for each of its rows: ten times what a row
// takes on a fast server. loadLife is the same for a load, before which the number of rows is not
// known: a load after the loss of the log also writes a misfire for each due time in doubt.
const (
	rowLife  = 300 * time.Microsecond
	loadLife = 2 * time.Minute
)

// life returns how much longer than other writes a transaction may last.
func (t *transaction) life() time.Duration {
	if t.load {
		return loadLife
	}
	return time.Duration(t.cut.rows()) * rowLife
}

// limited returns a context that ends after closeLimit and extra if ctx is that of a close.
func limited(ctx context.Context, extra time.Duration) (context.Context, context.CancelFunc) {
	if !scopeOf(ctx).closing {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, closeLimit+extra)
}

func (w *sharedWriter) once(
	ctx context.Context, calls []context.Context, apply func(context.Context, *database.Tx) error,
) error {
	waiting, stop := limited(ctx, 0)
	defer stop()
	select {
	case w.f.shared.turn <- struct{}{}:
	case <-waiting.Done():
		return waiting.Err()
	}
	defer func() { <-w.f.shared.turn }()
	if err := w.f.regain(waiting); err != nil && waiting.Err() != nil {
		return fmt.Errorf("take the pen of the shared log: %w", err)
	} else if err != nil {
		return err
	}
	t := w.f.begin(calls)
	ctx, cancel := limited(ctx, t.life())
	defer cancel()
	committed := false
	defer func() { t.End(committed) }() // also after a panic of apply
	t.doubtful = t.load
	err := w.inner.Write(database.Lasting(ctx, t.life()), func(ctx context.Context, tx *database.Tx) error {
		if err := t.Before(ctx, tx); err != nil {
			return fmt.Errorf("write what the tables lack: %w", err)
		}
		if err := apply(ctx, tx); err != nil {
			return err
		}
		return t.After(ctx, tx)
	})
	committed = err == nil
	t.doubtful = t.doubtful || errors.Is(err, errPen) || errors.Is(err, xxladapter.ErrInDoubt)
	return err
}
