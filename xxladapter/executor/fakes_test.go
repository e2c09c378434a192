package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// fakeAdmin records the calls of an executor. It serves over HTTP, and in bubbles directly, as an
// [http.RoundTripper].
type fakeAdmin struct {
	mu        sync.Mutex
	registry  []wire.Registry
	removed   []wire.Registry
	callbacks []wire.Callback
	batches   []int
	calls     []string // host and path of every call
	headers   http.Header
	fail      func(r *http.Request, body []byte) *wire.Reply // nil accepts everything
	down      bool                                           // as if the admin did not listen
}

func (a *fakeAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, r.Host+r.URL.Path)
	a.headers = r.Header.Clone()
	reply := wire.OK()
	if a.fail != nil {
		if refused := a.fail(r, body); refused != nil {
			answer, _ := refused.MarshalAdmin()
			_, _ = w.Write(answer)
			return
		}
	}
	switch r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] {
	case wire.OpRegistry:
		var reg wire.Registry
		_ = json.Unmarshal(body, &reg)
		a.registry = append(a.registry, reg)
	case wire.OpRegistryRemove:
		var reg wire.Registry
		_ = json.Unmarshal(body, &reg)
		a.removed = append(a.removed, reg)
	case wire.OpCallback:
		var list wire.Callbacks
		if err := wire.Decode(body, &list); err != nil {
			reply = wire.Fail(wire.PrefixOpenAPIErr + err.Error())
			break
		}
		a.callbacks = append(a.callbacks, list...)
		a.batches = append(a.batches, len(list))
	}
	answer, _ := reply.MarshalAdmin()
	_, _ = w.Write(answer)
}

type errDown struct{}

func (errDown) Error() string { return "connection refused" }

func (a *fakeAdmin) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	down := a.down
	a.mu.Unlock()
	if down {
		return nil, errDown{}
	}
	w := httptest.NewRecorder()
	in := r.Clone(r.Context())
	in.Host = r.URL.Host
	a.ServeHTTP(w, in)
	return w.Result(), nil
}

func (a *fakeAdmin) setDown(down bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down = down
}

func (a *fakeAdmin) results() []wire.Callback {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.callbacks)
}

func (a *fakeAdmin) result(logID int64) *wire.Callback {
	for _, c := range a.results() {
		if int64(c.LogID) == logID {
			return &c
		}
	}
	return nil
}

func (a *fakeAdmin) beats() (registered, removed int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.registry), len(a.removed)
}

// running is an executor in a test, with the admin it calls. Without Options.Listen it does not
// listen: requests are passed to ServeHTTP, which also works in a bubble.
type running struct {
	*Executor
	t     testing.TB
	admin *fakeAdmin
	stop  func() // ends the executor and waits; may be called twice
}

func quietLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

// start runs an executor until the test ends. Options that are not set are filled in for a test
// without a network.
func start(t testing.TB, o Options, setup func(*Executor)) *running {
	t.Helper()
	admin := &fakeAdmin{}
	return startWith(t, admin, o, setup)
}

func startWith(t testing.TB, admin *fakeAdmin, o Options, setup func(*Executor)) *running {
	t.Helper()
	if o.Admins == nil {
		o.Admins = []string{"http://admin"}
	}
	setZero(&o.AppName, "orders")
	setZero(&o.DataDir, t.TempDir())
	if o.Listen == "" {
		o.NoListen = true
		setZero(&o.Address, "http://10.0.0.7:9999/")
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Transport: admin}
	}
	o.Logger = quietLogger()
	o.NoSync = true
	e, err := New(o)
	require.NoError(t, err)
	if setup != nil {
		setup(e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var failed error
	ended := make(chan struct{})
	go func() { // stop waits for it
		failed = e.Run(ctx)
		close(ended)
	}()
	r := &running{Executor: e, t: t, admin: admin}
	r.stop = func() {
		cancel()
		// Not in a sync.Once: in a bubble a second call, as after a failed assertion, would keep
		// the time of the first one from passing.
		<-ended
		if failed != nil {
			t.Errorf("Run: %v", failed)
		}
	}
	t.Cleanup(r.stop)
	<-e.Ready()
	return r
}

// post sends a body and returns the reply.
func (r *running) post(path string, body any) wire.Reply {
	r.t.Helper()
	reply, err := r.tryPost(path, body)
	require.NoError(r.t, err)
	return reply
}

func (r *running) tryPost(path string, body any) (wire.Reply, error) {
	w := r.raw(http.MethodPost, path, body, nil)
	return wire.DecodeReply(w.Body.Bytes())
}

// raw sends text as it is, and anything else as JSON.
func (r *running) raw(method, path string, body any, header map[string]string) *httptest.ResponseRecorder {
	text, ok := body.(string)
	if !ok {
		data, _ := json.Marshal(body)
		text = string(data)
	}
	req := httptest.NewRequest(method, "http://127.0.0.1:9999"+path, bytes.NewBufferString(text))
	if r.opts.AccessToken != "" {
		req.Header.Set(wire.HeaderToken, r.opts.AccessToken)
		req.Header.Set(wire.HeaderAppName, r.opts.AppName)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	return w
}

// beanRun returns a run of a handler, triggered now.
func beanRun(jobID, logID int64, handler string) wire.RunRequest {
	return wire.RunRequest{
		JobID: wire.Int(jobID), LogID: wire.Int(logID), Handler: handler, GlueType: "BEAN",
		LogTime: wire.Int(time.Now().UnixMilli()), BroadcastTotal: 1,
	}
}

// endsWithin is longer than a child process takes on a busy machine.
const endsWithin = time.Minute

func newRecorder() *httptest.ResponseRecorder { return httptest.NewRecorder() }

func newPost(path string) *http.Request {
	return httptest.NewRequest(http.MethodPost, "http://127.0.0.1:9999"+path, nil)
}
