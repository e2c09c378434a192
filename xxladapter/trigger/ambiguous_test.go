package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestHowAHandOverWithoutAKnownOutcomeIsResolved(t *testing.T) {
	tests := []struct {
		strategy xxladapter.AmbiguousStrategy
		log      xxladapter.Log
		want     resolution
	}{
		{"", xxladapter.Log{Address: "a"}, resolveAsk},
		{"OF ANOTHER RELEASE", xxladapter.Log{Address: "a"}, resolveAsk},
		{xxladapter.AmbiguousProbe, xxladapter.Log{Address: "a"}, resolveAsk},
		{xxladapter.AmbiguousSkip, xxladapter.Log{Address: "a"}, resolveSkip},
		{xxladapter.AmbiguousResend, xxladapter.Log{Address: "a"}, resolveResend},

		// A result says more than any strategy.
		{xxladapter.AmbiguousProbe, xxladapter.Log{Address: "a", HandleCode: 200}, resolveSent},
		{xxladapter.AmbiguousSkip, xxladapter.Log{Address: "a", HandleCode: 500}, resolveSent},
		{xxladapter.AmbiguousResend, xxladapter.Log{HandleCode: 200}, resolveSent},

		// Without an address, nothing can have arrived.
		{xxladapter.AmbiguousProbe, xxladapter.Log{}, resolveUnsent},
		{xxladapter.AmbiguousSkip, xxladapter.Log{}, resolveUnsent},
		{xxladapter.AmbiguousResend, xxladapter.Log{}, resolveUnsent},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, resolutionOf(tt.strategy, &tt.log), "%s %+v", tt.strategy, tt.log)
	}
}

// ambiguous sets the strategy of the fixture's job.
func (f *fixture) ambiguous(strategy xxladapter.AmbiguousStrategy) {
	f.t.Helper()
	f.job.Settings.Ambiguous = strategy
	require.NoError(f.t, xxladapter.UpdateJob(f.t.Context(), f.store, f.job, false))
}

// TestEachStrategyWithEachKindOfSilence lets an executor break the first request and asks what the
// scheduler sends after it.
func TestEachStrategyWithEachKindOfSilence(t *testing.T) {
	const (
		takes   = `{"code":200}`
		repeats = `{"code":500,"msg":"repeat trigger job, logId:1"}`
		busy    = `{"code":500,"msg":"busy"}`
	)
	log := func(r wire.LogResult) string {
		data, err := json.Marshal(wire.OK().WithPayload(r))
		require.NoError(t, err)
		return string(data)
	}
	began := log(wire.LogResult{FromLine: 1, ToLine: 1, Content: "started\n"})
	never := log(wire.LogResult{FromLine: 1, Content: wire.MsgNoLogFile, End: true})
	lost := log(wire.LogResult{FromLine: 1, Content: wire.MsgNoLogFile, End: true, LogsAge: 1}) // of an executor with an empty disk
	kept := log(wire.LogResult{FromLine: 1, Content: wire.MsgNoLogFile, End: true, LogsAge: 3_600_000})
	tests := []struct {
		name     string
		strategy xxladapter.AmbiguousStrategy
		log      string // the answer about the log; empty means none
		run      string // the answer to a second request; empty means none
		runs     int    // requests after one look
		code     int    // trigger code after it
		open     bool   // still without a known outcome
		retries  int    // planned
	}{
		{"probe, it had run", xxladapter.AmbiguousProbe, began, busy, 1, 200, false, 0},
		{"probe, it had not arrived", xxladapter.AmbiguousProbe, never, takes, 2, 200, false, 0},
		{"probe, it waits there", xxladapter.AmbiguousProbe, never, repeats, 2, 200, false, 0},
		{"probe, refused now", xxladapter.AmbiguousProbe, never, busy, 2, 500, false, 1},
		{"probe, nothing to be heard", xxladapter.AmbiguousProbe, "", takes, 1, 0, true, 0},
		{"probe, silent again", xxladapter.AmbiguousProbe, never, "", 2, 0, true, 0},

		{"probe, it had not arrived at an executor that keeps logs", xxladapter.AmbiguousProbe, kept, takes, 2, 200, false, 0},
		{"probe, it may have run before the logs were lost", xxladapter.AmbiguousProbe, lost, takes, 1, 504, false, 0},

		{"skip, whatever the executor would say", xxladapter.AmbiguousSkip, never, takes, 1, 504, false, 0},

		{"resend, taken now", xxladapter.AmbiguousResend, began, takes, 2, 200, false, 0},
		{"resend, it had arrived", xxladapter.AmbiguousResend, "", repeats, 2, 200, false, 0},
		{"resend, refused now", xxladapter.AmbiguousResend, "", busy, 2, 500, false, 1},
		{"resend, silent again", xxladapter.AmbiguousResend, "", "", 2, 0, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var exec *fakeExecutor
			reply := func(w http.ResponseWriter, text string) {
				if text == "" {
					panic(http.ErrAbortHandler) // the connection breaks
				}
				fmt.Fprint(w, text)
			}
			exec = newFakeExecutor(t, func(w http.ResponseWriter, path string) {
				switch {
				case path == wire.PathLog:
					reply(w, tt.log)
				case len(exec.taken()) == 1:
					reply(w, "")
				default:
					reply(w, tt.run)
				}
			})
			f := newFixture(t, xxladapter.RouteFirst, exec.URL)
			f.ambiguous(tt.strategy)
			require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
			for _, open := range f.open() {
				open.Claimed = open.Claimed.Add(-time.Second)
				require.NoError(t, f.over.Resolve(t.Context(), open))
			}
			runs := exec.taken()
			require.Len(t, runs, tt.runs)
			for _, run := range runs {
				require.Equal(t, runs[0], run, "the same log id and trigger time")
			}
			require.Len(t, f.logs(), 1)
			require.Equal(t, tt.code, f.logs()[0].TriggerCode)
			states := map[xxladapter.FireState]int{}
			for _, fire := range f.open() {
				states[fire.State]++
			}
			require.Equal(t, tt.open, states[xxladapter.FireAmbiguous] == 1)
			require.Equal(t, tt.retries, states[xxladapter.FirePlanned])
		})
	}
}

