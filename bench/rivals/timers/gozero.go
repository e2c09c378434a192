package timers

import (
	"time"

	"github.com/zeromicro/go-zero/core/collection"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

var goZero = contender.Kind{
	Name:       "go-zero",
	New:        newGoZero,
	Ticks:      true,
	Early:      true,
	MaxPending: 100_000,
	Why:        "filling it with a million takes ten seconds through its channel",
}

// zero is a wheel behind unbuffered channels, with a map from keys to timeouts. The library does
// not report whether it removed a timeout, so Stop counts as successful.
type zero struct{ w *collection.TimingWheel }

func newGoZero(cfg contender.Config) contender.Timer {
	w, err := collection.NewTimingWheel(cfg.Tick, buckets, func(key, _ any) { cfg.Fire(key.(int)) })
	must(err)
	return &zero{w: w}
}

func (z *zero) Start(slot int, d time.Duration) { must(z.w.SetTimer(slot, nil, max(d, 1))) }

func (z *zero) Stop(slot int) bool {
	must(z.w.RemoveTimer(slot))
	return true
}

func (z *zero) Reset(slot int, d time.Duration) bool {
	must(z.w.MoveTimer(slot, max(d, 1)))
	return true
}

func (z *zero) Close() { z.w.Stop() }
