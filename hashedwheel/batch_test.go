package hashedwheel

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBatchDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []int
		delivered := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(got)
		}
		b, err := NewBatch(Options{TickDuration: 10 * time.Millisecond}, func(due []int) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, due...)
		})
		require.NoError(t, err)
		for i := range 3000 {
			_, err := b.Add(i, time.Duration(i%3)*100*time.Millisecond+5*time.Millisecond)
			require.NoError(t, err)
		}
		require.EqualValues(t, 3000, b.Pending())
		time.Sleep(10*time.Millisecond - time.Nanosecond)
		synctest.Wait()
		require.Zero(t, delivered())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 1000, delivered())
		require.EqualValues(t, 2000, b.Pending())
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, 2000, delivered())
		left := b.Stop()
		require.Len(t, left, 1000)
		require.Empty(t, b.Stop())
		require.Zero(t, b.Pending())
		_, err = b.Add(1, 0)
		require.ErrorIs(t, err, ErrStopped)
		all := map[int]bool{}
		for _, i := range append(got, left...) {
			require.False(t, all[i], "payload %d twice", i)
			all[i] = true
		}
		require.Len(t, all, 3000)
	})
}

func TestBatchLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := NewBatch(Options{MaxPendingTimeouts: 2}, func([]int) {})
		require.NoError(t, err)
		defer b.Stop()
		first, err := b.Add(1, time.Second)
		require.NoError(t, err)
		_, err = b.Add(2, time.Millisecond)
		require.NoError(t, err)
		_, err = b.Add(3, time.Second)
		require.ErrorIs(t, err, ErrTooManyPending)
		require.True(t, b.Cancel(first))
		_, err = b.Add(4, time.Second)
		require.NoError(t, err)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		_, err = b.Add(5, time.Second)
		require.NoError(t, err)
	})
}

// A payload that is cancelled right after it was added leaves nothing in the queue.
func TestBatchCancelTakesBackWhatWasJustAdded(t *testing.T) {
	b, err := NewBatch(Options{}, func([]int) {})
	require.NoError(t, err)
	b.clock.start() // a clock, and no worker
	b.life.Store(started)
	b.intake = intake[id]{stripes: make([]stripe[id], 1), shift: 64}
	for range 3 * segmentLen {
		x, err := b.Add(1, time.Hour)
		require.NoError(t, err)
		require.EqualValues(t, 1, b.intake.waiting())
		require.True(t, b.Cancel(x))
		require.Zero(t, b.intake.waiting())
	}
	x, _ := b.Add(1, time.Hour)
	y, _ := b.Add(1, time.Hour)
	require.True(t, b.Cancel(x))
	require.EqualValues(t, 2, b.intake.waiting())
	require.EqualValues(t, 1, b.Pending())
	require.Equal(t, 3*segmentLen+2, b.transfer(laneTimeouts, &b.timeouts, b.file))
	require.Equal(t, 1, b.wheel.Size())
	require.True(t, b.Cancel(y))
}

func TestBatchArguments(t *testing.T) {
	_, err := NewBatch[int](Options{}, nil)
	require.EqualError(t, err, "hashedwheel: NewBatch: fire is nil, must not be nil")
	_, err = NewBatch(Options{TicksPerWheel: -1}, func([]int) {})
	require.EqualError(t, err, "hashedwheel: Options.TicksPerWheel is -1, must not be negative")
}

func TestBatchPanicAndStopInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *Batch[string]
		var left []string
		b, err := NewBatch(Options{Logger: quiet}, func(due []string) {
			if due[0] == "panic" {
				panic("on purpose")
			}
			left = b.Stop()
		})
		require.NoError(t, err)
		for s, d := range map[string]time.Duration{"panic": time.Second, "stop": 2 * time.Second, "left": 3 * time.Second} {
			_, err := b.Add(s, d)
			require.NoError(t, err)
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"left"}, left)
	})
}

