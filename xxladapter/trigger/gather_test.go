package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A batchExecutor takes batches. It refuses runs of job 13.
type batchExecutor struct {
	*httptest.Server
	// hold is received from before a reply to a single run; a closed one holds up nothing.
	hold chan struct{}
	// entered gets the path of each request.
	entered chan string
	// answer replies to a batch; nil replies to each run.
	answer func(w http.ResponseWriter, runs []wire.RunRequest)

	mu       sync.Mutex // guards the fields below
	most     string     // the header of replies; empty means none
	requests [][]int64  // the log ids of each request
}

func newBatchExecutor(t *testing.T) *batchExecutor {
	e := &batchExecutor{hold: make(chan struct{}), entered: make(chan string, 1000), most: "256"}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func replyTo(run wire.RunRequest) wire.Reply {
	if run.JobID == 13 {
		return wire.Fail("no thirteen")
	}
	return wire.OK()
}

func (e *batchExecutor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var runs []wire.RunRequest
	if r.URL.Path == wire.PathRuns {
		_ = json.Unmarshal(body, &runs)
	} else {
		runs = make([]wire.RunRequest, 1)
		_ = json.Unmarshal(body, &runs[0])
	}
	var ids []int64
	for _, run := range runs {
		ids = append(ids, int64(run.LogID))
	}
	e.mu.Lock()
	e.requests = append(e.requests, ids)
	if e.most != "" {
		w.Header().Set(wire.HeaderBatch, e.most)
	}
	e.mu.Unlock()
	e.entered <- r.URL.Path
	switch {
	case r.URL.Path != wire.PathRuns:
		<-e.hold
		data, _ := json.Marshal(replyTo(runs[0]))
		_, _ = w.Write(data)
	case e.answer != nil:
		e.answer(w, runs)
	default:
		all := wire.RunReplies{Code: wire.CodeOK}
		for _, run := range runs {
			r := replyTo(run)
			all.Runs = append(all.Runs, wire.RunReply{LogID: run.LogID, Code: r.Code, Msg: r.Msg})
		}
		_ = json.NewEncoder(w).Encode(all)
	}
}

func (e *batchExecutor) say(most string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.most = most
}

func (e *batchExecutor) seen() [][]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([][]int64(nil), e.requests...)
}

// release lets single runs pass from now on.
func (e *batchExecutor) release() { close(e.hold) }

// An answered holds what a call of Run returned.
type answered struct {
	id    int64
	reply wire.Reply
	err   error
}

// A crowd calls Run concurrently.
type crowd struct {
	t    *testing.T
	c    *Client
	addr string
	out  chan answered
}

// newCrowd returns a crowd whose client has learnt that the executor takes batches.
func newCrowd(t *testing.T, e *batchExecutor) *crowd {
	x := &crowd{t: t, c: client(t, ClientOptions{Timeout: 30 * time.Second}), addr: e.URL, out: make(chan answered, 1000)}
	x.run(t.Context(), 1, 1)
	<-e.entered
	e.hold <- struct{}{}
	require.NoError(t, (<-x.out).err)
	require.NotNil(t, x.c.batches.of(e.URL, "app"))
	return x
}

func (x *crowd) run(ctx context.Context, job, id int64) {
	go func() {
		reply, err := x.c.Run(ctx, x.addr, "app", &wire.RunRequest{JobID: wire.Int(job), LogID: wire.Int(id)})
		x.out <- answered{id, reply, err}
	}()
}

func (x *crowd) gatherer() *gatherer { return x.c.batches.of(x.addr, "app") }

func (x *crowd) queued(n int) {
	x.t.Helper()
	x.gatherer().queued(x.t, n)
}

func (x *crowd) patiently() { x.gatherer().patiently() }

// queued waits until n runs wait to be gathered.
func (g *gatherer) queued(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.waiting) == n
	}, 10*time.Second, 100*time.Microsecond)
}

// patiently makes the gatherer wait for the request in flight, however long that takes.
func (g *gatherer) patiently() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timer = time.AfterFunc(time.Hour, func() {})
}

// answers returns the outcomes of n calls by log id.
func (x *crowd) answers(n int) map[int64]answered {
	all := make(map[int64]answered)
	for range n {
		a := <-x.out
		all[a.id] = a
	}
	return all
}

// gathered makes runs 11 to 10+n of job 7 wait behind run 10, and lets them go.
func (x *crowd) gathered(e *batchExecutor, n int) map[int64]answered {
	x.t.Helper()
	x.run(x.t.Context(), 7, 10)
	require.Equal(x.t, wire.PathRun, <-e.entered)
	x.patiently()
	for i := range n {
		x.run(x.t.Context(), 7, int64(11+i))
	}
	x.queued(n)
	e.release()
	return x.answers(n + 1)
}

