package executor

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// runLogs manages the logs of all runs, below the data directory.
//
// Lock order: runLogs.mu, runLog.mu, quietLogs.mu, quietLogs.indexing.
type runLogs struct {
	dir      string
	maxBytes int64 // bytes per run
	logger   *slog.Logger
	quiet    quietLogs
	since    time.Time // see dataSince; zero means unknown

	mu     sync.Mutex        // guards the fields below
	active map[int64]*runLog // by log id; runs in progress
}

func newRunLogs(dir string, maxBytes int64, logger *slog.Logger) *runLogs {
	return &runLogs{
		dir: dir, maxBytes: maxBytes, logger: logger,
		active: map[int64]*runLog{}, quiet: quietLogs{dir: dir, logger: logger},
	}
}

const (
	dayLayout  = "2006-01-02"
	lineLayout = "2006-01-02 15:04:05.000"

	runLogBuffer = 8 << 10                // bytes that are buffered before they are written
	runLogDelay  = 500 * time.Millisecond // how long they are buffered at most
)

// day returns the directory of a trigger time: its date in the executor's time zone.
func day(logTime int64) string { return time.UnixMilli(logTime).Local().Format(dayLayout) }

func (l *runLogs) path(logTime, logID int64) string {
	return filepath.Join(l.dir, day(logTime), strconv.FormatInt(logID, 10)+".log")
}

// runLog is the log of one run. Lines are buffered and written together; the file is open only
// during a write.
type runLog struct {
	logs           *runLogs
	logID, logTime int64

	mu      sync.Mutex // guards the fields below
	buf     []byte
	written int64       // bytes given to the file, also those that a full disk lost; 0 means no file
	spoken  bool        // the handler has written something
	open    bool        // the last line has no line end yet
	full    bool        // the limit is reached, and the note about it written
	timer   *time.Timer // writes buf after a while; nil means that buf is empty
	ended   bool
	lossy   bool // a write has failed, and the failure was logged
}

// begin opens the log of a run.
func (l *runLogs) begin(logID, logTime int64) *runLog {
	rl := &runLog{logs: l, logID: logID, logTime: logTime}
	l.mu.Lock()
	l.active[logID] = rl
	l.mu.Unlock()
	return rl
}

// mark adds a line of the executor's own.
func (rl *runLog) mark(format string, args ...any) {
	line := time.Now().AppendFormat(nil, lineLayout)
	line = append(line, " [executor] "...)
	line = fmt.Appendf(line, format, args...)
	line = append(line, '\n')
	rl.mu.Lock()
	defer rl.mu.Unlock()
	rl.endLine()
	rl.append(line)
}

// Write adds lines of the handler.
func (rl *runLog) Write(lines []byte) (int, error) {
	rl.mu.Lock()
	defer rl.mu.Unlock()
	rl.spoken = true
	size := rl.written + int64(len(rl.buf))
	switch {
	case rl.full:
	case size+int64(len(lines)) > rl.logs.maxBytes:
		rl.full = true
		rl.append(lines[:max(0, bytes.LastIndexByte(lines[:max(0, rl.logs.maxBytes-size)], '\n')+1)])
		rl.endLine()
		rl.append(fmt.Appendf(nil, "[executor] the log has reached %d bytes; the rest is dropped\n", rl.logs.maxBytes))
	default:
		rl.append(lines)
	}
	return len(lines), nil
}

// endLine ends a line that a script has left open.
//
// REQUIRES: rl.mu is held.
func (rl *runLog) endLine() {
	if rl.open {
		rl.append([]byte{'\n'})
	}
}

// append adds lines to the buffer, which is written when it is full or a while later.
//
// REQUIRES: rl.mu is held.
func (rl *runLog) append(lines []byte) {
	if len(lines) > 0 {
		rl.open = lines[len(lines)-1] != '\n'
	}
	rl.buf = append(rl.buf, lines...)
	switch {
	case rl.ended || len(rl.buf) >= runLogBuffer:
		rl.flushLocked()
	case rl.timer == nil:
		rl.timer = time.AfterFunc(runLogDelay, rl.flush)
	}
}

// flush writes the buffered lines to the file.
func (rl *runLog) flush() {
	rl.mu.Lock()
	defer rl.mu.Unlock()
	rl.flushLocked()
}

func (rl *runLog) flushLocked() {
	if rl.timer != nil {
		rl.timer.Stop()
		rl.timer = nil
	}
	if len(rl.buf) == 0 {
		return
	}
	f, err := rl.openFile()
	if err == nil {
		_, err = f.Write(rl.buf)
		err = errors.Join(err, f.Close())
	}
	// A full disk costs log lines, not runs.
	if err != nil && !rl.lossy {
		rl.lossy = true
		rl.logs.logger.Error(
			"lines of a run's log are lost; further losses of this run are not reported", "run", rl.logID, "err", err,
		)
	}
	rl.written += int64(len(rl.buf))
	rl.buf = nil // the run may write nothing more for a long time
}

// openFile opens the file for appending, and creates its directory if necessary.
func (rl *runLog) openFile() (*os.File, error) {
	path := rl.logs.path(rl.logTime, rl.logID)
	const flags = os.O_CREATE | os.O_APPEND | os.O_WRONLY
	f, err := os.OpenFile(path, flags, 0o640)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return nil, err
		}
		return os.OpenFile(path, flags, 0o640)
	}
	return f, err
}

// end closes the log. The log of a run that succeeded and wrote nothing goes to a file of many such
// logs, since a file for each would cost more than the run. A log that has its own file already
// stays there.
func (rl *runLog) end(quiet bool) {
	rl.mu.Lock()
	rl.ended = true
	if quiet && !rl.spoken && rl.written == 0 {
		rl.logs.quiet.add(rl.logID, rl.logTime, rl.buf)
		rl.buf = nil
	}
	rl.flushLocked()
	rl.mu.Unlock()

	rl.logs.mu.Lock()
	if rl.logs.active[rl.logID] == rl {
		delete(rl.logs.active, rl.logID)
	}
	rl.logs.mu.Unlock()
}