// Old tickets never reach the next user of their slot.
func TestBatchStaleTickets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		delivered := map[int]int{}
		b, err := NewBatch(Options{TickDuration: time.Millisecond}, func(due []int) {
			for _, i := range due {
				delivered[i]++
			}
		})
		require.NoError(t, err)
		defer b.Stop()
		rng := rand.New(rand.NewPCG(1, 1))
		var stale []Ticket
		cancelled := map[int]bool{}
		const n = 20_000
		for i := range n {
			ticket, err := b.Add(i, time.Duration(1+rng.IntN(5000))*time.Microsecond)
			require.NoError(t, err)
			switch rng.IntN(4) {
			case 0: // cancelled in the queue
				require.True(t, b.Cancel(ticket))
				cancelled[i] = true
				stale = append(stale, ticket)
			case 1: // cancelled in the wheel or delivered, whatever comes
				time.Sleep(time.Millisecond)
				if b.Cancel(ticket) {
					cancelled[i] = true
				}
				stale = append(stale, ticket)
			}
			for range 3 {
				if len(stale) > 0 {
					require.False(t, b.Cancel(stale[rng.IntN(len(stale))]))
				}
			}
		}
		require.False(t, b.Cancel(Ticket{}))
		require.False(t, b.Cancel(Ticket{newID(7, 1<<30)}))
		time.Sleep(time.Second)
		synctest.Wait()
		for i := range n {
			want := 1
			if cancelled[i] {
				want = 0
			}
			require.Equal(t, want, delivered[i], "payload %d", i)
		}
		require.LessOrEqual(t, chunksOf(b), 2, "slots are used again")
	})
}

// TestBatchStorm adds and cancels from many goroutines; everything added is delivered, cancelled or
// left over, once, with its own payload.
func TestBatchStorm(t *testing.T) {
	for _, layered := range []bool{false, true} {
		type payload struct{ g, i int }
		var mu sync.Mutex
		got := map[payload]int{}
		b, err := NewBatch(Options{TickDuration: time.Millisecond, TicksPerWheel: 4, Layered: layered}, func(due []payload) {
			mu.Lock()
			defer mu.Unlock()
			for _, p := range due {
				got[p]++
			}
		})
		require.NoError(t, err)
		const goroutines, each = 8, 3000
		want := [goroutines]map[payload]bool{}
		var wg sync.WaitGroup
		tickets := make(chan Ticket, 1024) // cancelled a second time, by another caller
		for g := range goroutines {
			want[g] = map[payload]bool{}
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), 2))
				var own []Ticket
				var ids []payload
				for i := range each {
					p := payload{g, i}
					ticket, err := b.Add(p, time.Duration(rng.IntN(4000))*time.Microsecond)
					if err != nil {
						t.Error(err)
						return
					}
					want[g][p] = true
					own, ids = append(own, ticket), append(ids, p)
					if rng.IntN(2) == 0 {
						k := rng.IntN(len(own))
						if b.Cancel(own[k]) {
							delete(want[g], ids[k])
						}
						select {
						case tickets <- own[k]:
						default:
						}
					}
					select {
					case old := <-tickets:
						if b.Cancel(old) {
							t.Error("cancelled what was cancelled or delivered")
						}
					default:
					}
				}
			})
		}
		wg.Wait()
		for _, p := range b.Stop() {
			got[p]++
		}
		for g := range goroutines {
			for p := range want[g] {
				require.Equal(t, 1, got[p], "%v", p)
				delete(got, p)
			}
		}
		require.Empty(t, got, "delivered though cancelled")
		require.Zero(t, b.Pending())
	}
}

// chunksOf returns how many chunks of slots are in memory.
func chunksOf[T any](b *Batch[T]) (n int) {
	chunks := *b.table.chunks.Load() // one table: the worker may put a shorter one in its place
	for i := range chunks {
		if chunks[i].Load() != nil {
			n++
		}
	}
	return n
}

