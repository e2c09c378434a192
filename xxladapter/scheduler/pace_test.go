package scheduler

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A scanNote notes when jobs were claimed, and how many.
type scanNote struct {
	*memstore.Store
	found []int
	at    []time.Time
}

func (n *scanNote) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	fires, due, err := n.Store.ClaimDue(ctx, by, ahead, limit, decide)
	n.found, n.at = append(n.found, due), append(n.at, time.Now())
	return fires, due, err
}

// TestAScanThatFoundJobsIsFollowedWithinASecond checks that the next scan comes soon also where the
// last claim found none, because the one before had just taken all.
func TestAScanThatFoundJobsIsFollowedWithinASecond(t *testing.T) {
	for _, jobs := range []int{1, 2, 3, 4} {
		inBubble(t, func(b *fixture) {
			note := &scanNote{Store: b.store}
			sched, err := New(Options{
				Store: note, Pool: b.pool, Node: "node-1", Zone: time.UTC, Limit: 2, Logger: slog.New(slog.DiscardHandler),
			})
			require.NoError(t, err)
			b.sched, b.pool.term = sched, sched.Term
			for range jobs {
				b.addJob(xxladapter.ScheduleFixRate, "60", 12*time.Second)
			}
			b.run(30 * time.Second)
			last := -1
			for i, found := range note.found {
				if found > 0 {
					last = i
				}
			}
			require.GreaterOrEqual(t, last, 0)
			next := last + 1
			for note.at[next].Equal(note.at[last]) { // the rest of the same scan
				next++
			}
			require.LessOrEqual(t, note.at[next].Sub(note.at[last]), busyPace, "%d jobs", jobs)
		})
	}
}

// A heldStore has one more due job, whose row somebody else holds.
type heldStore struct {
	*scanNote
	until time.Time
}

func (h *heldStore) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	fires, due, err := h.scanNote.ClaimDue(ctx, by, ahead, limit, decide)
	if err == nil && time.Now().Before(h.until) {
		due++
	}
	return fires, due, err
}

// TestAScanComesBackToLockedJobs checks that locked jobs are scanned again within a second, and
// that a warning is logged if they are still locked.
func TestAScanComesBackToLockedJobs(t *testing.T) {
	for _, c := range []struct {
		held  time.Duration
		warns int
	}{{500 * time.Millisecond, 0}, {3500 * time.Millisecond, 3}} {
		inBubble(t, func(b *fixture) {
			var said lockedText
			note := &scanNote{Store: b.store}
			sched, err := New(Options{
				Store: &heldStore{note, time.Now().Add(c.held)}, Pool: b.pool, Node: "node-1", Zone: time.UTC,
				Logger: slog.New(slog.NewTextHandler(&said, nil)),
			})
			require.NoError(t, err)
			b.sched, b.pool.term = sched, sched.Term
			start := time.Now()
			b.run(10 * time.Second)
			early := 0
			for _, at := range note.at {
				if at.Sub(start) <= c.held {
					early++
				}
			}
			require.GreaterOrEqual(t, early, int(c.held/busyPace)+1)
			require.Equal(t, c.warns, strings.Count(said.String(), "jobs=1"), said.String())
		})
	}
}

// A lockedText is what several goroutines write.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A lostStore loses what some scans find, from a time on.
type lostStore struct {
	*scanNote
	from   time.Time
	losses int
}

func (l *lostStore) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	fires, due, err := l.scanNote.ClaimDue(ctx, by, ahead, limit, decide)
	if l.losses > 0 && err == nil && time.Now().After(l.from) {
		l.losses--
		return nil, 0, fmt.Errorf("commit: %w", xxladapter.ErrInDoubt)
	}
	return fires, due, err
}

// TestAScanThatIsLostIsMadeAgainAtOnce checks that a lost scan is repeated at once, so that the
// jobs that are due next do not wait for a pause. If the repetition is lost too, scans come at the
// usual pace.
func TestAScanThatIsLostIsMadeAgainAtOnce(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		note := &scanNote{Store: b.store}
		begin := time.Now()
		sched, err := New(Options{
			Store: &lostStore{note, begin.Add(2500 * time.Millisecond), 3}, Pool: b.pool, Node: "node-1", Zone: time.UTC,
			Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		b.sched, b.pool.term = sched, sched.Term
		b.run(7 * time.Second)
		at := map[time.Duration]int{}
		for _, scan := range note.at {
			at[scan.Sub(begin).Truncate(time.Second)]++
		}
		require.Equal(t, 2, at[3*time.Second], at)
		require.Equal(t, 1, at[4*time.Second], at)
		require.Equal(t, 1, at[5*time.Second], at)
	})
}
