package executor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// quietLogs holds the logs of runs that ended well without a line of their own,
// one line for each in the file of the day: the log id, a space, and the log as
// a JSON string.
type quietLogs struct {
	dir string

	mu    sync.Mutex
	day   string // that buf is for
	buf   []byte
	timer *time.Timer
}

const (
	quietName   = "quiet.log"
	quietBuffer = 64 << 10
)

func (q *quietLogs) add(logID, logTime int64, text []byte) {
	encoded, _ := json.Marshal(string(text)) // a string always can be
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
	path := filepath.Join(q.dir, q.day, quietName)
	if os.MkdirAll(filepath.Dir(path), 0o750) == nil {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640); err == nil {
			// A full disk costs log lines, not runs.
			_, _ = f.Write(q.buf)
			_ = f.Close()
		}
	}
	q.buf = q.buf[:0]
}

// find returns the log of a run of a day, the last one under its log id.
func (q *quietLogs) find(logID int64, day string) (text string, ok bool) {
	q.flush()
	f, err := os.Open(filepath.Join(q.dir, day, quietName))
	if err != nil {
		return "", false
	}
	defer f.Close()
	prefix := append(strconv.AppendInt(nil, logID, 10), ' ')
	lines := bufio.NewReaderSize(f, 256<<10)
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if rest, found := bytes.CutPrefix(line, prefix); found && json.Unmarshal(rest, &text) == nil {
			ok = true
		}
		if err != nil {
			return text, ok
		}
		line = line[:0]
	}
}
