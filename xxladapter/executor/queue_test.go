package executor

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestARestartedExecutorAsksForWhatItHadBegun has three open runs in its journal. The schedulers
// have given the second one to another executor.
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
		require.JSONEq(t, `[{"logId":1,"address":"nats://orders/a"},{"logId":2,"address":"nats://orders/a"},{"logId":3,"address":"nats://orders/a"}]`, string(body))
		return json.Marshal(wire.OK().WithPayload([]bool{true, false, true}))
	})
	in := &intake{e: e, l: &live{journal: j}, admins: a}
	require.True(t, in.askForUnfinished(t.Context()))
	require.Empty(t, j.unfinished())
	results := j.oldest(10)
	require.Len(t, results, 2, "the second run is somebody else's")
	for i, id := range []int64{1, 3} {
		require.Equal(t, id, results[i].logID)
		require.Equal(t, msgRestarted, results[i].msg)
	}
}

// A testQueue has one run, and a scheduler that lets every run begin. It knows no broker.
type testQueue struct {
	runs     chan *delivery.Delivery
	accepted chan string // the run was acknowledged
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
			may[i] = true
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

func TestAnExecutorTakesRunsFromAnyQueue(t *testing.T) {
	q := &testQueue{make(chan *delivery.Delivery, 1), make(chan string, 1), make(chan []byte, 1), make(chan bool)}
	body, err := json.Marshal(beanRun(7, 42, "echo"))
	require.NoError(t, err)
	q.runs <- &delivery.Delivery{Header: http.Header{}, Body: body, Number: 1, Held: q}
	e, err := New(Options{Queue: q, AppName: "orders", DataDir: t.TempDir(), Logger: quietLogger(), NoSync: true})
	require.NoError(t, err)
	require.NoError(t, e.Handle("echo", func(context.Context, *Run) error { return nil }))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }() // the test waits for it
	require.Equal(t, "done", <-q.accepted)
	require.Contains(t, string(<-q.results), `"logId":42`)
	stop()
	require.NoError(t, <-ended)
	<-q.closed
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
