package sharedlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
)

// Life is how long the pen stays with a process that is silent. Others wait that long for a process
// that has died.
const Life = 1500 * time.Millisecond

const (
	patience   = 5 * time.Second        // how long a call is repeated while the server is away
	attempt    = time.Second            // limits one call to the server
	retryPause = 20 * time.Millisecond  // between two attempts
	pollPause  = 2 * time.Millisecond   // between two attempts to take the pen
	waitLimit  = 10 * time.Second       // limits one wait for the pen
	minHold    = 10 * time.Millisecond  // the pen is kept this long although others wait
	maxHold    = 300 * time.Millisecond // or longer after a slow Load, up to this
	idleHold   = 25 * time.Millisecond  // the pen is given back after this long without a call
	renewAfter = 100 * time.Millisecond // the pen is renewed after this long without an append
)

// keptEnds limits the loads whose ends are kept. A call that waits for one record through more
// loads gets [journal.ErrInDoubt].
const keptEnds = 1000

// A Log is one process's side of a log. Records are appended in memory and stored in batches, as a
// [journal.Journal] does.
//
// The caller holds one lock of its own while it calls Held and Append, and while it calls Yield, so
// that nothing is appended after Yield.
type Log struct {
	server  Server
	logger  *slog.Logger
	wake    chan struct{}
	taken   chan struct{} // receives once the pen was taken
	stopped chan struct{}

	// Lock order: pen before mu.

	pen chan struct{} // full while a call takes the pen or gives it back

	mu        sync.Mutex // guards the fields below
	state     State      // generation and pen of the memory that this process has
	held      bool
	releasing bool
	wanted    bool
	stale     bool          // the log must be loaded again, once what was appended is stored
	valid     time.Time     // the pen is certainly held until then; zero means that it was given back
	since     time.Time     // since when the pen is held and the log is read
	loaded    time.Duration // from the taking of the pen to the end of the last Load
	used      time.Time     // when the pen was last asked for
	buf       [][]byte
	bytes     int64 // since the last rotation
	next      int64 // the number of the next record
	durable   int64 // the number of the last record that is stored
	batch     *batch
	flying    *batch
	failed    error
	noticed   State // what take has returned last, once this process had the pen
	closed    bool
	repairs   int   // how often the log was loaded
	ends      []end // one for each load, the newest last; at most keptEnds
}

// An end says what became of the records that were appended before a load.
type end struct {
	durable int64 // the number of the last record that was stored
	rest    error // the error for the records after it
}

// A batch is stored together.
type batch struct {
	done chan struct{} // closed when it is stored, or will never be
	err  error         // set before done is closed
	last int64         // the number of its last record
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// errUnread is why a log cannot be used before its first Load.
var errUnread = errors.New("sharedlog: not read yet")

// New returns a log that has to be loaded first. It takes ownership of the server.
func New(server Server, logger *slog.Logger) *Log {
	l := &Log{
		server: server, logger: logger, wake: make(chan struct{}, 1), taken: make(chan struct{}, 1),
		stopped: make(chan struct{}), pen: make(chan struct{}, 1), batch: newBatch(), failed: errUnread, next: 1,
	}
	go l.write() // Close waits for it
	return l
}

// Append adds a record. It does not wait; see Wait. The order of calls is the order of the records.
func (l *Log) Append(record []byte) journal.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	number := l.next
	l.next++
	l.batch.last = number
	l.buf = append(l.buf, record)
	l.bytes += int64(len(record))
	l.notify()
	return journal.Position{Number: number, Repairs: l.repairs}
}

// Last returns the position of the record that was appended last.
func (l *Log) Last() journal.Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return journal.Position{Number: l.next - 1, Repairs: l.repairs}
}

