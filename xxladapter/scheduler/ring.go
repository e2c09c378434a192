package scheduler

import (
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// ringTick is the wheel's tick. A short one costs nothing, because the wheel's worker sleeps
	// until the next tick that has something to do. ringTicks of them cover the usual window in one
	// turn.
	ringTick  = 1 * time.Millisecond
	ringTicks = 8192

	// ringLate is the most by which the ring delays a fire while the wheel keeps up. A fire that is
	// armed right after the worker has passed a tick waits a whole tick until the worker takes it
	// in. Only then does the timer begin to count a delay of 32 ticks or more, in whole units of
	// 1.024 µs. The fire is handed out at the first tick boundary after the delay.
	ringLate = 2*ringTick + 1024*time.Nanosecond
)

// A ring holds planned fires until they are due. It replaces upstream's sixty slots of a second,
// with a precision of milliseconds.
//
// Invariant: held has the id of every fire that is in the wheel or in flight in the pool; the sweep
// leaves those alone. A fire that leaves without having been settled is found again by the sweep,
// because its record is still open.
type ring struct {
	timer *hashedwheel.HashedWheelTimer
	clock *storeClock
	// may reports whether fires may be handed out. While it returns false, due fires are dropped.
	may  func() bool
	fire func(f xxladapter.Fire, done func()) bool
	// overdue is called when a fire was left to another node for as long as it may be. It must be
	// set before leave is called.
	overdue func()

	// mu is taken before the timer's own locks, and released before the pool is called. The timer
	// holds none of its own while due runs.
	mu     sync.Mutex       // guards the fields below, and each armed that held leads to
	held   map[int64]*armed // by fire id
	ofJobs map[int64]int32  // how many of them each job has
}

// An armed is a fire that the ring holds.
type armed struct {
	kept
	timeout *hashedwheel.Timeout // nil means it is on its way through the pool
	// to is the node that hands the fire over in place of this one; nil means this one. The ring
	// forgets a fire of another node orphanAge after its due time, so that the sweep arms it if it
	// is still planned. It is not changed while held.
	to *follower
}

func newRing(clock *storeClock, may func() bool, fire func(xxladapter.Fire, func()) bool) (*ring, error) {
	timer, err := hashedwheel.New(hashedwheel.Options{TickDuration: ringTick, TicksPerWheel: ringTicks})
	if err != nil {
		return nil, err
	}
	return &ring{
		timer: timer, clock: clock, may: may, fire: fire,
		held: make(map[int64]*armed), ofJobs: make(map[int64]int32),
	}, nil
}

// arm hands f out when it is due, at once if that has passed. A fire that is held already is left
// as it is.
func (r *ring) arm(f xxladapter.Fire) error {
	a := r.hold(f, nil)
	if a == nil {
		return nil
	}
	if err := r.schedule(a); err != nil {
		r.release(a)
		return err
	}
	return nil
}

// leave holds f for another node, unless it is held already, and returns nil then. The caller may
// take it back with [ring.takeBack].
func (r *ring) leave(f xxladapter.Fire, to *follower) (*armed, error) {
	a := r.hold(f, to)
	if a == nil {
		return nil, nil
	}
	if err := r.schedule(a); err != nil {
		r.release(a)
		return nil, err
	}
	return a, nil
}

// takeBack arms a fire that was left to another node.
func (r *ring) takeBack(a *armed) error {
	r.mu.Lock()
	if r.held[a.id] != a {
		r.mu.Unlock()
		return nil // dropped, or overdue
	}
	if a.timeout != nil {
		a.timeout.Cancel()
	}
	r.forget(a)
	r.mu.Unlock()
	return r.arm(a.fire())
}

// leftTo returns the fires that were left to a node.
func (r *ring) leftTo(to *follower) (left []*armed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.held {
		if a.to == to {
			left = append(left, a)
		}
	}
	return left
}

// at returns when the wheel has to do something about a.
func (a *armed) at() time.Time {
	if a.to != nil {
		return a.due.Add(orphanAge)
	}
	return a.due
}

// schedule puts a into the wheel, or hands it out if it is due.
//
// REQUIRES: a is held and not in the wheel.
func (r *ring) schedule(a *armed) error {
	wait := a.at().Sub(r.clock.now())
	if wait <= 0 {
		r.handOut(a)
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[a.id] != a {
		return nil // dropped meanwhile
	}
	timeout, err := r.timer.NewTimeout(hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { r.due(a) }), wait)
	a.timeout = timeout
	return err
}

// due runs on the wheel's worker. The wheel is never early by the monotonic clock, but a fire can
// be early by the store's clock if that was set back meanwhile; it then waits for the rest of the
// time.
func (r *ring) due(a *armed) {
	r.mu.Lock()
	a.timeout = nil
	dropped := r.held[a.id] != a
	r.mu.Unlock()
	if dropped {
		return
	}
	if a.at().After(r.clock.now()) {
		if err := r.schedule(a); err != nil {
			r.release(a)
		}
		return
	}
	r.handOut(a)
}

// handOut gives the fire to the pool, or forgets it if another node was to hand it over. If the
// pool has no place, or if nothing may be handed out, the fire is dropped and waits in the store
// for the sweep.
func (r *ring) handOut(a *armed) {
	if a.to != nil {
		r.release(a)
		r.overdue()
		return
	}
	if !r.may() || !r.fire(a.fire(), func() { r.done(a) }) {
		r.release(a)
	}
}

// done takes a fire back from the pool. If it is not due yet, it was handed out by a clock that has
// turned out to be ahead of the store's, and waits again.
func (r *ring) done(a *armed) {
	if a.due.After(r.clock.now()) && r.schedule(a) == nil {
		return
	}
	r.release(a)
}

// hold holds f and returns it, or returns nil if f is held already. Nothing is allocated then: a
// sweep offers every fire that waits, and most are held.
func (r *ring) hold(f xxladapter.Fire, to *follower) *armed {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.held[f.ID]; ok {
		return nil
	}
	a := &armed{kept: keep(f), to: to}
	r.held[f.ID] = a
	r.ofJobs[f.JobID]++
	return a
}

func (r *ring) release(a *armed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[a.id] == a {
		r.forget(a)
	}
}

// forget removes a from held.
//
// REQUIRES: r.mu is held, and held has a.
func (r *ring) forget(a *armed) {
	delete(r.held, a.id)
	job := a.job
	if r.ofJobs[job]--; r.ofJobs[job] == 0 {
		delete(r.ofJobs, job)
	}
}

// drop drops the selected fires that are in the wheel, and returns how many there were. Those that
// the pool has are left to it.
func (r *ring) drop(selected func(xxladapter.Fire) bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	dropped := 0
	for _, a := range r.held {
		if a.timeout != nil && selected(a.fire()) && a.timeout.Cancel() {
			r.forget(a)
			dropped++
		}
	}
	return dropped
}

// len returns how many fires are held.
func (r *ring) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}

// stocked returns how many fires are held beyond the first of each job.
func (r *ring) stocked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held) - len(r.ofJobs)
}

// stop ends the wheel. The fires that it held are in the store.
func (r *ring) stop() {
	_, _ = r.timer.Stop() // ErrStopInTask cannot be: no task stops the ring
}
