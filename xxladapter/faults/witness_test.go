//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A witness is an executor that accepts and records every run: what really happened, whatever the
// scheduler believes. Like a Java executor it answers /log by the runs that have begun, and sends
// results in batches to the first admin that accepts them.
type witness struct {
	t      *testing.T
	rec    *checker.Recorder
	server *httptest.Server
	admins []string // base URLs

	// arrived is called with each run before the answer is sent; nil means that nothing is called.
	arrived func(req *wire.RunRequest)

	// broken says how many runs of a batch of n are accepted, and how many of these the reply
	// mentions; a negative number cuts the connection. Nil means that all are accepted and
	// mentioned.
	broken  func(n int) (accepted, mentioned int)
	batches atomic.Int64 // batches that arrived

	// silent withholds results, as if the runs continued.
	silent atomic.Bool

	mu    sync.Mutex
	began map[wire.Int]bool // by log id
	runs  map[int64]int     // how many began, by job id
	ended wire.Callbacks    // not yet accepted by an admin

	wake    chan struct{}
	stop    context.CancelFunc
	stopped chan struct{}
}

func newWitness(t *testing.T, rec *checker.Recorder, admins []string) *witness {
	w := &witness{
		t: t, rec: rec, admins: admins, began: make(map[wire.Int]bool), runs: make(map[int64]int),
		wake: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.PathRun, w.run)
	mux.HandleFunc("POST "+wire.PathRuns, w.batch)
	mux.HandleFunc("POST "+wire.PathLog, w.log)
	mux.HandleFunc("POST "+wire.PathBeat, func(rw http.ResponseWriter, _ *http.Request) { answer(rw, wire.OK()) })
	mux.HandleFunc("POST "+wire.PathIdleBeat, func(rw http.ResponseWriter, _ *http.Request) { answer(rw, wire.OK()) })
	w.server = httptest.NewServer(mux)
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	go w.report(ctx)
	t.Cleanup(w.close)
	return w
}

func (w *witness) close() {
	w.stop()
	<-w.stopped
	w.server.CloseClientConnections()
	w.server.Close()
}

// answer writes a reply. The header says that batches of runs may follow.
func answer(rw http.ResponseWriter, reply any) {
	rw.Header().Set("Content-Type", wire.ExecutorContentType)
	rw.Header().Set(wire.HeaderBatch, "256")
	body, _ := json.Marshal(reply)
	_, _ = rw.Write(body) // a killed scheduler reads nothing
}

func (w *witness) run(rw http.ResponseWriter, r *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the scheduler was killed while it wrote: nothing has arrived
	}
	req := new(wire.RunRequest)
	if err := wire.Decode(body, req); err != nil {
		answer(rw, wire.Fail(err.Error()))
		return
	}
	w.accept(req, now)
	answer(rw, wire.OK())
}

// batch accepts the runs of a batch. If broken says so, it accepts only the first ones and mentions
// fewer, or it cuts the connection.
func (w *witness) batch(rw http.ResponseWriter, r *http.Request) {
	now := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var runs []*wire.RunRequest
	if err := wire.Decode(body, &runs); err != nil {
		answer(rw, wire.Fail(err.Error()))
		return
	}
	w.batches.Add(1)
	accepted, mentioned := len(runs), len(runs)
	if w.broken != nil {
		accepted, mentioned = w.broken(len(runs))
	}
	all := wire.RunReplies{Code: wire.CodeOK}
	for i, req := range runs[:accepted] {
		w.accept(req, now)
		if i < mentioned {
			all.Runs = append(all.Runs, wire.RunReply{LogID: req.LogID, Code: wire.CodeOK})
		}
	}
	if mentioned < 0 {
		panic(http.ErrAbortHandler)
	}
	answer(rw, all)
}

// accept records a run and lets it end.
func (w *witness) accept(req *wire.RunRequest, now time.Time) {
	_, err := w.rec.Run(checker.Run{
		Job: int64(req.JobID), Log: int64(req.LogID), Due: checker.Instant(req.ScheduledTime),
		At: checker.At(now), Start: checker.At(now), End: checker.At(now), Code: wire.CodeOK,
	})
	if err != nil {
		w.t.Errorf("record a run: %v", err)
	}
	w.mu.Lock()
	if !w.began[req.LogID] {
		w.began[req.LogID] = true
		w.runs[int64(req.JobID)]++
	}
	w.ended = append(w.ended, wire.Callback{LogID: req.LogID, LogTime: req.LogTime, HandleCode: wire.CodeOK, HandleMsg: "seen"})
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // a report follows anyway
	}
	if w.arrived != nil {
		w.arrived(req)
	}
}

