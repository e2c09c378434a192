package queuetest

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestARunThatNoExecutorCanBeginFails has a run delivered again and again, as if each executor had
// died with it. What waits shows in API, metrics and command.
func TestARunThatNoExecutorCanBeginFails(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		before := time.Now().Add(-time.Second)
		job, run := s.waiting(app, s.group)
		for n := range 5 {
			d := s.take(xxladapter.QueueAddress{App: app})
			require.Equal(t, n+1, d.Number)
			if n == 1 {
				s.isSeen(before)
			}
			d.Return()
		}
		s.startExecutor("e1")
		r := s.ended(job, 1, 30*time.Second)[0]
		require.Equal(t, 500, r.HandleCode)
		require.Equal(t, "run was delivered 5 times, and no executor has begun it", r.HandleMsg)
		require.Empty(t, s.counts()[run])
		testserver.Eventually(s.t, 20*time.Second, "the queue is empty", func() bool {
			return s.queue() == queueState{}
		})
	})
}

// TestARunThatRunsElsewhereIsNotReportedAsFailed has a message of a running run delivered to
// another executor more often than a run may be.
func TestARunThatRunsElsewhereIsNotReportedAsFailed(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		gone := s.startExecutor("e2")
		at := s.executors(1)[0]
		job := s.job("job", map[string]any{"executorParam": "5s"})
		first := s.job("first", nil)
		s.trigger(first)
		s.ended(first, 1, 20*time.Second) // so the broker has the executor's consumer
		gone.kill()
		require.NoError(t, s.executorCall("registryRemove", map[string]any{"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": at}))
		s.startExecutor("e1")
		testserver.Eventually(s.t, 20*time.Second, "the first executor alone is registered", func() bool {
			return s.executors(1)[0] != at
		})
		s.trigger(job)
		testserver.Eventually(s.t, 20*time.Second, "the run has begun", func() bool { return len(s.counts()) == 2 })

		s.publishAgain(job, s.rows(job)[0].ID, addressOf(t, at))
		for range 5 {
			s.take(addressOf(t, at)).Return()
		}
		s.startExecutor("e2")
		testserver.Eventually(s.t, 20*time.Second, "the message is gone", func() bool { return s.queue().Runs == 0 })
		r := s.ended(job, 1, 30*time.Second)[0]
		require.Equal(t, []any{200, ""}, []any{r.HandleCode, r.HandleMsg})
		require.Equal(t, 1, s.counts()[r.ID])
	})
}

// TestExecutorsTakeNothingWhileNoSchedulerAnswers starts an executor without a scheduler. What it
// took would be delivered again and again while it restarts, and would count as failed.
func TestExecutorsTakeNothingWhileNoSchedulerAnswers(t *testing.T) {
	const store = "sqlite:DIR/x.db"
	overEach(t, store, func(t *testing.T, s *site) {
		job, run := s.waiting(app, s.group)
		s.scheduler.kill()
		s.startsInVain("e1")
		s.startScheduler(store)
		require.Equal(t, 200, s.ended(job, 1, 60*time.Second)[0].HandleCode)
		require.Equal(t, map[int64]int{run: 1}, s.counts())
	})
}

type queueState struct {
	Runs, Redelivered int64
	Oldest            time.Time
}

// queue returns what the API says about the app's queue.
func (s *site) queue() queueState {
	s.t.Helper()
	var got struct{ Queue *queueState }
	require.NoError(s.t, s.call(http.MethodGet, fmt.Sprintf("/groups/%d/executors", s.group), nil, &got))
	require.NotNil(s.t, got.Queue)
	return *got.Queue
}

