package electtest

import (
	"context"
	"errors"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// A Memory is a coordinator within one process: each of its electors stands for a process. The zero
// value is ready to use.
type Memory struct {
	mu      sync.Mutex // guards the fields below
	last    int64
	waiting []*memorySession // the first one leads
	away    bool
	changed chan struct{} // closed at the next change; nil if nobody waits
}

// errAway is what a campaign returns while the memory is away.
var errAway = errors.New("electtest: memory is away")

// Elector returns the elector of one process.
func (m *Memory) Elector() elect.Elector { return memoryElector{m} }

// SetAway sets whether the memory is away: sessions end, and campaigns fail.
func (m *Memory) SetAway(away bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.away = away
	if away {
		for _, s := range m.waiting {
			close(s.done)
		}
		m.waiting = nil
	}
	m.wake()
}

// EndSession ends the session that leads, as when its process was silent for too long.
func (m *Memory) EndSession() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) > 0 {
		m.remove(m.waiting[0])
	}
}

// wake wakes those who wait for a change.
//
// REQUIRES: m.mu is held.
func (m *Memory) wake() {
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
}

// remove ends a session, unless it has ended.
//
// REQUIRES: m.mu is held.
func (m *Memory) remove(s *memorySession) {
	for i, other := range m.waiting {
		if other == s {
			m.waiting = append(m.waiting[:i:i], m.waiting[i+1:]...)
			close(s.done)
			m.wake()
			return
		}
	}
}

type memoryElector struct{ memory *Memory }

func (e memoryElector) String() string { return "memory" }

func (e memoryElector) Campaign(ctx context.Context, stands func()) (elect.Leadership, error) {
	m := e.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away {
		return nil, errAway
	}
	m.last++
	s := &memorySession{memory: m, number: m.last, done: make(chan struct{})}
	m.waiting = append(m.waiting, s)
	if stands != nil {
		stands()
	}
	for {
		switch {
		case ctx.Err() != nil:
			m.remove(s)
			return nil, ctx.Err()
		case len(m.waiting) > 0 && m.waiting[0] == s:
			return s, nil
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		case <-s.done:
		}
		m.mu.Lock()
		select {
		case <-s.done:
			return nil, errAway
		default:
		}
	}
}

// A memorySession is a campaign, and the leadership that it may become.
type memorySession struct {
	memory *Memory
	number int64
	done   chan struct{}
}

func (s *memorySession) Number() int64         { return s.number }
func (s *memorySession) Done() <-chan struct{} { return s.done }

func (s *memorySession) Resign(context.Context) error {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.memory.remove(s)
	return nil
}
