//go:build interleave

package hashedwheel

import (
	"sync"
	"sync/atomic"
	"time"
)

// scheduler decides which goroutine continues. Nil lets all of them run freely.
var scheduler interface {
	// pause blocks the caller until its turn.
	pause()

	// loaded and swapped record what the caller learned from a word; opened records that it sees
	// what a latch guards. The caller's next steps depend on nothing else.
	loaded(uint64)
	swapped(bool)
	opened()

	// now returns the time in nanoseconds. Reading it is a step, too.
	now() int64

	// wait blocks the caller until its turn comes while the latch is free.
	wait(*latch)
}

// since returns the nanoseconds since epoch or, under a scheduler, the scheduler's time.
func since(epoch time.Time) int64 {
	if scheduler != nil {
		return scheduler.now()
	}
	return int64(time.Since(epoch))
}

func pause() {
	if scheduler != nil {
		scheduler.pause()
	}
}

type word struct{ v atomic.Uint64 }

func (w *word) Load() uint64 {
	pause()
	v := w.v.Load()
	if scheduler != nil {
		scheduler.loaded(v)
	}
	return v
}

func (w *word) Store(v uint64) {
	pause()
	w.v.Store(v)
}

func (w *word) CompareAndSwap(from, to uint64) bool {
	pause()
	ok := w.v.CompareAndSwap(from, to)
	if scheduler != nil {
		scheduler.swapped(ok)
	}
	return ok
}

type latch struct {
	mu   sync.Mutex
	held bool // written with mu held; the scheduler reads it while every goroutine is paused
}

func (l *latch) Lock() {
	if scheduler != nil {
		scheduler.wait(l)
	}
	l.mu.Lock()
	if scheduler != nil {
		l.held = true
		scheduler.opened()
	}
}

func (l *latch) Unlock() {
	if scheduler != nil {
		l.held = false
	}
	l.mu.Unlock()
}
