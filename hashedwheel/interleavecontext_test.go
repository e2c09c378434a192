//go:build interleave

package hashedwheel

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A stopAt is a scheduler that stops a timer before one step of the only goroutine.
type stopAt struct {
	timer *HashedWheelTimer
	steps int // until the stop
	done  bool
}

func (s *stopAt) pause() {
	if s.timer.intake.stripes[0].mu.held {
		return // Stop would wait for the latch
	}
	if s.steps--; s.steps != 0 {
		return
	}
	scheduler = nil
	_, _ = s.timer.Stop()
	scheduler = s
	s.done = true
}

func (s *stopAt) loaded(uint64) {}
func (s *stopAt) swapped(bool)  {}
func (s *stopAt) opened()       {}
func (s *stopAt) now() int64    { return int64(time.Since(s.timer.clock.epoch)) }
func (s *stopAt) wait(*latch)   { s.pause() }

// A countingParent counts calls of Err. The end of a wheelContext asks its parent, so a timer that
// was left behind is seen when it fires.
type countingParent struct {
	context.Context
	asked int
}

func (p *countingParent) Err() error {
	p.asked++
	return p.Context.Err()
}

// Wherever a stop of the timer meets WithTimeout, the context ends at its deadline, and after its
// CancelFunc nothing is left that keeps the deadline.
func TestInterleavingsOfWithTimeoutAndStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() { scheduler = nil }()
		replaced := 0
		for steps := 1; ; steps++ {
			parent := &countingParent{Context: context.Background()}
			begin := func() (context.Context, context.CancelFunc, bool) {
				w, err := New(Options{})
				require.NoError(t, err)
				byHand(w)
				s := &stopAt{timer: w, steps: steps}
				scheduler = s
				ctx, cancel := w.WithTimeout(parent, time.Hour)
				scheduler = nil
				_, _ = w.Stop()
				return ctx, cancel, s.done
			}
			ctx, cancel, met := begin()
			if !met {
				cancel()
				break
			}
			if _, ok := ctx.(*wheelContext); !ok {
				replaced++
			}
			begun := time.Now()
			<-ctx.Done()
			require.Equal(t, time.Hour, time.Since(begun), "stopped at step %d", steps)
			require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
			cancel()

			_, cancel, _ = begin()
			cancel()
			parent.asked = 0
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			require.Zero(t, parent.asked, "stopped at step %d", steps)
		}
		require.NotZero(t, replaced)
	})
}
