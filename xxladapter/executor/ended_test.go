package executor

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// ended asks which of some runs have ended.
func (r *running) ended(asked ...wire.RunID) wire.Callbacks {
	r.t.Helper()
	reply := r.post(wire.PathEnded, asked)
	require.Equal(r.t, wire.CodeOK, reply.Code, reply.Msg)
	var list wire.Callbacks
	require.NoError(r.t, wire.Decode(reply.Payload, &list))
	return list
}

// TestAnExecutorSaysWhichRunsHaveEnded asks for a run at each point of its life, and for runs that
// the executor has never had.
func TestAnExecutorSaysWhichRunsHaveEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		setup := func(e *Executor) {
			require.NoError(t, e.Handle("hold", func(context.Context, *Run) error { <-hold; return nil }))
		}
		dir := t.TempDir()
		e := start(t, Options{DataDir: dir}, setup)
		run, waiting, other := beanRun(7, 101, "hold"), beanRun(7, 102, "hold"), beanRun(8, 103, "nobody")
		of := func(r wire.RunRequest) wire.RunID {
			return wire.RunID{LogID: r.LogID, JobID: r.JobID, LogTime: r.LogTime}
		}
		ask := func() wire.Callbacks { return e.ended(of(waiting), of(run), of(other)) }
		e.post("/run", run)
		e.post("/run", waiting)
		e.post("/run", other)
		synctest.Wait()
		require.Empty(t, ask(), "one is in progress, one waits, one was refused")
		reply := e.post(wire.PathTaken, []wire.RunID{of(waiting), of(run), of(other)})
		require.Equal(t, []any{wire.CodeOK, "[true,true,false]"}, []any{reply.Code, string(reply.Payload)})

		e.admin.setDown(true)
		hold <- struct{}{}
		synctest.Wait()
		require.Empty(t, ask(), "no admin has the result")
		e.admin.setDown(false)
		time.Sleep(time.Minute) // longer than the longest pause between two attempts
		result := wire.Callback{LogID: 101, LogTime: run.LogTime, HandleCode: wire.CodeOK}
		require.Equal(t, wire.Callbacks{result}, ask())
		require.Equal(t, wire.Callbacks{result}, e.ended(of(run), of(run)), "asked for twice")

		hold <- struct{}{}
		synctest.Wait()
		time.Sleep(time.Second) // longer than a result waits for the next request
		both := wire.Callbacks{{LogID: 102, LogTime: waiting.LogTime, HandleCode: wire.CodeOK}, result}
		require.Equal(t, both, ask())
		e.stop()
		e = start(t, Options{DataDir: dir}, setup)
		require.Equal(t, both, ask(), "the journal had them")
		e.stop()
		e = start(t, Options{DataDir: dir}, setup)
		for i := range both {
			both[i].HandleCode = 0
		}
		require.Equal(t, both, ask(), "ended, with results that are no longer known")

		id := of(run)
		id.JobID = 9
		require.Zero(t, e.ended(id)[0].HandleCode, "the log id of another job's run")
		id.LogTime += wire.Int(time.Hour.Milliseconds())
		require.Empty(t, e.ended(id), "the log id of a recreated database")
		require.Equal(t, wire.CodeFail, e.post(wire.PathEnded, "{}").Code)
	})
}

// TestAReplyWithResultsFitsTheBroker asks for more results than a reply may have.
func TestAReplyWithResultsFitsTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs = 40
		e := start(t, Options{}, withEcho(t))
		var asked []wire.RunID
		for id := range int64(runs) {
			run := beanRun(7, 1+id, "echo")
			run.Params = strings.Repeat("x", 40_000)
			e.post("/run", run)
			asked = append(asked, wire.RunID{LogID: run.LogID, JobID: run.JobID, LogTime: run.LogTime})
		}
		time.Sleep(time.Second) // longer than a result waits for the next request
		body, err := json.Marshal(asked)
		require.NoError(t, err)
		require.Less(t, len(e.answerCall("ended", http.Header{}, body)), 1<<20)
		found := len(e.ended(asked...))
		require.Greater(t, found, 10)
		require.NotEmpty(t, e.ended(asked[found:]...), "the rest, when it is asked for")
	})
}

func TestTakenResultsAreBounded(t *testing.T) {
	t.Parallel()
	var taken takenResults
	for id := range int64(3 * maxTaken) {
		taken.add([]result{{logID: id}})
		require.LessOrEqual(t, len(taken.list), maxTaken)
	}
	require.GreaterOrEqual(t, len(taken.list), maxTaken/2)
	require.Equal(t, int64(3*maxTaken-1), taken.list[len(taken.list)-1].logID, "the latest stay")

	long := strings.Repeat("x", 50_000)
	for id := range int64(1000) {
		taken.add([]result{{logID: id, msg: long}})
		require.LessOrEqual(t, taken.bytes, maxTakenBytes)
	}
	require.Equal(t, len(taken.list)*len(long), taken.bytes)
	require.GreaterOrEqual(t, taken.bytes, maxTakenBytes/2)
}
