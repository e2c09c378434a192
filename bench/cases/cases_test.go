package cases

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// A recorder is a Meter that keeps the reported metrics.
type recorder struct {
	*testing.T
	reported map[string]float64
}

func newRecorder(t *testing.T) recorder { return recorder{t, map[string]float64{}} }

func (r recorder) ReportAllocs() {}

func (r recorder) ReportMetric(n float64, unit string) { r.reported[unit] = n }

// In a bubble only sleeping takes time.
func TestSampleCountsWhatFitsIntoTheSpan(t *testing.T) {
	for _, goroutines := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			r := newRecorder(t)
			next, gaps := make([]int, goroutines), atomic.Int64{}
			sample(r, 20*time.Millisecond, goroutines, func(g, first, n int) int {
				if first != next[g] {
					gaps.Add(1)
				}
				next[g] += n
				time.Sleep(time.Millisecond)
				return n
			})
			require.Zero(t, gaps.Load())
			for _, done := range next {
				require.Equal(t, 20*block, done)
			}
			require.InDelta(t, 1e6/float64(block*goroutines), r.reported["ns/op"], 1e-6)
		})
	}
}

// hasty is a timer that fires early by a given time. Its other methods do nothing.
type hasty struct {
	by  time.Duration
	cfg contender.Config
}

func (h hasty) Start(slot int, d time.Duration) {
	time.AfterFunc(d-h.by, func() { h.cfg.Fire(slot) })
}
func (h hasty) Stop(int) bool                 { return false }
func (h hasty) Reset(int, time.Duration) bool { return false }
func (h hasty) Close()                        {}

func TestEarlyRunsAreCounted(t *testing.T) {
	for _, by := range []time.Duration{0, time.Microsecond} {
		synctest.Test(t, func(t *testing.T) {
			k := contender.Kind{Name: "hasty", New: func(cfg contender.Config) contender.Timer { return hasty{by, cfg} }}
			r := newRecorder(t)
			s := Setting{Due: 100, Spread: time.Second}
			Early.Open(k, s).Variants[0].Run(r, 1)
			require.Equal(t, 100.0, r.reported["fires"])
			require.InDelta(t, -by.Seconds()*1e3, r.reported["min-ms"], 1e-9)
			if by == 0 {
				require.Zero(t, r.reported["early"])
			} else {
				require.Equal(t, 100.0, r.reported["early"])
			}
		})
	}
}

// A ledger is a timer that knows the deadlines of its slots and counts the resets that do not make
// one earlier. A reset takes 10 µs.
type ledger struct {
	begin time.Time
	due   map[int]time.Duration

	resets, notEarlier int
}

func (l *ledger) Start(slot int, d time.Duration) { l.due[slot] = time.Since(l.begin) + d }

func (l *ledger) Stop(slot int) bool {
	_, pending := l.due[slot]
	delete(l.due, slot)
	return pending
}

func (l *ledger) Reset(slot int, d time.Duration) bool {
	time.Sleep(10 * time.Microsecond) // in a bubble
	was := l.due[slot]
	pending := l.Stop(slot)
	l.Start(slot, d)
	l.resets++
	if l.due[slot] >= was {
		l.notEarlier++
	}
	return pending
}

func (l *ledger) Close() {}

// As package testing does, the test runs the variants again with a larger n. A sample then lasts
// longer than a reset of each slot takes.
func TestEachResetToAnEarlierDeadlineIsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slots = 1000
		l := &ledger{begin: time.Now(), due: map[int]time.Duration{}}
		fill(l, slots)
		v := resets(l, Setting{Pending: slots}, rand.Perm(slots))
		for n := range 3 {
			for _, v := range v[:2] {
				v.Run(newRecorder(t), 1)
			}
			l.resets, l.notEarlier = 0, 0
			v[2].Run(newRecorder(t), n+1)
			require.Positive(t, l.resets)
			require.Zero(t, l.notEarlier, "of %d", l.resets)
		}
	})
}
