package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A fakeExecutor is a server that notes the runs it was asked for and answers as it is told.
type fakeExecutor struct {
	*httptest.Server
	mu   sync.Mutex
	runs []wire.RunRequest
	// answer replaces the reply to a path; nil answers with success.
	answer func(w http.ResponseWriter, path string)
}

func newFakeExecutor(t *testing.T, answer func(w http.ResponseWriter, path string)) *fakeExecutor {
	t.Helper()
	e := &fakeExecutor{answer: answer}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *fakeExecutor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the scheduler hung up
	}
	if r.URL.Path == wire.PathRun {
		var run wire.RunRequest
		if err := wire.Decode(body, &run); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		e.mu.Lock()
		e.runs = append(e.runs, run)
		e.mu.Unlock()
	}
	if e.answer != nil {
		e.answer(w, r.URL.Path)
		return
	}
	fmt.Fprint(w, `{"code":200}`)
}

func (e *fakeExecutor) taken() []wire.RunRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]wire.RunRequest(nil), e.runs...)
}

// A fixture is a hand-over on a store in memory, and one job.
type fixture struct {
	t      testing.TB
	store  *memstore.Store
	over   *HandOver
	sched  *fakeScheduler
	client *Client
	job    *xxladapter.Job
	events chan Event
}

func newFixture(t testing.TB, route xxladapter.RouteStrategy, addrs ...string) *fixture {
	t.Helper()
	return newFixtureAt(t, time.Now, route, addrs...)
}

// newFixtureAt is newFixture with a store that reads clock.
func newFixtureAt(t testing.TB, clock func() time.Time, route xxladapter.RouteStrategy, addrs ...string) *fixture {
	t.Helper()
	f := &fixture{t: t, store: memstore.New(clock), events: make(chan Event, 100)}
	f.client = client(t, ClientOptions{Timeout: 30 * time.Second, AccessToken: "secret"}) // more than a crowded machine takes
	f.sched = schedulerOf(t, f.store, "node-1")
	f.over = handOver(t, Options{
		Store: f.store, Sender: f.client, Scheduler: f.sched, Logger: slog.New(slog.DiscardHandler),
		OnEvent: func(e Event) { f.events <- e },
	})
	ctx := t.Context()
	group, err := f.store.SaveGroup(ctx, &xxladapter.Group{
		AppName: "some-app", Title: "some app", AddressType: xxladapter.AddressManual, Addresses: addrs,
	})
	require.NoError(t, err)
	job := &xxladapter.Job{
		GroupID: group, Name: "some job", Author: "a", Handler: "work", Param: "p=1", Route: route,
		Timeout: 7 * time.Second, RetryCount: 2,
	}
	job.SetDefaults()
	id, err := xxladapter.CreateJob(ctx, f.store, job)
	require.NoError(t, err)
	f.job, err = f.store.Job(ctx, id)
	require.NoError(t, err)
	return f
}

func (f *fixture) plan(fire xxladapter.Fire) xxladapter.Fire {
	f.t.Helper()
	fire.JobID, fire.Type, fire.State = f.job.ID, xxladapter.TriggerManual, xxladapter.FirePlanned
	if fire.Due.IsZero() {
		now, err := f.store.Now(f.t.Context())
		require.NoError(f.t, err)
		fire.Due = now
	}
	planned, err := f.store.PlanFires(f.t.Context(), []xxladapter.Fire{fire})
	require.NoError(f.t, err)
	return planned[0]
}

func (f *fixture) logs() []*xxladapter.Log {
	f.t.Helper()
	logs, err := f.store.Logs(f.t.Context(), xxladapter.LogFilter{})
	require.NoError(f.t, err)
	return logs
}

func (f *fixture) open() []xxladapter.Fire {
	f.t.Helper()
	open, err := f.store.OpenFires(f.t.Context(), xxladapter.FireFilter{})
	require.NoError(f.t, err)
	return open
}

