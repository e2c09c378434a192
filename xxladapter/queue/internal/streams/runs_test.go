//go:build unix

package streams

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

func TestAKeyStandsForOneRun(t *testing.T) {
	t.Parallel()
	s := connected(t, ownURL(t), "", "s", time.Hour)
	first := publish(t, s, anyOf, "1", "run")
	require.Equal(t, first, publish(t, s, anyOf, "1", "run"))
	second := publish(t, s, anyOf, "2", "run")
	require.Greater(t, second, first)
	require.Equal(t, [2]int64{2, 0}, s.lies(t, anyOf))

	for _, c := range []struct {
		to       xxladapter.QueueAddress
		position uint64
		key      string
		want     bool
	}{{anyOf, first, "1", true}, {anyOf, first, "2", false}, {oneOf, first, "1", false}, {anyOf, first + 1, "1", false}} {
		held, err := s.Holds(t.Context(), c.to, c.position, c.key)
		require.NoError(t, err)
		require.Equal(t, c.want, held, "%+v", c)
	}
	third := publish(t, s, oneOf, "3", "run")
	for range 2 { // the second time there is nothing
		require.NoError(t, s.Clear(t.Context(), anyOf))
		held, err := s.Holds(t.Context(), anyOf, first, "1")
		require.NoError(t, err)
		require.False(t, held)
	}
	held, err := s.Holds(t.Context(), oneOf, third, "3")
	require.NoError(t, err)
	require.True(t, held, "another address")
	publish(t, s, anyOf, "4", "run")
	require.Equal(t, [2]int64{1, 0}, s.lies(t, anyOf))
	require.Equal(t, first, publish(t, s, anyOf, "1", "run"), "the key outlives its run")
	require.Equal(t, [2]int64{1, 0}, s.lies(t, anyOf))
	left, err := s.PTTL(t.Context(), s.names.seen("orders", "1")).Result()
	require.NoError(t, err)
	require.InDelta(t, broker.KeyLife.Seconds(), left.Seconds(), 10)
}

func TestAFullQueueRefusesRuns(t *testing.T) {
	t.Parallel()
	s := connected(t, ownURL(t), "", "s", time.Hour)
	require.NoError(t, s.HSet(t.Context(), s.names.limits(), "orders", 3).Err())
	for i := range 3 {
		publish(t, s, anyOf, fmt.Sprint(i), "run")
	}
	_, err := s.Publish(t.Context(), anyOf, "4", nil, nil)
	require.ErrorIs(t, err, errFull)
	require.Equal(t, [2]int64{3, 0}, s.lies(t, anyOf))
	publish(t, s, oneOf, "4", "run") // another address
	publish(t, s, xxladapter.QueueAddress{App: "payments"}, "4", "run")

	_, err = s.Publish(t.Context(), oneOf, "5", nil, make([]byte, maxRun+1))
	require.ErrorIs(t, err, broker.ErrTooLarge)
	_, err = s.Publish(t.Context(), oneOf, "5", nil, make([]byte, maxRun))
	require.NoError(t, err)
}

// TestAClockThatWasSetBack has a run in the stream whose position lies in the future.
func TestAClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	s := connected(t, ownURL(t), "", "s", time.Hour)
	require.NoError(t, s.Prepare(t.Context(), oneOf))
	future := uint64(time.Now().Add(time.Hour).UnixMicro())
	require.NoError(t, s.XAdd(t.Context(), &redis.XAddArgs{Stream: s.names.run(anyOf), ID: idOf(future), Values: []string{"k", "0"}}).Err())
	require.Equal(t, future+1, publish(t, s, anyOf, "1", "run"))
	require.Equal(t, future+2, publish(t, s, anyOf, "2", "run"))
	require.NoError(t, s.XDel(t.Context(), s.names.run(anyOf), idOf(future+2)).Err())
	require.Equal(t, future+3, publish(t, s, anyOf, "3", "run"))
}

// TestExecutorsThatAreGoneAreForgotten lets two executors be silent for more than a second. One of
// them still has a run.
func TestExecutorsThatAreGoneAreForgotten(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s := connected(t, url, "", "s", time.Hour)
	publish(t, s, anyOf, "1", "run")
	publish(t, s, anyOf, "2", "run")
	feeding(t, connected(t, url, "orders", "busy", time.Hour), anyOf).next(t)
	feeding(t, connected(t, url, "orders", "idle", time.Hour), anyOf).next(t).Done()
	s.becomes(t, anyOf, [2]int64{1, 1})
	stream := s.names.run(anyOf)
	consumers := func(life time.Duration) (names []string) {
		require.NoError(t, prepareScript.Run(t.Context(), s, []string{s.names.queues(), stream}, life.Milliseconds()).Err())
		list, err := s.XInfoConsumers(t.Context(), stream, group).Result()
		require.NoError(t, err)
		for _, one := range list {
			names = append(names, one.Name)
		}
		return names
	}
	require.Equal(t, []string{"busy", "idle"}, consumers(time.Minute))
	time.Sleep(1100 * time.Millisecond) // by the clock of Redis
	require.Equal(t, []string{"busy"}, consumers(time.Second))
}

func TestStatesShowWhatWaits(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s, e := connected(t, url, "", "s", short), connected(t, url, "orders", "a", short)
	states := func() map[string]xxladapter.QueueState {
		all, err := s.States(t.Context())
		require.NoError(t, err)
		one, err := s.State(t.Context(), "orders")
		require.NoError(t, err)
		require.Equal(t, all["orders"], one)
		return all
	}
	require.Empty(t, states())
	require.NoError(t, s.Prepare(t.Context(), oneOf))
	require.Empty(t, states())
	before := time.Now().Add(-time.Second)
	first := publish(t, s, oneOf, "1", "run")
	publish(t, s, anyOf, "2", "run")
	odd := "a:b*c/订单"
	publish(t, s, xxladapter.QueueAddress{App: odd}, "3", "run")
	got := states()
	require.Len(t, got, 2)
	require.EqualValues(t, 1, got[odd].Runs)
	require.WithinRange(t, got["orders"].Oldest, before, time.Now())
	require.Equal(t, xxladapter.QueueState{Runs: 2, Oldest: time.UnixMicro(int64(first))}, got["orders"])
	feed := feeding(t, e, oneOf)
	feed.next(t)
	require.Zero(t, states()["orders"].Redelivered)
	d := feed.next(t)
	require.EqualValues(t, 1, states()["orders"].Redelivered)
	d.Done()
	s.becomes(t, oneOf, [2]int64{0, 0})
	require.EqualValues(t, 1, states()["orders"].Runs)
	require.Zero(t, states()["orders"].Redelivered)

	require.NoError(t, s.Del(t.Context(), s.names.run(anyOf), s.names.run(oneOf)).Err())
	require.NotContains(t, states(), "orders")
	known, err := s.SMembers(t.Context(), s.names.queues()).Result()
	require.NoError(t, err)
	require.Equal(t, []string{s.names.run(xxladapter.QueueAddress{App: odd})}, known)
}
