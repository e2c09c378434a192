package hashedwheel

import (
	"sync"
	"sync/atomic"
)

// A Timeout names its timer by number. A pointer in its place would be one of two that the
// collector finds in each of millions of pending handles, always to the same
// object: with it gone, a full collection takes a quarter less time.
//
// The price is that the collector does not see who holds a timer by its
// handles: see engine.dropped for what follows.
var engines registry

// A registry has the engines by number. Numbers begin at 1 and are never used again, so a
// handle that outlives its timer finds nothing, and not another's timer.
type registry struct {
	mu  sync.Mutex
	all atomic.Pointer[[]atomic.Pointer[engine]] // replaced as a whole when it grows
	n   uint32                                   // numbers given out; guarded by mu
}

// add gives e a number.
func (r *registry) add(e *engine) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == 0 {
		r.growLocked(64)
	}
	r.n++
	if all := *r.all.Load(); int(r.n) == len(all) {
		r.growLocked(2 * len(all))
	}
	(*r.all.Load())[r.n].Store(e)
	return r.n
}

// growLocked makes room for size engines. Who reads the table before may see one that
// has been removed since, which is over, and knows that itself.
//
// REQUIRES: r.mu is held.
func (r *registry) growLocked(size int) {
	larger := make([]atomic.Pointer[engine], size)
	if p := r.all.Load(); p != nil {
		for i := range *p {
			larger[i].Store((*p)[i].Load())
		}
	}
	r.all.Store(&larger)
}

// remove forgets an engine that has stopped.
func (r *registry) remove(number uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	(*r.all.Load())[number].Store(nil)
}

// get returns the engine with a number that add has given, and nil if it was removed.
func (r *registry) get(number uint32) *engine { return (*r.all.Load())[number].Load() }

// over is an engine that has stopped: what a handle has whose timer nobody holds any
// more.
var over = func() *engine {
	e := &engine{intake: newIntake[*Timeout](), stopped: make(chan struct{})}
	e.life.Store(stopped)
	e.intake.close()
	close(e.stopped)
	return e
}()