// isSeen checks what API, metrics and command show of one run that was delivered twice. before is
// no later than its publication.
func (s *site) isSeen(before time.Time) {
	t := s.t
	got := s.queue()
	require.Equal(t, []int64{1, 1}, []int64{got.Runs, got.Redelivered})
	require.WithinRange(t, got.Oldest, before, time.Now())

	page := s.metrics()
	require.Contains(t, page, `xxlwheel_queued_runs{app="orders"} 1`)
	require.Contains(t, page, `xxlwheel_queued_runs_redelivered{app="orders"} 1`)
	found := regexp.MustCompile(`xxlwheel_queued_oldest_timestamp_seconds\{app="orders"\} (\S+)`).FindStringSubmatch(page)
	require.Len(t, found, 2)
	oldest, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	require.InDelta(t, float64(got.Oldest.UnixMilli())/1000, oldest, 0.001)

	out, err := exec.Command(xxlwheel, "group", "show", fmt.Sprint(s.group), "--server", "http://127.0.0.1:"+s.schedPort, "--access-token", accessToken).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?m)^QUEUED RUNS +OLDEST +REDELIVERED *\n1 +\S+ +1 *$`, string(out))
}

// TestARunWhoseAnswerIsAwaitedIsNotDeliveredAgain has no scheduler for longer than the broker waits
// for an acknowledgement.
func TestARunWhoseAnswerIsAwaitedIsNotDeliveredAgain(t *testing.T) {
	testserver.Long(t)
	const store = "sqlite:DIR/x.db"
	overEach(t, store, func(t *testing.T, s *site) {
		job, run := s.waiting(app, s.group)
		first := s.take(xxladapter.QueueAddress{App: app})
		first.Done()
		testserver.Eventually(s.t, 20*time.Second, "it is removed", func() bool { return s.queue().Runs == 0 })
		before := s.broker.delivered(app)
		s.startExecutorOf(app, app)
		probe := s.job("probe", nil)
		s.trigger(probe) // when it has ended, the executor takes runs
		s.ended(probe, 1, 20*time.Second)
		s.scheduler.kill()
		c := s.connect("schedulers")
		_, err := c.Publish(t.Context(), xxladapter.QueueAddress{App: app}, "again", first.Header, first.Body)
		require.NoError(t, err)
		testserver.Eventually(s.t, 20*time.Second, "the executor has taken it", func() bool {
			return s.broker.delivered(app) == before+2
		})
		time.Sleep(70 * time.Second) // twice as long as the broker waits, and more
		state, err := c.State(t.Context(), app)
		require.NoError(t, err)
		require.Equal(t, []int64{1, 0}, []int64{state.Runs, state.Redelivered})
		require.Equal(t, before+2, s.broker.delivered(app))
		s.startScheduler(store)
		require.Equal(t, 200, s.ended(job, 1, 60*time.Second)[0].HandleCode)
		require.Equal(t, 1, s.counts()[run])
	})
}

// TestARunWithoutAnAnswerBeginsAfterARestart kills an executor that has written a run down and that
// no scheduler answers. The next process begins the run once, also if the store gives the run to
// the executor meanwhile because of a request of the process that was killed.
func TestARunWithoutAnAnswerBeginsAfterARestart(t *testing.T) {
	testserver.Long(t)
	for _, late := range []bool{false, true} {
		t.Run(fmt.Sprint("handled late ", late), func(t *testing.T) {
			overEach(t, unansweredStore, func(t *testing.T, s *site) {
				job, run := s.unanswered()
				if late {
					s.acceptLate(run)
				}
				r := s.ended(job, 1, 2*time.Minute)[0]
				require.Equal(t, []any{200, ""}, []any{r.HandleCode, r.HandleMsg})
				require.Equal(t, 1, s.counts()[run])
			})
		})
	}
}

// TestARunThatWasGivenLateAndIsGoneFails has the broker lose a run that was given late, as if
// another executor had removed it.
func TestARunThatWasGivenLateAndIsGoneFails(t *testing.T) {
	testserver.Long(t)
	overEach(t, unansweredStore, func(t *testing.T, s *site) {
		job, run := s.unanswered()
		s.acceptLate(run)
		s.broker.lose()
		r := s.ended(job, 1, 4*time.Minute)[0]
		require.Equal(t, []any{500, "executor restarted before it was given the run, which has not begun"}, []any{r.HandleCode, r.HandleMsg})
		require.Zero(t, s.counts()[run])
	})
}

const unansweredStore = "sqlite:DIR/x.db"

// unanswered has an executor take a run that no scheduler gives to it, and restarts the executor
// and the scheduler. When unanswered returns, the executor takes runs.
func (s *site) unanswered() (job, run int64) {
	s.t.Helper()
	job, run = s.waiting(app, s.group)
	first := s.take(xxladapter.QueueAddress{App: app})
	first.Done()
	testserver.Eventually(s.t, 20*time.Second, "it is removed", func() bool { return s.queue().Runs == 0 })
	e := s.startExecutorOf(app, app)
	s.takes("before")
	s.scheduler.kill()
	_, err := s.connect("schedulers").Publish(s.t.Context(), xxladapter.QueueAddress{App: app}, "again", first.Header, first.Body)
	require.NoError(s.t, err)
	testserver.Eventually(s.t, 20*time.Second, "the executor asks in vain", func() bool {
		return strings.Contains(e.err.String(), "no scheduler says whether runs may begin")
	})
	e.kill()
	s.startScheduler(unansweredStore)
	s.startExecutorOf(app, app)
	s.takes("after")
	require.Zero(s.t, s.rows(job)[0].TriggerCode, "the run was given")
	return job, run
}

// takes waits until the executor takes runs.
func (s *site) takes(name string) {
	s.t.Helper()
	probe := s.job(name, nil)
	s.trigger(probe)
	s.ended(probe, 1, 20*time.Second)
}

// acceptLate has the scheduler handle a request of the executor's earlier process.
func (s *site) acceptLate(run int64) {
	s.t.Helper()
	at := s.executors(1)[0]
	require.NoError(s.t, s.executorCall("accept", []map[string]any{{"logId": run, "address": at}}))
	testserver.Eventually(s.t, 20*time.Second, "the run is given", func() bool {
		var r row
		return s.call(http.MethodGet, fmt.Sprintf("/runs/%d", run), nil, &r) == nil && r.Address == at
	})
}

// TestAFullQueueLeavesRunsInTheStore has an operator's own limit of five runs for an address.
func TestAFullQueueLeavesRunsInTheStore(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		e := s.startExecutor("e1")
		s.executors(1)
		s.broker.limit(app, 5) // an executor that runs has asked for its queue, or is about to
		e.kill()
		job := s.job("job", nil)
		const runs = 20
		for range runs {
			s.trigger(job)
		}
		testserver.Eventually(s.t, 20*time.Second, "all were handed over", func() bool {
			return len(s.rows(job)) == runs
		})
		testserver.Eventually(s.t, 20*time.Second, "five are in the queue", func() bool { return s.queue().Runs == 5 })
		for _, r := range s.rows(job) {
			require.Zero(t, r.TriggerCode, "%+v", r)
		}
		s.startExecutor("e1")
		for _, r := range s.ended(job, runs, 60*time.Second) {
			require.Equal(t, 200, r.HandleCode, "%+v", r)
			require.Equal(t, 1, s.counts()[r.ID])
		}
	})
}
