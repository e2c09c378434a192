package queuetest

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// take takes the run that waits for any executor of the app, as its executor would.
func (s *site) take(js jetstream.JetStream) jetstream.Msg {
	s.t.Helper()
	var taken jetstream.Msg
	s.eventually(20*time.Second, "the run is delivered", func() bool {
		for _, name := range s.consumers(app) {
			consumer, err := js.Consumer(s.t.Context(), "xw_default_"+app, name)
			require.NoError(s.t, err)
			batch, err := consumer.FetchNoWait(1)
			require.NoError(s.t, err)
			for m := range batch.Messages() {
				taken = m
			}
		}
		return taken != nil
	})
	return taken
}

// TestARunThatNoExecutorCanBeginFails has a run delivered again and again, as if each executor had
// died with it. What waits shows in API, metrics and command.
func TestARunThatNoExecutorCanBeginFails(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite:DIR/x.db")
	before := time.Now().Add(-time.Second)
	job, run := s.waiting(app, s.group)
	js, err := jetstream.New(s.client(app).Conn)
	require.NoError(t, err)
	for n := range 5 {
		m := s.take(js)
		about, err := m.Metadata()
		require.NoError(t, err)
		require.EqualValues(t, n+1, about.NumDelivered)
		if n == 1 {
			s.isSeen(before)
		}
		require.NoError(t, m.Nak())
	}
	s.startExecutor("e1")
	r := s.ended(job, 1, 30*time.Second)[0]
	require.Equal(t, 500, r.HandleCode)
	require.Equal(t, "run was delivered 5 times, and no executor has begun it", r.HandleMsg)
	require.Empty(t, s.counts()[run])
	s.eventually(20*time.Second, "the queue is empty", func() bool { return s.queue() == queueState{} })
}

// TestARunThatRunsElsewhereIsNotReportedAsFailed has a message of a running run delivered to
// another executor more often than a run may be.
func TestARunThatRunsElsewhereIsNotReportedAsFailed(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite:DIR/x.db")
	gone := s.startExecutor("e2")
	at := s.executors(1)[0]
	job := s.job("job", map[string]any{"executorParam": "5s"})
	first := s.job("first", nil)
	s.trigger(first)
	s.ended(first, 1, 20*time.Second) // so the broker has the executor's consumer
	gone.kill()
	require.NoError(t, s.executorCall("registryRemove", map[string]any{"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": at}))
	s.startExecutor("e1")
	s.eventually(20*time.Second, "the first executor alone is registered", func() bool { return s.executors(1)[0] != at })
	s.trigger(job)
	s.eventually(20*time.Second, "the run has begun", func() bool { return len(s.counts()) == 2 })

	js, err := jetstream.New(s.client("schedulers").Conn)
	require.NoError(t, err)
	s.publishAgain(js, job, s.rows(job)[0].ID, at)
	js, err = jetstream.New(s.client(app).Conn)
	require.NoError(t, err)
	for range 5 {
		require.NoError(t, s.take(js).Nak())
	}
	s.startExecutor("e2")
	s.eventually(20*time.Second, "the message is gone", func() bool { return s.queue().Runs == 0 })
	r := s.ended(job, 1, 30*time.Second)[0]
	require.Equal(t, []any{200, ""}, []any{r.HandleCode, r.HandleMsg})
	require.Equal(t, 1, s.counts()[r.ID])
}

// TestExecutorsTakeNothingWhileNoSchedulerAnswers starts an executor without a scheduler. What it
// took would be delivered again and again while it restarts, and would count as failed.
func TestExecutorsTakeNothingWhileNoSchedulerAnswers(t *testing.T) {
	t.Parallel()
	const store = "sqlite:DIR/x.db"
	s := newSite(t, store)
	job, run := s.waiting(app, s.group)
	s.scheduler.kill()
	s.startsInVain("e1")
	s.startScheduler(store)
	require.Equal(t, 200, s.ended(job, 1, 60*time.Second)[0].HandleCode)
	require.Equal(t, map[int64]int{run: 1}, s.counts())
}

// startsInVain starts an executor whose first request to the schedulers is refused, and returns
// when it asks again. It has taken and begun nothing by then.
func (s *site) startsInVain(name string) {
	s.t.Helper()
	c := s.client("schedulers")
	asked, err := c.SubscribeSync("xw.default.up.accept." + app)
	require.NoError(s.t, err)
	require.NoError(s.t, c.Flush())
	s.startExecutor(name)
	for range 2 {
		m, err := asked.NextMsg(20 * time.Second)
		require.NoError(s.t, err)
		require.Zero(s.t, s.delivered(), "taken without an answer")
		require.Empty(s.t, s.counts(), "begun without an answer")
		require.NoError(s.t, m.Respond([]byte(`{"code":500,"msg":"not now"}`)))
	}
	require.NoError(s.t, asked.Unsubscribe())
}