// After a burst a Batch takes no more memory than one that had none: however the burst ended, on
// both wheels, and also the next time.
func TestBatchGivesMemoryBack(t *testing.T) {
	const burst = 100_000
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // a cleanup may leave something that the next collection finds
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	settled := func() int64 { // what earlier tests left behind may take more collections
		for last := heap(); ; {
			now := heap()
			if now >= last {
				return now
			}
			last = now
		}
	}
	for _, layered := range []bool{false, true} {
		for name, end := range map[string]func(*Batch[int64], []Ticket){
			"fired":     func(*Batch[int64], []Ticket) {},
			"cancelled": func(b *Batch[int64], tickets []Ticket) { cancelAll(b, tickets) },
		} {
			t.Run(fmt.Sprintf("%s, layered %v", name, layered), func(t *testing.T) {
				b, err := NewBatch(Options{TickDuration: time.Millisecond, Layered: layered}, func([]int64) {})
				require.NoError(t, err)
				defer b.Stop()
				tickets := make([]Ticket, burst)
				add := func(n int, delay func(int) time.Duration) {
					var wg sync.WaitGroup
					for g := range 4 { // on several stripes
						wg.Go(func() {
							for i := g; i < n; i += 4 {
								tickets[i], _ = b.Add(int64(i), delay(i))
							}
						})
					}
					wg.Wait()
				}
				quiet := func() {
					settles(t, func() bool { return b.Pending() == 0 && b.clock.parked.Load()&deep != 0 })
				}
				add(100, func(int) time.Duration { return 0 })
				quiet()
				fresh := settled()
				for range 2 {
					add(burst, func(i int) time.Duration { return 250*time.Millisecond + time.Duration(i%100)*time.Millisecond })
					full := heap()
					if waiting := b.Pending(); waiting > 0 { // a slow machine has fired some, or all
						require.Greater(t, full, fresh+16*waiting)
					}
					end(b, tickets)
					settles(t, func() bool { return chunksOf(b) == 0 && len(*b.table.chunks.Load()) == minChunks })
					require.Less(t, heap(), fresh+64<<10)
				}
				for _, old := range tickets {
					require.False(t, b.Cancel(old))
				}
			})
		}
	}
}

func cancelAll(b *Batch[int64], tickets []Ticket) {
	for _, t := range tickets {
		b.Cancel(t)
	}
}

// A chunk that comes back has slots that no old ticket names.
func TestSlabForgetsNoGeneration(t *testing.T) {
	s := newSlotTable[int](1)
	used := map[id]bool{}
	for round := range 5 {
		var taken []uint32
		for range 3*chunkLen + round {
			n := s.takeLocked(0)
			slot := s.slot(n)
			who := newID(max(uint32(slot.word.Load()>>32), 1), n)
			require.False(t, used[who], "slot %d, generation %d", n, who>>32)
			used[who] = true
			slot.word.Store(who.nextGeneration())
			taken = append(taken, n)
		}
		s.put(taken)
		s.flushLocked(0)
		s.shrink()
	}
	require.Zero(t, s.grow.idle)
	require.Empty(t, s.grow.open)
	require.Nil(t, s.lookup(7*chunkLen))
	require.Nil(t, s.lookup(1<<30))
}

// A Batch that was forgotten is reported, once; one that was stopped or never started is not.
func TestDroppedBatchIsReported(t *testing.T) {
	var log logCount
	var inside *batch[int]
	func() {
		opts := Options{TickDuration: time.Millisecond, Logger: log.logger()}
		_, err := NewBatch(opts, func([]int) {})
		require.NoError(t, err)
		stopped, err := NewBatch(opts, func([]int) {})
		require.NoError(t, err)
		_, err = stopped.Add(1, time.Hour)
		require.NoError(t, err)
		require.Len(t, stopped.Stop(), 1)
		forgotten, err := NewBatch(opts, func([]int) {})
		require.NoError(t, err)
		_, err = forgotten.Add(1, time.Hour)
		require.NoError(t, err)
		inside = forgotten.batch
	}()
	collects(t, func() bool { return log.n.Load() > 0 })
	collect()
	require.EqualValues(t, 1, log.n.Load())
	require.Len(t, (&Batch[int]{inside}).Stop(), 1)
}

// TestABatchSurvivesItsExecutor checks that a Batch delivers every payload once if its executor
// refuses, panics, or runs what it refuses.
func TestABatchSurvivesItsExecutor(t *testing.T) {
	for name, executor := range map[string]executorFunc{
		"refuses":          func(func()) error { return errors.New("full") },
		"panics":           func(func()) error { panic("bug") },
		"runs and refuses": func(run func()) error { run(); return errors.New("full") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []int
				b, err := NewBatch(Options{TickDuration: time.Millisecond, Executor: executor, Logger: quiet}, func(due []int) { got = append(got, due...) })
				require.NoError(t, err)
				for i := range 3 {
					_, err := b.Add(i, time.Duration(i+1)*5*time.Millisecond)
					require.NoError(t, err)
				}
				time.Sleep(time.Second)
				b.Stop()
				require.Equal(t, []int{0, 1, 2}, got)
			})
		})
	}
}
