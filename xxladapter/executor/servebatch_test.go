package executor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// batch sends runs in one request.
func (r *running) batch(runs ...wire.RunRequest) wire.RunReplies {
	r.t.Helper()
	if runs == nil {
		runs = []wire.RunRequest{}
	}
	replies, err := wire.DecodeRunReplies(r.raw(http.MethodPost, wire.PathRuns, runs, nil).Body.Bytes())
	require.NoError(r.t, err)
	return replies
}

// TestABatchSaysOfEachRunWhatASingleRequestWould compares a batch with the same runs one by one.
func TestABatchSaysOfEachRunWhatASingleRequestWould(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		setup := func(e *Executor) {
			require.NoError(t, e.Handle("hold", func(context.Context, *Run) error { <-hold; return nil }))
		}
		oneByOne, together := start(t, Options{StopGrace: -1}, setup), start(t, Options{StopGrace: -1}, setup)
		run := func(job, log int64, change func(*wire.RunRequest)) wire.RunRequest {
			r := beanRun(job, log, "hold")
			if change != nil {
				change(&r)
			}
			return r
		}
		runs := []wire.RunRequest{
			run(1, 1, nil),
			run(1, 2, nil), // waits
			run(1, 3, func(r *wire.RunRequest) { r.BlockStrategy = "DISCARD_LATER" }),
			run(2, 4, func(r *wire.RunRequest) { r.Handler = "nobody" }),
			run(2, 5, func(r *wire.RunRequest) { r.Handler = "" }),
			run(2, 6, func(r *wire.RunRequest) { r.GlueType = "" }),
			run(2, 7, func(r *wire.RunRequest) { r.GlueType = "GLUE_SHELL" }),
			run(3, 1, nil), // log id of the first one
			run(3, -8, nil),
			run(4, 9, nil),
			run(4, 10, func(r *wire.RunRequest) { r.BlockStrategy = "COVER_EARLY" }),
		}
		want := wire.RunReplies{Code: 200, Msg: "Success"}
		for _, one := range runs {
			r := oneByOne.post(wire.PathRun, one)
			want.Runs = append(want.Runs, wire.RunReply{LogID: one.LogID, Code: r.Code, Msg: r.Msg})
		}
		require.Equal(t, want, together.batch(runs...))

		// Once more: nothing that was accepted is accepted again.
		for i, r := range together.batch(runs...).Runs {
			if want.Runs[i].Code == wire.CodeOK {
				require.Contains(t, r.Msg, wire.PrefixRepeat)
			}
		}
		require.Equal(t, wire.CodeOK, together.post(wire.PathKill, wire.KillRequest{JobID: 1}).Code)
		synctest.Wait()
		require.Contains(t, together.admin.result(2).HandleMsg, wire.MsgKilledByAdmin)
		require.Nil(t, together.admin.result(10), "a kill is for one job")
		close(hold)
		synctest.Wait()
		require.Equal(t, wire.Int(wire.CodeOK), together.admin.result(10).HandleCode)
	})
}

func TestABatchIsRefusedAsAWhole(t *testing.T) {
	var mu sync.Mutex
	ran := 0
	setup := func(e *Executor) {
		require.NoError(t, e.Handle("count", func(context.Context, *Run) error { mu.Lock(); ran++; mu.Unlock(); return nil }))
	}
	e := start(t, Options{AccessToken: "secret"}, setup)
	good, err := json.Marshal(beanRun(1, 1, "count"))
	require.NoError(t, err)
	for body, want := range map[string]string{
		"":                                     "request error: empty body",
		"{}":                                   "request error: body is a JSON object, must be a list",
		"[" + string(good) + ",null]":          "request error: run 1 is null, must be an object",
		`[` + string(good) + `,{"logId":"x"}]`: "request error: \"x\" is not an integer",
		"[" + strings.Repeat(string(good)+",", 256) + string(good) + "]": "request error: batch has 257 runs, must have at most 256",
	} {
		r, err := wire.DecodeRunReplies(e.raw(http.MethodPost, wire.PathRuns, body, nil).Body.Bytes())
		require.NoError(t, err)
		require.Equal(t, wire.RunReplies{Code: 500, Msg: want}, r)
	}
	w := e.raw(http.MethodPost, wire.PathRuns, "["+string(good)+"]", map[string]string{wire.HeaderToken: "wrong"})
	require.Equal(t, `{"code":500,"msg":"The access token is wrong."}`, w.Body.String())
	mu.Lock()
	require.Zero(t, ran)
	mu.Unlock()
	require.Equal(t, wire.RunReplies{Code: 200, Msg: "Success"}, e.batch())
	require.Equal(t, 200, e.batch(beanRun(1, 1, "count")).Runs[0].Code)
}

func TestWhoTakesBatchesSaysSo(t *testing.T) {
	e := start(t, Options{}, nil)
	require.Equal(t, "256", e.raw(http.MethodPost, wire.PathRun, beanRun(1, 1, "x"), nil).Header().Get(wire.HeaderBatch))
	not := start(t, Options{NoBatches: true}, nil)
	require.Empty(t, not.raw(http.MethodPost, wire.PathRun, beanRun(1, 1, "x"), nil).Header().Get(wire.HeaderBatch))
	require.Equal(t, `{"code":500,"msg":"invalid request, uri-mapping(/runs) not found."}`,
		not.raw(http.MethodPost, wire.PathRuns, "[]", nil).Body.String())
}

// TestTheRunsOfABatchShareASync counts the runs that one batch of the journal accepts.
func TestTheRunsOfABatchShareASync(t *testing.T) {
	e := start(t, Options{Admins: []string{}}, func(e *Executor) {
		require.NoError(t, e.Handle("noop", func(context.Context, *Run) error { return nil }))
	})
	j := e.live.Load().journal
	shared := map[*batch]int{}
	for range 20 { // the writing goroutine may take the first ones away
		clear(shared)
		var runs []wire.RunRequest
		first := time.Now().UnixNano()
		for i := range int64(100) {
			runs = append(runs, beanRun(i+1, first+i, "noop"))
		}
		j.mu.Lock()
		before := j.next
		j.mu.Unlock()
		for _, r := range e.batch(runs...).Runs {
			require.Equal(t, wire.CodeOK, r.Code)
		}
		select {
		case <-before.done:
			shared[before] = len(before.accepted)
		default:
		}
		if shared[before] > 1 {
			return
		}
	}
	t.Fatalf("each run waited for a sync of its own: %v", shared)
}
