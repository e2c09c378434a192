package trigger

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A fakeScheduler notes what it is called with.
type fakeScheduler struct {
	term func() (xxladapter.Term, bool)

	mu      sync.Mutex // guards the fields below
	fenced  []xxladapter.Term
	early   []time.Time
	planned []xxladapter.Fire
	resumed []time.Time
	again   []xxladapter.Fire
	sweeps  int
}

// schedulerOf returns the scheduler of a node that never doubts its lease.
func schedulerOf(t testing.TB, store *memstore.Store, node string) *fakeScheduler {
	t.Helper()
	l, err := store.Lease(t.Context(), node, time.Hour)
	require.NoError(t, err)
	return &fakeScheduler{term: func() (xxladapter.Term, bool) { return l.Term, true }}
}

func (s *fakeScheduler) Term() (xxladapter.Term, bool) { return s.term() }

func (s *fakeScheduler) Fenced(term xxladapter.Term) {
	s.note(func() { s.fenced = append(s.fenced, term) })
}
func (s *fakeScheduler) Early(now, _ time.Time) { s.note(func() { s.early = append(s.early, now) }) }
func (s *fakeScheduler) Planned(fires []xxladapter.Fire) {
	s.note(func() { s.planned = append(s.planned, fires...) })
}
func (s *fakeScheduler) Resumed(next time.Time) {
	s.note(func() { s.resumed = append(s.resumed, next) })
}
func (s *fakeScheduler) Again(f xxladapter.Fire) { s.note(func() { s.again = append(s.again, f) }) }
func (s *fakeScheduler) Sweep()                  { s.note(func() { s.sweeps++ }) }

func (s *fakeScheduler) note(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

// swept returns how often a sweep was asked for.
func (s *fakeScheduler) swept() (n int) {
	s.note(func() { n = s.sweeps })
	return n
}

// handOver returns a HandOver of these options. What they lack is not called.
func handOver(t testing.TB, opts Options) *HandOver {
	t.Helper()
	if opts.Sender == nil {
		opts.Sender = struct{ Sender }{}
	}
	if opts.Scheduler == nil {
		opts.Scheduler = &fakeScheduler{term: func() (xxladapter.Term, bool) { return xxladapter.Term{}, true }}
	}
	h, err := NewHandOver(opts)
	require.NoError(t, err)
	return h
}

// client returns a Client of these options.
func client(t testing.TB, opts ClientOptions) *Client {
	t.Helper()
	c, err := NewClient(opts)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}