// TestARunInDoubtIsOfTheAppThatItWentTo moves a job to another group while nobody knows whether its
// executor has taken a run. That executor still belongs to the former app, and must not get the
// other app's token.
func TestARunInDoubtIsOfTheAppThatItWentTo(t *testing.T) {
	for _, strategy := range []xxladapter.AmbiguousStrategy{xxladapter.AmbiguousProbe, xxladapter.AmbiguousResend} {
		var exec *fakeExecutor
		exec = newFakeExecutor(t, func(w http.ResponseWriter, path string) {
			switch {
			case path == wire.PathLog:
				fmt.Fprint(w, `{"code":200,"content":{"fromLineNum":1,"toLineNum":0,"logContent":"`+wire.MsgNoLogFile+`","isEnd":true}}`)
			case len(exec.taken()) == 1:
				panic(http.ErrAbortHandler) // the connection breaks
			default:
				fmt.Fprint(w, `{"code":200}`)
			}
		})
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		f.ambiguous(strategy)
		var apps []string
		f.client.sent = func(_ context.Context, _, appName string) (string, string) {
			apps = append(apps, appName)
			return appName, "token of " + appName
		}
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		other, err := f.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "other-app", Title: "other app"})
		require.NoError(t, err)
		f.job, err = f.store.Job(t.Context(), f.job.ID)
		require.NoError(t, err)
		f.job.GroupID = other
		require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
		require.NoError(t, f.over.Resolve(t.Context(), f.open()[0]))
		require.Empty(t, f.open())
		require.Len(t, exec.taken(), 2)
		require.NotContains(t, apps, "other-app", strategy)
	}
}

// newBreakingExecutor returns an executor that takes a run, breaks the connection, and answers the
// requests that follow.
func newBreakingExecutor(t *testing.T) (e *fakeExecutor) {
	t.Helper()
	e = newFakeExecutor(t, func(w http.ResponseWriter, _ string) {
		if len(e.taken()) == 1 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, `{"code":200}`)
	})
	return e
}

// A repeatedHour returns trigger times that are off, as those of a row may be if its hour is
// repeated.
type repeatedHour struct {
	*memstore.Store
	off time.Duration
}

func (s repeatedHour) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	l, err := s.Store.Log(ctx, id)
	if err == nil {
		l.TriggerTime = l.TriggerTime.Add(s.off)
	}
	return l, err
}

