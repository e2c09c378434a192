package hashedwheel

import (
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"
)

// engines finds a timer by the number that its timeouts hold. A pointer instead would be a second
// one that the collector has to follow in each of millions of pending handles, always to the same
// object.
//
// Invariant: a timer that may have handles lives until its Stop, even if nothing refers to it. The
// collector does not see which handles refer to a timer, so the registry holds every engine from
// New to Stop, and nothing but Stop ends one that was used. TestHandleHoldsItsTimer guards that.
//
// The price is that a forgotten timer continues; it is reported once. A lookup by number costs no
// measurable time.
var engines registry

// A number is a place in the registry and the generation of one use of that place, in the upper
// bits. No number is given twice: a place whose generations are used up stays empty. So a handle
// that outlives its timer finds nothing, and never another timer. 0 is no timer's number.
const (
	generationBits = 12
	placeBits      = 32 - generationBits
	maxPlaces      = 1 << placeBits
)

// A registry holds the engines by number.
type registry struct {
	all atomic.Pointer[[]atomic.Pointer[engine]] // replaced as a whole when it grows

	mu struct { // guards giving and taking back numbers, and the replacement of all
		sync.Mutex
		generations []uint32 // of the next use of each place
		free        []uint32 // places, of which the last is taken next
	}
}

// add gives e a number.
func (r *registry) add(e *engine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.mu.free) == 0 {
		r.growLocked()
	}
	last := len(r.mu.free) - 1
	place := r.mu.free[last]
	r.mu.free = r.mu.free[:last]
	e.number = r.mu.generations[place]<<placeBits | place
	r.mu.generations[place]++
	(*r.all.Load())[place].Store(e)
}

// growLocked makes room for more engines.
//
// REQUIRES: r.mu is held.
func (r *registry) growLocked() {
	old := len(r.mu.generations)
	size := max(2*old, 64)
	if old == maxPlaces {
		panic("hashedwheel: over four thousand million timers made, or a million in use")
	}
	larger := make([]atomic.Pointer[engine], size)
	if p := r.all.Load(); p != nil {
		for i := range *p {
			larger[i].Store((*p)[i].Load())
		}
	}
	for i := old; i < size; i++ {
		larger[i].Store(over)
	}
	r.mu.generations = append(r.mu.generations, make([]uint32, size-old)...)
	for place := size - 1; place >= max(old, 1); place-- {
		r.mu.free = append(r.mu.free, uint32(place))
	}
	r.all.Store(&larger)
}

// remove forgets the engine with a number. A caller that has loaded the table before it was last
// replaced may still find the engine, which has stopped and says so itself.
func (r *registry) remove(number uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place := number % maxPlaces
	if (*r.all.Load())[place].Swap(over) != over && r.mu.generations[place] < 1<<generationBits {
		r.mu.free = append(r.mu.free, place)
	}
}

// get returns the engine with a number that add has given, or [over] if the engine was removed.
func (r *registry) get(number uint32) *engine {
	e := (*r.all.Load())[number%maxPlaces].Load()
	if e.number != number {
		return over
	}
	return e
}

// size returns how many engines there are.
func (r *registry) size() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.all.Load(); p != nil {
		for i := range *p {
			if e := (*p)[i].Load(); e != nil && e != over {
				n++
			}
		}
	}
	return n
}

// over is a stopped engine, which the handles of a stopped timer get instead of their own.
var over = func() *engine {
	e := &engine{intake: newIntake[*Timeout](), stopped: make(chan struct{})}
	e.life.Store(stopped)
	e.intake.close()
	close(e.stopped)
	return e
}()

// maxInstances is Netty's limit: more timers than this in one process are nearly always a mistake,
// such as one for each connection.
const maxInstances = 64

var (
	instances       atomic.Int64 // timers made and not stopped
	warnedInstances flag
)

// countInstance counts a new timer.
func countInstance(e *engine) {
	if instances.Add(1) > maxInstances && warnedInstances.CompareAndSwap(false, true) {
		e.logger.Warn("hashedwheel: many timers in one process; a timer is meant to be shared",
			slog.Int64("timers", instances.Load()), slog.Int("limit", maxInstances))
	}
}

// forget removes a timer that was stopped, or that no caller can ever use.
func (e *engine) forget() {
	instances.Add(-1)
	engines.remove(e.number)
}

// public returns the HashedWheelTimer of an engine: the one that New has returned, or a new one if
// that is no longer referenced.
func (e *engine) public() *HashedWheelTimer {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.mu.public.Value(); w != nil {
		return w
	}
	w := &HashedWheelTimer{e}
	e.mu.public = weak.Make(w)
	runtime.AddCleanup(w, (*engine).dropped, e)
	return w
}

// dropped is called when the collector has found that the timer is no longer referenced. Handles
// refer to it without the collector's knowledge and may be armed at any time. So a timer that may
// have handles continues and is reported once: most such timers were forgotten, and nothing but
// Stop ends their goroutine. One that has none and never started ends silently.
func (e *engine) dropped() {
	e.mu.Lock()
	stage := e.life.Load()
	again := e.mu.public.Value() != nil // by way of a handle
	unused := stage == created && !e.bound.Load() && !again
	report := stage != stopped && !unused && !again && !e.mu.reported
	if unused {
		e.life.Store(stopped)
	}
	e.mu.reported = e.mu.reported || report
	e.mu.Unlock()
	switch {
	case unused:
		e.forget()
	case report:
		e.logger.Warn(
			"hashedwheel: a timer was dropped without Stop; it continues for its handles, and its memory stays",
		)
	}
}
