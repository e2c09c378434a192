package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestARestartedExecutorAsksForWhatItHadBegun has three open runs in its journal. The schedulers
// have not given the second one to it.
func TestARestartedExecutorAsksForWhatItHadBegun(t *testing.T) {
	t.Parallel()
	opts, err := Options{
		Queue: &testQueue{}, AppName: "orders", DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	}.withDefaults()
	require.NoError(t, err)
	j, err := openJournal(opts.DataDir, opts)
	require.NoError(t, err)
	defer j.close()
	for id := range int64(3) {
		b, err := j.accept(id+1, 1, 1, time.Now())
		require.NoError(t, err)
		require.NoError(t, b.wait())
	}
	e := &Executor{opts: opts, addr: "nats://orders/a"}
	calls := 0
	a := newQueuedAdmins(&e.opts, func(_ context.Context, op string, _ http.Header, body []byte) ([]byte, error) {
		if calls++; calls == 1 {
			return nil, context.DeadlineExceeded // it asks again
		}
		require.Equal(t, wire.OpAccept, op)
		require.JSONEq(t, `[{"logId":1,"address":"nats://orders/a","held":true},{"logId":2,"address":"nats://orders/a","held":true},{"logId":3,"address":"nats://orders/a","held":true}]`, string(body))
		return json.Marshal(wire.OK().WithPayload([]bool{true, false, true}))
	})
	in := &intake{e: e, l: &live{journal: j}, admins: a}
	require.True(t, in.askForUnfinished(t.Context()))
	require.Empty(t, j.unfinished())
	results := j.oldest(10, nil)
	require.Len(t, results, 2, "the second run has not begun")
	for i, id := range []int64{1, 3} {
		require.Equal(t, id, results[i].logID)
		require.Equal(t, msgRestarted, results[i].msg)
		_, err := j.accept(id, 1, 1, time.Now())
		require.ErrorIs(t, err, errSeen)
	}
	_, err = j.accept(2, 1, 1, time.Now())
	require.NoError(t, err)
	_, err = j.accept(2, 1, 1, time.Now())
	require.ErrorIs(t, err, errSeen, "it is open")
}

// restartedWith runs an executor whose earlier process has taken a run and got no answer.
func restartedWith(t *testing.T, run wire.RunRequest) (e *Executor, q *testQueue, began chan int64) {
	t.Helper()
	dir := t.TempDir()
	j := testJournal(t, dir)
	b, err := j.accept(int64(run.LogID), int64(run.JobID), int64(run.LogTime), time.Now())
	require.NoError(t, err)
	require.NoError(t, b.wait())
	require.NoError(t, j.close())

	q = &testQueue{make(chan *delivery.Delivery, 1), make(chan string, 1), make(chan []byte, 10), make(chan bool)}
	e, err = New(Options{Queue: q, AppName: "orders", DataDir: dir, Logger: quietLogger(), NoSync: true})
	require.NoError(t, err)
	began = make(chan int64, 10)
	require.NoError(t, e.Handle("echo", func(_ context.Context, r *Run) error {
		began <- r.LogID
		return nil
	}))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }() // the cleanup waits for it
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		<-q.closed
	})
	<-e.Ready()
	synctest.Wait()
	require.Empty(t, q.results, "a run that has not begun was reported")
	return e, q, began
}

// deliver delivers a run, and returns what the executor says of the delivery.
func (q *testQueue) deliver(t *testing.T, run wire.RunRequest) string {
	t.Helper()
	body, err := json.Marshal(run)
	require.NoError(t, err)
	q.runs <- &delivery.Delivery{Header: http.Header{}, Body: body, Number: 2, Held: q}
	return <-q.accepted
}

// askEnded asks an executor whether a run has ended, as a scheduler does about a run that the store
// has given to the executor, and requires that it has not.
func askEnded(t *testing.T, e *Executor, run wire.RunRequest) {
	t.Helper()
	body, err := json.Marshal([]wire.RunID{{LogID: run.LogID, JobID: run.JobID, LogTime: run.LogTime}})
	require.NoError(t, err)
	reply, err := wire.DecodeReply(e.answerCall("ended", http.Header{}, body))
	require.NoError(t, err)
	require.Equal(t, []any{wire.CodeOK, "[]"}, []any{reply.Code, string(reply.Payload)})
}

