package hashedwheel

import "sync/atomic"

// places counts the pending timeouts of a timer that has a limit. Without a limit it
// counts nothing, and costs nothing.
type places struct {
	limit int64 // 0: none
	_     [64]byte
	taken atomic.Int64
	_     [64]byte
}

// reserve takes one place and reports whether there was one. It never takes one too
// many, not even for a moment, so nobody else is refused in error.
func (p *places) reserve() bool {
	if p.limit == 0 {
		return true
	}
	for {
		n := p.taken.Load()
		if n >= p.limit {
			return false
		}
		if p.taken.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives n places back.
func (p *places) release(n int64) {
	if p.limit > 0 {
		p.taken.Add(-n)
	}
}

// ran ends a run: it arms a timeout again that is periodic, and gives back the place of one that
// is not, unless its task has armed it.
func (e *engine) ran(c call) {
	e.rearm(c)
	if e.limit == 0 {
		return
	}
	e.inside.Add(-1)
	for {
		s := c.t.load()
		if s&placed == 0 {
			return
		}
		if c.t.cas(s, s&^placed) {
			e.release(1)
			return
		}
	}
}

// inherit takes the place of the timeout inside whose task the caller is, and reports whether
// there was one. So a task on the worker can start its successor though the timer is full.
//
// It takes a microsecond to tell who the caller is, which a full timer that refuses many shall not
// pay while no task runs.
func (e *engine) inherit() bool {
	if e.inside.Load() == 0 {
		return false
	}
	e.mu.Lock()
	w := e.mu.workers[goroutineID()]
	e.mu.Unlock()
	if w == nil || w.current.t == nil {
		return false
	}
	t := w.current.t
	for {
		s := t.load()
		if s&placed == 0 {
			return false
		}
		if t.cas(s, s&^placed) {
			return true
		}
	}
}
