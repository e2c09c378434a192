package node

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestReplayedCallbacksCountOnce sends the result of each run one to five times, shuffled over all
// runs and by several senders at once, among results of runs that nobody knows, and other results
// of each run when everything is over. The first one counts, its children are triggered once, and
// the executor gets a success each time.
func TestReplayedCallbacksCountOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	var results, children atomic.Int64
	r := runNode(t, Options{OnEvent: func(e trigger.Event) {
		switch {
		case e.Kind == trigger.EventResult:
			results.Add(1)
		case e.Fire.Type == xxladapter.TriggerParent && e.Kind == trigger.EventSent:
			children.Add(1)
		}
	}})
	const runs = 60
	arrived := make(chan wire.RunRequest, 3*runs)
	exec := httptest.NewServer(executorFunc(func(run wire.RunRequest) { arrived <- run }))
	defer exec.Close()
	group := r.group("some-app", exec.URL)
	child := r.job(group, nil)
	parent := r.job(group, func(j *xxladapter.Job) { j.ChildIDs = []int64{child} })
	fires := make([]xxladapter.Fire, runs)
	for i := range fires {
		fires[i] = xxladapter.Fire{JobID: parent, Due: time.Now(), Type: xxladapter.TriggerManual, RetryCount: -1}
	}
	_, err := r.store.PlanFires(t.Context(), fires)
	require.NoError(t, err)
	r.node.scheduler.Sweep()

	// Each run ends well or not, and its replays say the same.
	ended := map[wire.Int]wire.Int{}
	var callbacks []wire.Callback
	succeeded := 0
	for range runs {
		run := <-arrived
		code := wire.Int(wire.CodeOK)
		if random.IntN(4) == 0 {
			code = wire.CodeFail
		} else {
			succeeded++
		}
		ended[run.LogID] = code
		for range 1 + random.IntN(5) {
			callbacks = append(callbacks, wire.Callback{LogID: run.LogID, LogTime: run.LogTime, HandleCode: code, HandleMsg: "ended"})
		}
	}
	for range 20 {
		callbacks = append(callbacks, wire.Callback{LogID: wire.Int(1_000_000 + random.IntN(1000)), HandleCode: wire.CodeOK})
	}
	random.Shuffle(len(callbacks), func(i, j int) { callbacks[i], callbacks[j] = callbacks[j], callbacks[i] })
	send := func(callbacks []wire.Callback) {
		var senders errgroup.Group
		senders.SetLimit(8)
		for len(callbacks) > 0 {
			batch := callbacks[:min(1+random.IntN(6), len(callbacks))]
			callbacks = callbacks[len(batch):]
			senders.Go(func() error { return post(r.url, batch) })
		}
		require.NoError(t, senders.Wait(), "the executor is told that all is well")
	}
	send(callbacks)
	within(t, "the children of all that succeeded", func() bool { return children.Load() >= int64(succeeded) })
	var late []wire.Callback // of the parents, contradicting what is known
	for id := range ended {
		late = append(late, wire.Callback{LogID: id, HandleCode: wire.CodeOK, HandleMsg: "late"}, wire.Callback{LogID: id, HandleCode: wire.CodeFail})
	}
	send(late)
	r.node.scheduler.Sweep()
	open := func() []xxladapter.Fire {
		fires, err := r.store.OpenFires(t.Context(), xxladapter.FireFilter{})
		require.NoError(t, err)
		return fires
	}
	// A second child would be planned before the callback of its parent is answered, so it would be
	// open or have arrived.
	within(t, "no fire is open", func() bool { return len(open()) == 0 })

	require.EqualValues(t, runs, results.Load())
	require.EqualValues(t, succeeded, children.Load())
	require.Len(t, arrived, succeeded, "and each of them arrived once")
	logs, err := r.store.Logs(t.Context(), xxladapter.LogFilter{JobID: parent})
	require.NoError(t, err)
	require.Len(t, logs, runs)
	for _, l := range logs {
		require.EqualValues(t, ended[wire.Int(l.ID)], l.HandleCode)
		require.Equal(t, "ended", l.HandleMsg)
	}
}

// post reports results as an executor does.
func post(url string, batch []wire.Callback) error {
	body, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	resp, err := http.Post(url+wire.AdminPath+wire.OpCallback, wire.ContentType, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	reply, err := wire.DecodeReply(data)
	if err == nil && reply.Code != wire.CodeOK {
		err = &xxladapter.Error{Message: reply.Msg}
	}
	return err
}
