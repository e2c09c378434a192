package alarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var errDown = errors.New("down")

func TestWhatNoChannelTakesIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{})
		var down atomic.Bool
		down.Store(true)
		channel := &fakeChannel{name: "fake", send: func(context.Context, *Alarm) error {
			if down.Load() {
				return errDown
			}
			return nil
		}}
		m, _ := s.monitor("n", channel)
		failed := s.end(job, 500, "")
		m.Failed()
		time.Sleep(3 * claimLife)
		require.Equal(t, xxladapter.AlarmTaken, s.status(failed))
		down.Store(false)
		time.Sleep(claimLife + pollPace + time.Second)
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
		require.Len(t, channel.alarms(), 1)

		down.Store(true)
		failed = s.end(job, 500, "")
		time.Sleep(time.Duration(maxAttempts+1) * (claimLife + pollPace + time.Second))
		require.Equal(t, xxladapter.AlarmFailed, s.status(failed))
		require.Len(t, channel.alarms(), 1)
	})
}

// TestAMessageAboutMoreHasAnotherID has a receiver take two messages whose answers are lost. The
// scheduler restarts and repeats both in one message. A receiver that drops repetitions by their id
// must not drop the second failure.
func TestAMessageAboutMoreHasAnotherID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{})
		var mu sync.Mutex
		about := map[string][]string{} // the runs of each message, by id
		lost := &fakeChannel{name: "fake", send: func(_ context.Context, a *Alarm) error {
			var runs []int64
			for _, run := range a.Jobs[0].Runs {
				runs = append(runs, run.LogID)
			}
			mu.Lock()
			defer mu.Unlock()
			about[a.ID] = append(about[a.ID], fmt.Sprint(runs))
			return errDown
		}}
		m, stop := s.monitor("n", lost)
		first := s.end(job, 500, "")
		m.Failed()
		time.Sleep(window + pollPace)
		second := s.end(job, 500, "")
		m.Failed()
		settled()
		stop()
		time.Sleep(claimLife)
		_, stop = s.monitor("n2", lost)
		time.Sleep(2 * claimLife)
		stop()
		require.Len(t, about, 3)
		both := fmt.Sprint([]int64{second, first})
		for id, runs := range about {
			require.Len(t, slices.Compact(slices.Clone(runs)), 1, id)
			if runs[0] == both {
				require.Greater(t, len(runs), 1, "a repetition has the same id")
			}
		}
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Values(about)), func(runs []string) bool { return runs[0] == both }))
	})
}

func TestAnAlarmThatReachedSomeIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{})
		good := &fakeChannel{name: "good"}
		bad := &fakeChannel{name: "bad", send: func(context.Context, *Alarm) error { return errDown }}
		nobody := &fakeChannel{name: "nobody", send: func(context.Context, *Alarm) error { return ErrNobody }}
		var mu sync.Mutex
		counted := map[string]int{}
		startMonitor(t, Options{Store: s.store, Node: "n", Channels: []Channel{good, bad, nobody}, Logger: quiet,
			OnAlarm: func(channel, result string) {
				mu.Lock()
				defer mu.Unlock()
				counted[channel+" "+result]++
			}})
		failed := s.end(job, 500, "")
		time.Sleep(time.Hour)
		require.Equal(t, xxladapter.AlarmFailed, s.status(failed))
		require.Len(t, good.alarms(), 1)
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, map[string]int{"good sent": 1, "bad failed": 1, "nobody skipped": 1}, counted)
	})
}

// TestAPanicOfAChannelIsAFailureOfItAlone has a channel that panics beside a good one, and one that
// panics alone.
func TestAPanicOfAChannelIsAFailureOfItAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		bad := &fakeChannel{name: "bad", send: func(context.Context, *Alarm) error { panic("oh") }}
		good := &fakeChannel{name: "good"}
		var said strings.Builder
		_, stop := startMonitor(t, Options{
			Store: s.store, Node: "n", Channels: []Channel{bad, good}, Logger: slog.New(slog.NewTextHandler(&said, nil)),
		})
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		time.Sleep(time.Hour)
		stop()
		require.Equal(t, xxladapter.AlarmFailed, s.status(failed))
		require.Len(t, good.alarms(), 1)
		require.Equal(t, 1, strings.Count(said.String(), "alarm channel panicked"), said.String())
		require.Contains(t, said.String(), "notify_test.go:", "the stack")
		require.Contains(t, said.String(), `err="panic: oh"`)

		var calls atomic.Int32
		alone := &fakeChannel{name: "alone", send: func(context.Context, *Alarm) error {
			if calls.Add(1) == 1 {
				panic("oh")
			}
			return nil
		}}
		s.monitor("m", alone)
		failed = s.end(s.job("k", "", xxladapter.Settings{}), 500, "")
		time.Sleep(time.Hour)
		require.Equal(t, xxladapter.AlarmSent, s.status(failed), "it is tried again")
		require.EqualValues(t, 2, calls.Load())
	})
}

func TestAPanicOfOnAlarmChangesNoOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		good := &fakeChannel{name: "good"}
		var said strings.Builder
		_, stop := startMonitor(t, Options{
			Store: s.store, Node: "n", Channels: []Channel{good}, Logger: slog.New(slog.NewTextHandler(&said, nil)),
			OnAlarm: func(string, string) { panic("oh") },
		})
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		time.Sleep(time.Hour)
		stop()
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
		require.Len(t, good.alarms(), 1)
		require.Contains(t, said.String(), "notify_test.go:", "the stack")
	})
}