// TestARunOfARepeatedHourIsSentAgainAsTheSame sends a run again whose row's trigger time may be
// either of two instants. Executors know a run by its log id and its trigger time.
func TestARunOfARepeatedHourIsSentAgainAsTheSame(t *testing.T) {
	for _, off := range []time.Duration{0, time.Hour, -time.Hour, 30 * time.Minute} {
		exec := newBreakingExecutor(t)
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		f.ambiguous(xxladapter.AmbiguousResend)
		f.over.opts.Store = repeatedHour{f.store, off}
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		require.NoError(t, f.over.Resolve(t.Context(), f.open()[0]))
		runs := exec.taken()
		require.Len(t, runs, 2)
		require.Equal(t, runs[0].LogTime, runs[1].LogTime, off)
	}
}

// TestALongParameterIsSentAgainWhole sends a run again whose parameter its row has no room for.
func TestALongParameterIsSentAgainWhole(t *testing.T) {
	exec := newBreakingExecutor(t)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	f.ambiguous(xxladapter.AmbiguousResend)
	param := strings.Repeat("長😀 ", 10_000)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1, Param: &param})))
	require.NotEqual(t, param, f.logs()[0].Param)
	require.NoError(t, f.over.Resolve(t.Context(), f.open()[0]))
	require.Empty(t, f.open())
	require.Len(t, exec.taken(), 2)
	for _, run := range exec.taken() {
		require.True(t, param == run.Params, "%d bytes", len(run.Params))
	}
}

// TestALongLogSaysThatTheRunBegan asks an executor that returns all lines from the requested one
// on, however many, as those of XXL-JOB do.
func TestALongLogSaysThatTheRunBegan(t *testing.T) {
	const lines = 100_000
	line := strings.Repeat("x", 99) + "\n"
	runs := 0
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == wire.PathRun {
			runs++
			panic(http.ErrAbortHandler) // taken, and the connection breaks
		}
		var req wire.LogRequest
		_ = wire.Decode(body, &req)
		result := wire.LogResult{FromLine: req.FromLine}
		if req.FromLine <= lines {
			result.ToLine, result.Content = lines, strings.Repeat(line, int(lines+1-req.FromLine))
		}
		_ = json.NewEncoder(w).Encode(wire.OK().WithPayload(result))
	}))
	defer exec.Close()
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	require.NoError(t, f.over.Resolve(t.Context(), f.open()[0]))
	require.Empty(t, f.open())
	require.Equal(t, 200, f.logs()[0].TriggerCode)
	require.Equal(t, 1, runs)
}

func TestAResultStillCountsAfterASkip(t *testing.T) {
	for _, tt := range []struct {
		code, retries int
	}{{200, 0}, {500, 1}} { // the failure is certain now, and had no retry yet
		exec := newFakeExecutor(t, func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) })
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		f.ambiguous(xxladapter.AmbiguousSkip)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		require.Empty(t, f.open(), "settled at once, and without a retry")
		l := f.logs()[0]
		require.Equal(t, xxladapter.ResultUnknown, l.TriggerCode)
		require.Contains(t, l.TriggerMsg, "outcome unknown, and not sent again")
		e := <-f.events
		require.Equal(t, EventFailed, e.Kind)
		require.Equal(t, xxladapter.ResultUnknown, e.Code)

		for range 2 {
			require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(l.ID), HandleCode: wire.Int(tt.code)}}))
		}
		require.Equal(t, tt.code, f.logs()[0].HandleCode)
		require.Len(t, f.open(), tt.retries)
	}
}

// age makes it look as if the node had taken a fire over that long ago.
func (f *fixture) age(fireID int64, by time.Duration) {
	f.over.takenOver.byFire[fireID] = f.over.takenOver.byFire[fireID].Add(-by)
}

