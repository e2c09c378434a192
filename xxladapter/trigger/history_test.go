package trigger

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An answeringSender takes a while for each call and answers as it is told.
type answeringSender struct {
	Sender
	reply wire.Reply
	err   error
}

func (s *answeringSender) Run(context.Context, string, string, *wire.RunRequest) (wire.Reply, error) {
	time.Sleep(30 * time.Millisecond) // in a bubble
	return s.reply, s.err
}

// TestAHandOverTellsWhenItSentAndWasAnswered checks the instants of a run's history for each kind
// of outcome. The store's clock is an hour ahead of this machine's.
func TestAHandOverTellsWhenItSentAndWasAnswered(t *testing.T) {
	for _, tt := range []struct {
		name           string
		reply          wire.Reply
		err            error
		sent, answered bool
	}{
		{"taken", wire.Reply{Code: 200}, nil, true, true},
		{"refused", wire.Reply{Code: 500, Msg: "busy"}, nil, true, true},
		{"unreachable", wire.Reply{}, fmt.Errorf("refused"), false, false},
		{"ambiguous", wire.Reply{}, fmt.Errorf("%w: reset", ErrOutcomeUnknown), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixtureAt(t, func() time.Time { return time.Now().Add(time.Hour) }, xxladapter.RouteFirst, "http://a/")
				f.over.opts.Sender = &answeringSender{reply: tt.reply, err: tt.err}
				claimed := time.Now().Add(time.Hour)
				require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{Due: claimed.Add(-time.Second), RetryCount: -1})))
				id := f.logs()[0].ID
				found, err := f.store.RunHistories(t.Context(), []int64{id})
				require.NoError(t, err)
				h := found[id]
				require.Equal(t, claimed.Add(-time.Second).UTC(), h.Due)
				require.Equal(t, claimed.UTC(), h.Claimed)
				if tt.sent {
					require.Equal(t, claimed.UTC(), h.Sent)
					require.Equal(t, time.Second, h.Lateness())
				} else {
					require.Zero(t, h.Sent)
				}
				if tt.answered {
					require.Equal(t, claimed.Add(30*time.Millisecond).UTC(), h.Acknowledged)
				} else {
					require.Zero(t, h.Acknowledged)
				}
			})
		})
	}
}

// TestARetryCountsItsAttempts follows a job through its retries.
func TestARetryCountsItsAttempts(t *testing.T) {
	exec := newFakeExecutor(t, func(w http.ResponseWriter, _ string) { fmt.Fprint(w, `{"code":500,"msg":"no"}`) })
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	f.job.RetryCount = 1
	require.NoError(t, xxladapter.UpdateJob(t.Context(), f.store, f.job, false))
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
	next := f.open()
	require.Len(t, next, 1)
	require.NoError(t, f.over.Fire(t.Context(), next[0]))
	logs := f.logs()
	require.Contains(t, logs[0].TriggerMsg, "attempt：1 of 2")
	require.Contains(t, logs[1].TriggerMsg, "attempt：2 of 2")
	found, err := f.store.RunHistories(t.Context(), []int64{logs[1].ID})
	require.NoError(t, err)
	require.Equal(t, []int64{2, logs[0].ID}, []int64{int64(found[logs[1].ID].Attempt), found[logs[1].ID].Parent})
}
