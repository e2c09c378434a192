package executor

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"time"
)

// The journal is a header followed by records:
//
//	length   uint32, little endian, of the payload
//	checksum uint32, little endian, CRC-32C of the payload
//	payload  kind byte, then the kind's fields as varints; a text follows its length
//
// A truncated or damaged record ends the journal. A crash damages only what was not synced yet,
// which was never promised. Any other damage loses what follows it.
const journalHeader = "xxlwheel executor journal 1\n"

const (
	kindAccepted  = 1 // log id, job id, trigger time
	kindResult    = 2 // log id, job id, trigger time, code, message
	kindTaken     = 3 // how many of the oldest results an admin accepted
	kindDone      = 4 // log id of a run whose result no admin will get
	kindSeenBlock = 5 // generation (0 current), key, latest, eight words
	kindRotated   = 6 // when the current generation of seen ids started
	kindOpen      = 7 // like kindAccepted, for a log id that a block already contains
	kindPostponed = 8 // job id whose results move behind those of other jobs
	kindPutBack   = 9 // log id of an open run that has not begun
	// kindBack is a run that was put back: log id, job id, trigger time, 1 if a generation of seen
	// ids has ended since.
	kindBack = 10
)

// maxRecord limits a payload: a message of maxMsg characters and some numbers.
const maxRecord = 4*maxMsg + 1024

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errRecord  = errors.New("executor: damaged journal record")
)

// appendRecord appends a record of a kind with numbers and, for results, a text.
func appendRecord(buf []byte, kind byte, numbers []int64, text *string) []byte {
	start := len(buf)
	buf = append(buf, 0, 0, 0, 0, 0, 0, 0, 0, kind)
	for _, n := range numbers {
		buf = binary.AppendVarint(buf, n)
	}
	if text != nil {
		buf = binary.AppendVarint(buf, int64(len(*text)))
		buf = append(buf, *text...)
	}
	payload := buf[start+8:]
	binary.LittleEndian.PutUint32(buf[start:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(buf[start+4:], crc32.Checksum(payload, castagnoli))
	return buf
}

// cutRecord splits the first record's payload off data. ok is false if data does not start with a
// complete, valid record.
func cutRecord(data []byte) (payload, rest []byte, ok bool) {
	if len(data) < 9 {
		return nil, data, false
	}
	n := binary.LittleEndian.Uint32(data)
	if n == 0 || n > maxRecord || uint64(len(data)-8) < uint64(n) {
		return nil, data, false
	}
	payload = data[8 : 8+n]
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
		return nil, data, false
	}
	return payload, data[8+n:], true
}

// fields reads one varint after the other. The first missing one sets bad.
type fields struct {
	data []byte
	bad  bool
}

func (f *fields) number() int64 {
	n, size := binary.Varint(f.data)
	if size <= 0 {
		f.bad, f.data = true, nil
		return 0
	}
	f.data = f.data[size:]
	return n
}

func (f *fields) text() string {
	n := f.number()
	if f.bad || n < 0 || n > int64(len(f.data)) {
		f.bad = true
		return ""
	}
	text := string(f.data[:n])
	f.data = f.data[n:]
	return text
}

// apply applies a record to the state.
func (s *journalState) apply(payload []byte) error {
	f := fields{data: payload[1:]}
	switch payload[0] {
	case kindAccepted:
		id, job, logTime := f.number(), f.number(), f.number()
		if !f.bad && !s.refuses(id, logTime) {
			s.accept(id, job, logTime)
		}
	case kindOpen:
		id, job, logTime := f.number(), f.number(), f.number()
		if !f.bad {
			s.accepts++
			s.open[id] = openRun{job, logTime, s.accepts}
		}
	case kindResult:
		r := result{logID: f.number(), jobID: f.number(), logTime: f.number(), code: f.number(), msg: f.text()}
		if !f.bad {
			s.finish(r)
		}
	case kindTaken:
		if n := f.number(); !f.bad && n >= 0 && n <= int64(len(s.results)) {
			s.take(int(n))
		} else {
			return errRecord
		}
	case kindPostponed:
		if id := f.number(); !f.bad {
			s.postpone(id)
		}
	case kindDone:
		if id := f.number(); !f.bad {
			s.done(id)
		}
	case kindPutBack:
		if id := f.number(); !f.bad {
			s.putBack(id)
		}
	case kindBack:
		id, run := f.number(), backRun{jobID: f.number(), logTime: f.number(), aged: f.number() != 0}
		if !f.bad {
			s.back[id] = run
		}
	case kindSeenBlock:
		generation, key := f.number(), f.number()
		b := &seenBlock{latest: f.number()}
		for i := range b.bits {
			b.bits[i] = uint64(f.number())
		}
		if f.bad {
			break
		}
		if generation == 0 {
			s.seen.current[key] = b
		} else {
			s.seen.previous[key] = b
		}
	case kindRotated:
		if ms := f.number(); !f.bad {
			s.rotate(time.UnixMilli(ms))
		}
	default:
		return errRecord
	}
	if f.bad {
		return errRecord
	}
	return nil
}

// snapshot returns a journal that leads to this state.
func (s *journalState) snapshot() []byte {
	buf := []byte(journalHeader)
	buf = appendRecord(buf, kindRotated, []int64{s.seen.started.UnixMilli()}, nil)
	for generation, blocks := range []map[int64]*seenBlock{s.seen.current, s.seen.previous} {
		for key, b := range blocks {
			numbers := []int64{int64(generation), key, b.latest}
			for _, word := range b.bits {
				numbers = append(numbers, int64(word))
			}
			buf = appendRecord(buf, kindSeenBlock, numbers, nil)
		}
	}
	for _, r := range s.results {
		buf = appendResult(buf, r)
	}
	return s.appendOpen(buf)
}

func appendAccepted(buf []byte, logID, jobID, logTime int64) []byte {
	return appendRecord(buf, kindAccepted, []int64{logID, jobID, logTime}, nil)
}

func appendResult(buf []byte, r result) []byte {
	return appendRecord(buf, kindResult, []int64{r.logID, r.jobID, r.logTime, r.code}, &r.msg)
}
