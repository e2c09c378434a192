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
