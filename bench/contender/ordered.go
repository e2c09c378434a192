package contender

import (
	"sync"
	"time"
)

// An order keeps timeouts by deadline.
type order interface {
	add(*entry)
	remove(*entry)
	first() *entry // nil if there is none
}

// An entry is a timeout in an order. Its ordinal makes it unequal to all others, because a set
// drops an entry that compares equal to another.
type entry struct {
	due     int64 // nanoseconds since the timer's start
	ordinal uint64
	slot    int
	pending bool
	index   int // in a heap
}

func (e *entry) before(o *entry) bool {
	return e.due < o.due || e.due == o.due && e.ordinal < o.ordinal
}

func (e *entry) compare(o *entry) int {
	switch {
	case e.before(o):
		return -1
	case o.before(e):
		return 1
	default:
		return 0
	}
}

// ordered is a timer with one goroutine, which waits for the first entry of an order or polls it.
type ordered struct {
	fire  func(int)
	begin time.Time
	poll  time.Duration // 0 means to sleep until the first deadline

	mu struct { // guards the fields below
		sync.Mutex
		order order
		slot  []*entry
		next  uint64 // ordinal
	}

	earlier chan struct{} // the first deadline has moved nearer
	quit    chan struct{}
	done    chan struct{}
}

func newOrdered(cfg Config, o order, poll time.Duration) Timer {
	t := &ordered{
		fire:    cfg.Fire,
		begin:   time.Now(),
		poll:    poll,
		earlier: make(chan struct{}, 1),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	t.mu.order = o
	t.mu.slot = make([]*entry, cfg.Slots)
	go t.run() // Close waits for done
	return t
}

func (t *ordered) Start(slot int, d time.Duration) {
	e := &entry{due: int64(time.Since(t.begin) + d), slot: slot, pending: true}
	t.mu.Lock()
	e.ordinal = t.mu.next
	t.mu.next++
	t.mu.slot[slot] = e
	t.mu.order.add(e)
	first := t.poll == 0 && t.mu.order.first() == e
	t.mu.Unlock()
	if first {
		select {
		case t.earlier <- struct{}{}:
		default:
		}
	}
}

func (t *ordered) Stop(slot int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.mu.slot[slot]
	if e == nil || !e.pending {
		return false
	}
	e.pending = false
	t.mu.order.remove(e)
	return true
}

func (t *ordered) Reset(slot int, d time.Duration) bool {
	pending := t.Stop(slot)
	t.Start(slot, d)
	return pending
}

func (t *ordered) Close() {
	close(t.quit)
	<-t.done
}

func (t *ordered) run() {
	defer close(t.done)
	sleep := time.NewTimer(time.Hour)
	defer sleep.Stop()
	for {
		sleep.Reset(t.fireDue())
		select {
		case <-sleep.C:
		case <-t.earlier:
		case <-t.quit:
			return
		}
	}
}

// fireDue fires what is due and returns how long to sleep.
func (t *ordered) fireDue() time.Duration {
	for {
		t.mu.Lock()
		e := t.mu.order.first()
		wait := time.Hour
		if e != nil {
			wait = time.Duration(e.due) - time.Since(t.begin)
		}
		if wait > 0 {
			t.mu.Unlock()
			if t.poll != 0 {
				return t.poll
			}
			return wait
		}
		e.pending = false
		t.mu.order.remove(e)
		t.mu.Unlock()
		t.fire(e.slot)
	}
}
