package timers

import (
	"time"

	gxtime "github.com/dubbogo/gost/time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

var gost = contender.Kind{
	Name:       "gost",
	New:        newGost,
	Ticks:      true,
	FixedTick:  10 * time.Millisecond,
	Early:      true,
	MaxPending: 1000,
	Why:        "its wheels are five sorted lists, searched from the front for each start and stop",
}

// gostWheel sends its requests through an unbounded channel. A start or a stop has not taken effect
// when the call returns, and no figure includes the channel's backlog. The library does not report
// whether it removed a timeout, so Stop counts as successful.
type gostWheel struct {
	w    *gxtime.TimerWheel
	fire gxtime.TimerFunc
	slot []*gxtime.Timer
}

func newGost(cfg contender.Config) contender.Timer {
	return &gostWheel{
		w: gxtime.NewTimerWheel(),
		fire: func(_ gxtime.TimerID, _ time.Time, arg interface{}) error {
			cfg.Fire(arg.(int))
			return nil
		},
		slot: make([]*gxtime.Timer, cfg.Slots),
	}
}

func (g *gostWheel) Start(slot int, d time.Duration) {
	t, err := g.w.AddTimer(g.fire, gxtime.TimerOnce, d, slot)
	must(err)
	g.slot[slot] = t
}

func (g *gostWheel) Stop(slot int) bool {
	g.slot[slot].Stop()
	return true
}

func (g *gostWheel) Reset(slot int, d time.Duration) bool {
	g.slot[slot].Reset(d)
	return true
}

// Close does not wait: the wheel's own Close stops its ticker and then waits for a goroutine that
// waits for the ticker.
func (g *gostWheel) Close() { g.w.Stop() }
