package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// echo fails with the run's parameter, if it has one.
func echo(_ context.Context, run *Run) error {
	if run.Param == "" {
		return nil
	}
	return errors.New(run.Param)
}

func withEcho(t testing.TB) func(*Executor) {
	return func(e *Executor) { require.NoError(t, e.Handle("echo", echo)) }
}

func TestResultsAreKeptUntilAnAdminTookThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admin := &fakeAdmin{down: true}
		dir := t.TempDir()
		e := startWith(t, admin, Options{DataDir: dir}, withEcho(t))
		for id := int64(1); id <= 3; id++ {
			e.post("/run", beanRun(7, id, "echo"))
		}
		synctest.Wait()
		require.Empty(t, admin.results())
		e.stop()

		// After a restart, an admin refuses the results.
		refuses := &fakeAdmin{fail: func(*http.Request, []byte) *wire.Reply {
			no := wire.Fail("database is down")
			return &no
		}}
		e = startWith(t, refuses, Options{DataDir: dir}, withEcho(t))
		time.Sleep(time.Minute)
		e.stop()

		// After the next restart, an admin accepts them in the order in which the runs ended.
		e = startWith(t, admin, Options{DataDir: dir}, withEcho(t))
		admin.setDown(false)
		time.Sleep(time.Minute)
		require.Equal(t, []int64{1, 2, 3}, logIDs(admin.results()))
		e.stop()

		// From then on they are no longer kept.
		startWith(t, admin, Options{DataDir: dir}, withEcho(t))
		time.Sleep(time.Minute)
		require.Len(t, admin.results(), 3)
	})
}

func logIDs(list []wire.Callback) []int64 {
	ids := []int64{}
	for _, c := range list {
		ids = append(ids, int64(c.LogID))
	}
	return ids
}

// TestResultIsOnDiskWhileItIsSent checks that the journal contains a result while its request is in
// flight. XXL-JOB deletes its retry file before it sends the content (2.4.2,
// TriggerCallbackThread.java); here a result leaves the journal after the acknowledgement.
func TestResultIsOnDiskWhileItIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var during []result
		admin := &fakeAdmin{}
		admin.fail = func(r *http.Request, _ []byte) *wire.Reply {
			if strings.HasSuffix(r.URL.Path, wire.OpCallback) {
				during = readState(t, dir).results
			}
			return nil
		}
		e := startWith(t, admin, Options{DataDir: dir}, withEcho(t))
		run := beanRun(7, 5, "echo")
		run.Params = "boom"
		e.post("/run", run)
		synctest.Wait()
		require.Equal(t, []result{{logID: 5, jobID: 7, logTime: int64(run.LogTime), code: 500, msg: "boom"}}, during)
		require.Empty(t, readState(t, dir).results, "acknowledged, and still kept")
	})
}

func TestRetryBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		admin := &fakeAdmin{}
		admin.fail = func(r *http.Request, _ []byte) *wire.Reply {
			if !strings.HasSuffix(r.URL.Path, wire.OpCallback) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began))
			no := wire.Fail("no")
			return &no
		}
		e := startWith(t, admin, Options{}, withEcho(t))
		e.post("/run", beanRun(7, 1, "echo"))
		time.Sleep(10 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		want := time.Second
		for i := 1; i < len(at); i++ {
			gap := at[i] - at[i-1]
			require.LessOrEqual(t, gap, want)
			require.GreaterOrEqual(t, gap, want*3/4)
			want = min(2*want, 30*time.Second)
		}
		require.Greater(t, len(at), 20, "it gives up")
	})
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admin := &fakeAdmin{down: true}
		e := startWith(t, admin, Options{}, withEcho(t))
		const runs = 3*maxBatch + 7
		for id := int64(1); id <= runs; id++ {
			e.post("/run", beanRun(7, id, "echo"))
		}
		synctest.Wait()
		admin.setDown(false)
		time.Sleep(time.Minute)
		results := admin.results()
		require.Len(t, results, runs)
		for i, c := range results {
			require.EqualValues(t, i+1, c.LogID, "order of one job")
		}
		for _, n := range admin.batches {
			require.LessOrEqual(t, n, maxBatch)
		}
		require.Less(t, len(admin.batches), 10)
	})
}

func TestBatchesAreBoundedInBytes(t *testing.T) {
	long := strings.Repeat("x", 400<<10)
	list := []result{{msg: long}, {msg: long}, {msg: long}}
	require.Len(t, bounded(list, maxBatchBytes), 2)
	require.Len(t, bounded([]result{{msg: strings.Repeat("x", 2<<20)}, {}}, maxBatchBytes), 1, "one always goes")
	require.Empty(t, bounded(nil, maxBatchBytes))

	list = nil
	for range 30 {
		list = append(list, result{msg: strings.Repeat("<", maxMsg)}) // each is encoded as six bytes
	}
	body, err := json.Marshal(callbacksOf(bounded(list, maxBatchBytes)))
	require.NoError(t, err)
	require.LessOrEqual(t, len(body), maxBatchBytes)
}

