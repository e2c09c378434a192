package executor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// errSeen is returned for a log id that was accepted before.
var errSeen = errors.New("executor: log id was accepted before")

// journal keeps a journalState on disk. Changes are made in memory at once and go to the file in
// batches: while one batch is written and synced, the next one gathers, so that all waiting callers
// share the cost of a sync.
type journal struct {
	path    string
	sync    bool
	seenFor time.Duration
	logger  *slog.Logger

	wake    chan struct{} // 1 means that there is something to write
	ready   chan struct{} // 1 means that there are results to send
	stopped chan struct{} // closed when the writing goroutine has ended
	lost    error         // why the last changes are not on disk; set before stopped is closed

	rename func(from, to string) error // os.Rename, except in a test

	file *os.File // only for the writing goroutine; nil means that it could not be replaced
	size int64    // of file
	base int64    // its size after the last rewrite
	// damaged says that the end of the file is unknown, so that the next batch is written as a new
	// file.
	damaged bool

	mu     sync.Mutex // guards the fields below
	state  *journalState
	buf    []byte
	next   *batch // the batch to which buf belongs
	closed bool
}

// batch is a group of changes that are written and synced together.
type batch struct {
	done     chan struct{} // closed when it is on disk, or will never be
	err      error         // set before done is closed
	accepted []int64       // log ids; forgotten again, with their results, if err is set
}

// written reports whether the batch is on disk, or will never be.
func (b *batch) written() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// wait returns once the batch is on disk, or with the error why it is not.
func (b *batch) wait() error {
	<-b.done
	return b.err
}

// journalRewrite is the size in bytes above which a journal that has grown fourfold is rewritten
// without the records that are no longer needed.
const journalRewrite = 8 << 20

// journalRetry is how long after a failure the journal is written again if nothing else wakes it:
// until then, results and the ends of runs are only in memory.
const journalRetry = 10 * time.Second

// openJournal opens the journal of a data directory, and creates one if there is none. It cuts off
// a damaged end.
func openJournal(dir string, o Options) (*journal, error) {
	j := &journal{
		path:    filepath.Join(dir, "journal"),
		rename:  os.Rename,
		sync:    !o.NoSync,
		seenFor: o.SeenFor,
		logger:  o.Logger,
		wake:    make(chan struct{}, 1),
		ready:   make(chan struct{}, 1),
		stopped: make(chan struct{}),
		state:   newJournalState(time.Now()),
		next:    newBatch(),
	}
	data, err := os.ReadFile(j.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("read journal: %w", err)
	default:
		if err := j.replay(data); err != nil {
			return nil, err
		}
	}
	// A new file also drops the damaged end, and shows at once whether the directory is writable.
	if err := j.rewrite(j.state.snapshot()); err != nil {
		return nil, err
	}
	go j.write() // close waits for it
	return j, nil
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// replay applies the records of the file.
//
// REQUIRES: nobody else has the journal yet.
func (j *journal) replay(data []byte) error {
	rest, ok := bytes.CutPrefix(data, []byte(journalHeader))
	if !ok {
		return fmt.Errorf("read journal: %s is not a journal of this version", j.path)
	}
	for len(rest) > 0 {
		payload, after, ok := cutRecord(rest)
		if !ok || j.state.apply(payload) != nil {
			j.logger.Warn("journal ends in a damaged record, which is dropped",
				"path", j.path, "at", len(data)-len(rest), "dropped_bytes", len(rest))
			return nil
		}
		rest = after
	}
	return nil
}

// accept records a run as accepted; the acceptance counts once the returned batch is on disk. It
// returns [errSeen] if the log id was accepted earlier.
func (j *journal) accept(logID, jobID, logTime int64, now time.Time) (*batch, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, errStopping
	}
	if j.state.refuses(logID, logTime) {
		return nil, errSeen
	}
	if j.state.seen.full(now, j.seenFor) {
		j.state.rotate(now)
		j.buf = appendRecord(j.buf, kindRotated, []int64{now.UnixMilli()}, nil)
	}
	j.state.accept(logID, jobID, logTime)
	j.buf = appendAccepted(j.buf, logID, jobID, logTime)
	j.next.accepted = append(j.next.accepted, logID)
	notify(j.wake)
	return j.next, nil
}

// seen reports whether accept would return errSeen at this moment.
func (j *journal) seen(logID, logTime int64) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.refuses(logID, logTime)
}

// accepted reports whether a log id was accepted for good: it waits for a batch that may still
// fail.
func (j *journal) accepted(logID, logTime int64) bool {
	if !j.seen(logID, logTime) {
		return false
	}
	j.barrier()
	return j.seen(logID, logTime)
}

// barrier returns when every earlier change is on disk or has failed to be written.
func (j *journal) barrier() {
	j.mu.Lock()
	b, closed := j.next, j.closed
	j.mu.Unlock()
	if !closed {
		notify(j.wake)
		<-b.done
	}
}

// finish records a run's result, to be sent later.
func (j *journal) finish(r result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.record(r)
}

// record does what finish does.
//
// REQUIRES: j.mu is held.
func (j *journal) record(r result) {
	r.batch = j.next
	j.state.finish(r)
	j.buf = appendResult(j.buf, r)
	notify(j.wake)
	notify(j.ready)
}

// done records the end of a run whose result no admin will get.
func (j *journal) done(logID int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state.done(logID)
	j.buf = appendRecord(j.buf, kindDone, []int64{logID}, nil)
	notify(j.wake)
}

// putBack records that an open run has not begun, so that it is accepted if it is delivered again.
func (j *journal) putBack(logID int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state.putBack(logID)
	j.buf = appendRecord(j.buf, kindPutBack, []int64{logID}, nil)
	notify(j.wake)
}

