package journaled

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// Several processes can use one store if their journal is shared. The process that has the pen of
// the log acts as if it were alone: its memory is complete, it alone appends, and it alone writes
// the changes to the tables. Another process that gets the pen reads the tables and the records
// that they lack, as after a crash. A process that lost the pen without knowing it is refused by
// the log, and by the row of applied positions, which has the number of the pen.

// A shared is what a front needs if its journal is shared.
type shared struct {
	log   *sharedlog.Log
	turn  chan struct{} // full during a transaction that the front has a part in
	flush *sharedWriter
	lossy bool // a server with another State.Run may have lost what was confirmed
	stop  chan struct{}
	ended sync.WaitGroup

	backlog  int64   // ClaimDue stops while the tables lack more records
	reserved int64   // log row ids up to this one are ours; guarded by turn
	foreign  foreign // guarded by the front's lock
	// lastFire and lastLog are the highest ids that the tables know to be given, even if the log is
	// lost. The front's lock guards them.
	lastFire, lastLog int64
	// at is when the tables last had all that the log had. The front's lock guards it.
	at time.Time
	// loaded is when the memory was read last. The front's lock guards it.
	loaded time.Time
}

// keepPace is the interval at which a held pen is checked.
const keepPace = 5 * time.Millisecond

// SharedOptions are the settings of a store with a shared journal.
type SharedOptions struct {
	Logger *slog.Logger
	// Log returns the log of the store with an id.
	Log func(id string) sharedlog.Server
	// Lossy is set if a server with another State.Run may have lost what was confirmed.
	Lossy bool
	// Backlog is how many records the tables may lack before ClaimDue stops; 0 means 100,000.
	Backlog int64
}

// OpenShared returns a store that keeps a shared log in front of s. It takes ownership of s, even
// if it fails.
func OpenShared(ctx context.Context, s *records.Store, opts SharedOptions) (*Store, error) {
	id, err := prepareShared(ctx, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	f := &front{
		Options: Options{Logger: opts.Logger, Clock: s.Clock}, groups: map[int64]*group{}, store: s, m: newMemory(),
	}
	f.shared = &shared{
		log: sharedlog.New(opts.Log(id), opts.Logger), turn: make(chan struct{}, 1), lossy: opts.Lossy,
		stop: make(chan struct{}), backlog: cmp.Or(opts.Backlog, defaultBacklog),
	}
	f.journal = f.shared.log
	f.shared.flush = newSharedWriter(s.Writes, f)
	for _, w := range []*database.Writer{&s.ScanWrites, &s.LeaseWrites, &s.BulkWrites} {
		if *w != nil {
			*w = newSharedWriter(*w, f)
		}
	}
	s.Front, s.Writes, s.BehindLog = f, f.shared.flush, true
	following, stop := context.WithCancel(context.Background())
	store := &Store{Store: s, front: f, stop: stop}
	f.shared.ended.Go(f.lookAfterPen)
	if err := f.flush(ctx, nothing); err != nil {
		close(f.shared.stop)
		f.shared.ended.Wait()
		return nil, errors.Join(err, f.journal.Close(), s.Close())
	}
	store.following.Go(func() { f.follow(following) })
	if err := f.refuseForeign(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// regain takes the pen if the journal is shared and another process may have it.
func (f *front) regain(ctx context.Context) error {
	if f.shared == nil || f.shared.log.Held() {
		return nil
	}
	err := f.shared.log.Hold(ctx)
	if errors.Is(err, journal.ErrClosed) {
		return database.ErrClosed
	}
	return err
}

// lookAfterPen renews the pen while this process has it. It gives the pen back when another process
// has waited long enough, or no call has used the pen for a while.
func (f *front) lookAfterPen() {
	ticker := time.NewTicker(keepPace)
	defer ticker.Stop()
	l := f.shared.log
	for {
		if !l.Holding() { // an idle process does not wake every few milliseconds
			ticker.Stop()
			select {
			case <-f.shared.stop:
				return
			case <-l.Taken():
			}
			ticker.Reset(keepPace)
		}
		select {
		case <-f.shared.stop:
			return
		case <-ticker.C:
		}
		if l.ShouldYield() {
			f.mu.Lock()
			if l.ShouldYield() { // no call used the pen during the wait for the lock
				l.Yield()
			}
			f.mu.Unlock()
		}
		l.Renew()
	}
}

// learnLeases reads the leases into the memory, if several processes change them.
func (f *front) learnLeases(ctx context.Context) error {
	if f.shared == nil {
		return nil
	}
	var n loaded
	ctx = with(ctx, own)
	err := n.readLeases(func(query string, scan func(database.Row) error) error {
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
