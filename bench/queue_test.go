package bench_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/golang-collections/go-datastructures/queue"

	"github.com/xxlwheel/xxlwheel/bench/cases"
)

// A record is what a timer's callers send to its worker. It is passed as a pointer, because
// RingBuffer boxes all other values.
type record struct{ deadline int64 }

// An mpsc is a queue with any number of producers and one consumer.
type mpsc interface {
	put(*record)
	// take returns how many records it took, possibly none.
	take() int
}

// BenchmarkQueue carries records from producers to one consumer. The wheel's own queue is not
// exported: "striped" is built in the same way, with segments under a lock for each stripe, but
// without the wheel's bookkeeping.
func BenchmarkQueue(b *testing.B) {
	producers := []int{1}
	if procs := runtime.GOMAXPROCS(0); procs > 1 {
		producers = append(producers, procs)
	}
	for _, k := range []struct {
		name string
		make func(producers int) []mpsc // what each producer writes to; take of the first takes from all
	}{
		{"striped", newStripes},
		{"mutex-slice", func(n int) []mpsc { return same(new(lockedSlice), n) }},
		{"RingBuffer", func(n int) []mpsc { return same(newRing(), n) }},
		{"channel", func(n int) []mpsc { return same(make(channel, 1<<16), n) }},
	} {
		for _, n := range producers {
			b.Run("queue="+k.name+"/producers="+cases.Count(n), func(b *testing.B) { carry(b, k.make(n)) })
		}
	}
}

func same(q mpsc, n int) []mpsc {
	all := make([]mpsc, n)
	for i := range all {
		all[i] = q
	}
	return all
}

func carry(b *testing.B, queues []mpsc) {
	records := make([]record, 1024)
	for i := range records {
		records[i].deadline = int64(i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	var all sync.WaitGroup
	for p, q := range queues {
		share := b.N / len(queues)
		if p < b.N%len(queues) {
			share++
		}
		all.Go(func() {
			for i := range share {
				q.put(&records[i&1023])
			}
		})
	}
	for taken := 0; taken < b.N; {
		n := queues[0].take()
		if n == 0 {
			runtime.Gosched()
		}
		taken += n
	}
	all.Wait()
}

// lockedSlice is a slice that producers append to and the consumer swaps.
type lockedSlice struct {
	mu          sync.Mutex
	items, free []*record
}

func (q *lockedSlice) put(r *record) {
	q.mu.Lock()
	q.items = append(q.items, r)
	q.mu.Unlock()
}

func (q *lockedSlice) take() int {
	q.mu.Lock()
	taken := q.items
	q.items = q.free[:0]
	q.mu.Unlock()
	clear(taken)
	q.free = taken
	return len(taken)
}

// stripe is a list of segments under a lock, on its own cache lines.
type stripe struct {
	mu    sync.Mutex
	full  []*[510]*record
	last  *[510]*record
	n     int
	spare []*[510]*record
	all   []*stripe
	_     [128]byte
}

func newStripes(n int) []mpsc {
	stripes := make([]*stripe, n)
	queues := make([]mpsc, n)
	for i := range stripes {
		stripes[i] = &stripe{all: stripes, last: new([510]*record)}
		queues[i] = stripes[i]
	}
	return queues
}

func (s *stripe) put(r *record) {
	s.mu.Lock()
	if s.n == len(s.last) {
		s.full = append(s.full, s.last)
		s.n = 0
		if k := len(s.spare) - 1; k >= 0 {
			s.last, s.spare = s.spare[k], s.spare[:k]
		} else {
			s.last = new([510]*record)
		}
	}
	s.last[s.n] = r
	s.n++
	s.mu.Unlock()
}

func (s *stripe) take() int {
	taken := 0
	for _, one := range s.all {
		taken += one.takeOwn()
	}
	return taken
}

func (s *stripe) takeOwn() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.n + len(s.full)*len(s.last)
	for _, segment := range s.full {
		clear(segment[:])
		if len(s.spare) < 8 {
			s.spare = append(s.spare, segment)
		}
	}
	clear(s.last[:s.n])
	s.full, s.n = s.full[:0], 0
	return taken
}

// ring is the lock-free ring of go-datastructures. A full ring blocks a producer.
type ring struct{ r *queue.RingBuffer }

func newRing() ring { return ring{queue.NewRingBuffer(1 << 16)} }

func (q ring) put(r *record) { _ = q.r.Put(r) } // it fails only after Dispose

func (q ring) take() int {
	n := 0
	for q.r.Len() > 0 && n < 1024 {
		_, _ = q.r.Get()
		n++
	}
	return n
}

// channel is a buffered channel.
type channel chan *record

func (q channel) put(r *record) { q <- r }

func (q channel) take() int {
	for n := range 1024 {
		select {
		case <-q:
		default:
			return n
		}
	}
	return 1024
}
