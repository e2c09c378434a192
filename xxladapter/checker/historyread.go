package checker

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// maxLine is the length of the longest accepted line, in bytes.
const maxLine = 1 << 20

// Read reads a history in the format that the package comment describes. The error names line,
// field, value and rule. A last line that is incomplete was cut off by a kill: it is counted in
// History.Cut and ignored.
func Read(r io.Reader) (*History, error) {
	rd := newReader()
	if err := rd.read(context.Background(), r, ""); err != nil {
		return nil, err
	}
	return rd.h, nil
}

// A reader adds lines to a history.
type reader struct {
	h       *History
	line    line
	writers map[string]int32
	runs    [][]int32 // by writer: the index of each run, by its n
	plans   map[string]error
}

func newReader() *reader {
	return &reader{h: &History{}, writers: make(map[string]int32), plans: make(map[string]error)}
}

// read adds the lines of a file. Errors contain its name, unless it is empty.
func (rd *reader) read(ctx context.Context, r io.Reader, name string) error {
	b := bufio.NewReaderSize(r, maxLine+1) // with the line feed
	if name != "" {
		name += ": "
	}
	for n := 1; ; n++ {
		if n%8192 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := b.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("checker: %sline %d has more than %d bytes, the most allowed", name, n, maxLine)
		case err != nil && !errors.Is(err, io.EOF):
			return fmt.Errorf("checker: %sline %d: %w", name, n, err)
		}
		last := err != nil
		if text = bytes.TrimSpace(text); len(text) > 0 {
			err := rd.line.scan(text)
			if err != nil && last {
				rd.h.Cut++
				return nil
			}
			if err == nil {
				err = rd.add()
			}
			if err != nil {
				return fmt.Errorf("checker: %sline %d: %w", name, n, err)
			}
		}
		if last {
			return nil
		}
	}
}

// A lineKind is one kind of line: its required and its optional fields.
type lineKind struct {
	need, may set
	add       func(*reader) error
}

var lineKinds = map[string]lineKind{
	"run": {
		setOf(fJob, fAt),
		setOf(fLog, fDue, fStart, fEnd, fCode, fShard, fShards, fBy, fN),
		(*reader).addRun,
	},
	"start": {setOf(fBy, fN, fAt), 0, (*reader).addStart},
	"end":   {setOf(fBy, fN, fAt), setOf(fCode), (*reader).addEnd},
	"change": {
		setOf(fJob, fOp, fAsked),
		setOf(fAcked, fFirst, fType, fConf, fZone, fChildren, fRetries),
		(*reader).addChange,
	},
	"misfire": {setOf(fJob, fDue, fUntil, fStrategy, fAt), 0, (*reader).addMisfire},
	"loss":    {setOf(fSince, fUntil), 0, (*reader).addLoss},
	"trigger": {setOf(fJob, fType), setOf(fLog, fOf, fAsked, fAcked), (*reader).addTrigger},
	"resend":  {setOf(fLog), setOf(fAt), (*reader).addResend},
	"result":  {setOf(fLog, fAt), setOf(fCode), (*reader).addResult},
	"acked":   {setOf(fLog, fAt), 0, (*reader).addAck},
	"log":     {setOf(fLog, fJob), setOf(fDue, fTriggerCode, fHandleCode, fHandled), (*reader).addLog},
	"final":   {setOf(fAt), 0, (*reader).addFinal},
}

// add adds the scanned line.
func (rd *reader) add() error {
	l := &rd.line
	if l.present&(1<<fKind) == 0 {
		return faultf("field kind is missing")
	}
	kind, known := lineKinds[string(l.texts[fKind])]
	if !known {
		return faultf("field kind is %s, must be one of change, run, start, end, misfire, loss, trigger, resend, result, acked, log and final", excerpt(l.texts[fKind]))
	}
	if l.present&kind.need != kind.need || l.present&^(kind.need|kind.may|1<<fKind) != 0 {
		for f := range fields {
			if bit := set(1) << f; kind.need&bit != 0 && l.present&bit == 0 {
				return faultf("field %s is missing, a line of kind %s must have it", fieldNames[f], l.texts[fKind])
			} else if l.present&bit != 0 && (kind.need|kind.may|1<<fKind)&bit == 0 {
				return faultf("field %s is present, a line of kind %s must not have it", fieldNames[f], l.texts[fKind])
			}
		}
	}
	return kind.add(rd)
}

// get returns the value of a field, or 0 if the line does not have it.
func (l *line) get(f field) int64 {
	if l.present&(1<<f) == 0 {
		return 0
	}
	return l.numbers[f]
}

func (l *line) instant(f field) Instant { return Instant(l.get(f)) }

