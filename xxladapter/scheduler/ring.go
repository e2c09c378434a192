package scheduler

import (
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ringTick is the wheel's tick, and with it the lateness that the ring adds. A
// short one costs nothing, because the wheel's worker sleeps until the next tick
// that has something to do. ringTicks of them cover the usual window in one turn.
const (
	ringTick  = 1 * time.Millisecond
	ringTicks = 8192
)

// A ring holds planned fires until they are due. It takes the place of
// upstream's sixty one-second slots, with a precision of milliseconds.
//
// Invariant: held has the id of every fire that is in the wheel or under way in
// the pool; the sweep leaves those alone. A fire that leaves without having
// been settled is found again by the sweep, because its record is still open.
type ring struct {
	timer *hashedwheel.HashedWheelTimer
	clock *storeClock
	fire  func(f xxladapter.Fire, done func()) bool

	mu   sync.Mutex
	held map[int64]struct{}
}

func newRing(clock *storeClock, fire func(xxladapter.Fire, func()) bool) (*ring, error) {
	timer, err := hashedwheel.New(hashedwheel.Options{TickDuration: ringTick, TicksPerWheel: ringTicks})
	if err != nil {
		return nil, err
	}
	return &ring{timer: timer, clock: clock, fire: fire, held: make(map[int64]struct{})}, nil
}

// arm lets f fire when it is due, at once if that has passed. A fire that is
// held already is left as it is.
func (r *ring) arm(f xxladapter.Fire) error {
	if !r.hold(f.ID) {
		return nil
	}
	if err := r.schedule(f); err != nil {
		r.release(f.ID)
		return err
	}
	return nil
}

func (r *ring) schedule(f xxladapter.Fire) error {
	late := f.Due.Sub(r.clock.now())
	if late <= 0 {
		r.handOut(f)
		return nil
	}
	_, err := r.timer.NewTimeout(hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { r.due(f) }), late)
	return err
}

// due runs on the wheel's worker. The wheel is never early by the monotonic
// clock; a wall clock that was set back meanwhile makes it so, and then the
// rest of the time is waited for.
func (r *ring) due(f xxladapter.Fire) {
	if f.Due.After(r.clock.now()) {
		if err := r.schedule(f); err != nil {
			r.release(f.ID)
		}
		return
	}
	r.handOut(f)
}

// handOut gives f to the pool. Where that has no place f is let go, and waits
// in the store for the sweep.
func (r *ring) handOut(f xxladapter.Fire) {
	if !r.fire(f, func() { r.release(f.ID) }) {
		r.release(f.ID)
	}
}

// hold claims the id for the caller; false means that it is held.
func (r *ring) hold(id int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.held[id]; ok {
		return false
	}
	r.held[id] = struct{}{}
	return true
}

func (r *ring) release(id int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, id)
}

// len is how many fires are held.
func (r *ring) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}

// stop ends the wheel. What it still held is in the store.
func (r *ring) stop() {
	_, _ = r.timer.Stop() // ErrStopInTask cannot be: no task stops the ring
}
