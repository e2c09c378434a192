package sharedlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
)

// ErrMoved is why a log must be loaded again: another process has had the pen, or may have had it
// before the server was started again.
var ErrMoved = errors.New("sharedlog: another process has had the pen")

// IsRefused reports whether an error of [Log.Wait] says that the record was not stored, because
// another process has had the pen. The call that appended it may be repeated.
func IsRefused(err error) bool {
	return !errors.Is(err, journal.ErrInDoubt) &&
		(errors.Is(err, ErrRefused) || errors.Is(err, ErrMoved) || errors.Is(err, journal.ErrTakenBack))
}

// Hold returns when this process has the pen. If another process has had it since the last Load,
// the memory is out of date, and Failed returns [ErrMoved] until Load succeeds. Close ends Hold
// with [journal.ErrClosed].
func (l *Log) Hold(ctx context.Context) error {
	select {
	case l.pen <- struct{}{}:
	case <-ctx.Done(): // another call waits for a server that does not answer
		return ctx.Err()
	}
	defer func() { <-l.pen }()
	l.mu.Lock()
	l.releasing = false
	l.mu.Unlock()
	for begun := time.Now(); ; {
		l.mu.Lock()
		stored, closed := l.durable, l.closed
		l.mu.Unlock()
		if closed {
			return journal.ErrClosed
		}
		asked := time.Now()
		now, err := l.take(ctx)
		if err == nil && now.Held {
			l.took(now, asked, stored)
			return nil
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && time.Since(begun) > patience:
			return err
		case time.Since(begun) > waitLimit:
			return fmt.Errorf("another process has kept the right to write to the shared log for %v", waitLimit)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollPause):
		}
	}
}

// Confirm reports whether this process has had the pen from the load to which a position belongs
// until now, so that its memory lacked nothing. Otherwise the memory must be asked again. Held
// trusts the clocks, and the server's may jump; Confirm asks the server. If another process has the
// pen, Confirm waits for it.
func (l *Log) Confirm(ctx context.Context, m journal.Position) (bool, error) {
	if err := l.Hold(ctx); err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return m.Repairs == l.repairs && l.failed == nil && !l.stale, nil
}

func (l *Log) take(ctx context.Context) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	now, err := l.server.Take(ctx)
	if err != nil {
		return State{}, fmt.Errorf("take the pen of the shared log: %w", err)
	}
	return now, nil
}

// took notes that the pen was taken; stored has the meaning that it has for compare.
func (l *Log) took(now State, asked time.Time, stored int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.compare(now, asked, stored)
	if !l.held {
		l.since = time.Now()
		select {
		case l.taken <- struct{}{}:
		default:
		}
	}
	l.held, l.releasing = true, false // the pen may have been given back while this call waited
	l.valid, l.used, l.wanted = asked.Add(Life), time.Now(), now.Wanted
}

// compare sets l.failed and l.since if another process has had the pen, or the log is another one,
// and l.stale if that may be so. stored was the last record that was stored when the state was
// asked for; since then, batches of this process may have been stored.
//
// REQUIRES: l.mu is held.
func (l *Log) compare(now State, asked time.Time, stored int64) {
	l.noticed = now
	same := now.Generation == l.state.Generation && now.Pen == l.state.Pen && now.Position >= stored &&
		now.Position < l.next
	if !same && l.failed == nil {
		// The pen was taken anew, although this process may have believed that it held it.
		l.failed, l.since = ErrMoved, time.Now()
	}
	l.stale = l.stale || l.restarted(now, asked)
}

// restarted reports whether the server was started again and another process may have had the pen
// between the last time that this process certainly had it and a question. A server that continues
// with an old copy of its files names this process as the holder, although the pen has passed
// since.
//
// REQUIRES: l.mu is held.
func (l *Log) restarted(now State, asked time.Time) bool {
	return now.Started != l.state.Started && !asked.Before(l.valid)
}

// Held reports whether this process certainly has the pen.
func (l *Log) Held() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = time.Now()
	return l.held && l.used.Before(l.valid)
}

