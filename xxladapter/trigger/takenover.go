package trigger

import (
	"sync"
	"time"
)

// takenOver holds when this node took over hand-overs without a known outcome, whose executors may
// not have been asked before, or found that the age of their claims is unknown. What is older than
// twice resolveLimit has an outcome, and is forgotten at a later take-over.
type takenOver struct {
	mu      sync.Mutex // guards the fields below
	byFire  map[int64]time.Time
	cleaned time.Time
}

// note notes that this node takes a fire over now.
func (t *takenOver) note(fireID int64, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byFire == nil {
		t.byFire = map[int64]time.Time{}
	}
	t.byFire[fireID] = now
	if now.Sub(t.cleaned) < resolveLimit {
		return
	}
	t.cleaned = now
	for id, at := range t.byFire {
		if now.Sub(at) > 2*resolveLimit {
			delete(t.byFire, id)
		}
	}
}

// of returns when this node took a fire over; zero if it did not, or long ago.
func (t *takenOver) of(fireID int64) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byFire[fireID]
}