// TestFireSendsWhatTheJobSays checks the request and the log row of a run (XXL-JOB 2.4.2,
// XxlJobTrigger.java).
func TestFireSendsWhatTheJobSays(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL+"/")
	due := time.Now().Add(-time.Second).Truncate(time.Millisecond)
	fire := f.plan(xxladapter.Fire{RetryCount: -1, Due: due})
	require.NoError(t, f.over.Fire(t.Context(), fire))

	logs := f.logs()
	require.Len(t, logs, 1)
	l := logs[0]
	require.Equal(t, xxladapter.ResultOK, l.TriggerCode)
	require.Equal(t, xxladapter.ResultNone, l.HandleCode)
	require.Equal(t, exec.URL+"/", l.Address)
	require.Equal(t, "work", l.Handler)
	require.Equal(t, "p=1", l.Param)
	require.Equal(t, 2, l.RetryCount)
	require.Empty(t, l.Sharding)
	require.Contains(t, l.TriggerMsg, "result：success")
	require.Empty(t, f.open(), "the fire is settled")

	runs := exec.taken()
	require.Len(t, runs, 1)
	require.Equal(t, wire.RunRequest{
		JobID: wire.Int(f.job.ID), Handler: "work", Params: "p=1", BlockStrategy: "SERIAL_EXECUTION", Timeout: 7,
		LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), GlueType: "BEAN",
		GlueUpdated: wire.Int(f.job.GlueUpdated.UnixMilli()), BroadcastIndex: 0, BroadcastTotal: 1,
		ScheduledTime: wire.Int(due.UnixMilli()),
	}, runs[0])
	require.Zero(t, l.TriggerTime.Nanosecond(), "the column keeps whole seconds")

	e := <-f.events
	require.Equal(t, EventSent, e.Kind)
	require.Equal(t, l.ID, e.LogID)
}

func TestFireOverridesParamRetriesAndAddresses(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, "http://127.0.0.1:1/")
	param := ""
	fire := f.plan(xxladapter.Fire{RetryCount: 0, Param: &param, Addresses: []string{exec.URL}})
	require.NoError(t, f.over.Fire(t.Context(), fire))
	l := f.logs()[0]
	require.Equal(t, xxladapter.ResultOK, l.TriggerCode)
	require.Empty(t, l.Param, "an empty override counts")
	require.Zero(t, l.RetryCount)
}

// TestBroadcastGivesEachShardItsOwnLogAndAddress checks the runs of a broadcast (XXL-JOB 2.4.2,
// XxlJobTrigger.java).
func TestBroadcastGivesEachShardItsOwnLogAndAddress(t *testing.T) {
	one, two, three := newFakeExecutor(t, nil), newFakeExecutor(t, nil), newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteShardingBroadcast, one.URL, two.URL, three.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))

	logs := f.logs()
	require.Len(t, logs, 3)
	for i, exec := range []*fakeExecutor{one, two, three} {
		runs := exec.taken()
		require.Len(t, runs, 1)
		require.EqualValues(t, i, runs[0].BroadcastIndex)
		require.EqualValues(t, 3, runs[0].BroadcastTotal)
		require.EqualValues(t, logs[i].ID, runs[0].LogID)
		require.Equal(t, fmt.Sprintf("%d/3", i), logs[i].Sharding)
		require.Equal(t, exec.URL, logs[i].Address)
	}
	require.Empty(t, f.open())
}

// A fragileStore panics when a run of the shard is settled.
type fragileStore struct {
	*memstore.Store
	shard string
}

func (s fragileStore) SettleFire(ctx context.Context, by xxladapter.Term, settled xxladapter.Settlement) ([]xxladapter.Fire, error) {
	if l, err := s.Log(ctx, settled.LogID); err == nil && l.Sharding == s.shard {
		panic("as asked")
	}
	return s.Store.SettleFire(ctx, by, settled)
}

// TestAPanicInOneShardLeavesTheOthers checks that the shards of a broadcast, which have goroutines
// of their own, are as independent of each other as other hand-overs.
func TestAPanicInOneShardLeavesTheOthers(t *testing.T) {
	one, two := newFakeExecutor(t, nil), newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteShardingBroadcast, one.URL, two.URL)
	f.over.opts.Store = fragileStore{f.store, "0/2"}
	err := f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1}))
	require.ErrorContains(t, err, "panic: as asked")
	require.ErrorContains(t, err, "fragileStore", "the stack")
	require.Zero(t, f.logs()[0].TriggerCode)
	require.Equal(t, xxladapter.ResultOK, f.logs()[1].TriggerCode)
	require.Len(t, f.open(), 1, "the sweep finds it")
}

func TestARetryOfOneShardStaysOneShard(t *testing.T) {
	one, two := newFakeExecutor(t, nil), newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteShardingBroadcast, one.URL, two.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{ShardIndex: 1, ShardTotal: 2})))
	require.Empty(t, one.taken())
	runs := two.taken()
	require.Len(t, runs, 1)
	require.EqualValues(t, 1, runs[0].BroadcastIndex)
	require.EqualValues(t, 2, runs[0].BroadcastTotal)
}