func (l *line) str(f field) string {
	if l.present&(1<<f) == 0 {
		return ""
	}
	return string(l.texts[f])
}

// inOrder requires that b is not before a if both are known.
func (l *line) inOrder(a, b field) error {
	if x, y := l.get(a), l.get(b); x != 0 && y != 0 && y < x {
		return faultf("field %s is %d, must not be before %s, which is %d", fieldNames[b], y, fieldNames[a], x)
	}
	return nil
}

// known requires an instant that is not 0.
func (l *line) known(f field) error {
	if l.get(f) == 0 {
		return faultf("field %s is 0, must be an instant in milliseconds since 1970", fieldNames[f])
	}
	return nil
}

func (rd *reader) addRun() error {
	l := &rd.line
	r := Run{
		Job: l.get(fJob), Log: l.get(fLog), Due: l.instant(fDue), At: l.instant(fAt), Start: l.instant(fStart),
		End: l.instant(fEnd), Code: int32(l.get(fCode)), Shard: int32(l.get(fShard)),
		Shards: int32(l.get(fShards)), By: -1,
	}
	if err := cmp.Or(l.known(fAt), l.inOrder(fStart, fEnd)); err != nil {
		return err
	}
	if r.Shard >= max(r.Shards, 1) {
		return faultf("field shard is %d, must be less than shards, which is %d", r.Shard, r.Shards)
	}
	if r.End != 0 && r.Start == 0 {
		r.Start = r.At
	}
	if len(rd.h.Runs) == 1<<31-1 {
		return faultf("is one run too many, there must be at most %d", 1<<31-1)
	}
	if l.present&(1<<fBy) != 0 {
		w, seen := rd.writers[string(l.texts[fBy])]
		if !seen {
			w = int32(len(rd.h.Writers))
			name := string(l.texts[fBy])
			rd.writers[name] = w
			rd.h.Writers = append(rd.h.Writers, name)
			rd.runs = append(rd.runs, nil)
		}
		r.By = w
		if n := l.get(fN); n != 0 {
			if n != int64(len(rd.runs[w]))+1 {
				return faultf(
					"field n is %d, must be %d, one more than in the run before by %q", n, len(rd.runs[w])+1,
					rd.h.Writers[w],
				)
			}
			rd.runs[w] = append(rd.runs[w], int32(len(rd.h.Runs)))
		}
	} else if l.present&(1<<fN) != 0 {
		return faultf("field by is missing, a line with n must have it")
	}
	rd.h.Runs = append(rd.h.Runs, r)
	return nil
}

// numbered returns the run that a start or end line refers to.
func (rd *reader) numbered() (*Run, error) {
	l := &rd.line
	w, seen := rd.writers[string(l.texts[fBy])]
	n := l.get(fN)
	if !seen || n > int64(len(rd.runs[w])) {
		return nil, faultf("field n is %d, must be that of a run line before it by %s", n, excerpt(l.texts[fBy]))
	}
	return &rd.h.Runs[rd.runs[w][n-1]], l.known(fAt)
}

func (rd *reader) addStart() error {
	r, err := rd.numbered()
	if err != nil {
		return err
	}
	if r.Start != 0 {
		return faultf("field n is %d, that run already has a start and must have only one", rd.line.get(fN))
	}
	r.Start = rd.line.instant(fAt)
	return nil
}

func (rd *reader) addEnd() error {
	r, err := rd.numbered()
	if err != nil {
		return err
	}
	if r.End != 0 {
		return faultf("field n is %d, that run already has an end and must have only one", rd.line.get(fN))
	}
	r.End, r.Code = rd.line.instant(fAt), int32(rd.line.get(fCode))
	if r.Start == 0 {
		r.Start = r.At
	}
	return nil
}

func (rd *reader) addChange() error {
	l := &rd.line
	c := Change{
		Job: l.get(fJob), Op: Op(l.texts[fOp]), Asked: l.instant(fAsked), Acked: l.instant(fAcked),
		First: l.instant(fFirst),
		Type:  xxladapter.ScheduleType(l.str(fType)), Conf: l.str(fConf), Zone: l.str(fZone),
		Retries: int(l.get(fRetries)),
	}
	if l.present&(1<<fChildren) != 0 {
		c.Children = append(c.Children, l.list...)
	}
	if err := cmp.Or(l.known(fAsked), l.inOrder(fAsked, fAcked)); err != nil {
		return err
	}
	defines := false
	switch c.Op {
	case OpCreate, OpEdit:
		defines = true
	case OpStart, OpStop, OpRemove:
	default:
		return faultf("field op is %s, must be one of create, start, stop, edit and remove", excerpt(l.texts[fOp]))
	}
	if !defines && l.present&setOf(fType, fConf, fZone, fChildren, fRetries) != 0 {
		return faultf(
			"field op is %q, type, conf, zone, children and retries are allowed only with create and edit", c.Op,
		)
	}
	if defines {
		if l.present&(1<<fType) == 0 {
			return faultf("field type is missing, a line with op %s must have it", c.Op)
		}
		if err := rd.plan(&c); err != nil {
			return err
		}
	}
	rd.h.Changes = append(rd.h.Changes, c)
	return nil
}