// TestARunWithoutAnAnswerBeginsAfterARestart delivers such a run again.
func TestARunWithoutAnAnswerBeginsAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := beanRun(7, 42, "echo")
		e, q, began := restartedWith(t, run)
		askEnded(t, e, run) // a request of the earlier process was handled since
		time.Sleep(delivery.AckWait)
		require.Equal(t, "done", q.deliver(t, run))
		require.Equal(t, int64(42), <-began)
		require.Contains(t, string(<-q.results), `"handleCode":200`)
		require.Equal(t, "done", q.deliver(t, run))
		time.Sleep(2 * backWait) // longer than the executor waits for a run that was put back
		synctest.Wait()
		require.Empty(t, began, "it began again")
		require.Empty(t, q.results)
	})
}

// TestARunThatAnotherExecutorDroppedFails has the store give a run to this executor after the
// executor has put the run back, so that another executor may have removed the run from the queue.
func TestARunThatAnotherExecutorDroppedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run, other := beanRun(7, 42, "echo"), beanRun(8, 42, "echo")
		e, q, began := restartedWith(t, run)
		askEnded(t, e, other)
		time.Sleep(backWait)
		askEnded(t, e, other)
		askEnded(t, e, run)
		time.Sleep(backWait - time.Millisecond)
		askEnded(t, e, run)
		synctest.Wait()
		require.Empty(t, q.results, "it may still be delivered")
		time.Sleep(time.Millisecond)
		askEnded(t, e, run)
		time.Sleep(time.Second) // longer than a result waits for the next request
		require.Len(t, q.results, 1)
		require.Contains(t, string(<-q.results), msgNotBegun)
		require.Equal(t, "done", q.deliver(t, run))
		synctest.Wait()
		require.Empty(t, began)
		require.Empty(t, q.results)
	})
}

// A testQueue has one run, and a scheduler that lets every run begin and has given none before. It
// knows no broker.
type testQueue struct {
	runs     chan *delivery.Delivery
	accepted chan string // what the executor says of each delivery: done, later or return
	results  chan []byte // callbacks
	closed   chan bool
}

func (q *testQueue) Check() error { return nil }

func (q *testQueue) Connect(_ context.Context, o delivery.Options) (delivery.Conn, error) {
	if o.Executor.App != "orders" || o.Executor.Instance == "" || o.Logger == nil {
		return nil, errors.New("does not say who connects")
	}
	return q, nil
}

func (q *testQueue) Feed(xxladapter.QueueAddress, func(context.Context) error) delivery.Feed {
	return q
}

func (q *testQueue) Take(ctx context.Context, _ int, take func(*delivery.Delivery)) error {
	select {
	case d := <-q.runs:
		take(d)
	case <-ctx.Done():
	}
	return nil
}

func (q *testQueue) Report(_ context.Context, op string, _ http.Header, body []byte) ([]byte, error) {
	reply := wire.OK()
	switch op {
	case wire.OpAccept:
		var list []wire.Accept
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, err
		}
		may := make([]bool, len(list))
		for i := range may {
			may[i] = !list[i].Held
		}
		reply = reply.WithPayload(may)
	case wire.OpCallback:
		q.results <- body
	}
	return json.Marshal(reply)
}

func (q *testQueue) Serve(xxladapter.QueueAddress, delivery.Answer) (func(), error) {
	return func() {}, nil
}

func (q *testQueue) Shown() string { return "a queue of tests" }
func (q *testQueue) Close()        { close(q.closed) }

func (q *testQueue) Done()   { q.accepted <- "done" }
func (q *testQueue) Later()  { q.accepted <- "later" }
func (q *testQueue) Return() { q.accepted <- "return" }
func (q *testQueue) Extend() {}

// runEcho runs an executor with the handler echo on a queue. stop stops it and waits for its end.
func runEcho(t *testing.T, q Broker) (stop func()) {
	t.Helper()
	e, err := New(Options{Queue: q, AppName: "orders", DataDir: t.TempDir(), Logger: quietLogger(), NoSync: true})
	require.NoError(t, err)
	require.NoError(t, e.Handle("echo", echo))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }() // stop waits for it
	return func() {
		cancel()
		require.NoError(t, <-ended)
	}
}

func TestAnExecutorTakesRunsFromAnyQueue(t *testing.T) {
	q := &testQueue{make(chan *delivery.Delivery, 1), make(chan string, 1), make(chan []byte, 1), make(chan bool)}
	body, err := json.Marshal(beanRun(7, 42, "echo"))
	require.NoError(t, err)
	q.runs <- &delivery.Delivery{Header: http.Header{}, Body: body, Number: 1, Held: q}
	stop := runEcho(t, q)
	require.Equal(t, "done", <-q.accepted)
	require.Contains(t, string(<-q.results), `"logId":42`)
	stop()
	<-q.closed
}

