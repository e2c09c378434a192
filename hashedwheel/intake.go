package hashedwheel

import (
	"math/bits"
	"runtime"
	"unsafe"
)

func mul64(a, b uint64) (hi, lo uint64) { return bits.Mul64(a, b) }

// stripesPerProc makes it unlikely that two running goroutines share a stripe:
// with two on 32 stripes it happens to one pair in 32.
const stripesPerProc = 16

// maxStripes bounds the memory of the stripes and the time to look through them.
const maxStripes = 256

// An intake is the concurrent part of a timer: where any number of goroutines
// leave timeouts, and one worker collects them.
type intake[E any] struct {
	stripes []stripe[E] // length is a power of two

	// shift turns a hash into an index.
	shift uint

	// busy is the stripe that held something last. It belongs to the worker.
	busy int
}

func newIntake[E any]() intake[E] {
	n := min(runtime.GOMAXPROCS(0)*stripesPerProc, maxStripes)
	log := bits.Len(uint(n - 1))
	return intake[E]{stripes: make([]stripe[E], 1<<log), shift: uint(64 - log)}
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

// pick returns the stripe of the calling goroutine.
func (in *intake[E]) pick() *stripe[E] { return &in.stripes[in.index()] }

// empty reports whether nothing waits in any stripe.
func (in *intake[E]) empty() bool {
	for i := range in.stripes {
		if !in.stripes[i].empty() {
			return false
		}
	}
	return true
}

// take empties one queue of every stripe into q. It returns how many entries were
// withdrawn since the last time.
func (in *intake[E]) take(l lane, q *queue[E]) (withdrawn int) {
	for i := range in.stripes {
		taken, n := in.stripes[i].take(l)
		if taken.n > 0 {
			in.busy = i
		}
		q.append(&taken)
		withdrawn += n
	}
	return withdrawn
}

// takeNotices moves what was announced in any stripe to the end of into.
func (in *intake[E]) takeNotices(into []call) []call {
	for i := range in.stripes {
		into = in.stripes[i].takeNotices(into)
	}
	return into
}

// close makes every later push fail.
func (in *intake[E]) close() {
	for i := range in.stripes {
		in.stripes[i].close()
	}
}

// counts sums the counters of the stripes.
func (in *intake[E]) counts() (started, cancelled, resets int64) {
	// Cancellations are read first: whatever is in their sum was started before.
	for i := range in.stripes {
		s := &in.stripes[i]
		s.mu.Lock()
		cancelled += s.mu.cancelled + s.cancelled.Load()
		s.mu.Unlock()
	}
	for i := range in.stripes {
		s := &in.stripes[i]
		s.mu.Lock()
		started += s.mu.started + s.started.Load()
		s.mu.Unlock()
		resets += s.resets.Load()
	}
	return started, cancelled, resets
}

// waiting returns how many entries wait in all queues.
func (in *intake[E]) waiting() (n int64) {
	for i := range in.stripes {
		s := &in.stripes[i]
		s.mu.Lock()
		n += int64(s.mu.timeouts.n + s.mu.cancels.n + len(s.mu.notices))
		s.mu.Unlock()
	}
	return n
}

// trim gives the spare segments of all stripes back to the collector.
func (in *intake[E]) trim() {
	for i := range in.stripes {
		in.stripes[i].trim()
	}
}

// recycle gives a segment back to a stripe in use.
func (in *intake[E]) recycle(seg *segment[E]) { in.stripes[in.busy].recycle(seg) }