// TestRefusedResult checks that a result that an admin cannot accept delays only the results of its
// own job, which keep their order, until the admin accepts it.
func TestRefusedResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admin := &fakeAdmin{down: true}
		admin.fail = func(_ *http.Request, body []byte) *wire.Reply {
			if strings.Contains(string(body), "poison") {
				no := wire.Fail("cannot read that")
				return &no
			}
			return nil
		}
		e := startWith(t, admin, Options{}, withEcho(t))
		for id := int64(1); id <= 20; id++ {
			run := beanRun(id%5, id, "echo")
			if id == 7 {
				run.Params = "poison"
			}
			e.post("/run", run)
			synctest.Wait()
		}
		admin.setDown(false)
		time.Sleep(5 * time.Minute)
		others := logIDs(admin.results())
		require.ElementsMatch(t, []int64{1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 13, 14, 15, 16, 18, 19, 20}, others)
		for id := int64(6); id <= 20; id++ {
			if id%5 != 2 {
				require.Less(t, slices.Index(others, id-5), slices.Index(others, id), "order of one job")
			}
		}

		// Another job's results are still sent.
		e.post("/run", beanRun(3, 23, "echo"))
		time.Sleep(5 * time.Minute)
		require.Equal(t, "200", e.outcome(23))

		admin.mu.Lock()
		admin.fail = nil
		admin.mu.Unlock()
		time.Sleep(5 * time.Minute)
		all := logIDs(admin.results())
		require.Equal(t, []int64{7, 12, 17}, all[len(all)-3:])
	})
}

// TestARefusedResultDelaysNoOtherJob has an admin refuse the result of one job. Runs of other jobs
// end before the first refusal and between later ones, and the test checks when their results reach
// the admin. The refused result is tried again less and less often.
func TestARefusedResultDelaysNoOtherJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusals := 0
		admin := &fakeAdmin{down: true}
		admin.fail = func(_ *http.Request, body []byte) *wire.Reply {
			if !strings.Contains(string(body), "poison") {
				return nil
			}
			refusals++
			no := wire.Fail("cannot read that")
			return &no
		}
		e := startWith(t, admin, Options{}, withEcho(t))
		send := func(job, id int64, param string) {
			run := beanRun(job, id, "echo")
			run.Params = param
			require.Equal(t, wire.OK(), e.post("/run", run))
		}
		send(1, 1, "poison")
		synctest.Wait()
		const others = 200
		for id := range int64(others) {
			send(2+id%7, 2+id, "")
		}
		synctest.Wait()
		admin.setDown(false)
		time.Sleep(callbackRetry + time.Second) // the first pause after the outage, and a little more
		require.Len(t, admin.results(), others)

		for i := range int64(20) {
			time.Sleep(20 * time.Second) // the refused result alone is tried again meanwhile
			send(2, 1000+i, "")
			time.Sleep(time.Second / callbackRate)
			synctest.Wait()
			require.Len(t, admin.results(), others+int(i)+1)
		}
		admin.mu.Lock()
		defer admin.mu.Unlock()
		require.Less(t, refusals, 200)
	})
}

// TestResultsThatAreTooLargeTogether lets results arrive at an admin whose proxy answers large
// requests with status 413.
func TestResultsThatAreTooLargeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 512 << 10
		admin := &fakeAdmin{}
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.ContentLength > limit {
				body := io.NopCloser(strings.NewReader("<h1>413 Request Entity Too Large</h1>"))
				return &http.Response{StatusCode: http.StatusRequestEntityTooLarge, Header: http.Header{}, Body: body}, nil
			}
			return admin.RoundTrip(r)
		})}
		admin.setDown(true)
		e := startWith(t, admin, Options{HTTPClient: client}, withEcho(t))
		for id := int64(1); id <= 20; id++ {
			run := beanRun(7, id, "echo")
			run.Params = strings.Repeat("<br>\n", 10_000) // each bracket is encoded as six bytes
			e.post("/run", run)
		}
		synctest.Wait()
		admin.setDown(false)
		time.Sleep(5 * time.Minute)
		require.Len(t, admin.results(), 20)
		require.True(t, slices.IsSorted(logIDs(admin.results())))
	})
}

