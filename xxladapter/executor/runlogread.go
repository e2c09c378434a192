package executor

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxLogReply limits the bytes of lines in one reply. The reader requests the next reply from the
// line after the last one.
const maxLogReply = 256 << 10

// maxPayload limits the payload of a reply in JSON, in bytes: log lines, where markup and control
// characters take six bytes each, or results. A reply has its payload twice, and a broker may
// refuse more than 1 MiB.
const maxPayload = 480 << 10

// readLog answers a scheduler that reads a run's log. known reports whether the run with a log id
// was accepted.
//
// The reply has End set only if there is no log, as in XXL-JOB's XxlJobFileAppender.
func (l *runLogs) readLog(req wire.LogRequest, known func(logID, logTime int64) bool) wire.LogResult {
	id, logTime := int64(req.LogID), int64(req.LogTime)
	l.mu.Lock()
	rl := l.active[id]
	l.mu.Unlock()
	if rl != nil {
		rl.flush()
		logTime = rl.logTime
	}
	// An admin sends the trigger time in whole seconds, rounded half up by its database, so that it
	// may lie on the next day.
	for _, d := range uniqueDays(logTime, logTime-1000) {
		f, err := os.Open(filepath.Join(l.dir, d, strconv.FormatInt(id, 10)+".log"))
		if err == nil {
			defer f.Close()
			return readLines(f, req.FromLine, rl == nil)
		}
		if text, ok := l.quiet.find(id, d); ok {
			return readLines(strings.NewReader(text), req.FromLine, true)
		}
	}
	if rl != nil || known(id, logTime) {
		return wire.LogResult{FromLine: req.FromLine}
	}
	none := wire.LogResult{FromLine: req.FromLine, Content: wire.MsgNoLogFile, End: true}
	if !l.since.IsZero() {
		none.LogsAge = wire.Int(max(time.Since(l.since).Milliseconds(), 1))
	}
	return none
}

func uniqueDays(times ...int64) []string {
	var days []string
	for _, t := range times {
		if d := day(t); len(days) == 0 || days[len(days)-1] != d {
			days = append(days, d)
		}
	}
	return days
}

// readLines returns the lines of r from a 1-based number on, as many as fit into a reply, but at
// least one. Past the end, ToLine is the number of the file's last line. A last line without a line
// end counts only if the log is complete: otherwise the rest of it would never be read.
func readLines(r io.Reader, from wire.Int, complete bool) wire.LogResult {
	res := wire.LogResult{FromLine: from}
	var text []byte
	encoded := 0 // bytes of text in JSON
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, cut, err := readLine(in)
		if err != nil && (len(line) == 0 || !complete) {
			break
		}
		if res.ToLine+1 >= from {
			line, size, short := fitting(line)
			if len(text) > 0 && (len(text)+len(line) > maxLogReply || encoded+size > maxPayload) {
				break
			}
			encoded += size
			cut = cut || short
			text = append(text, line...)
			if cut {
				text = append(wire.WholeCharacters(text), "..."...)
			}
			text = append(text, '\n')
		}
		res.ToLine++
		if err != nil {
			break
		}
	}
	res.Content = string(text)
	return res
}

// fitting returns the beginning of a line that fits into a reply, its length in JSON with the line
// end, and whether that is less than the line. The end may be inside a character.
func fitting(line []byte) (begin []byte, size int, cut bool) {
	const lineEnd = 2
	for size = encodedLen(string(line)); size > maxPayload; size = encodedLen(string(line)) {
		line, cut = line[:int64(len(line))*maxPayload/int64(size)], true
	}
	return line, size + lineEnd, cut
}

// readLine reads a line without its end, and reports whether it was truncated to the limit of a
// reply, which may be inside a character. With an error it returns what it read before the error.
func readLine(in *bufio.Reader) (line []byte, cut bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		text := part
		if err == nil {
			text = text[:len(text)-1]
		}
		if room := maxLogReply - len(line); len(text) > room {
			text, cut = text[:room], true
		}
		line = append(line, text...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == nil:
			return bytes.TrimSuffix(line, []byte("\r")), cut, nil
		}
		return line, cut, err
	}
}
