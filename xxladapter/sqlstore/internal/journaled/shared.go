package journaled

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// Several processes can use one store if their journal is shared. The process that has the pen of
// the log acts as the only one: its memory is complete, it alone appends, and it alone writes what
// follows to the tables. Another process that gets the pen reads the tables and the records that
// they lack, as after a crash. A process that lost the pen without knowing it is refused by the
// log, and by the row of the marks, which has the number of the pen.

// A shared is what a front needs if its journal is shared.
type shared struct {
	log   *sharedlog.Log
	turn  chan struct{} // full while a transaction runs that the front has a part in
	flush *sharedWriter
	lossy bool // a server that restarts may have lost what it confirmed
	stop  chan struct{}
	ended sync.WaitGroup
}

// errPen is why a transaction must begin again: another process has taken the pen.
var errPen = errors.New("another process writes to the tables")

// keepPace is the interval at which the pen is looked after.
const keepPace = 5 * time.Millisecond

// A SharedOptions are the settings of a store with a shared journal.
type SharedOptions struct {
	Logger *slog.Logger
	// Log returns the log of the store with an id.
	Log func(id string) sharedlog.Server
	// Lossy is set if a server that restarts may have lost what it confirmed.
	Lossy bool
}

// OpenShared returns the store that a shared log makes of s, and takes ownership of s, also in case
// of an error.
func OpenShared(ctx context.Context, s *records.Store, opts SharedOptions) (*Store, error) {
	id, err := prepareShared(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	f := &front{
		Options: Options{Logger: opts.Logger, Clock: s.Clock}, groups: map[int64]*group{}, store: s, m: newMemory(),
	}
	f.shared = &shared{log: sharedlog.New(opts.Log(id), opts.Logger), turn: make(chan struct{}, 1), lossy: opts.Lossy, stop: make(chan struct{})}
	f.journal = f.shared.log
	f.shared.flush = &sharedWriter{s.Writes, f}
	for _, w := range []*records.Writer{&s.ScanWrites, &s.LeaseWrites, &s.BulkWrites} {
		if *w != nil {
			*w = &sharedWriter{*w, f}
		}
	}
	s.Front, s.Writes = f, f.shared.flush
	store := &Store{Store: s, front: f, stop: make(chan struct{})}
	f.shared.ended.Go(f.lookAfterPen)
	if err := f.flush(ctx, nothing); err != nil {
		close(f.shared.stop)
		f.shared.ended.Wait()
		return nil, errors.Join(err, f.journal.Close(), s.Close())
	}
	store.following.Go(func() { f.follow(store.stop) })
	return store, nil
}

// regain takes the pen if the journal is shared and another process may have it.
func (f *front) regain(ctx context.Context) error {
	if f.shared == nil || f.shared.log.Held() {
		return nil
	}
	return f.shared.log.Hold(ctx)
}

// lookAfterPen keeps the pen while it is used, and gives it to others.
func (f *front) lookAfterPen() {
	ticker := time.NewTicker(keepPace)
	defer ticker.Stop()
	l := f.shared.log
	for {
		select {
		case <-f.shared.stop:
			return
		case <-ticker.C:
		}
		if l.ShouldYield() {
			f.mu.Lock()
			if l.ShouldYield() { // nothing has used it while this waited
				l.Yield()
			}
			f.mu.Unlock()
		}
		l.Renew()
	}
}

// A sharedWriter runs the writes of one pool of connections. Those that the memory has to do with
// run one after the other, while this process has the pen.
type sharedWriter struct {
	inner records.Writer
	f     *front
}

// passes reports whether a call can go past the memory, because it neither reads nor changes a row
// that the memory caches. A renewal of a lease passes too, since learnLeases reads leases again.
func (s scope) passes() bool {
	return s.needs == nothing && !s.changes || s.load.leases && s.beside
}

// Write implements [records.Writer].
func (w *sharedWriter) Write(ctx context.Context, apply func(context.Context, *records.Tx) error) error {
	if scopeOf(ctx).passes() {
		return w.inner.Write(ctx, apply)
	}
	return w.fronted(ctx, apply)
}

// WriteOne implements [records.Writer].
func (w *sharedWriter) WriteOne(ctx context.Context, apply func(context.Context, *records.Tx) error) error {
	if scopeOf(ctx).passes() {
		return w.inner.WriteOne(ctx, apply)
	}
	return w.fronted(ctx, apply)
}

// Close implements [records.Writer].
func (w *sharedWriter) Close() error { return w.inner.Close() }

// penTries limits how often a write begins again because another process took the pen.
const penTries = 20

// fronted runs a write together with what the tables lack.
func (w *sharedWriter) fronted(ctx context.Context, apply func(context.Context, *records.Tx) error) (err error) {
	for range penTries {
		if err = w.once(ctx, apply); !errors.Is(err, errPen) {
			return err
		}
	}
	return err
}

func (w *sharedWriter) once(ctx context.Context, apply func(context.Context, *records.Tx) error) error {
	select {
	case w.f.shared.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.f.shared.turn }()
	if err := w.f.regain(ctx); err != nil {
		return err
	}
	t := w.f.begin([]context.Context{ctx})
	committed := false
	defer func() { t.End(committed) }() // also after a panic of apply
	t.doubtful = t.load
	err := w.inner.Write(ctx, func(ctx context.Context, tx *records.Tx) error {
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

// learnLeases reads the leases into the memory, if several processes change them.
func (f *front) learnLeases(ctx context.Context) error {
	if f.shared == nil {
		return nil
	}
	var n loaded
	ctx = with(ctx, own)
	err := n.readLeases(func(query string, scan func(records.Row) error) error {
		return f.store.QueryBy(ctx, f.store.LeaseReads, query, nil, scan)
	})
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.m.leases, f.m.owners = n.leases, n.owners
	f.mu.Unlock()
	return nil
}

// backlog limits the records that the tables lack before ClaimDue stops.
const backlog = 100_000

// tooFarBehind returns an error if the tables lack so much that nothing more may be planned.
func (f *front) tooFarBehind() error {
	if f.shared == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if lack := f.journal.Last().Number - f.marks.settled; f.loaded && lack > backlog {
		return fmt.Errorf("tables lack %d entries of the shared log, must follow before more due times are planned", lack)
	}
	return nil
}
