package wheel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// wheels lists the wheels that a test of both kinds runs on.
var wheels = []struct {
	name    string
	buckets int
	layered bool
}{
	{"Rounds1", 1, false},
	{"Rounds2", 2, false},
	{"Rounds8", 8, false},
	{"Rounds512", 512, false},
	{"Layered64", 64, true},
	{"Layered512", 512, true},
}

// A model is a slow and simple wheel: it maps each entry to its tick. It also holds the wheel under
// test, and the location that this wheel has reported for each entry.
type model struct {
	wheel   Wheel[int]
	at      map[int]Location
	due     map[int]uint64
	current uint64
	nextID  int
	err     error
}

func newModel(buckets int, layered bool) *model {
	m := &model{at: map[int]Location{}, due: map[int]uint64{}}
	m.wheel = New(buckets, layered, func(e int, l Location) { m.at[e] = l })
	return m
}

func (m *model) failf(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
}

func (m *model) add(due uint64) {
	id := m.nextID
	m.nextID++
	m.at[id] = m.wheel.Add(due, id)
	m.due[id] = due
}

// remove takes out the entry whose number is the k-th of all, modulo their count.
func (m *model) remove(k uint64) {
	if len(m.due) == 0 {
		return
	}
	ids := make([]int, 0, len(m.due))
	for id := range m.due {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := ids[k%uint64(len(ids))]
	if got := m.wheel.DueAt(m.at[id]); got != m.due[id] {
		m.failf("entry %d at %v: filed under tick %d, want %d", id, m.at[id], got, m.due[id])
	}
	m.wheel.Remove(m.at[id])
	delete(m.at, id)
	delete(m.due, id)
}

// advance moves the hand to now, collecting chunk entries at a time.
func (m *model) advance(now uint64, chunk int) {
	var want, got []int
	for id, due := range m.due {
		if due <= now {
			want = append(want, id)
		}
	}
	last := uint64(0)
	for done := false; !done; {
		var out []int
		out, done = m.wheel.Collect(now, make([]int, 0, chunk))
		if len(out) > chunk {
			m.failf("advance to %d: %d entries handed over, with room for %d", now, len(out), chunk)
		}
		for _, id := range out {
			due, held := m.due[id]
			if !held {
				m.failf("advance to %d: entry %d handed over, which is not filed", now, id)
			}
			if t := max(due, m.current); t < last {
				m.failf("advance to %d: tick %d after tick %d", now, t, last)
			} else {
				last = t
			}
			delete(m.due, id)
			delete(m.at, id)
		}
		got = append(got, out...)
		if !done && len(out) == 0 {
			m.failf("advance to %d: neither done nor anything handed over", now)
			return
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		m.failf("advance from %d to %d: handed over %v, want %v", m.current, now, got, want)
	}
	m.current = max(m.current, now)
}

// check compares the wheel with the model, and changes neither.
func (m *model) check() {
	if m.wheel.Size() != len(m.due) {
		m.failf("at %d: size %d, want %d", m.current, m.wheel.Size(), len(m.due))
	}
	earliest := uint64(Never)
	for id, due := range m.due {
		earliest = min(earliest, max(due, m.current))
		if got := m.wheel.DueAt(m.at[id]); got != due {
			m.failf("at %d: entry %d at %v is filed under tick %d, want %d", m.current, id, m.at[id], got, due)
		}
	}
	if next := m.wheel.Next(); next > earliest {
		m.failf("at %d: next is %d, later than the earliest entry at %d", m.current, next, earliest)
	}
}

// drive performs the operations that data encodes and returns the first disagreement.
func drive(buckets int, layered bool, data []byte) error {
	m := newModel(buckets, layered)
	word := func() uint64 {
		var b [8]byte
		data = data[copy(b[:], data):]
		return binary.LittleEndian.Uint64(b[:])
	}
	for len(data) > 0 && m.err == nil {
		op := data[0]
		data = data[1:]
		r := word()
		switch op % 8 {
		case 0, 1, 2: // near, within a revolution or so
			m.add(min(m.current+r%600, Never))
		case 3: // any distance
			m.add(min(m.current+r>>(r%64), Never))
		case 4:
			m.remove(r >> 1)
		case 5: // a tick or none
			m.advance(min(m.current+r%2, Never-1), 1+int(op)/8)
		case 6: // about a revolution
			m.advance(min(m.current+r%700, Never-1), 1+int(op)/8)
		case 7: // up to 2^40 ticks
			m.advance(min(m.current+r>>(24+r%40), Never-1), 1+int(op)/8)
		}
		m.check()
	}
	if m.err == nil {
		left := len(m.due)
		m.wheel.Drain(func(id int) { delete(m.due, id) })
		if len(m.due) != 0 || m.wheel.Size() != 0 {
			m.failf("drain of %d left %d, size %d", left, len(m.due), m.wheel.Size())
		}
	}
	return m.err
}

func TestAgreesWithModel(t *testing.T) {
	for _, c := range wheels {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(150) {
				rng := rand.New(rand.NewPCG(seed, 0))
				data := make([]byte, 9*300)
				for i := range data {
					data[i] = byte(rng.Uint32())
				}
				if err := drive(c.buckets, c.layered, data); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

func FuzzWheel(f *testing.F) {
	f.Add(uint8(0), []byte("\x00aaaaaaaa\x06bbbbbbbb"))
	f.Add(uint8(5), []byte("\x03\x01\x00\x00\x00\x00\x00\x00\xff\x07\x10\x00\x00\x00\x00\x00\x00\x80"))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		if len(data) > 9*400 {
			return
		}
		c := wheels[int(which)%len(wheels)]
		if err := drive(c.buckets, c.layered, data); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
	})
}