// unfinished returns the runs without a result in the order in which they were accepted.
func (j *journal) unfinished() []result {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []result
	for _, id := range j.state.openIDs() {
		run := j.state.open[id]
		list = append(list, result{logID: id, jobID: run.jobID, logTime: run.logTime})
	}
	return list
}

// oldest returns up to n of the results that no admin has accepted, the oldest first, once they are
// on disk. It includes results that could not be written, since the admin can still learn them. The
// results of the jobs in aside are left out, and move behind those of other jobs if they are first.
func (j *journal) oldest(n int, aside map[int64]bool) []result {
	j.mu.Lock()
	defer j.mu.Unlock()
	if waits := j.state.results; len(waits) > 0 && aside[waits[0].jobID] &&
		slices.ContainsFunc(waits, func(r result) bool { return !aside[r.jobID] }) {
		for jobID := range aside {
			j.postponeLocked(jobID)
		}
	}
	for {
		list := j.firstLocked(n, aside)
		i := slices.IndexFunc(list, func(r result) bool { return r.batch != nil && !r.batch.written() })
		if i < 0 {
			return list
		}
		j.mu.Unlock()
		for _, r := range list[i:] {
			if r.batch != nil {
				_ = r.batch.wait()
			}
		}
		j.mu.Lock()
		// Read again: if a batch has failed, the results of the runs that it accepted are gone.
		// Those that have come meanwhile need not be waited for.
		n = min(n, len(list))
	}
}

// firstLocked returns a copy of the first n results, up to one of a job in aside.
//
// REQUIRES: j.mu is held.
func (j *journal) firstLocked(n int, aside map[int64]bool) []result {
	list := append([]result(nil), j.state.results[:min(n, len(j.state.results))]...)
	if i := slices.IndexFunc(list, func(r result) bool { return aside[r.jobID] }); i >= 0 {
		list = list[:i]
	}
	return list
}

// taken removes the n oldest results from the list.
//
// REQUIRES: an admin has acknowledged exactly these results.
func (j *journal) taken(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.state.take(n)
	j.buf = appendRecord(j.buf, kindTaken, []int64{int64(n)}, nil)
	notify(j.wake)
}

// postpone moves a job's results behind those of other jobs.
func (j *journal) postpone(jobID int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.postponeLocked(jobID)
}

// postponeLocked does what postpone does.
//
// REQUIRES: j.mu is held.
func (j *journal) postponeLocked(jobID int64) {
	j.state.postpone(jobID)
	j.buf = appendRecord(j.buf, kindPostponed, []int64{jobID}, nil)
	notify(j.wake)
}

// waiting returns how many results no admin has accepted.
func (j *journal) waiting() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.state.results)
}

// close writes what is left and ends the writing goroutine. The error says why that could not be
// written. Later calls of accept fail; other later changes are lost.
func (j *journal) close() error {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	notify(j.wake)
	<-j.stopped
	if j.file == nil {
		return j.lost
	}
	return errors.Join(j.lost, j.file.Close())
}

// write stores what was queued; one goroutine runs it.
func (j *journal) write() {
	defer close(j.stopped)
	var again <-chan time.Time // nil unless the last write has failed
	for {
		select {
		case <-j.wake:
		case <-again:
		}
		j.mu.Lock()
		buf, b, closed := j.buf, j.next, j.closed
		j.buf, j.next = nil, newBatch()
		var whole []byte
		if j.damaged || j.size > journalRewrite && j.size > 4*j.base {
			whole = j.state.snapshot()
		}
		j.mu.Unlock()

		switch {
		case whole != nil:
			b.err = j.rewrite(whole)
		case len(buf) > 0:
			b.err = j.appendFile(buf)
		}
		again = nil
		if b.err != nil {
			j.damaged, again = true, time.After(journalRetry)
			j.logger.Error("journal cannot be written; no run is accepted until it can", "err", b.err)
			j.mu.Lock()
			for _, id := range b.accepted {
				delete(j.state.open, id)
				if !j.state.isBack(id) {
					j.state.seen.remove(id)
				}
			}
			j.state.results = slices.DeleteFunc(j.state.results, func(r result) bool { // of killed runs
				return (r.batch == b || r.batch == j.next) && slices.Contains(b.accepted, r.logID)
			})
			j.mu.Unlock()
		}
		close(b.done)
		if closed {
			j.lost = b.err
			return
		}
	}
}

func (j *journal) appendFile(buf []byte) error {
	n, err := j.file.Write(buf)
	j.size += int64(n)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if j.sync {
		if err := j.file.Sync(); err != nil {
			return fmt.Errorf("sync journal: %w", err)
		}
	}
	return nil
}

// rewrite replaces the journal by a new file. Neither is open during the rename: Windows neither
// renames nor replaces an open file. After an error the journal has no file, and is damaged.
func (j *journal) rewrite(whole []byte) error {
	if j.file != nil {
		_ = j.file.Close() // what matters in it is in whole
		j.file, j.damaged = nil, true
	}
	err := writeSynced(j.path+".new", whole)
	if err == nil {
		err = j.rename(j.path+".new", j.path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(j.path))
	}
	var f *os.File
	if err == nil {
		f, err = openAtEnd(j.path)
	}
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	j.file, j.size, j.base, j.damaged = f, int64(len(whole)), int64(len(whole)), false
	return nil
}

// writeSynced writes a file that is then renamed into place: without the sync, a machine that dies
// may leave an empty file under the new name.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// openAtEnd opens a file to be written from its end on, without O_APPEND: with it Windows grants
// fewer rights than a sync is said to need.
func openAtEnd(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// syncDir makes a rename in a directory durable. Windows cannot flush a directory that is open for
// reading; NTFS logs renames, in order, with the changes of the files.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// notify sends to a channel of capacity 1 unless it is full.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