func TestARunThatMeetsNoOtherGoesAlone(t *testing.T) {
	e := newBatchExecutor(t)
	x := newCrowd(t, e)
	e.release()
	for i := range 3 {
		x.run(t.Context(), 7, int64(20+i))
		require.NoError(t, (<-x.out).err)
		require.Equal(t, wire.PathRun, <-e.entered)
	}
}

func TestRunsThatComeTogetherShareARequest(t *testing.T) {
	e := newBatchExecutor(t)
	x := newCrowd(t, e)
	x.run(t.Context(), 7, 10)
	<-e.entered
	x.patiently()
	x.run(t.Context(), 7, 11)
	x.queued(1)
	x.run(t.Context(), 13, 12)
	x.queued(2)
	x.run(t.Context(), 7, 13)
	x.queued(3)
	e.release()
	for id, a := range x.answers(4) {
		require.NoError(t, a.err)
		want := wire.OK()
		if id == 12 {
			want = wire.Fail("no thirteen")
		}
		require.Equal(t, want.Code, a.reply.Code)
		require.Equal(t, want.Msg, a.reply.Msg)
	}
	require.Equal(t, [][]int64{{1}, {10}, {11, 12, 13}}, e.seen(), "in their order")
}

func TestABatchHasNoMoreRunsThanTheExecutorTakes(t *testing.T) {
	e := newBatchExecutor(t)
	e.say("2")
	x := newCrowd(t, e)
	for _, a := range x.gathered(e, 5) {
		require.NoError(t, a.err)
	}
	var sizes []int
	for _, ids := range e.seen() {
		sizes = append(sizes, len(ids))
	}
	require.Equal(t, []int{1, 1, 2, 2, 1}, sizes)
}

// TestASilentExecutorHoldsUpNoRun leaves one request without an answer.
func TestASilentExecutorHoldsUpNoRun(t *testing.T) {
	e := newBatchExecutor(t)
	x := newCrowd(t, e)
	x.run(t.Context(), 7, 10)
	<-e.entered
	for i := range 3 {
		x.run(t.Context(), 7, int64(11+i))
	}
	for range 3 {
		require.NoError(t, (<-x.out).err)
	}
	require.Len(t, e.seen()[2], 3)
	x.run(t.Context(), 7, 20) // the request that is silent is no longer the latest one
	require.Equal(t, wire.PathRuns, <-e.entered)
	require.Equal(t, wire.PathRun, <-e.entered)
	e.release()
	x.answers(2)
}

// TestASilentExecutorHoldsUpNoRunBeyondABatch leaves every request without an answer. Runs for
// which a batch has no room are sent after gatherLimit all the same.
func TestASilentExecutorHoldsUpNoRunBeyondABatch(t *testing.T) {
	e := newBatchExecutor(t)
	e.say("2")
	silent := make(chan struct{})
	t.Cleanup(func() { close(silent) }) // before the server closes, which waits for its requests
	e.answer = func(http.ResponseWriter, []wire.RunRequest) { <-silent }
	x := newCrowd(t, e)
	x.run(t.Context(), 7, 10)
	require.Equal(t, wire.PathRun, <-e.entered)
	for i := range 5 {
		x.run(t.Context(), 7, int64(11+i))
	}
	for _, path := range []string{wire.PathRuns, wire.PathRuns, wire.PathRun} {
		select {
		case got := <-e.entered:
			require.Equal(t, path, got)
		case <-time.After(10 * time.Second):
			t.Error("runs wait for an answer")
		}
	}
	e.release()
}

