package journaled

import (
	"encoding/binary"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A record of the journal is what one call has changed: its changes one after the other, each with
// its kind before its fields. Numbers are varints, and texts have their length before them.
type kind byte

const (
	planned   kind = 1  // a fire was planned
	opened    kind = 2  // an open fire, as it is
	claimed   kind = 3  // a fire was claimed, or is a further shard of one that was
	doubted   kind = 4  // a fire became ambiguous
	taken     kind = 5  // a fire was taken over
	removed   kind = 6  // a fire left the store
	logged    kind = 7  // a log row was inserted, or is still without a result
	triggered kind = 8  // a log row got its trigger columns
	handled   kind = 9  // a log row got its result
	moved     kind = 10 // a job got new times
	missed    kind = 11 // a misfire was recorded
	ordered   kind = 12 // an ordered fire got its log rows
	recorded  kind = 13 // the history of a run was recorded
	extended  kind = 14 // instants were added to the history of a run
	stopped   kind = 15 // the schedule of a job has ended
	kept      kind = 16 // a misfire of a pause or of a day without work was recorded
	accepted  kind = 17 // an executor took a run from a queue
)

// A buffer is a record that is being written.
type buffer []byte

func (b *buffer) number(n int64) { *b = binary.AppendVarint(*b, n) }
func (b *buffer) kind(k kind)    { *b = append(*b, byte(k)) }

func (b *buffer) text(s string) {
	b.number(int64(len(s)))
	*b = append(*b, s...)
}

// time writes t in whole milliseconds, and 0 for the zero time.
func (b *buffer) time(t time.Time) {
	if t.IsZero() {
		b.number(0)
		return
	}
	b.number(t.UnixMilli())
}

func (b *buffer) flag(set bool) {
	if set {
		b.number(1)
	} else {
		b.number(0)
	}
}

// fire writes the fields of a planned fire.
func (b *buffer) fire(f *xxladapter.Fire) {
	b.number(f.ID)
	b.number(f.JobID)
	b.number(f.GroupID)
	b.time(f.Due)
	b.number(int64(f.ShardIndex))
	b.number(int64(f.ShardTotal))
	b.text(string(f.Type))
	b.number(int64(f.RetryCount))
	b.number(int64(f.Attempt))
	b.number(f.Parent)
	b.flag(f.Param != nil)
	if f.Param != nil {
		b.text(*f.Param)
	}
	b.number(int64(len(f.Addresses)))
	for _, a := range f.Addresses {
		b.text(a)
	}
}

// owner writes what a claim adds to a fire.
func (b *buffer) owner(f *xxladapter.Fire) {
	b.text(f.Owner.Node)
	b.number(f.Owner.Number)
	b.number(f.LogID)
	b.time(f.Claimed)
}

func (b *buffer) log(l *xxladapter.Log) {
	b.number(l.ID)
	b.number(l.GroupID)
	b.number(l.JobID)
	b.text(l.Address)
	b.text(l.Handler)
	b.text(l.Param)
	b.text(l.Sharding)
	b.number(int64(l.RetryCount))
	b.time(l.TriggerTime)
	b.number(int64(l.TriggerCode))
	b.text(l.TriggerMsg)
	b.time(l.HandleTime)
	b.number(int64(l.HandleCode))
	b.text(l.HandleMsg)
	b.number(int64(l.AlarmStatus))
}

func (b *buffer) history(h *xxladapter.RunHistory) {
	b.number(h.LogID)
	b.time(h.Due)
	b.text(string(h.Type))
	b.number(int64(h.Attempt))
	b.number(h.Parent)
	b.number(int64(h.ShardIndex))
	b.number(int64(h.ShardTotal))
	b.text(h.Owner.Node)
	b.number(h.Owner.Number)
	b.time(h.Claimed)
	b.text(h.TakenBy)
	b.time(h.TakenOver)
	b.time(h.Sent)
	b.time(h.Acknowledged)
	b.time(h.Finished)
}

// fields reads a record. The first field that is missing sets bad; later ones are then zero.
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

// kind reads the kind of a change.
//
// REQUIRES: data is not empty.
func (f *fields) kind() kind {
	k := kind(f.data[0])
	f.data = f.data[1:]
	return k
}

func (f *fields) text() string {
	n := f.number()
	if n < 0 || n > int64(len(f.data)) {
		f.bad, f.data = true, nil
		return ""
	}
	s := string(f.data[:n])
	f.data = f.data[n:]
	return s
}

func (f *fields) time() time.Time {
	ms := f.number()
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func (f *fields) flag() bool { return f.number() != 0 }

func (f *fields) fire() xxladapter.Fire {
	fire := xxladapter.Fire{
		ID: f.number(), JobID: f.number(), GroupID: f.number(), Due: f.time(), State: xxladapter.FirePlanned,
		ShardIndex: int(f.number()), ShardTotal: int(f.number()), Type: xxladapter.TriggerType(f.text()),
		RetryCount: int(f.number()),
		Attempt:    int(f.number()), Parent: f.number(),
	}
	if f.flag() {
		param := f.text()
		fire.Param = &param
	}
	for range f.number() {
		if f.bad {
			break
		}
		fire.Addresses = append(fire.Addresses, f.text())
	}
	return fire
}

func (f *fields) owner(fire *xxladapter.Fire) {
	fire.Owner = xxladapter.Term{Node: f.text(), Number: f.number()}
	fire.LogID, fire.Claimed = f.number(), f.time()
}

func (f *fields) log() *xxladapter.Log {
	return &xxladapter.Log{
		ID: f.number(), GroupID: f.number(), JobID: f.number(), Address: f.text(), Handler: f.text(), Param: f.text(),
		Sharding: f.text(), RetryCount: int(f.number()), TriggerTime: f.time(), TriggerCode: int(f.number()),
		TriggerMsg: f.text(),
		HandleTime: f.time(), HandleCode: int(f.number()), HandleMsg: f.text(), AlarmStatus: int(f.number()),
	}
}

func (f *fields) history() xxladapter.RunHistory {
	return xxladapter.RunHistory{
		LogID: f.number(), Due: f.time(), Type: xxladapter.TriggerType(f.text()), Attempt: int(f.number()),
		Parent:     f.number(),
		ShardIndex: int(f.number()), ShardTotal: int(f.number()),
		Owner:   xxladapter.Term{Node: f.text(), Number: f.number()},
		Claimed: f.time(), TakenBy: f.text(), TakenOver: f.time(), Sent: f.time(), Acknowledged: f.time(),
		Finished: f.time(),
	}
}