func TestAPanicOfAChannelIsItsOutcomeInATest(t *testing.T) {
	var said strings.Builder
	_, outcomes := Try(
		t.Context(), []Channel{
			&fakeChannel{name: "bad", send: func(context.Context, *Alarm) error { panic("oh") }}, &fakeChannel{name: "good"},
		}, "here", nil, slog.New(slog.NewTextHandler(&said, nil)),
	)
	require.EqualError(t, outcomes[0].Err, "panic: oh")
	require.NoError(t, outcomes[1].Err)
	require.Contains(t, said.String(), "notify_test.go:", "the stack")
}

func TestAnAlarmForNobodyIsNotNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		s.monitor("n", &fakeChannel{name: "nobody", send: func(context.Context, *Alarm) error { return ErrNobody }})
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		time.Sleep(idlePace + time.Second) // the first poll may have come before the failure
		require.Equal(t, xxladapter.AlarmNotNeeded, s.status(failed))
	})
}

func TestAHangingChannelKeepsTheOthersWaitingForSecondsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		hanging := &fakeChannel{name: "hanging", send: func(ctx context.Context, _ *Alarm) error {
			<-ctx.Done()
			return ctx.Err()
		}}
		good := &fakeChannel{name: "good"}
		m, _ := s.monitor("n", hanging, good)
		settled()
		for i := range burst {
			job := s.job(fmt.Sprint(i), "", xxladapter.Settings{})
			start := time.Now()
			s.end(job, 500, "")
			m.Failed()
			for len(good.alarms()) == i {
				time.Sleep(100 * time.Millisecond)
			}
			late := time.Since(start)
			if i == 1 {
				// The first message has the whole sendLimit, for which this second one waits.
				require.LessOrEqual(t, late, sendLimit+2*pollPause)
			} else {
				require.LessOrEqual(t, late, downLimit+2*pollPause)
			}
		}
	})
}

// TestASlowChannelRecovers has channels that take longer after a failure than before: one whose
// server answers late, and one that needs its time for many receivers.
func TestASlowChannelRecovers(t *testing.T) {
	for name, send := range map[string]func(ctx context.Context, first bool) error{
		"slow": func(ctx context.Context, first bool) error {
			if first {
				return errDown
			}
			return takes(attemptLimit-time.Second)(ctx, nil)
		},
		"partly": func(ctx context.Context, first bool) error {
			if err := takes(sendLimit-time.Second)(ctx, nil); first || err != nil {
				return fmt.Errorf("%w: %w", ErrPartly, errDown)
			}
			return nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			var sends atomic.Int64
			channel := &fakeChannel{name: name, send: func(ctx context.Context, _ *Alarm) error {
				return send(ctx, sends.Add(1) == 1)
			}}
			s.monitor("n", channel)
			s.end(s.job("a", "", xxladapter.Settings{}), 500, "")
			time.Sleep(2 * time.Minute)
			s.end(s.job("b", "", xxladapter.Settings{}), 500, "")
			time.Sleep(time.Hour)
			require.Contains(t, channel.titles(), "job 2 b failed", name)
		})
	}
}

// A refusingStore does not accept outcomes for a while.
type refusingStore struct {
	Store
	refuse atomic.Bool
}

func (s *refusingStore) SettleAlarms(ctx context.Context, claims []xxladapter.AlarmClaim, status int) error {
	if s.refuse.Load() && len(claims) > 0 {
		return errDown
	}
	return s.Store.SettleAlarms(ctx, claims, status)
}

func TestWhatWasSentIsNotSentAgainWhenItsOutcomeCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		store := &refusingStore{Store: s.store}
		store.refuse.Store(true)
		channel := &fakeChannel{name: "fake"}
		startMonitor(t, Options{Store: store, Node: "n", Channels: []Channel{channel}, Logger: quiet})
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		time.Sleep(3 * claimLife)
		synctest.Wait()
		require.Equal(t, xxladapter.AlarmTaken, s.status(failed))
		store.refuse.Store(false)
		time.Sleep(3 * claimLife)
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
		require.Len(t, channel.alarms(), 1)
	})
}

// takes returns a send that takes a while, unless its context ends before.
func takes(d time.Duration) func(context.Context, *Alarm) error {
	return func(ctx context.Context, _ *Alarm) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
}

func TestAStopWaitsForWhatIsBeingSent(t *testing.T) {
	for _, tt := range []struct {
		takes  time.Duration
		status int
	}{{stopGrace - time.Second, xxladapter.AlarmSent}, {stopGrace + time.Second, xxladapter.AlarmTaken}} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t)
			channel := &fakeChannel{name: "slow", send: takes(tt.takes)}
			failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
			_, stop := s.monitor("n", channel)
			synctest.Wait()
			start := time.Now()
			stop()
			require.Equal(t, min(tt.takes, stopGrace), time.Since(start))
			require.Equal(t, tt.status, s.status(failed))
		})
	}
}

// TestAStopBeginsNoMessage stops a monitor while further messages wait for those in flight. A
// message that began then would be cut off, and its receiver might get it twice.
func TestAStopBeginsNoMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		channel := &fakeChannel{name: "slow", send: takes(stopGrace * 3 / 5)}
		statuses := map[int]int{}
		var failed []int64
		for i := range messagesAtOnce + 2 {
			failed = append(failed, s.end(s.job(fmt.Sprint(i), "", xxladapter.Settings{}), 500, ""))
		}
		_, stop := s.monitor("n", channel)
		synctest.Wait()
		stop()
		for _, id := range failed {
			statuses[s.status(id)]++
		}
		require.Equal(t, map[int]int{xxladapter.AlarmSent: messagesAtOnce, xxladapter.AlarmOpen: 2}, statuses)
	})
}
