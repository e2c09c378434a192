package route

import (
	"sync"
	"time"
)

const (
	// forgetAfter is how long a strategy's state lives, for all jobs together. XXL-JOB 2.4.2 uses
	// the same 24 hours in ExecutorRouteRound.java, ExecutorRouteLFU.java and
	// ExecutorRouteLRU.java.
	forgetAfter = 24 * time.Hour

	// maxWeight limits the state of one strategy, counted in remembered addresses over all jobs; a
	// job of ROUND counts as one. Upstream has no limit. LEAST_FREQUENTLY_USED needs the most
	// memory: 60 to 120 bytes per address in lists of three or more, some 300 in lists of one.
	maxWeight = 1 << 20
)

// perJob holds the state of one strategy: an S for each job. It is safe for concurrent use.
type perJob[S any] struct {
	weigh func(S) int
	max   int // maxWeight, or less in tests

	mu     sync.Mutex // guards the fields below
	states map[int64]S
	weight int       // Invariant: the sum of weigh over states
	expiry time.Time // when all states are forgotten; zero before the first use
}

func newPerJob[S any](weigh func(S) int) *perJob[S] {
	return &perJob[S]{weigh: weigh, max: maxWeight, states: make(map[int64]S)}
}

// update replaces the state of a job by the one that next returns, and returns next's choice. ok is
// false if the job has no state. next is called with the lock held.
//
// If now is later than the expiry, all states are forgotten, and the expiry is set 24 hours ahead.
// If the new state does not fit, arbitrary other jobs are forgotten until it does: they start anew,
// as they would after those 24 hours. Evicting the least recently used job would be worse here,
// since jobs that take turns would then all start anew at every trigger.
func (p *perJob[S]) update(jobID int64, now time.Time, next func(s S, ok bool) (S, string)) string {
	p.mu.Lock()
	defer p.mu.Unlock()

	if now.After(p.expiry) {
		clear(p.states)
		p.weight = 0
		p.expiry = now.Add(forgetAfter)
	}

	s, ok := p.states[jobID]
	if ok {
		p.weight -= p.weigh(s)
	}
	s, addr := next(s, ok)
	p.states[jobID] = s
	p.weight += p.weigh(s)

	if p.weight > p.max {
		for id, other := range p.states {
			if id == jobID {
				continue
			}
			p.weight -= p.weigh(other)
			delete(p.states, id)
			if p.weight <= p.max {
				break
			}
		}
	}
	return addr
}
