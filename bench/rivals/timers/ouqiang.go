package timers

import (
	"time"

	"github.com/ouqiang/timewheel"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

var ouqiang = contender.Kind{
	Name:       "ouqiang",
	New:        newOuqiang,
	Ticks:      true,
	FixedTick:  time.Second, // it counts in whole seconds
	Early:      true,
	MaxPending: 100_000,
	Why:        "a stop walks the list of its bucket",
}

// ou is a wheel behind unbuffered channels. The library does not report whether it removed a
// timeout, so Stop counts as successful.
type ou struct{ w *timewheel.TimeWheel }

func newOuqiang(cfg contender.Config) contender.Timer {
	w := timewheel.New(time.Second, buckets, func(data interface{}) { cfg.Fire(data.(int)) })
	w.Start()
	return &ou{w: w}
}

func (o *ou) Start(slot int, d time.Duration) { o.w.AddTimer(d, slot, slot) }

func (o *ou) Stop(slot int) bool {
	o.w.RemoveTimer(slot)
	return true
}

func (o *ou) Reset(slot int, d time.Duration) bool { return restart(o, slot, d) }

func (o *ou) Close() { o.w.Stop() }
