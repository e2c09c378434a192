package queuetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A broker is one that a test can start and break, with the users that docs/queue.md shows.
type broker interface {
	// url returns the broker's URL for the user of the schedulers, or of an app.
	url(user string) string
	// shown returns the end of the URL without secrets.
	shown() string
	// start starts the broker, for the first time or with the data that it had when it was killed.
	start()
	kill()
	freeze()
	thaw()
	// lose deletes the data of a broker that runs or was killed. Afterwards the broker runs.
	lose()

	// delivered returns how many runs were taken from an app's queue so far, repetitions included.
	delivered(app string) uint64
	// limit sets how many runs of an address may wait.
	limit(app string, runs int)
	// redeliverSoon has the broker deliver runs again after 5 s instead of 30, if it can.
	redeliverSoon(app string)
}

// brokers are the kinds of brokers. Each function returns one that has not been started, whose
// files lie in dir.
var brokers = []struct {
	name string
	make func(t *testing.T, dir string) broker
}{
	{"nats", newNATS},
	{"redis", newRedis},
}

// overEach runs a test with a site on each kind of broker.
func overEach(t *testing.T, store string, test func(t *testing.T, s *site)) {
	t.Parallel()
	for _, kind := range brokers {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			test(t, newSite(t, kind.make, store))
		})
	}
}

// TestRunsFollowToAnotherBroker has a run wait in NATS, and continues with Redis.
func TestRunsFollowToAnotherBroker(t *testing.T) {
	t.Parallel()
	const store = "sqlite:DIR/x.db"
	s := newSite(t, newNATS, store)
	job, run := s.waiting(app, s.group)
	s.scheduler.kill()
	s.broker.kill()
	s.broker = newRedis(t, s.dir)
	s.broker.start()
	s.startScheduler(store)
	s.startExecutorOf(app, app)
	require.Equal(t, 200, s.ended(job, 1, 60*time.Second)[0].HandleCode)
	require.Equal(t, map[int64]int{run: 1}, s.counts())
}

// connect connects as a user: as a scheduler, or as an executor of an app.
func (s *site) connect(user string) *queue.Conn {
	s.t.Helper()
	of := user
	if user == "schedulers" {
		of = ""
	}
	c, err := queue.Connect(s.t.Context(), queue.Options{URL: s.broker.url(user), App: of, Name: "test"})
	require.NoError(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

// take takes a run of an address, as an executor would.
func (s *site) take(of xxladapter.QueueAddress) (taken *delivery.Delivery) {
	s.t.Helper()
	errAbsent := errors.New("the queue is not there yet") // a scheduler creates it
	feed := s.connect(of.App).Feed(of, func(context.Context) error { return errAbsent })
	testserver.Eventually(s.t, 20*time.Second, "the run is delivered", func() bool {
		err := feed.Take(s.t.Context(), 1, func(d *delivery.Delivery) { taken = d })
		if !errors.Is(err, errAbsent) {
			require.NoError(s.t, err)
		}
		return taken != nil
	})
	return taken
}

// addressOf reads an address as an executor registers it.
func addressOf(t *testing.T, text string) xxladapter.QueueAddress {
	t.Helper()
	at, ok := xxladapter.ParseQueueAddress(text)
	require.True(t, ok, text)
	return at
}

// withToken returns the header of a run or a call.
func withToken() http.Header { return http.Header{"Xxl-Job-Access-Token": {accessToken}} }

// publishAgain publishes a run once more.
func (s *site) publishAgain(job, run int64, to xxladapter.QueueAddress) {
	s.t.Helper()
	body := fmt.Appendf(nil, `{"jobId":%d,"executorHandler":"count","logId":%d,"logDateTime":%d,"glueType":"BEAN"}`, job, run, time.Now().UnixMilli())
	_, err := s.connect("schedulers").Publish(s.t.Context(), to, fmt.Sprint(time.Now().UnixNano()), withToken(), body)
	require.NoError(s.t, err)
}

// areIdle waits until no executor has a run of the job in flight or queued: runs that were begun
// before the call have then ended.
func (s *site) areIdle(addresses []string, job int64) {
	s.t.Helper()
	c := s.connect("schedulers")
	for _, addr := range addresses {
		testserver.Eventually(s.t, 20*time.Second, addr+" is idle", func() bool {
			reply, err := c.Call(s.t.Context(), addressOf(s.t, addr), "idleBeat", withToken(), fmt.Appendf(nil, `{"jobId":%d}`, job))
			return err == nil && strings.Contains(string(reply), `"code":200`)
		})
	}
}

// startsInVain starts an executor whose first requests to the schedulers are refused, and returns
// when it has asked twice. It has taken and begun nothing by then.
func (s *site) startsInVain(name string) {
	s.t.Helper()
	asked := make(chan struct{}, 100)
	before := s.broker.delivered(app)
	stop, err := s.connect("schedulers").ServeReports(func(op, _ string, _ http.Header, _ []byte) []byte {
		if op == "accept" {
			asked <- struct{}{}
		}
		return []byte(`{"code":500,"msg":"not now"}`)
	})
	require.NoError(s.t, err)
	defer stop()
	s.startExecutor(name)
	for range 2 {
		select {
		case <-asked:
		case <-time.After(20 * time.Second):
			s.t.Fatal("the executor does not ask")
		}
		require.Equal(s.t, before, s.broker.delivered(app), "taken without an answer")
		require.Empty(s.t, s.counts(), "begun without an answer")
	}
}
