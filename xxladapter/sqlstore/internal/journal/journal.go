// Package journal keeps a sequence of records in files. Records are appended in memory and written
// in batches: while one batch is written and synced, the next one gathers, so that all waiting
// callers share a sync. It knows nothing of what the records mean.
package journal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// ErrClosed is the error of waiting, after Close was called, for a record that is not on disk yet.
var ErrClosed = errors.New("journal: closed")

// A File is what a journal needs of an open file.
type File interface {
	io.Writer
	io.Closer
	Sync() error
	Truncate(size int64) error
	Seek(offset int64, whence int) (int64, error)
}

// Create creates or opens a file for a segment, as a journal does by default.
func Create(name string, flag int) (File, error) { return os.OpenFile(name, flag, 0o600) }

// Options are the settings of a journal.
type Options struct {
	Prefix     string // the beginning of the files' names; a number follows
	Generation uint64 // files of another generation are refused
	Logger     *slog.Logger
	// Create replaces [Create] in tests; nil means Create.
	Create func(name string, flag int) (File, error)
}

// A Journal is an open journal. Records are numbered without a gap.
//
// Once a batch cannot be written, the journal has failed: it takes back the batch from the file,
// and every later record fails until [Journal.Repair] succeeds.
type Journal struct {
	opts    Options
	wake    chan struct{} // gets a value when there is something to write
	stopped chan struct{} // closed when the writing goroutine has ended

	// Lock order: writing before mu; writing is never locked while mu is held. Callers that append
	// or wait lock mu alone, so a slow disk does not hold them up.

	writing sync.Mutex // guards the fields below; held while the files are written
	file    File
	size    int64 // of file, up to the last whole batch that is on disk

	mu       sync.Mutex // guards the fields below
	segments []segment  // the last one is written to
	rotating bool       // a new segment was asked for and has not begun
	delayed  error      // why it could not begin; nil if nothing was tried
	again    time.Time  // when that is tried again
	buf      []byte
	next     int64 // the number of the next record
	waiting  int   // records in buf
	durable  int64 // the number of the last record on disk
	batch    *batch
	flying   *batch // the one that is being written; nil if there is none
	bytes    int64  // of the last segment, with what is still to be written
	failed   error
	closed   bool
	cuts     []int64 // for each repair, the first number that it gave again
}

// A Position names an appended record. The zero Position names none, and is not waited for.
type Position struct {
	Number int64
	// Repairs is the number of repairs before it was appended.
	Repairs int
}

// ErrTakenBack is the error of waiting for a record that a repair took back.
var ErrTakenBack = errors.New("journal: the record could not be written")

// ErrInDoubt is the error of waiting for a record that could be neither written nor taken back: a
// crash before the next repair may bring it back.
var ErrInDoubt = errors.New("journal: the record may come back")

// A batch is written and synced together.
type batch struct {
	done chan struct{} // closed when it is on disk, or will never be
	err  error         // set before done is closed
	last int64         // the number of its last record
}

// Open opens the journal and calls replay with its records, in order. If there is no journal, Open
// creates one whose first record is next; if next is 0 it returns an error that wraps
// os.ErrNotExist. An incomplete record at the end was never acknowledged, and is cut off.
func Open(opts Options, next int64, replay func(number int64, record []byte) error) (*Journal, error) {
	if opts.Create == nil {
		opts.Create = Create
	}
	j := &Journal{opts: opts, wake: make(chan struct{}, 1), stopped: make(chan struct{}), batch: newBatch()}
	if err := j.load(next, replay); err != nil {
		if j.file != nil {
			err = errors.Join(err, j.file.Close())
		}
		return nil, err
	}
	go j.write() // Close waits for it
	return j, nil
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// load reads the segments and opens the last one.
//
// REQUIRES: nobody else has the journal yet.
func (j *Journal) load(next int64, replay func(int64, []byte) error) error {
	segments, size, end, err := read(j.opts, replay)
	if err != nil {
		return err
	}
	j.segments, j.next, j.durable = segments, end, end-1
	if len(segments) == 0 {
		if next == 0 {
			return fmt.Errorf("journal %s*: %w", j.opts.Prefix, os.ErrNotExist)
		}
		j.next, j.durable = next, next-1
		s, f, err := j.begin(1, next)
		if err == nil {
			j.segments, j.file, j.size, j.bytes = []segment{s}, f, int64(headerSize), int64(headerSize)
		}
		return err
	}
	last := segments[len(segments)-1]
	if j.file, err = j.opts.Create(last.name, os.O_RDWR); err != nil {
		return err
	}
	if err := cut(j.file, size); err != nil {
		return err
	}
	j.size, j.bytes = size, size
	return nil
}

// cut truncates the file, syncs it and seeks to its end.
func cut(f File, size int64) error {
	if err := f.Truncate(size); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	_, err := f.Seek(size, io.SeekStart)
	return err
}

// begin creates a segment, and returns when its file, with a header only, is on disk. place is the
// number in its name, first the number of its first record.
func (j *Journal) begin(place, first int64) (segment, File, error) {
	s := segment{name: nameOf(j.opts.Prefix, place), place: place, first: first}
	f, err := j.opts.Create(s.name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return segment{}, nil, err
	}
	if _, err = f.Write(header{j.opts.Generation, first}.encode()); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = syncDir(filepath.Dir(s.name))
	}
	if err != nil {
		// The next records go to the previous segment, so this one must not remain.
		err = errors.Join(err, f.Close(), os.Remove(s.name))
		return segment{}, nil, errors.Join(err, syncDir(filepath.Dir(s.name)))
	}
	return s, f, nil
}