// Wait returns when all records up to m are stored, or with the error why they are not.
func (l *Log) Wait(m journal.Position) error {
	for {
		l.mu.Lock()
		b, failed, durable, closed := l.batch, l.failed, l.durable, l.closed
		flies := l.flying != nil && m.Number <= l.flying.last
		if flies {
			b = l.flying
		}
		earlier := m.Repairs < l.repairs
		forgotten := m.Repairs < l.repairs-len(l.ends)
		rest := journal.ErrTakenBack
		if earlier && !forgotten {
			before := l.ends[m.Repairs-(l.repairs-len(l.ends))]
			durable, rest = before.durable, before.rest
		}
		l.mu.Unlock()
		switch {
		case forgotten:
			return journal.ErrInDoubt
		case m.Number <= durable:
			return nil
		case earlier:
			return rest
		case flies: // the server may have stored it, whatever has made the log fail meanwhile
		case failed != nil:
			return failed
		case closed:
			return journal.ErrClosed
		}
		l.notify()
		<-b.done
		if b.err != nil {
			return b.err
		}
	}
}

// Failed returns why the log takes no records, or nil.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil && l.stale {
		return ErrMoved
	}
	return l.failed
}

// Size returns the size in bytes of the records since the last call of Rotate.
func (l *Log) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}

// Rotate lets Size count from 0.
func (l *Log) Rotate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes = 0
}

// Rotating reports false: nothing has to be created for a rotation.
func (l *Log) Rotating() bool { return false }

// Lost returns an empty text: a log that is lost is noticed by the next call to its server.
func (l *Log) Lost() string { return "" }

// Trim removes records up to a number.
func (l *Log) Trim(number int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), attempt)
	defer cancel()
	return l.server.Trim(ctx, number)
}

// write stores what was queued; one goroutine runs it.
func (l *Log) write() {
	defer close(l.stopped)
	for number := int64(1); ; number++ {
		<-l.wake
		l.mu.Lock()
		records, b, failed, closed, after := l.buf, l.batch, l.failed, l.closed, l.state
		after.Position = l.durable
		l.buf, l.batch, l.flying = nil, newBatch(), b
		l.mu.Unlock()
		if b.err = failed; b.err == nil && len(records) > 0 {
			b.err = l.put(after, number, records)
		}
		l.mu.Lock()
		switch {
		case b.err != nil && failed == nil:
			b.err = fmt.Errorf("write the shared log: %w", b.err)
			l.failed, l.held = b.err, false
			l.logger.Warn("shared log must be reloaded before it accepts records", "err", b.err)
		case b.err == nil && b.last > 0:
			l.durable = b.last
		}
		l.flying = nil
		release := l.releasing && len(l.buf) == 0
		l.mu.Unlock()
		close(b.done)
		if release {
			l.release()
		}
		if closed {
			return
		}
	}
}

// put stores the records of a batch. The same append is repeated while the server is away, and the
// server carries it out only once.
func (l *Log) put(after State, number int64, records [][]byte) error {
	begun, unanswered := time.Now(), false
	for {
		asked := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), attempt)
		now, err := l.server.Append(ctx, after, number, records)
		cancel()
		switch {
		case err == nil:
			l.mu.Lock()
			if !l.restarted(now, asked) { // otherwise Hold decides
				l.keep(now, asked)
			}
			l.mu.Unlock()
			return nil
		case errors.Is(err, ErrRefused) && !unanswered:
			return err
		case errors.Is(err, ErrRefused), time.Since(begun) > patience: // an attempt without an answer may have stored them
			return errors.Join(journal.ErrInDoubt, err)
		}
		unanswered = true
		time.Sleep(retryPause) // a server that is away is not asked continuously
	}
}

// keep notes that the pen was held at the time of a question.
//
// REQUIRES: l.mu is held.
func (l *Log) keep(now State, asked time.Time) {
	l.valid, l.wanted = asked.Add(Life), now.Wanted
}

// Close stores what is left, gives the pen back and closes the server.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed, l.held = true, false
	l.mu.Unlock()
	l.notify()
	<-l.stopped
	ctx, cancel := context.WithTimeout(context.Background(), attempt)
	defer cancel()
	_ = l.server.Release(ctx) // otherwise others wait for Life
	return l.server.Close()
}

func (l *Log) notify() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}
