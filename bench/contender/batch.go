package contender

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

var batchKind = Kind{Name: "batch", New: newBatch, Ticks: true}

// batch is the wheel with typed payloads, here the number of the slot.
type batch struct {
	b    *hashedwheel.Batch[int32]
	slot []hashedwheel.Ticket
}

func newBatch(cfg Config) Timer {
	b, err := hashedwheel.NewBatch(hashedwheel.Options{TickDuration: cfg.Tick}, func(due []int32) {
		for _, slot := range due {
			cfg.Fire(int(slot))
		}
	})
	if err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
	return &batch{b: b, slot: make([]hashedwheel.Ticket, cfg.Slots)}
}

func (b *batch) Start(slot int, d time.Duration) {
	t, err := b.b.Add(int32(slot), d)
	if err != nil {
		panic(fmt.Sprintf("contender: %v", err))
	}
	b.slot[slot] = t
}

func (b *batch) Stop(slot int) bool { return b.b.Cancel(b.slot[slot]) }

func (b *batch) Reset(slot int, d time.Duration) bool {
	pending := b.Stop(slot)
	b.Start(slot, d)
	return pending
}

func (b *batch) Close() { b.b.Stop() }
