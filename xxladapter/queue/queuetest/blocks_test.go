package queuetest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// triggerWith triggers a job with a parameter of its own, and waits until it has n runs.
func (s *site) triggerWith(job int64, param string, n int) {
	s.t.Helper()
	require.NoError(s.t, s.call(http.MethodPost, fmt.Sprintf("/jobs/%d/trigger", job), map[string]any{"executorParam": param}, nil))
	testserver.Eventually(s.t, 20*time.Second, "it was handed over", func() bool { return len(s.rows(job)) == n })
}

// TestBlockStrategiesOverTheQueue has a second run of a job arrive while the first one runs.
func TestBlockStrategiesOverTheQueue(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		s.startExecutor("e1")
		s.executors(1)
		// two triggers a job twice and returns the runs, the older one first.
		two := func(strategy string, first, second string) [2]row {
			job := s.job(strategy, map[string]any{"executorBlockStrategy": strategy})
			s.triggerWith(job, first, 1)
			run := s.rows(job)[0].ID
			testserver.Eventually(s.t, 20*time.Second, "the first run has begun", func() bool {
				return s.counts()[run] == 1
			})
			s.triggerWith(job, second, 2)
			ended := s.ended(job, 2, 30*time.Second)
			if ended[0].ID > ended[1].ID {
				ended[0], ended[1] = ended[1], ended[0]
			}
			for _, r := range ended {
				require.Equal(t, 200, r.TriggerCode, "%+v", r)
			}
			return [2]row(ended)
		}

		runs := two("DISCARD_LATER", "2s", "")
		require.Equal(t, 200, runs[0].HandleCode)
		require.Equal(t, []any{500, wire.MsgDiscardLater}, []any{runs[1].HandleCode, runs[1].HandleMsg})
		require.Zero(t, s.counts()[runs[1].ID])

		runs = two("COVER_EARLY", "1m", "")
		require.Equal(t, []any{500, wire.MsgCoverEarly + " [job running, killed]"}, []any{runs[0].HandleCode, runs[0].HandleMsg})
		require.Equal(t, 200, runs[1].HandleCode)
		require.Equal(t, 1, s.counts()[runs[1].ID])

		runs = two("SERIAL_EXECUTION", "1s", "")
		require.Equal(t, []int{200, 200}, []int{runs[0].HandleCode, runs[1].HandleCode})
	})
}

// TestAnExecutorTakesWhatItHasPlacesFor queues more long runs than an executor has places.
func TestAnExecutorTakesWhatItHasPlacesFor(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		s.startExecutor("e1")
		s.executors(1)
		const runs = places + 20
		job := s.job("long", map[string]any{"executorParam": "1m"}) // serial: one of them runs
		for range runs {
			s.trigger(job)
		}
		testserver.Eventually(s.t, 20*time.Second, "all places are taken", func() bool {
			return s.queue().Runs == runs-places
		})
		time.Sleep(time.Second) // for further deliveries, which must not happen
		require.EqualValues(t, places, s.broker.delivered(app))
		require.EqualValues(t, runs-places, s.queue().Runs)
	})
}
