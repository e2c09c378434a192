package contender

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

var (
	wheelKind    = Kind{Name: "wheel", New: newWheel, Ticks: true}
	embeddedKind = Kind{
		Name: "wheel-embedded", New: func(cfg Config) Timer { return newEmbedded(cfg, false) }, Ticks: true,
	}
	layeredKind = Kind{
		Name: "layered-embedded", New: func(cfg Config) Timer { return newEmbedded(cfg, true) }, Ticks: true,
	}
)

// wheel is the hashed wheel used as time.AfterFunc is: each start allocates a handle.
type wheel struct {
	w    *hashedwheel.HashedWheelTimer
	task Callbacks
	slot []*hashedwheel.Timeout
}

func newWheel(cfg Config) Timer {
	return &wheel{w: newTimer(cfg, false), task: NewCallbacks(cfg), slot: make([]*hashedwheel.Timeout, cfg.Slots)}
}

func newTimer(cfg Config, layered bool) *hashedwheel.HashedWheelTimer {
	w, err := hashedwheel.New(hashedwheel.Options{TickDuration: cfg.Tick, Layered: layered})
	if err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
	return w
}

func (w *wheel) Start(slot int, d time.Duration) { w.slot[slot] = w.w.AfterFunc(d, w.task.At(slot)) }

func (w *wheel) Stop(slot int) bool { return w.slot[slot].Stop() }

func (w *wheel) Reset(slot int, d time.Duration) bool { return w.slot[slot].Reset(d) }

func (w *wheel) Close() { stopWheel(w.w) }

func stopWheel(w *hashedwheel.HashedWheelTimer) {
	if _, err := w.Stop(); err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
}

// embedded is the wheel used with handles that live in the caller's own structs.
type embedded struct {
	w    *hashedwheel.HashedWheelTimer
	slot []hashedwheel.Timeout
}

func newEmbedded(cfg Config, layered bool) Timer {
	e := &embedded{w: newTimer(cfg, layered), slot: make([]hashedwheel.Timeout, cfg.Slots)}
	calls := NewCallbacks(cfg)
	for i := range e.slot {
		e.w.Init(&e.slot[i], funcTask(calls.At(i)))
	}
	return e
}

// A funcTask is a function as a task. A function is no larger than a pointer, so binding one
// allocates nothing.
type funcTask func()

func (f funcTask) Run(*hashedwheel.Timeout) { f() }

func (e *embedded) Start(slot int, d time.Duration) { e.slot[slot].Reset(d) }

func (e *embedded) Stop(slot int) bool { return e.slot[slot].Stop() }

func (e *embedded) Reset(slot int, d time.Duration) bool { return e.slot[slot].Reset(d) }

func (e *embedded) Close() { stopWheel(e.w) }