// TestWhatBecomesOfABatchThatGoesWrong gives batches all kinds of answers. Three runs share the
// batch; where each of them is sent by itself after it, nothing can have been started before.
func TestWhatBecomesOfABatchThatGoesWrong(t *testing.T) {
	type fate int
	const (
		sent    fate = iota // accepted
		unknown             // whether it was
		single              // accepted by a request of its own
	)
	text := func(status int, body string) func(http.ResponseWriter, []wire.RunRequest) {
		return func(w http.ResponseWriter, _ []wire.RunRequest) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter, runs []wire.RunRequest)
		want   [3]fate
		after  bool // batches are sent to it later
	}{
		{"all accepted", nil, [3]fate{sent, sent, sent}, true},
		{"connection cut after the request", func(http.ResponseWriter, []wire.RunRequest) { panic(http.ErrAbortHandler) },
			[3]fate{unknown, unknown, unknown}, true},
		{"connection cut in the reply", func(w http.ResponseWriter, _ []wire.RunRequest) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"code":200,"runs":[{"logId":11,"code":200}`)
			panic(http.ErrAbortHandler)
		}, [3]fate{unknown, unknown, unknown}, true},
		{"one missing", text(200, `{"code":200,"runs":[{"logId":13,"code":200},{"logId":11,"code":200}]}`), [3]fate{sent, unknown, sent}, true},
		{"none mentioned", text(200, `{"code":200}`), [3]fate{unknown, unknown, unknown}, true},
		{"others mentioned", text(200, `{"code":200,"runs":[{"logId":99,"code":200},{"logId":12,"code":200}]}`), [3]fate{unknown, sent, unknown}, true},
		{"no reply at all", text(200, `<html>`), [3]fate{unknown, unknown, unknown}, true},
		{"a proxy without an answer", text(502, ""), [3]fate{unknown, unknown, unknown}, true},

		{"refused as a whole", text(200, `{"code":500,"msg":"request error: odd"}`), [3]fate{single, single, single}, true},
		{"an unknown path", text(200, `{"code":500,"msg":"invalid request, uri-mapping(/runs) not found."}`), [3]fate{single, single, single}, true},
		{"an unknown page", text(404, "not found"), [3]fate{single, single, single}, true},
		{"too large", text(413, ""), [3]fate{single, single, single}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := newBatchExecutor(t)
			e.answer = tt.answer
			x := newCrowd(t, e)
			answers := x.gathered(e, 3)
			alone := make(map[int64]int)
			for _, ids := range e.seen() {
				if len(ids) == 1 {
					alone[ids[0]]++
				}
			}
			for i, want := range tt.want {
				a := answers[int64(11+i)]
				switch want {
				case unknown:
					require.ErrorIs(t, a.err, ErrOutcomeUnknown)
				default:
					require.NoError(t, a.err)
					require.Equal(t, wire.CodeOK, a.reply.Code)
				}
				if want == single {
					require.Equal(t, 1, alone[a.id])
				} else {
					require.Zero(t, alone[a.id], "a run that may have been started is not sent again")
				}
			}
			require.Equal(t, tt.after, x.c.batches.of(e.URL, "app") != nil)
		})
	}
}

// TestAnotherProgramBehindTheAddress lets an executor come back as one that knows no batches.
func TestAnotherProgramBehindTheAddress(t *testing.T) {
	e := newBatchExecutor(t)
	x := newCrowd(t, e)
	e.say("")
	e.answer = func(w http.ResponseWriter, _ []wire.RunRequest) {
		data, _ := json.Marshal(wire.Fail(wire.NotFound(wire.PathRuns)))
		_, _ = w.Write(data)
	}
	for _, a := range x.gathered(e, 3) {
		require.NoError(t, a.err)
		require.Equal(t, wire.CodeOK, a.reply.Code)
	}
	require.Nil(t, x.c.batches.of(e.URL, "app"))
	before := len(e.seen())
	for i := range 3 {
		x.run(t.Context(), 7, int64(30+i))
	}
	x.answers(3)
	require.Len(t, e.seen(), before+3, "single requests, at once")

	e.say("10") // and the first one again
	x.run(t.Context(), 7, 40)
	x.answers(1)
	require.NotNil(t, x.c.batches.of(e.URL, "app"))
}

// TestAnEndOfOneCallerIsNotThatOfOthers ends the contexts of one run that waits and of one that is
// on its way.
func TestAnEndOfOneCallerIsNotThatOfOthers(t *testing.T) {
	e := newBatchExecutor(t)
	reached, answer := make(chan struct{}), make(chan struct{})
	e.answer = func(w http.ResponseWriter, runs []wire.RunRequest) {
		close(reached)
		<-answer
		fmt.Fprintf(w, `{"code":200,"runs":[{"logId":%d,"code":200},{"logId":%d,"code":200}]}`, runs[0].LogID, runs[1].LogID)
	}
	x := newCrowd(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	waits, leave := context.WithCancel(t.Context())
	x.run(t.Context(), 7, 10)
	<-e.entered
	x.patiently()
	x.run(ctx, 7, 11)
	x.run(t.Context(), 7, 12)
	x.run(waits, 7, 13)
	x.queued(3)
	leave()
	a := <-x.out
	require.Equal(t, int64(13), a.id)
	require.ErrorIs(t, a.err, context.Canceled)
	require.NotErrorIs(t, a.err, ErrOutcomeUnknown, "it was not sent")
	e.hold <- struct{}{}
	<-reached
	require.NoError(t, (<-x.out).err)
	cancel()
	a = <-x.out
	require.Equal(t, int64(11), a.id)
	require.ErrorIs(t, a.err, ErrOutcomeUnknown)
	close(answer)
	a = <-x.out
	require.Equal(t, int64(12), a.id)
	require.NoError(t, a.err)
	require.Len(t, e.seen()[2], 2)
}

// TestABatchThatNobodyWaitsForEnds cancels all callers of a batch without an answer.
func TestABatchThatNobodyWaitsForEnds(t *testing.T) {
	e := newBatchExecutor(t)
	ended := make(chan struct{})
	reached := make(chan struct{})
	e.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != wire.PathRuns {
			e.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		close(reached)
		<-r.Context().Done()
		close(ended)
	})
	x := newCrowd(t, e)
	ctx, cancel := context.WithCancel(t.Context())
	x.run(t.Context(), 7, 10)
	<-e.entered
	x.patiently()
	x.run(ctx, 7, 11)
	x.run(ctx, 7, 12)
	x.queued(2)
	e.release()
	<-reached
	cancel()
	x.answers(3)
	<-ended
	x.c.batches.sending.Wait()
}

// TestTheLeaseIsAskedForEachRunOfABatch keeps one run back, and then all at the last moment.
func TestTheLeaseIsAskedForEachRunOfABatch(t *testing.T) {
	for name, last := range map[string]bool{"one when the batch is composed": false, "one when it is written": true} {
		t.Run(name, func(t *testing.T) {
			e := newBatchExecutor(t)
			x := newCrowd(t, e)
			asked := 0
			doubted := sendOnlyIf(t.Context(), func() bool { asked++; return last && asked == 1 })
			x.run(t.Context(), 7, 10)
			<-e.entered
			x.patiently()
			x.run(t.Context(), 7, 11)
			x.run(t.Context(), 7, 12)
			x.run(doubted, 7, 13)
			x.queued(3)
			e.release()
			answers := x.answers(4)
			require.ErrorIs(t, answers[13].err, errWithheld)
			for _, ids := range e.seen() {
				require.NotContains(t, ids, int64(13))
			}
			for id := range int64(2) {
				if last { // it is one request
					require.ErrorIs(t, answers[11+id].err, errWithheld)
				} else {
					require.NoError(t, answers[11+id].err)
				}
			}
		})
	}
}

// TestALargeRunGoesAlone checks that a large run is sent alone: sources of scripts come with each
// run.
func TestALargeRunGoesAlone(t *testing.T) {
	e := newBatchExecutor(t)
	x := newCrowd(t, e)
	x.run(t.Context(), 7, 10)
	<-e.entered
	x.patiently()
	go func() {
		reply, err := x.c.Run(t.Context(), e.URL, "app", &wire.RunRequest{JobID: 7, LogID: 11, GlueSource: strings.Repeat("x", maxBatchBytes)})
		x.out <- answered{11, reply, err}
	}()
	require.Equal(t, wire.PathRun, <-e.entered)
	e.release()
	for _, a := range x.answers(2) {
		require.NoError(t, a.err)
	}
}

// TestEachFireOfABrokenBatchIsAmbiguousByItself sends three fires in one request, whose reply names
// the first one only: the others are ambiguous.
func TestEachFireOfABrokenBatchIsAmbiguousByItself(t *testing.T) {
	e := newBatchExecutor(t)
	e.answer = func(w http.ResponseWriter, runs []wire.RunRequest) { // the first one is known, of three
		fmt.Fprintf(w, `{"code":200,"runs":[{"logId":%d,"code":200}]}`, runs[0].LogID)
	}
	f := newFixture(t, xxladapter.RouteFirst, e.URL)
	var handingOver sync.WaitGroup
	fire := func() {
		planned := f.plan(xxladapter.Fire{})
		handingOver.Go(func() {
			if err := f.over.Fire(t.Context(), planned); err != nil {
				t.Error(err)
			}
		})
	}
	fire()
	<-e.entered
	e.hold <- struct{}{} // it says that it takes batches
	handingOver.Wait()
	fire()
	<-e.entered
	g := f.client.batches.of(e.URL, "some-app")
	g.patiently()
	for range 3 {
		fire()
	}
	g.queued(t, 3)
	e.release()
	handingOver.Wait()
	open := f.open()
	require.Len(t, open, 2)
	for _, o := range open {
		require.Equal(t, xxladapter.FireAmbiguous, o.State)
	}
	codes := map[int]int{}
	for _, l := range f.logs() {
		codes[l.TriggerCode]++
	}
	require.Equal(t, map[int]int{200: 3, 0: 2}, codes)
}
