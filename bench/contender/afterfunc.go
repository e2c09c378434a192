package contender

import "time"

var (
	afterFuncKind = Kind{Name: "time.AfterFunc", New: newAfterFunc}
	reusedKind    = Kind{Name: "time.Timer-reused", New: newReused}
)

// afterFunc is the standard library's timer: each start allocates one.
type afterFunc struct {
	call Callbacks
	slot []*time.Timer
}

func newAfterFunc(cfg Config) Timer {
	return &afterFunc{call: NewCallbacks(cfg), slot: make([]*time.Timer, cfg.Slots)}
}

func (a *afterFunc) Start(slot int, d time.Duration) {
	a.slot[slot] = time.AfterFunc(d, a.call.At(slot))
}

func (a *afterFunc) Stop(slot int) bool { return a.slot[slot].Stop() }

func (a *afterFunc) Reset(slot int, d time.Duration) bool { return a.slot[slot].Reset(d) }

func (a *afterFunc) Close() { stopTimers(a.slot) }

func stopTimers(timers []*time.Timer) {
	for _, t := range timers {
		if t != nil {
			t.Stop()
		}
	}
}

// reused is the standard library's timer with one time.Timer for each slot, made by the first start
// and armed with Reset from then on. It is the rival of the embedded handle.
type reused struct {
	call Callbacks
	slot []*time.Timer
}

func newReused(cfg Config) Timer {
	return &reused{call: NewCallbacks(cfg), slot: make([]*time.Timer, cfg.Slots)}
}

func (r *reused) Start(slot int, d time.Duration) {
	if t := r.slot[slot]; t != nil {
		t.Reset(d)
		return
	}
	r.slot[slot] = time.AfterFunc(d, r.call.At(slot))
}

func (r *reused) Stop(slot int) bool { return r.slot[slot].Stop() }

func (r *reused) Reset(slot int, d time.Duration) bool { return r.slot[slot].Reset(d) }

func (r *reused) Close() { stopTimers(r.slot) }
