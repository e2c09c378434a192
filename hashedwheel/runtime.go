package hashedwheel

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A kind is the number of a type of task. A Timeout has its task as a kind and a
// pointer, 12 bytes, where an interface value takes 16: with that it fits into 32, and
// 48 is the next size that Go allocates.
type kind uint32

// words is how Go lays out a value of an interface type with methods: a table for the type,
// which is never on the heap, and the value, or a pointer to it.
type words struct{ table, value unsafe.Pointer }

// split takes a task apart.
func split(task TimerTask) (kind, unsafe.Pointer) {
	w := *(*words)(unsafe.Pointer(&task))
	return kinds.of(w.table, task), w.value
}

// join is the inverse of split.
func join(k kind, value unsafe.Pointer) (task TimerTask) {
	*(*words)(unsafe.Pointer(&task)) = words{kinds.known(k).table, value}
	return task
}

// A kindEntry is what is known of a kind.
type kindEntry struct {
	table     unsafe.Pointer
	canceller bool // the type has the method Cancelled
}

// A kindTable has all kinds that were ever used: as many as a program has types of
// tasks. A kind is its index, and 0 is none.
type kindTable struct {
	mu  sync.Mutex
	all atomic.Pointer[[]kindEntry] // replaced as a whole

	// recent finds a kind by some bits of its table's address.
	recent [64]atomic.Uint32
}

var kinds kindTable

// known returns what is known of a kind that of has returned.
func (t *kindTable) known(k kind) *kindEntry { return &(*t.all.Load())[k] }

// flags returns what a task of kind k asks of a timeout's state.
func (k kind) flags() state {
	if kinds.known(k).canceller {
		return notify
	}
	return 0
}

// of returns the kind of the type that table belongs to, of which task is a value.
func (t *kindTable) of(table unsafe.Pointer, task TimerTask) kind {
	recent := &t.recent[uintptr(table)>>5%uintptr(len(t.recent))]
	if k := kind(recent.Load()); k != 0 && t.known(k).table == table {
		return k
	}
	k := t.search(table, task)
	recent.Store(uint32(k))
	return k
}

// search is of without the memory of recent ones.
func (t *kindTable) search(table unsafe.Pointer, task TimerTask) kind {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := []kindEntry{{}}
	if p := t.all.Load(); p != nil {
		all = *p
	}
	for k := range all {
		if all[k].table == table {
			return kind(k)
		}
	}
	_, canceller := task.(canceller)
	grown := append(all[:len(all):len(all)], kindEntry{table, canceller})
	t.all.Store(&grown)
	return kind(len(all))
}

// goroutineID returns the number of the calling goroutine. Go has no call for it;
// the first line of a stack trace is "goroutine 18 [running]:". It takes about a
// microsecond, and only Stop and the start of a worker need it. Should the trace look
// different some day, the number is 0, which is nobody's.
func goroutineID() uint64 {
	var buf [40]byte
	return parseGoroutineID(buf[:runtime.Stack(buf[:], false)])
}

// parseGoroutineID reads the number at the beginning of a stack trace.
func parseGoroutineID(trace []byte) (id uint64) {
	trace, ok := bytes.CutPrefix(trace, []byte("goroutine "))
	if !ok {
		return 0
	}
	for _, c := range trace {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}

// index returns the number of the calling goroutine's stripe. It hashes an address on the
// goroutine's stack: that is stable enough for a goroutine to stay on its cache
// line, different for any two goroutines, and costs a nanosecond.
func (in *intake[E]) index() int {
	var here byte
	// Stacks are at least 2 KiB: the address without its lower bits is the same
	// at most depths of one goroutine's calls.
	at := uint64(uintptr(unsafe.Pointer(&here))) >> 12
	return int(at * 0x9e3779b97f4a7c15 >> in.shift)
}