func TestFailuresThatAreCertainSettleTheFire(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	tests := []struct {
		name   string
		addr   string
		answer func(w http.ResponseWriter, path string)
		code   int
		msg    string
	}{
		{name: "connection refused", addr: closed.URL, code: 500, msg: "connection refused"},
		{name: "refused by the executor", answer: answer(`{"code":500,"msg":"job handler [work] not found."}`), code: 500, msg: "not found"},
		{name: "a reply without a code", answer: answer(`{"msg":"hello"}`), code: 500, msg: "hello"},
		{name: "the list that the Go executor refuses with", answer: answer(
			`[{"logId":1,"logDateTim":1,"executeResult":{"code":500,"msg":"There are tasks running"},"handleCode":500,"handleMsg":"There are tasks running"}]`),
			code: 500, msg: "There are tasks running"},
		{name: "not an executor", answer: func(w http.ResponseWriter, _ string) { http.Error(w, "gone", http.StatusNotFound) }, code: 500, msg: "404"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			addr := tt.addr
			if addr == "" {
				addr = newFakeExecutor(t, tt.answer).URL
			}
			f := newFixture(t, xxladapter.RouteFirst, addr)
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
			l := f.logs()[0]
			require.Equal(t, tt.code, l.TriggerCode)
			require.Contains(t, l.TriggerMsg, tt.msg)
			require.Empty(t, f.open())
			require.Equal(t, EventFailed, (<-f.events).Kind)
		})
	}
	t.Run("nobody is registered", func(t *testing.T) {
		f := newFixture(t, xxladapter.RouteFirst)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		require.Equal(t, 500, f.logs()[0].TriggerCode)
		require.Empty(t, f.logs()[0].Address)
		require.Empty(t, f.open())
	})
}

func answer(body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) { fmt.Fprint(w, body) }
}

func TestAnAmbiguousHandOverIsResolvedByAskingTheExecutor(t *testing.T) {
	began := wire.OK().WithPayload(wire.LogResult{FromLine: 1, ToLine: 1, Content: "started\n"})
	never := wire.OK().WithPayload(wire.LogResult{FromLine: 1, Content: wire.MsgNoLogFile, End: true})
	stub := wire.OK().WithPayload(wire.LogResult{FromLine: 1, ToLine: 1, Content: "log handler default", End: true})
	tests := []struct {
		name string
		log  wire.Reply
		run  string // the answer to a second request
		runs int    // requests in all
		code int
	}{
		{"it began", began, "", 1, 200},
		{"it never began and is sent again", never, `{"code":200}`, 2, 200},
		{"it waits in the executor's queue", never, `{"code":500,"msg":"repeat trigger job, logId:1"}`, 2, 200},
		{"it never began and is refused now", never, `{"code":500,"msg":"busy"}`, 2, 500},
		{"an executor without logs gets the benefit of the doubt", stub, "", 1, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var exec *fakeExecutor
			exec = newFakeExecutor(t, func(w http.ResponseWriter, path string) {
				switch {
				case path == wire.PathLog:
					data, err := json.Marshal(tt.log)
					if err == nil {
						_, _ = w.Write(data)
					}
				case len(exec.taken()) == 1:
					panic(http.ErrAbortHandler) // taken, and the connection breaks
				default:
					fmt.Fprint(w, tt.run)
				}
			})
			f := newFixture(t, xxladapter.RouteFirst, exec.URL)
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
			open := f.open()
			require.Len(t, open, 1)
			require.Equal(t, xxladapter.FireAmbiguous, open[0].State)
			require.Zero(t, f.logs()[0].TriggerCode)
			require.Equal(t, EventAmbiguous, (<-f.events).Kind)

			require.NoError(t, f.over.Resolve(t.Context(), open[0]))
			runs := exec.taken()
			require.Len(t, runs, tt.runs)
			for _, run := range runs {
				require.Equal(t, runs[0], run, "the same run, with the same log id")
			}
			require.Equal(t, tt.code, f.logs()[0].TriggerCode)
			require.Len(t, f.logs(), 1)
			for _, open := range f.open() {
				require.Equal(t, xxladapter.TriggerRetry, open.Type, "the fire itself is settled")
				require.Equal(t, 500, tt.code)
			}
		})
	}
}

func TestATimeoutAfterSendingIsAmbiguous(t *testing.T) {
	release := make(chan struct{})
	exec := newFakeExecutor(t, func(http.ResponseWriter, string) { <-release })
	t.Cleanup(func() { close(release) }) // runs before the server is closed
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	f.client.timeout = 100 * time.Millisecond
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	require.Equal(t, xxladapter.FireAmbiguous, f.open()[0].State)
}