// delivered returns how many runs were taken from the app's queue so far, repetitions included.
func (s *site) delivered() (n uint64) {
	s.t.Helper()
	js, err := jetstream.New(s.client("schedulers").Conn)
	require.NoError(s.t, err)
	for _, name := range s.consumers(app) {
		consumer, err := js.Consumer(s.t.Context(), "xw_default_"+app, name)
		require.NoError(s.t, err)
		n += consumer.CachedInfo().Delivered.Consumer
	}
	return n
}

// redeliverSoon makes the broker deliver runs again after 5 s in place of 30.
func (s *site) redeliverSoon() {
	s.t.Helper()
	js, err := jetstream.New(s.client("schedulers").Conn)
	require.NoError(s.t, err)
	s.eventually(20*time.Second, "the broker has the consumers", func() bool {
		stream, err := js.Stream(s.t.Context(), "xw_default_"+app)
		return err == nil && stream.CachedInfo().State.Consumers == 2
	})
	for _, name := range s.consumers(app) {
		consumer, err := js.Consumer(s.t.Context(), "xw_default_"+app, name)
		require.NoError(s.t, err)
		config := consumer.CachedInfo().Config
		config.AckWait = 5 * time.Second
		_, err = js.UpdateConsumer(s.t.Context(), "xw_default_"+app, config)
		require.NoError(s.t, err)
	}
}

type queueState struct {
	Runs, Redelivered int64
	Oldest            time.Time
}

// queue is what the API says about the app's queue.
func (s *site) queue() queueState {
	s.t.Helper()
	var got struct{ Queue *queueState }
	require.NoError(s.t, s.call(http.MethodGet, fmt.Sprintf("/groups/%d/executors", s.group), nil, &got))
	require.NotNil(s.t, got.Queue)
	return *got.Queue
}

// isSeen checks what is shown of one run that was published since before and delivered twice.
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
	t.Parallel()
	const store = "sqlite:DIR/x.db"
	s := newSite(t, store)
	job, run := s.waiting(app, s.group)
	js, err := jetstream.New(s.client("schedulers").Conn)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), "xw_default_"+app)
	require.NoError(t, err)
	first, err := stream.GetMsg(t.Context(), 1)
	require.NoError(t, err)
	require.NoError(t, stream.DeleteMsg(t.Context(), 1))
	s.startExecutorOf(app, app)
	probe := s.job("probe", nil)
	s.trigger(probe) // when it has ended, the executor takes runs
	s.ended(probe, 1, 20*time.Second)
	s.scheduler.kill()
	m := nats.NewMsg(first.Subject)
	m.Header, m.Data = nats.Header{"Xxl-Job-Access-Token": {accessToken}}, first.Data
	_, err = js.PublishMsg(t.Context(), m)
	require.NoError(t, err)
	s.eventually(20*time.Second, "the executor has taken it", func() bool { return s.delivered() == 2 })
	time.Sleep(70 * time.Second) // twice as long as the broker waits, and more
	for _, name := range s.consumers(app) {
		consumer, err := js.Consumer(t.Context(), "xw_default_"+app, name)
		require.NoError(t, err)
		require.Zero(t, consumer.CachedInfo().NumRedelivered)
	}
	require.EqualValues(t, 2, s.delivered())
	s.startScheduler(store)
	require.Equal(t, 200, s.ended(job, 1, 60*time.Second)[0].HandleCode)
	require.Equal(t, 1, s.counts()[run])
}

// TestAFullQueueLeavesRunsInTheStore has an operator's own limit of five runs for an address.
func TestAFullQueueLeavesRunsInTheStore(t *testing.T) {
	t.Parallel()
	s := newSite(t, "sqlite:DIR/x.db")
	e := s.startExecutor("e1")
	s.executors(1)
	e.kill()
	js, err := jetstream.New(s.client("schedulers").Conn)
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), "xw_default_"+app)
	require.NoError(t, err)
	config := stream.CachedInfo().Config
	config.MaxMsgsPerSubject = 5
	_, err = js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	job := s.job("job", nil)
	const runs = 20
	for range runs {
		s.trigger(job)
	}
	s.eventually(20*time.Second, "all were handed over", func() bool { return len(s.rows(job)) == runs })
	s.eventually(20*time.Second, "five are in the queue", func() bool { return s.queue().Runs == 5 })
	for _, r := range s.rows(job) {
		require.Zero(t, r.TriggerCode, "%+v", r)
	}
	s.startExecutor("e1")
	for _, r := range s.ended(job, runs, 60*time.Second) {
		require.Equal(t, 200, r.HandleCode, "%+v", r)
		require.Equal(t, 1, s.counts()[r.ID])
	}
}