// plan checks that the schedule of a change can be parsed. Each schedule is parsed once.
func (rd *reader) plan(c *Change) error {
	key := string(c.Type) + "\x00" + c.Conf + "\x00" + c.Zone
	err, seen := rd.plans[key]
	if !seen {
		zone, zoneErr := loadZone(c.Zone)
		if zoneErr != nil {
			err = faultf("field zone is %s, must be an IANA name such as Asia/Shanghai", excerpt([]byte(c.Zone)))
		} else if _, planErr := cron.ParsePlan(string(c.Type), c.Conf, zone); planErr != nil {
			err = faultf("field conf is %s: %v", excerpt([]byte(c.Conf)), planErr)
		}
		rd.plans[key] = err
	}
	return err
}

func (rd *reader) addMisfire() error {
	l := &rd.line
	strategy := xxladapter.MisfireStrategy(l.texts[fStrategy])
	if known := append(strategy.Values(), xxladapter.MisfireStoreLost); !slices.Contains(known, strategy) {
		return faultf("field strategy is %s, must be one of %s", excerpt(l.texts[fStrategy]), listed(known))
	}
	rd.h.Misfires = append(rd.h.Misfires, Misfire{
		Job: l.get(fJob), Due: l.instant(fDue), Until: l.instant(fUntil), At: l.instant(fAt),
		Strategy: strategy,
	})
	return cmp.Or(l.known(fDue), l.known(fAt), l.inOrder(fDue, fUntil))
}

// listed returns values as an error names them, as in "A, B and C".
func listed[T ~string](values []T) string {
	var b strings.Builder
	for i, v := range values {
		switch {
		case i == 0:
		case i == len(values)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

func (rd *reader) addLoss() error {
	l := &rd.line
	rd.h.Losses = append(rd.h.Losses, Loss{Since: l.instant(fSince), Until: l.instant(fUntil)})
	return cmp.Or(l.known(fSince), l.known(fUntil), l.inOrder(fSince, fUntil))
}

func (rd *reader) addTrigger() error {
	l := &rd.line
	t := Trigger{
		Job: l.get(fJob), Log: l.get(fLog), Of: l.get(fOf), Asked: l.instant(fAsked), Acked: l.instant(fAcked),
		Type: xxladapter.TriggerType(l.texts[fType]),
	}
	if known := t.Type.Values(); !slices.Contains(known, t.Type) {
		return faultf("field type is %s, must be one of %s", excerpt(l.texts[fType]), listed(known))
	}
	if t.Log == 0 && t.Asked == 0 {
		return faultf("field asked is missing, a line of kind trigger without log must have it")
	}
	rd.h.Triggers = append(rd.h.Triggers, t)
	return l.inOrder(fAsked, fAcked)
}

func (rd *reader) addAck() error {
	rd.h.Acks = append(rd.h.Acks, Ack{Log: rd.line.get(fLog), At: rd.line.instant(fAt)})
	return cmp.Or(rd.line.named(), rd.line.known(fAt))
}

// named requires a log id.
func (l *line) named() error {
	if l.get(fLog) == 0 {
		return faultf("field log is 0, must be the id of a log row")
	}
	return nil
}

func (rd *reader) addResend() error {
	rd.h.Resends = append(rd.h.Resends, Resend{Log: rd.line.get(fLog), At: rd.line.instant(fAt)})
	return rd.line.named()
}

func (rd *reader) addResult() error {
	l := &rd.line
	rd.h.Results = append(rd.h.Results, Result{Log: l.get(fLog), Code: int32(l.get(fCode)), At: l.instant(fAt)})
	return l.named()
}

func (rd *reader) addLog() error {
	l := &rd.line
	rd.h.Logs = append(rd.h.Logs, Log{
		Log: l.get(fLog), Job: l.get(fJob), Due: l.instant(fDue), TriggerCode: int32(l.get(fTriggerCode)),
		HandleCode: int32(l.get(fHandleCode)), Handled: l.instant(fHandled),
	})
	return l.named()
}

func (rd *reader) addFinal() error {
	rd.h.End = max(rd.h.End, rd.line.instant(fAt))
	return rd.line.known(fAt)
}
