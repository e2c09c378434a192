package executor

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// quietLogs holds the logs of runs that succeeded without writing a line. The file of the day has
// one line for each: the log id, a space, and the log as a JSON string.
type quietLogs struct {
	dir    string
	logger *slog.Logger

	// Lock order: mu, indexing.

	mu    sync.Mutex // guards the fields below
	day   string     // the day of the logs in buf
	buf   []byte
	timer *time.Timer
	lossy bool // the last write has failed, and the failure was logged

	indexing sync.Mutex    // guards the fields below
	indexes  []*quietIndex // of recently requested days, the newest last
}

const (
	quietName   = "quiet.log"
	quietBuffer = 64 << 10
	// quietIndexes limits the indexes, one for each day: logs are read soon after their runs, and
	// by people.
	quietIndexes = 3
)

// add keeps the log of a run until its day's file is written.
func (q *quietLogs) add(logID, logTime int64, text []byte) {
	encoded, _ := json.Marshal(string(text)) // a string can always be encoded
	q.mu.Lock()
	defer q.mu.Unlock()
	if d := day(logTime); d != q.day {
		q.flushLocked()
		q.day = d
	}
	q.buf = strconv.AppendInt(q.buf, logID, 10)
	q.buf = append(q.buf, ' ')
	q.buf = append(q.buf, encoded...)
	q.buf = append(q.buf, '\n')
	switch {
	case len(q.buf) >= quietBuffer:
		q.flushLocked()
	case q.timer == nil:
		q.timer = time.AfterFunc(runLogDelay, q.flush)
	}
}

func (q *quietLogs) flush() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.flushLocked()
}

func (q *quietLogs) flushLocked() {
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	if len(q.buf) == 0 {
		return
	}
	// A full disk costs log lines, not runs.
	err := q.write()
	if err != nil && !q.lossy {
		q.logger.Error(
			"logs of quiet runs are lost; further losses are not reported until one can be written", "day", q.day,
			"err", err,
		)
	}
	q.lossy = err != nil
	q.buf = q.buf[:0]
}

// write appends buf to the file of the day.
//
// REQUIRES: q.mu is held.
func (q *quietLogs) write() error {
	path := filepath.Join(q.dir, q.day, quietName)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o640)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		q.forget(q.day) // the indexed file was deleted
	}
	buf := q.buf
	if err == nil && !endsLine(f, info.Size()) {
		buf = append([]byte{'\n'}, buf...)
	}
	_, err = f.Write(buf)
	return errors.Join(err, f.Close())
}

// endsLine reports whether a file of a size ends with a line end. A crash or a full disk may have
// cut its last line.
func endsLine(f *os.File, size int64) bool {
	var last [1]byte
	if size == 0 {
		return true
	}
	_, err := f.ReadAt(last[:], size-1)
	return err != nil || last[0] == '\n'
}

// find returns the log of a run of a day, the last one with its log id.
func (q *quietLogs) find(logID int64, day string) (text string, ok bool) {
	if text, ok := q.gathered(logID, day); ok {
		return text, true
	}
	f, err := os.Open(filepath.Join(q.dir, day, quietName))
	if err != nil {
		return "", false
	}
	defer f.Close()
	for _, p := range q.parts(f, day, logID) {
		lines := make([]byte, p.end-p.begin)
		if _, err := f.ReadAt(lines, p.begin); err != nil {
			return "", false
		}
		if text, ok := lastQuiet(lines, logID); ok {
			return text, true
		}
	}
	return "", false
}

// gathered returns the log of a run if it is among those that are not written yet.
func (q *quietLogs) gathered(logID int64, day string) (text string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if day != q.day {
		return "", false
	}
	return lastQuiet(q.buf, logID)
}

// parts returns the parts of the day's file that may contain the log, the newest first.
func (q *quietLogs) parts(f *os.File, day string, logID int64) []quietPart {
	q.indexing.Lock()
	defer q.indexing.Unlock()
	i := slices.IndexFunc(q.indexes, func(x *quietIndex) bool { return x.day == day })
	if i < 0 {
		q.indexes = append(q.indexes[max(0, len(q.indexes)+1-quietIndexes):], &quietIndex{day: day})
		i = len(q.indexes) - 1
	}
	if err := q.indexes[i].extend(f); err != nil {
		return nil
	}
	return q.indexes[i].with(logID)
}

func (q *quietLogs) forget(day string) {
	q.indexing.Lock()
	defer q.indexing.Unlock()
	q.indexes = slices.DeleteFunc(q.indexes, func(x *quietIndex) bool { return x.day == day })
}

// lastQuiet returns the last of the logs with the id.
func lastQuiet(lines []byte, logID int64) (text string, ok bool) {
	prefix := append(strconv.AppendInt(nil, logID, 10), ' ')
	for line := range bytes.Lines(lines) {
		if rest, found := bytes.CutPrefix(line, prefix); found && json.Unmarshal(rest, &text) == nil {
			ok = true
		}
	}
	return text, ok
}
