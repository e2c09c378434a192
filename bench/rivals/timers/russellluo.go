package timers

import (
	"time"

	"github.com/RussellLuo/timingwheel"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

var russellLuo = contender.Kind{Name: "RussellLuo", New: newRussellLuo, Ticks: true, Early: true}

// russell is a hierarchical wheel like Kafka's: buckets in a delay queue.
type russell struct {
	w    *timingwheel.TimingWheel
	call contender.Callbacks
	slot []*timingwheel.Timer
}

func newRussellLuo(cfg contender.Config) contender.Timer {
	r := &russell{
		w:    timingwheel.NewTimingWheel(cfg.Tick, buckets),
		call: contender.NewCallbacks(cfg),
		slot: make([]*timingwheel.Timer, cfg.Slots),
	}
	r.w.Start()
	return r
}

func (r *russell) Start(slot int, d time.Duration) { r.slot[slot] = r.w.AfterFunc(d, r.call.At(slot)) }

func (r *russell) Stop(slot int) bool { return r.slot[slot].Stop() }

func (r *russell) Reset(slot int, d time.Duration) bool { return restart(r, slot, d) }

func (r *russell) Close() { r.w.Stop() }