// TestCallbackShapeIsFoundOut uses an admin of the unreleased 3.5 (OpenApiController.java), which
// refuses the bare list that all releases take and accepts the object.
func TestCallbackShapeIsFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var lists, objects int
		admin := &fakeAdmin{}
		admin.fail = func(r *http.Request, body []byte) *wire.Reply {
			if !strings.HasSuffix(r.URL.Path, wire.OpCallback) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if strings.HasPrefix(string(body), "[") {
				lists++
				no := wire.Fail("openapi invoke error: Expected BEGIN_OBJECT but was BEGIN_ARRAY")
				return &no
			}
			objects++
			return nil
		}
		e := startWith(t, admin, Options{AccessToken: "secret"}, withEcho(t))
		for id := int64(1); id <= 3; id++ {
			e.post("/run", beanRun(7, id, "echo"))
			synctest.Wait()
		}
		require.Equal(t, []int64{1, 2, 3}, logIDs(admin.results()))
		require.Equal(t, 1, lists, "the shape is not remembered")
		require.Equal(t, 3, objects)
		require.Equal(t, "secret", admin.headers.Get("XXL-JOB-ACCESS-TOKEN"))
		require.Equal(t, "orders", admin.headers.Get("XXL-JOB-APPNAME"))
		require.Equal(t, "application/json;charset=UTF-8", admin.headers.Get("Content-Type"))
	})
}

func TestFailOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admin := &fakeAdmin{}
		admin.fail = func(r *http.Request, _ []byte) *wire.Reply {
			if r.Host == "third" {
				return nil
			}
			no := wire.Fail("standby")
			return &no
		}
		e := startWith(t, admin, Options{Admins: []string{"http://first/xxl-job-admin, http://second/", "http://third"}}, withEcho(t))
		synctest.Wait()
		require.Equal(t, []string{"first/xxl-job-admin/api/registry", "second/api/registry", "third/api/registry"}, admin.calls)
		e.post("/run", beanRun(7, 1, "echo"))
		synctest.Wait()
		require.Equal(t, "200", e.outcome(1))
		require.Equal(t, "third/api/callback", admin.calls[len(admin.calls)-1])
		require.Len(t, admin.calls, 4, "the one that answered last is asked first")
	})
}

// TestOnlyCode200Acknowledges checks that an answer with another status or without code 200
// acknowledges nothing.
func TestOnlyCode200Acknowledges(t *testing.T) {
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"status 500": {500, `{"code":200}`},
		"status 302": {302, `{"code":200}`},
		"empty":      {200, ``},
		"no code":    {200, `{"msg":"ok"}`},
		"html":       {200, `<html>login</html>`},
		"null":       {200, `null`},
		"code 500":   {200, `{"code":500}`},
		"code 0":     {200, `{"code":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: answer.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer.body))}, nil
				})}
				e := start(t, Options{HTTPClient: client, DataDir: dir}, withEcho(t))
				e.post("/run", beanRun(7, 1, "echo"))
				time.Sleep(time.Minute)
				e.stop()
				require.Len(t, readState(t, dir).results, 1)
			})
		})
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLostReplyRepeatsTheResult checks that a result is sent again when the reply was lost. Admins
// expect repeated results.
func TestLostReplyRepeatsTheResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		admin := &fakeAdmin{}
		lost := false
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			resp, err := admin.RoundTrip(r)
			if strings.HasSuffix(r.URL.Path, wire.OpCallback) && !lost {
				lost = true
				return nil, fmt.Errorf("read: connection reset")
			}
			return resp, err
		})}
		e := startWith(t, admin, Options{HTTPClient: client}, withEcho(t))
		e.post("/run", beanRun(7, 1, "echo"))
		time.Sleep(time.Minute)
		require.Equal(t, []int64{1, 1}, logIDs(admin.results()))
	})
}

func TestWithoutAdminsNothingIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e := start(t, Options{Admins: []string{}, DataDir: dir}, withEcho(t))
		run := beanRun(7, 1, "echo")
		e.post("/run", run)
		time.Sleep(time.Minute)
		require.Empty(t, e.admin.calls)
		require.Contains(t, e.readLog(run, 1).Content, "run ends: code 200")
		require.Equal(t, "repeat trigger job, logId:1", e.post("/run", run).Msg)
		e.stop()
		require.Empty(t, readState(t, dir).results)
		require.Empty(t, readState(t, dir).open)
	})
}

// TestResultsAreGatheredUnderLoad lets a run end every millisecond: the requests with results are
// limited, and none of the results waits for long.
func TestResultsAreGatheredUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		admin := &fakeAdmin{fail: func(r *http.Request, _ []byte) *wire.Reply {
			if strings.HasSuffix(r.URL.Path, wire.OpCallback) {
				requests.Add(1)
			}
			return nil
		}}
		e := startWith(t, admin, Options{}, withEcho(t))
		const runs = 1000
		for id := range int64(runs) {
			require.Equal(t, wire.CodeOK, e.post(wire.PathRun, beanRun(1+id%7, 1+id, "echo")).Code)
			if id == 0 {
				synctest.Wait()
				require.Len(t, admin.results(), 1, "nothing to wait for")
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second / callbackRate)
		synctest.Wait()
		require.Len(t, admin.results(), runs)
		require.LessOrEqual(t, requests.Load(), int64(callbackBurst+callbackRate+1), "in a second")
		require.Greater(t, requests.Load(), int64(callbackRate/2))
	})
}