func (w *witness) log(rw http.ResponseWriter, r *http.Request) {
	var req wire.LogRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || wire.Decode(body, &req) != nil {
		answer(rw, wire.Fail("unreadable"))
		return
	}
	w.mu.Lock()
	began := w.began[req.LogID]
	w.mu.Unlock()
	result := wire.LogResult{FromLine: req.FromLine, ToLine: 0, Content: wire.MsgNoLogFile, End: true}
	if began {
		result = wire.LogResult{FromLine: req.FromLine, ToLine: 1, Content: "seen\n"}
	}
	answer(rw, wire.OK().WithPayload(result))
}

// report sends results until the witness ends.
func (w *witness) report(ctx context.Context) {
	defer close(w.stopped)
	pace := time.NewTicker(200 * time.Millisecond) // between attempts while no admin answers
	defer pace.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-pace.C:
		}
		w.mu.Lock()
		batch := w.ended[:min(len(w.ended), 200)]
		w.mu.Unlock()
		if len(batch) == 0 || w.silent.Load() || !w.send(ctx, batch) {
			continue
		}
		now := checker.At(time.Now())
		for _, c := range batch {
			if err := w.rec.Ack(checker.Ack{Log: int64(c.LogID), At: now}); err != nil {
				w.t.Errorf("record an acknowledgement: %v", err)
			}
		}
		w.mu.Lock()
		w.ended = append(wire.Callbacks(nil), w.ended[len(batch):]...)
		if len(w.ended) > 0 {
			select {
			case w.wake <- struct{}{}:
			default:
			}
		}
		w.mu.Unlock()
	}
}

var callbackClient = &http.Client{Timeout: 3 * time.Second}

func (w *witness) send(ctx context.Context, batch wire.Callbacks) bool {
	body, err := json.Marshal(batch)
	if err != nil {
		w.t.Errorf("encode results: %v", err)
		return false
	}
	for _, admin := range w.admins {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, admin+wire.AdminPath+wire.OpCallback, bytes.NewReader(body))
		if err != nil {
			w.t.Errorf("%v", err)
			return false
		}
		resp, err := callbackClient.Do(req)
		if err != nil {
			continue // killed or frozen; the next admin may answer
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			continue
		}
		if reply, err := wire.DecodeReply(data); err == nil && reply.Code == xxladapter.ResultOK {
			return true
		}
	}
	return false
}

// pending returns how many results no admin has accepted yet.
func (w *witness) pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.ended)
}

func TestAWitnessSaysWhatItHasSeen(t *testing.T) {
	t.Parallel()
	var history testserver.Output
	w := newWitness(t, checker.NewRecorder(&history, "w"), nil)
	post := func(path, body string) wire.Reply {
		resp, err := http.Post(w.server.URL+path, wire.ContentType, bytes.NewReader([]byte(body)))
		require.NoError(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		reply, err := wire.DecodeReply(data)
		require.NoError(t, err)
		return reply
	}
	require.Contains(t, string(post(wire.PathLog, `{"logId":7,"logDateTim":1,"fromLineNum":1}`).Payload), wire.MsgNoLogFile)
	require.Equal(t, wire.CodeOK, post(wire.PathRun, `{"jobId":3,"logId":7,"scheduledTime":5000}`).Code)
	require.Equal(t, wire.CodeOK, post(wire.PathRun, `{"jobId":3,"logId":7,"scheduledTime":5000}`).Code)
	require.NotContains(t, string(post(wire.PathLog, `{"logId":7,"logDateTim":1,"fromLineNum":1}`).Payload), wire.MsgNoLogFile)
	h, err := checker.Read(bytes.NewReader([]byte(history.String())))
	require.NoError(t, err)
	require.Len(t, h.Runs, 2, "a second arrival is not hidden")
	require.EqualValues(t, 5000, h.Runs[0].Due)
}