// TestTheFireOfADeadNodeIsResolvedByItsStrategy is about claims whose request may never have left,
// towards an executor that cannot be reached.
func TestTheFireOfADeadNodeIsResolvedByItsStrategy(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	for _, tt := range []struct {
		strategy xxladapter.AmbiguousStrategy
		young    int // trigger code while it is younger than the limit
		old      int
	}{
		{xxladapter.AmbiguousProbe, 0, 500},
		{xxladapter.AmbiguousResend, 0, 500},
		{xxladapter.AmbiguousSkip, 504, 504},
	} {
		for age, want := range map[time.Duration]int{time.Second: tt.young, resolveLimit + time.Second: tt.old} {
			f := newFixture(t, xxladapter.RouteFirst, closed.URL)
			f.ambiguous(tt.strategy)
			dead, err := f.store.Lease(t.Context(), "node-0", time.Hour)
			require.NoError(t, err)
			claimed, err := f.store.ClaimFire(t.Context(), dead.Term, f.plan(xxladapter.Fire{}).ID, []*xxladapter.Log{{JobID: f.job.ID, Address: closed.URL}})
			require.NoError(t, err)
			require.NoError(t, f.store.Resign(t.Context(), dead.Term))
			claimed[0].Claimed = time.Now().Add(-age)
			require.NoError(t, f.over.Resolve(t.Context(), claimed[0]))
			if open := f.open(); len(open) > 0 { // as long after it was taken over
				f.age(open[0].ID, age)
				open[0].Claimed = claimed[0].Claimed
				require.NoError(t, f.over.Resolve(t.Context(), open[0]))
			}
			require.Equal(t, want, f.logs()[0].TriggerCode, "%s after %v", tt.strategy, age)
			require.Equal(t, want == 0, len(f.open()) == 1)
		}
	}
}

// TestAnExecutorIsAskedForAWhileAfterAnOutage has a node take over a run more than resolveLimit
// after its claim, while the executor cannot be reached yet.
func TestAnExecutorIsAskedForAWhileAfterAnOutage(t *testing.T) {
	for name, c := range map[string]struct {
		silent time.Duration
		code   int
	}{
		"it is back soon": {resolveLimit - time.Second, xxladapter.ResultOK},
		"it stays away":   {resolveLimit + 10*time.Second, xxladapter.ResultFail},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, xxladapter.RouteFirst, "http://a/")
				f.over.opts.Sender = &ranOnce{from: time.Now().Add(resolveLimit + time.Minute + c.silent)}
				f.over.opts.Connected = func() time.Time { return time.Time{} } // it needs no broker
				dead, err := f.store.Lease(t.Context(), "node-0", time.Hour)
				require.NoError(t, err)
				_, err = f.store.ClaimFire(t.Context(), dead.Term, f.plan(xxladapter.Fire{}).ID, []*xxladapter.Log{{JobID: f.job.ID, Address: "http://a/"}})
				require.NoError(t, err)
				require.NoError(t, f.store.Resign(t.Context(), dead.Term))
				time.Sleep(resolveLimit + time.Minute)
				f.sweep(resolveLimit - 2*time.Second)
				require.Zero(t, f.logs()[0].TriggerCode, f.logs()[0].TriggerMsg)
				f.sweep(4 * time.Second)
				require.Equal(t, c.code, f.logs()[0].TriggerCode)
			})
		})
	}
}

// A ranOnce is an executor that has run what it was sent, and can be reached from an instant on.
type ranOnce struct {
	Sender
	from time.Time
}

func (e *ranOnce) Log(context.Context, string, string, wire.LogRequest) (wire.LogResult, error) {
	if time.Now().Before(e.from) {
		return wire.LogResult{}, errSilent
	}
	return wire.LogResult{FromLine: 1, ToLine: 1, Content: "started\n"}, nil
}

// TestAnExecutorThatAnswersTooLate runs the job, and answers when the scheduler has hung up. Its
// result is what settles the hand-over.
func TestAnExecutorThatAnswersTooLate(t *testing.T) {
	for _, strategy := range []xxladapter.AmbiguousStrategy{xxladapter.AmbiguousProbe, xxladapter.AmbiguousSkip, xxladapter.AmbiguousResend} {
		release := make(chan struct{})
		exec := newFakeExecutor(t, func(w http.ResponseWriter, _ string) {
			<-release
			fmt.Fprint(w, `{"code":200}`)
		})
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		f.client.timeout = 100 * time.Millisecond
		f.ambiguous(strategy)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
		close(release)
		id := f.logs()[0].ID
		open := f.open()
		require.NoError(t, f.over.Complete(t.Context(), []wire.Callback{{LogID: wire.Int(id), HandleCode: 200}}))
		require.Empty(t, f.open())
		for _, fire := range open { // as a sweep that had read it before would
			require.NoError(t, f.over.Resolve(t.Context(), fire))
		}
		require.Len(t, exec.taken(), 1, strategy)
		require.Equal(t, 200, f.logs()[0].HandleCode)
	}
}