// turn begins the segment that [Journal.Rotate] has asked for. While that fails, the records
// continue in the last one.
//
// REQUIRES: the writing goroutine calls it, and no batch is being written.
func (j *Journal) turn() {
	j.mu.Lock()
	place, first := j.segments[len(j.segments)-1].place+1, j.durable+1
	j.mu.Unlock()
	j.writing.Lock()
	defer j.writing.Unlock()
	s, f, err := j.begin(place, first)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		if j.delayed == nil {
			j.opts.Logger.Warn(
				"journal could not begin a new segment, retrying each second", "file", nameOf(j.opts.Prefix, place),
				"err", err,
			)
		}
		j.delayed, j.again = err, time.Now().Add(turnPause)
		return
	}
	_ = j.file.Close() // all of it is synced
	j.bytes += int64(headerSize) - j.size
	j.file, j.size = f, int64(headerSize)
	j.segments = append(j.segments, s)
	j.rotating, j.delayed = false, nil
}

// turnPause is the least time between two attempts to begin a segment. Each attempt also needs a
// call that wakes the writing goroutine, such as Append.
const turnPause = time.Second

// Append adds a record. It does not wait; see Wait. The order of calls is the order of the records.
//
// REQUIRES: record is not empty. A replay takes an empty one for the torn end of the journal.
func (j *Journal) Append(record []byte) Position {
	j.mu.Lock()
	defer j.mu.Unlock()
	number := j.next
	j.next++
	j.batch.last = number
	before := len(j.buf)
	j.buf = frame(j.buf, number, record)
	j.bytes += int64(len(j.buf) - before)
	j.waiting++
	notify(j.wake)
	return Position{number, len(j.cuts)}
}

// Last returns the record that was appended last.
func (j *Journal) Last() Position {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Position{j.next - 1, len(j.cuts)}
}

// Size returns the size in bytes of the segment that is written to.
func (j *Journal) Size() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.bytes
}

// Wait returns when all records up to m are on disk, or with the error why they are not.
func (j *Journal) Wait(m Position) error {
	for {
		j.mu.Lock()
		b, failed := j.batch, j.failed
		if j.flying != nil && m.Number <= j.flying.last {
			b = j.flying
		}
		switch {
		case slices.ContainsFunc(j.cuts[m.Repairs:], func(first int64) bool { return m.Number >= first }):
			j.mu.Unlock()
			return ErrTakenBack
		case m.Number <= j.durable:
			j.mu.Unlock()
			return nil
		case failed != nil:
			j.mu.Unlock()
			return failed
		case j.closed:
			j.mu.Unlock()
			return ErrClosed
		}
		j.mu.Unlock()
		notify(j.wake)
		<-b.done
		if b.err != nil {
			return b.err
		}
	}
}

// Failed returns why the journal takes no records, or nil.
func (j *Journal) Failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failed
}