// A lateQueue is a testQueue whose scheduler takes a while to say which runs may begin.
type lateQueue struct {
	*testQueue
	late time.Duration
}

func (q *lateQueue) Connect(context.Context, delivery.Options) (delivery.Conn, error) { return q, nil }

func (q *lateQueue) Report(ctx context.Context, op string, h http.Header, body []byte) ([]byte, error) {
	if op == wire.OpAccept {
		if sleep(ctx, q.late); ctx.Err() != nil {
			return nil, ctx.Err() // the store may have given the runs all the same
		}
	}
	return q.testQueue.Report(ctx, op, h, body)
}

// TestAStopWaitsForAnAnswerOnItsWay stops an executor while it asks for a run: the store gives the
// run to it, so its result must not wait for a restart.
func TestAStopWaitsForAnAnswerOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &lateQueue{
			&testQueue{make(chan *delivery.Delivery, 1), make(chan string, 1), make(chan []byte, 10), make(chan bool)},
			lastAsk - time.Millisecond,
		}
		stop := runEcho(t, q)
		time.Sleep(lastAsk) // it has asked for runs of an earlier process
		body, err := json.Marshal(beanRun(7, 42, "echo"))
		require.NoError(t, err)
		q.runs <- &delivery.Delivery{Header: http.Header{}, Body: body, Number: 1, Held: q}
		synctest.Wait()
		stop()
		<-q.closed
		require.Len(t, q.accepted, 1)
		require.Equal(t, "done", <-q.accepted)
		require.Len(t, q.results, 1)
		require.Contains(t, string(<-q.results), `"logId":42`)
	})
}

// A returnedDelivery may be given back to the queue, and nothing else.
type returnedDelivery struct {
	delivery.Held
	times int
}

func (d *returnedDelivery) Return() { d.times++ }

// TestAStoppedIntakeGivesBackWhatItHasNotAskedFor lets the intake choose between a run that was
// taken and the stop, many times.
func TestAStoppedIntakeGivesBackWhatItHasNotAskedFor(t *testing.T) {
	opts, err := Options{Queue: &testQueue{}, AppName: "orders", DataDir: t.TempDir(), Logger: quietLogger()}.withDefaults()
	require.NoError(t, err)
	j := testJournal(t, opts.DataDir)
	defer j.close()
	e := &Executor{opts: opts, addr: "nats://orders/a"}
	l := &live{journal: j, jobs: newJobs(j, newRunLogs(opts.DataDir, 1<<20, quietLogger()), &e.opts)}
	a := newQueuedAdmins(&e.opts, func(context.Context, string, http.Header, []byte) ([]byte, error) {
		return nil, errors.New("nobody answers")
	})
	in := newIntake(e, l, a, xxladapter.QueueAddress{App: "orders", Instance: "a"})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var held returnedDelivery
	for id := range int64(100) {
		body, err := json.Marshal(beanRun(7, 1+id, "echo"))
		require.NoError(t, err)
		<-in.places
		in.taken <- &delivery.Delivery{Header: http.Header{}, Body: body, Number: 1, Held: &held}
		in.acceptTaken(stopped)
	}
	require.Empty(t, j.unfinished(), "they are delivered again only after AckWait")
	require.Equal(t, 100, held.times+len(in.taken))

	held.times = 0
	body, err := json.Marshal(beanRun(7, 200, "echo"))
	require.NoError(t, err)
	for len(in.places) == 0 {
		<-in.taken
		in.free(1)
	}
	free := len(in.places)
	<-in.places
	in.accept(stopped, []*delivery.Delivery{{Header: http.Header{}, Body: body, Number: 1, Held: &held}})
	require.Equal(t, 1, held.times, "the stop came while it was written to the journal")
	require.Empty(t, j.unfinished(), "it has not begun")
	require.Equal(t, free, len(in.places))
}