func TestResolveGivesUpOnAnExecutorThatStaysSilent(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	f := newFixture(t, xxladapter.RouteFirst, closed.URL)
	fire := f.plan(xxladapter.Fire{})
	gone, _ := schedulerOf(t, f.store, "node-0").Term()
	claimed, err := f.store.ClaimFire(t.Context(), gone, fire.ID, []*xxladapter.Log{{JobID: f.job.ID, Address: closed.URL}})
	require.NoError(t, err)
	require.NoError(t, f.store.Resign(t.Context(), gone))

	require.NoError(t, f.over.Resolve(t.Context(), claimed[0]))
	open := f.open()
	require.Len(t, open, 1, "it may come back")
	require.Equal(t, "node-1", open[0].Owner.Node)

	open[0].Claimed = time.Now().Add(-resolveLimit - time.Second)
	f.age(open[0].ID, resolveLimit+time.Second)
	require.NoError(t, f.over.Resolve(t.Context(), open[0]))
	require.Empty(t, f.open())
	require.Equal(t, 500, f.logs()[0].TriggerCode)
	require.Contains(t, f.logs()[0].TriggerMsg, "outcome unknown")
}

func TestAFireThatSomebodyElseHasIsLeftAlone(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	fire := f.plan(xxladapter.Fire{})
	gone, _ := schedulerOf(t, f.store, "node-0").Term()
	_, err := f.store.ClaimFire(t.Context(), gone, fire.ID, []*xxladapter.Log{{JobID: f.job.ID}})
	require.NoError(t, err)
	require.NoError(t, f.over.Fire(t.Context(), fire))
	require.Empty(t, exec.taken())
}

// TestCompleteStoresTheFirstResult checks that a result of a run that has one is ignored (XXL-JOB
// 2.4.2, JobCompleteHelper.java).
func TestCompleteStoresTheFirstResult(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	id := f.logs()[0].ID
	<-f.events
	callbacks := []wire.Callback{
		{LogID: wire.Int(id), HandleCode: 200, HandleMsg: "done"},
		{LogID: wire.Int(id), HandleCode: 500, HandleMsg: "late"},
		{LogID: 999_999, HandleCode: 200},
	}
	require.NoError(t, f.over.Complete(t.Context(), callbacks))
	l := f.logs()[0]
	require.Equal(t, 200, l.HandleCode)
	require.Equal(t, "done", l.HandleMsg)
	e := <-f.events
	require.Equal(t, EventResult, e.Kind)
	require.Empty(t, f.events, "a result is reported once")
}

func TestCompleteTurnsAMissingCodeIntoAFailure(t *testing.T) {
	f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[0].ID)}}))
	require.Equal(t, 500, f.logs()[0].HandleCode)
	require.Equal(t, "job handle result lost.", f.logs()[0].HandleMsg)
}

// TestCodesThatTheTablesCannotHoldAreFailures takes codes whose last 32 bits are 200.
func TestCodesThatTheTablesCannotHoldAreFailures(t *testing.T) {
	for _, code := range []string{"4294967496", "-4294967096"} {
		f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, func(w http.ResponseWriter, _ string) {
			fmt.Fprintf(w, `{"code":%s,"msg":"no"}`, code)
		}).URL)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		require.Equal(t, 500, f.logs()[0].TriggerCode)

		f = newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		var c wire.Callback
		require.NoError(t, wire.Decode(fmt.Appendf(nil, `{"logId":%d,"handleCode":%s,"handleMsg":"odd"}`, f.logs()[0].ID, code), &c))
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{c}))
		require.Equal(t, 500, f.logs()[0].HandleCode)
		require.Equal(t, "odd", f.logs()[0].HandleMsg)
	}
}

// A readPanic panics when a group or the log of a run is read.
type readPanic struct{ *memstore.Store }

func (readPanic) Group(context.Context, int64) (*xxladapter.Group, error) { panic("as asked") }

func (readPanic) Log(context.Context, int64) (*xxladapter.Log, error) { panic("as asked") }

// TestAPanicOfTheStoreReachesTheCaller has panics in goroutines that the caller does not see.
func TestAPanicOfTheStoreReachesTheCaller(t *testing.T) {
	f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
	fire := f.plan(xxladapter.Fire{RetryCount: -1})
	require.NotZero(t, fire.GroupID, "the group is read beside the job")
	f.over.opts.Store = readPanic{f.store}
	for name, call := range map[string]func() error{
		"group": func() error { return f.over.Fire(t.Context(), fire) },
		"result": func() error {
			return f.over.Complete(t.Context(), []wire.Callback{{LogID: 1, HandleCode: 200}})
		},
	} {
		err := call()
		require.ErrorContains(t, err, "panic: as asked", name)
		require.ErrorContains(t, err, "readPanic", "the stack")
	}
}

