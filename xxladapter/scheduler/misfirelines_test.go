package scheduler

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestManyMisfiresAreAFewLines starts a node after all of 25 jobs were due, too late for each.
func TestManyMisfiresAreAFewLines(t *testing.T) {
	inBubble(t, func(b *fixture) {
		for range 25 {
			b.addJob(xxladapter.ScheduleCron, "0 0 0 1 1 ?", time.Second)
		}
		var said lockedText
		logger := slog.New(slog.NewTextHandler(&said, nil))
		b.sched.opts.Logger, b.sched.misfires.logger = logger, logger
		stored := 0
		b.sched.opts.OnMisfire = func(xxladapter.Misfire) { stored++ }
		time.Sleep(time.Minute)
		b.run(10*time.Second + time.Millisecond)
		require.Equal(t, 25, stored)
		require.Equal(t, namedMisfires, strings.Count(said.String(), "msg=misfire"), said.String())
		require.Equal(t, 1, strings.Count(said.String(), `msg="more misfires"`), said.String())
		require.Contains(t, said.String(), "misfires=15")
	})
}

// TestAPanicOfOnMisfireDoesNotEndTheScan has two jobs that misfire, and one that does not.
func TestAPanicOfOnMisfireDoesNotEndTheScan(t *testing.T) {
	inBubble(t, func(b *fixture) {
		for range 2 {
			b.addJob(xxladapter.ScheduleCron, "0 0 0 1 1 ?", time.Second)
		}
		b.addJob(xxladapter.ScheduleFixRate, "60", time.Minute+5*time.Second)
		var said lockedText
		b.sched.opts.Logger = slog.New(slog.NewTextHandler(&said, nil))
		calls := 0
		b.sched.opts.OnMisfire = func(xxladapter.Misfire) {
			calls++
			panic("oh")
		}
		time.Sleep(time.Minute)
		b.run(10*time.Second + time.Millisecond)
		require.Equal(t, 2, calls)
		require.Equal(t, 2, strings.Count(said.String(), "Options.OnMisfire panicked"), said.String())
		require.Contains(t, said.String(), "misfirelines_test.go:", "the stack")
		require.Len(t, b.pool.fired, 1, "of the third job, after them")
	})
}

// TestEachSecondNamesMisfires has a few misfires in each of two seconds: all of them are named.
func TestEachSecondNamesMisfires(t *testing.T) {
	var said lockedText
	l := misfireLines{logger: slog.New(slog.NewTextHandler(&said, nil))}
	for second := range 2 {
		l.beginScan(time.Unix(int64(second), 0))
		for range namedMisfires {
			l.note(xxladapter.Misfire{JobID: 1})
		}
	}
	l.beginScan(time.Unix(2, 0))
	require.Equal(t, 2*namedMisfires, strings.Count(said.String(), "msg=misfire"))
	require.NotContains(t, said.String(), "more")
}