// TestARunComesThroughTheQueueAlone calls an executor with a queue as schedulers call one with a
// port. A run that no store has given to it must not begin, and has no place to give back.
func TestARunComesThroughTheQueueAlone(t *testing.T) {
	q := &testQueue{make(chan *delivery.Delivery, 1), make(chan string, 1), make(chan []byte, 10), make(chan bool)}
	e, err := New(Options{
		Queue: q, AppName: "orders", QueuePlaces: 1, DataDir: t.TempDir(), Logger: quietLogger(), NoSync: true,
	})
	require.NoError(t, err)
	began := make(chan int64, 10)
	require.NoError(t, e.Handle("echo", func(_ context.Context, r *Run) error {
		began <- r.LogID
		return nil
	}))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }() // the test waits for it
	<-e.Ready()
	one, err := json.Marshal(beanRun(7, 42, "echo"))
	require.NoError(t, err)
	for op, body := range map[string]string{"run": string(one), "trigger": string(one), "runs": "[" + string(one) + "]"} {
		require.Contains(t, string(e.answerCall(op, http.Header{}, []byte(body))), `"code":500`, op)
	}
	require.Contains(t, string(e.answerCall("beat", http.Header{}, nil)), `"code":200`)
	stop()
	require.NoError(t, <-ended)
	<-q.closed
	require.Empty(t, began)
}

// A brokenQueue never connects, or does not serve.
type brokenQueue struct {
	testQueue
	connects bool
}

func (q *brokenQueue) Connect(ctx context.Context, _ delivery.Options) (delivery.Conn, error) {
	if q.connects {
		return q, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (q *brokenQueue) Serve(xxladapter.QueueAddress, delivery.Answer) (func(), error) {
	return nil, errors.New("no right to subscribe")
}

func TestStopWhileTheQueueIsConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Queue: &brokenQueue{}, AppName: "orders", DataDir: t.TempDir(), Logger: quietLogger()})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }() // the test waits for it
		synctest.Wait()
		stop()
		require.NoError(t, <-ended)
	})
}

// TestNothingIsServedAfterAFailedStart checks that an executor whose Run has failed answers as one
// that was never started.
func TestNothingIsServedAfterAFailedStart(t *testing.T) {
	q := &brokenQueue{testQueue: testQueue{closed: make(chan bool)}, connects: true}
	e, err := New(Options{Queue: q, AppName: "orders", DataDir: t.TempDir(), Logger: quietLogger(), NoSync: true})
	require.NoError(t, err)
	require.EqualError(t, e.Run(t.Context()), "executor: no right to subscribe")
	require.Contains(t, string(e.answerCall("beat", http.Header{}, nil)), "executor is not running")
}

func TestErrorsOfTheQueueNameTheOperation(t *testing.T) {
	o := Options{Queue: &testQueue{}, AppName: "orders", AdminTimeout: time.Second}
	a := newQueuedAdmins(&o, func(context.Context, string, http.Header, []byte) ([]byte, error) {
		return nil, errors.New("nobody answers")
	})
	err := a.call(t.Context(), wire.OpRegistry, sameBody(wire.Registry{}))
	require.EqualError(t, err, "the queue: api/registry: nobody answers")
}

// A tightQueue is a testQueue whose broker carries no long calls, and no results while down is
// true.
type tightQueue struct {
	*testQueue
	limit int
	down  atomic.Bool
}

func (q *tightQueue) Connect(context.Context, delivery.Options) (delivery.Conn, error) { return q, nil }

func (q *tightQueue) Report(ctx context.Context, op string, h http.Header, body []byte) ([]byte, error) {
	switch {
	case op == wire.OpCallback && q.down.Load():
		return nil, errors.New("no broker")
	case len(body) > q.limit:
		return nil, fmt.Errorf("call over the queue: %w", delivery.ErrTooLarge)
	}
	return q.testQueue.Report(ctx, op, h, body)
}

// TestResultsThatAreTooLargeTogetherForTheBroker has results wait whose request would be longer
// than the broker permits.
func TestResultsThatAreTooLargeTogetherForTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 20
		q := &tightQueue{testQueue: &testQueue{
			make(chan *delivery.Delivery, runs), make(chan string, runs), make(chan []byte, runs), make(chan bool),
		}, limit: 64 << 10}
		q.down.Store(true)
		stop := runEcho(t, q)
		for id := range int64(runs) {
			run := beanRun(7, 1+id, "echo")
			run.Params = strings.Repeat("x", 10_000)
			body, err := json.Marshal(run)
			require.NoError(t, err)
			q.runs <- &delivery.Delivery{Header: http.Header{}, Body: body, Number: 1, Held: q}
		}
		time.Sleep(time.Second) // all have ended
		q.down.Store(false)
		time.Sleep(5 * time.Minute)
		var all wire.Callbacks
		for len(q.results) > 0 {
			var some wire.Callbacks
			require.NoError(t, json.Unmarshal(<-q.results, &some))
			all = append(all, some...)
		}
		require.Len(t, all, runs)
		stop()
	})
}