// A brokenStore fails to store results.
type brokenStore struct{ *memstore.Store }

func (brokenStore) Log(context.Context, int64) (*xxladapter.Log, error) {
	return &xxladapter.Log{}, nil
}

func (brokenStore) FinishRun(context.Context, xxladapter.RunResult) (bool, []xxladapter.Fire, error) {
	return false, nil, errors.New("disk full")
}

func TestCompleteReportsWhatItCouldNotStore(t *testing.T) {
	h := handOver(t, Options{Store: brokenStore{memstore.New(time.Now)}, Logger: slog.New(slog.DiscardHandler)})
	require.ErrorContains(t, h.Complete(t.Context(), []wire.Callback{{LogID: 1, HandleCode: 200}}), "disk full")
}

// TestAPanicOfAListenerChangesNothing has listeners that panic at each event and result.
func TestAPanicOfAListenerChangesNothing(t *testing.T) {
	f := newFixture(t, xxladapter.RouteFirst, newFakeExecutor(t, nil).URL)
	var said strings.Builder
	f.over = handOver(t, Options{
		Store: f.store, Sender: f.client, Scheduler: f.sched, Logger: slog.New(slog.NewTextHandler(&said, nil)),
		OnEvent: func(Event) { panic("oh") }, OnCallback: func(string) { panic("ah") },
	})
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	require.Empty(t, f.open())
	failure := wire.Callback{LogID: wire.Int(f.logs()[0].ID), HandleCode: 500}
	require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{failure, {LogID: 999_999}}))
	require.Equal(t, 500, f.logs()[0].HandleCode)
	require.Len(t, f.sched.planned, 1, "the retry")
	f.over.WrittenOff(f.logs()[0])
	require.Equal(t, 3, strings.Count(said.String(), "Options.OnEvent panicked"), said.String())
	require.Equal(t, 2, strings.Count(said.String(), "Options.OnCallback panicked"), said.String())
	require.Contains(t, said.String(), "handover_test.go:", "the stack")
}

func TestClientFindsTheRunPathOfEachGeneration(t *testing.T) {
	var paths []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.URL.Path != wire.PathTrigger {
			fmt.Fprintf(w, `{"code":500,"msg":%q}`, wire.NotFound(r.URL.Path))
			return
		}
		if r.Header.Get(wire.HeaderToken) != "secret" || r.Header.Get(wire.HeaderAppName) != "some-app" {
			fmt.Fprint(w, `{"code":500,"msg":"invalid request, accessToken or appname invalid."}`)
			return
		}
		fmt.Fprint(w, `{"code":200,"msg":"Success"}`)
	}))
	defer srv.Close()
	c := client(t, ClientOptions{AccessToken: "secret"})
	for range 2 {
		reply, err := c.Run(t.Context(), srv.URL+"/", "some-app", &wire.RunRequest{})
		require.NoError(t, err)
		require.Equal(t, 200, reply.Code)
	}
	require.Equal(t, []string{"/run", "/trigger", "/trigger"}, paths, "what was found out is remembered")
}

func TestClientTellsWhatWasNotSent(t *testing.T) {
	c := client(t, ClientOptions{})
	_, err := c.Run(t.Context(), "http://"+testserver.Refuses, "", &wire.RunRequest{})
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrOutcomeUnknown)
	_, err = c.Run(t.Context(), "http://bad host/", "", &wire.RunRequest{})
	require.Error(t, err)
	require.NotErrorIs(t, err, ErrOutcomeUnknown)
}

// TestASuccessWithoutAReplyIsNoRefusal answers with other statuses of success than that of the
// protocol, as servers do that have nothing to say. The run may have begun and must not be retried.
func TestASuccessWithoutAReplyIsNoRefusal(t *testing.T) {
	for _, status := range []int{http.StatusCreated, http.StatusAccepted, http.StatusNoContent} {
		exec := newFakeExecutor(t, func(w http.ResponseWriter, _ string) { w.WriteHeader(status) })
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: 3})))
		require.Len(t, f.open(), 1)
		require.Equal(t, xxladapter.FireAmbiguous, f.open()[0].State)
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(f.logs()[0].ID), HandleCode: 200}}))
		require.Empty(t, f.open())
		require.Len(t, exec.taken(), 1)

		require.ErrorContains(t, f.client.Beat(t.Context(), exec.URL), "HTTP status")
	}
}