// write stores what was queued; one goroutine runs it.
func (j *Journal) write() {
	defer close(j.stopped)
	var spare []byte // of an earlier batch, for the next one
	for range j.wake {
		j.mu.Lock()
		buf, b, records, closed, failed := j.buf, j.batch, j.waiting, j.closed, j.failed
		j.buf, j.batch, j.waiting, j.flying = spare, newBatch(), 0, b
		turn := j.rotating && !closed && failed == nil && !time.Now().Before(j.again)
		j.mu.Unlock()
		if turn {
			j.turn()
		}
		begun := time.Now()
		if b.err = failed; b.err == nil && len(buf) > 0 {
			b.err = j.put(buf)
		}
		if spare = nil; cap(buf) <= spareLimit {
			spare = buf[:0]
		}
		j.mu.Lock()
		switch {
		case b.err != nil && failed == nil:
			b.err = fmt.Errorf("write journal: %w", b.err)
			j.failed = b.err
			j.opts.Logger.Error("journal cannot be written; nothing is acknowledged until it can", "err", b.err)
		case b.err == nil && b.last > 0:
			j.durable = b.last
		}
		j.flying = nil
		j.mu.Unlock()
		close(b.done)
		if closed {
			return
		}
		if records >= restAfter {
			// Most of the cost of a sync does not depend on how many records it carries. A rest
			// after a large batch lets more of them share the next.
			time.Sleep(min(time.Since(begun), longestRest))
		}
	}
}

// A batch of restAfter records or more is followed by a rest of at most longestRest.
const (
	restAfter   = 8
	longestRest = 2 * time.Millisecond
)

// spareLimit is the largest batch in bytes whose memory is kept for another one.
const spareLimit = 256 << 10

// put writes and syncs a batch. If that fails, it cuts the batch off the file, as far as it can: a
// record that stayed there would be read after a crash.
func (j *Journal) put(buf []byte) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	_, err := j.file.Write(buf)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		if cutErr := cut(j.file, j.size); cutErr != nil {
			err = errors.Join(ErrInDoubt, err, cutErr)
		}
		return err
	}
	j.size += int64(len(buf))
	return nil
}

// Repair makes a failed journal usable again, without the records that were not on disk, and calls
// replay with all that were.
//
// REQUIRES: no record is appended meanwhile.
func (j *Journal) Repair(replay func(number int64, record []byte) error) error {
	j.writing.Lock()
	defer j.writing.Unlock()
	if err := cut(j.file, j.size); err != nil {
		return fmt.Errorf("repair journal: %w", err)
	}
	_, _, next, err := read(j.opts, replay)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if next != j.durable+1 {
		return fmt.Errorf(
			"repair journal %s*: it ends with record %d, must end with %d", j.opts.Prefix, next-1, j.durable,
		)
	}
	j.next, j.buf, j.bytes = j.durable+1, nil, j.size
	j.batch.last, j.flying = 0, nil // a record that takes an old number must not get its error
	j.cuts = append(j.cuts, j.next)
	j.failed = nil
	return nil
}

// Rotate asks for a new segment and returns at once. The writing goroutine begins the segment
// before the next batch, or at once if it is idle. While the segment cannot be created, records go
// to the current one, and further calls ask for the same segment.
func (j *Journal) Rotate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rotating = true
	notify(j.wake)
}

// Rotating reports whether a new segment was asked for and has not begun.
func (j *Journal) Rotating() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.rotating
}

// Trim removes the segments whose records all have at most this number, the oldest first. It stops
// at one that cannot be removed, and the next call tries again: a gap between the files would look
// like a loss.
//
// REQUIRES: no other call of Trim runs.
func (j *Journal) Trim(number int64) error {
	for {
		j.mu.Lock()
		old := j.segments[0]
		done := len(j.segments) == 1 || j.segments[1].first > number+1
		j.mu.Unlock()
		if done {
			return nil
		}
		if err := os.Remove(old.name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		j.mu.Lock()
		j.segments = j.segments[1:]
		j.mu.Unlock()
	}
}

// Lost returns the name of the journal's last file if that no longer exists, or an empty text. No
// lock is held while the system is asked.
func (j *Journal) Lost() string {
	for last := j.last(); ; {
		if _, err := os.Stat(last); !errors.Is(err, os.ErrNotExist) {
			return ""
		}
		now := j.last()
		if now == last {
			return last
		}
		last = now // a newer segment has begun, and Trim has removed the other one
	}
}

// last returns the name of the segment that is written to.
func (j *Journal) last() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.segments[len(j.segments)-1].name
}

// Close writes what is left and closes the files. The error says that something could not be
// written.
func (j *Journal) Close() error {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	notify(j.wake)
	<-j.stopped
	return errors.Join(j.Failed(), j.file.Close())
}

// notify sends to a channel of capacity 1 unless it is full.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