// Holding reports whether this process believes that it has the pen. Unlike Held it does not count
// as use.
func (l *Log) Holding() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// Taken gives a value once this process, which did not have the pen, has taken it.
func (l *Log) Taken() <-chan struct{} { return l.taken }

// ShouldYield reports whether the pen is held and is to be given to another process, or to nobody
// because no call needs it.
func (l *Log) ShouldYield() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	// A process that has read the tables keeps the pen at least twice as long as that took.
	least := min(max(minHold, 2*l.loaded), maxHold)
	return l.held && (l.wanted && time.Since(l.since) >= least || time.Since(l.used) >= idleHold)
}

// Yield gives the pen back once everything that was appended is stored. It does not wait.
func (l *Log) Yield() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.releasing = false, true
	l.notify()
}

// release gives the pen back, unless it was asked for again.
func (l *Log) release() {
	l.pen <- struct{}{}
	defer func() { <-l.pen }()
	l.mu.Lock()
	releasing := l.releasing
	if l.releasing = false; releasing {
		l.valid = time.Time{}
	}
	l.mu.Unlock()
	if !releasing {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), attempt)
	defer cancel()
	_ = l.server.Release(ctx) // otherwise others wait for Life
}

// Renew keeps the pen if it is held and nothing was appended for a while. Like Hold, it notices
// that the memory is out of date; a process that only reads has no other way to notice.
func (l *Log) Renew() {
	l.mu.Lock()
	due := l.held && time.Until(l.valid) < Life-renewAfter
	l.mu.Unlock()
	if !due {
		return
	}
	select {
	case l.pen <- struct{}{}:
	default:
		return
	}
	defer func() { <-l.pen }()
	l.mu.Lock()
	held, stored := l.held, l.durable
	l.mu.Unlock()
	if !held {
		return
	}
	asked := time.Now()
	now, err := l.take(context.Background())
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !now.Held {
		l.held = false
		return
	}
	l.compare(now, asked, stored)
	l.keep(now, asked)
}

// Look returns the state of the log as the server has it once everything that was appended is
// stored or refused.
//
// REQUIRES: no record is appended meanwhile.
func (l *Log) Look(ctx context.Context) (State, error) {
	for {
		l.mu.Lock()
		b, idle := l.flying, l.flying == nil && len(l.buf) == 0
		if b == nil {
			b = l.batch
		}
		l.mu.Unlock()
		if idle {
			break
		}
		l.notify()
		<-b.done
	}
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	now, err := l.server.Look(ctx)
	if err == nil && !now.Held {
		l.mu.Lock()
		l.held = false
		l.mu.Unlock()
	}
	return now, err
}

// Seen returns the last record that this process knows to be stored under a generation; 0 means
// none.
func (l *Log) Seen(generation int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if generation != l.state.Generation {
		return 0
	}
	return l.durable
}

// ErrGap is the error of a read whose records are not complete.
var ErrGap = errors.New("sharedlog: records are missing")

// Begin begins an empty log; see [Server].
func (l *Log) Begin(ctx context.Context, now State) error { return l.server.Begin(ctx, now) }

// Load calls replay with the records from number after+1 up to the state's position, and makes the
// log usable from there.
//
// REQUIRES: no record is appended meanwhile.
func (l *Log) Load(ctx context.Context, now State, after int64, replay func(number int64, record []byte) error) error {
	if err := l.server.Read(ctx, after, now.Position, replay); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.repairs++
	rest := journal.ErrTakenBack
	if errors.Is(l.failed, journal.ErrInDoubt) {
		rest = journal.ErrInDoubt
	}
	l.ends = append(l.ends, end{l.durable, rest})
	if len(l.ends) > keptEnds {
		l.ends = append([]end(nil), l.ends[1:]...)
	}
	l.state, l.durable, l.next = now, now.Position, now.Position+1
	l.batch.last = 0
	l.failed, l.stale = nil, false
	if l.noticed.Generation == now.Generation && l.noticed.Pen > now.Pen {
		l.failed = ErrMoved // the pen has passed during the load
	}
	l.loaded, l.since, l.used = time.Since(l.since), time.Now(), time.Now()
	return nil
}
