package hashedwheel

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file holds everything that depends on internals of Go's runtime: the layout of an interface,
// the beginning of a stack trace and the addresses of stacks. Nothing here uses linkname.

// A taskType numbers a type of task. A Timeout stores its task as a taskType and a pointer, which
// take 12 bytes instead of the 16 of an interface.
//
// Invariant: an interface with methods consists of two words. The first is the same for all values
// of a type and never points into the heap. This holds since Go 1.4; TestTaskComesBackAsItWas fails
// on a release that changes it.
//
// Price: unsafe, and a load from a table for each run. Gain: a Timeout of 32 bytes instead of 40,
// for which Go allocates 48, and less work for the garbage collector.
type taskType uint32

// interfaceWords is the layout of an interface with methods: a table for the type, and the value or
// a pointer to it.
type interfaceWords struct{ table, value unsafe.Pointer }

// split returns the type of a task and its value word.
func split(task TimerTask) (taskType, unsafe.Pointer) {
	w := *(*interfaceWords)(unsafe.Pointer(&task))
	return taskTypes.of(w.table, task), w.value
}

// join puts together what split has divided.
func join(typ taskType, value unsafe.Pointer) (task TimerTask) {
	*(*interfaceWords)(unsafe.Pointer(&task)) = interfaceWords{taskTypes.info(typ).table, value}
	return task
}

// A taskTypeInfo describes a taskType.
type taskTypeInfo struct {
	table     unsafe.Pointer
	canceller bool // the type has the method Cancelled
}

// A taskTypeTable holds every type of task that was ever used. It never shrinks, since a program
// has a fixed number of types. A taskType is an index into it; 0 is no type.
type taskTypeTable struct {
	mu  sync.Mutex                     // guards the replacement of all
	all atomic.Pointer[[]taskTypeInfo] // replaced as a whole

	// recent caches types by some bits of their table's address.
	recent [64]atomic.Uint32
}

var taskTypes taskTypeTable

// info describes a taskType that t.of has returned.
func (t *taskTypeTable) info(typ taskType) *taskTypeInfo { return &(*t.all.Load())[typ] }

// flags returns the state flags of a timeout whose task has this type.
func (typ taskType) flags() state {
	if taskTypes.info(typ).canceller {
		return notify
	}
	return 0
}

// of returns the type of task, whose interface has the given table. It adds a type that is new.
func (t *taskTypeTable) of(table unsafe.Pointer, task TimerTask) taskType {
	recent := &t.recent[uintptr(table)>>5%uintptr(len(t.recent))]
	if typ := taskType(recent.Load()); typ != 0 && t.info(typ).table == table {
		return typ
	}
	typ := t.search(table, task)
	recent.Store(uint32(typ))
	return typ
}

// search does the work of t.of without the cache.
func (t *taskTypeTable) search(table unsafe.Pointer, task TimerTask) taskType {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := []taskTypeInfo{{}}
	if p := t.all.Load(); p != nil {
		all = *p
	}
	for typ := range all {
		if all[typ].table == table {
			return taskType(typ)
		}
	}
	_, canceller := task.(canceller)
	grown := append(all[:len(all):len(all)], taskTypeInfo{table, canceller})
	t.all.Store(&grown)
	return taskType(len(all))
}

// goroutineID returns the number of the calling goroutine. Go has no function for it.
//
// Invariant: a stack trace begins with "goroutine 18 [running]:". If it does not, goroutineID
// returns 0, which no goroutine has: Stop inside a task then waits for itself, and a full timer
// refuses the successor that a task starts. TestGoroutineID fails on a release that changes this.
//
// Price: a stack trace, paid only by Stop, by the start of a worker and by callers that a full
// timer may refuse.
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
// goroutine's stack, which is stable enough for a goroutine to stay on its cache line, differs
// between goroutines, and costs a few instructions.
//
// The number need not be right: every stripe serves every caller, and the hash only spreads them.
func (in *intake[E]) index() int {
	var here byte
	// Stacks are at least 2 KiB: the address without its lower bits is the same at most depths of
	// one goroutine's calls.
	at := uint64(uintptr(unsafe.Pointer(&here))) >> 12
	return int(at * 0x9e3779b97f4a7c15 >> in.shift)
}
