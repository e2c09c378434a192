package admin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A brittleStore panics when it is asked for one job, or to edit any.
type brittleStore struct {
	Store
	job  int64 // 0 means none
	edit bool
}

func (s *brittleStore) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	if id == s.job {
		panic("as asked")
	}
	return s.Store.Job(ctx, id)
}

func (s *brittleStore) EditJobs(
	ctx context.Context, edits []xxladapter.JobEdit, whole bool,
) ([]xxladapter.JobEdited, error) {
	if s.edit {
		panic("as asked")
	}
	return s.Store.EditJobs(ctx, edits, whole)
}

// TestAPanicInABulkCallIsAnErrorOfItsJobs has panics in the goroutines of a bulk call: of a read of
// one job, of the edit of all jobs together, and of a function of the options.
func TestAPanicInABulkCallIsAnErrorOfItsJobs(t *testing.T) {
	var logged bytes.Buffer
	brittle := new(brittleStore)
	s := siteWith(t, func(o *Options) {
		brittle.Store, o.Store = o.Store, brittle
		o.Planned = func(xxladapter.Fire) { panic("as asked") }
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	})
	for range 3 {
		s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	}
	for _, c := range []struct {
		action string
		job    int64
		edit   bool
		failed []int64
	}{
		{"start", 2, false, []int64{2}},
		{"stop", 0, true, []int64{1, 2, 3}},
		{"stop", 2, true, []int64{1, 2, 3}}, // the edit of the others may be made where job 2 ends
		{"trigger", 0, false, []int64{1, 2, 3}},
		{"start", 0, false, nil},
	} {
		logged.Reset()
		brittle.job, brittle.edit = c.job, c.edit
		results, last := s.bulk(`{"action":"` + c.action + `","filter":{"all":true}}`)
		require.Equal(t, bulkLine{Done: true, Succeeded: 3 - len(c.failed), Failed: len(c.failed)}, last, c)
		for _, id := range c.failed {
			require.Equal(t, xxladapter.Code("internal"), results[id].Error.Code, c)
			require.Equal(t, "internal error", results[id].Error.Message, c)
		}
		require.Equal(t, len(c.failed), strings.Count(logged.String(), "panic: as asked"), "%v: %s", c, &logged)
		require.Equal(t, len(c.failed), strings.Count(logged.String(), "panics_test.go:"), "%v: the stacks", c)
	}
}

// A brittleExecutors panics when an executor is probed, or asked for a log before healed is set.
type brittleExecutors struct {
	Executors
	healed bool
}

func (e *brittleExecutors) Probe(context.Context, string, string) (trigger.Probe, error) {
	panic("as asked")
}

func (e *brittleExecutors) Log(ctx context.Context, addr, app string, req wire.LogRequest) (wire.LogResult, error) {
	if e.healed {
		return e.Executors.Log(ctx, addr, app, req)
	}
	panic("as asked")
}

// A brittleQueue panics when it is asked for its state.
type brittleQueue struct{ Broker }

func (brittleQueue) State(context.Context, string) (xxladapter.QueueState, error) { panic("as asked") }

// TestAPanicOfAProbeIsAnErrorOfTheCall has panics in the goroutines that ask the executors of a
// group and its queue.
func TestAPanicOfAProbeIsAnErrorOfTheCall(t *testing.T) {
	for _, address := range []string{"http://10.0.0.7:9999/", "nats://some-app"} {
		var logged bytes.Buffer
		s := siteWith(t, func(o *Options) {
			o.Executors, o.Queue = &brittleExecutors{Executors: o.Executors}, brittleQueue{}
			o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		})
		_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{
			AppName: "some-app", Title: "g", AddressType: xxladapter.AddressManual, Addresses: []string{address},
		})
		require.NoError(t, err)
		status, body := s.do("GET", "/api/v1/groups/1/executors", testToken, "")
		require.Equal(t, http.StatusInternalServerError, status, address)
		require.JSONEq(t, `{"code":"internal","message":"internal error"}`, body, address)
		require.Contains(t, logged.String(), "panics_test.go:", "the stack")
	}
}

// TestAPanicEndsATail has one where the text of a run is read for all its viewers.
func TestAPanicEndsATail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		e := new(brittleExecutors)
		s := siteInBubble(t, func(o *Options) {
			e.Executors, o.Executors = o.Executors, e
			o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
		})
		run := s.run(s.createJob(""), xxladapter.ResultOK)
		viewer := s.stream("/api/v1/runs/1/tail", "")
		var last runs.TailForm
		_, _, ended := viewer.next(&last)
		require.False(t, ended)
		require.Equal(t, runs.TailForm{End: true, Note: "internal error"}, last)
		_, _, ended = viewer.next(&last)
		require.True(t, ended)
		require.Zero(t, s.server.runs.Watched())
		require.Contains(t, logged.String(), "panic: as asked")
		require.Contains(t, logged.String(), "panics_test.go:", "the stack")

		e.healed = true
		s.endRun(run, "")
		s.stream("/api/v1/runs/1/tail", "").next(&last)
		require.Equal(t, "one\ntwo\n", last.Content, "the next viewer has the text")
	})
}

// A panickingStore panics in every method.
type panickingStore struct{ xxladapter.Store }

func TestAPanicDoesNotEndTheServer(t *testing.T) {
	var logged bytes.Buffer
	s, err := New(Options{Store: panickingStore{}, Completer: new(fakeCompleter), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/api/v1/jobs", nil))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.Contains(t, logged.String(), "handler panicked")
	require.Equal(t, 1, strings.Count(logged.String(), "level=ERROR"), "one line for one panic: %s", &logged)
	require.Contains(t, logged.String(), "listJobs", "the stack")
	require.Equal(t, "application/json; charset=utf-8", w.Header().Get("Content-Type"))
	require.JSONEq(t, `{"code":"internal","message":"internal error"}`, w.Body.String(), "as every other fault, without its cause")
}

// TestAPanicBeforeACallIsAnsweredAsOneInIt makes the store panic while the server looks for the
// caller.
func TestAPanicBeforeACallIsAnsweredAsOneInIt(t *testing.T) {
	s, err := New(Options{Store: panickingStore{}, Completer: new(fakeCompleter), Logger: slog.New(slog.DiscardHandler), Accounts: new(accounts.Accounts)})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/api/v1/jobs", nil))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.JSONEq(t, `{"code":"internal","message":"internal error"}`, w.Body.String())
}

// A farStore has a misfire of the year 10000.
type farStore struct{ Store }

func (farStore) Misfires(context.Context, xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	return []xxladapter.Misfire{{ID: 1, JobID: 1, Due: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}}, nil
}

// TestAnAnswerThatCannotBeEncodedIsAFault answers with a time that has no form in JSON.
func TestAnAnswerThatCannotBeEncodedIsAFault(t *testing.T) {
	var logged bytes.Buffer
	s := siteWith(t, func(o *Options) {
		o.Store = farStore{o.Store}
		o.Logger = slog.New(slog.NewTextHandler(&logged, nil))
	})
	job := s.createJob("")
	status, answer := s.do("GET", fmt.Sprintf("/api/v1/jobs/%d/misfires", job), testToken, "")
	require.Equal(t, http.StatusInternalServerError, status, answer)
	require.JSONEq(t, `{"code":"internal","message":"internal error"}`, answer)
	require.Contains(t, logged.String(), "encode answer")
}

// A panickingAudit panics after the first page.
type panickingAudit struct{ Store }

func (s panickingAudit) AuditRows(_ context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	if f.AfterID > 0 {
		panic("behind the first page")
	}
	rows := make([]xxladapter.AuditRow, f.Limit)
	rows[f.Limit-1].ID = 1
	return rows, nil
}

// TestAPanicCutsOffAnAnswerThatHasBegun checks that nobody can take a part of an answer for the
// whole. A panic before the answer begins is answered with status 500.
func TestAPanicCutsOffAnAnswerThatHasBegun(t *testing.T) {
	for path, status := range map[string]int{
		"/api/v1/audit/export": 0, "/stream": 0, "/page": 0, "/before": http.StatusInternalServerError,
	} {
		synctest.Test(t, func(t *testing.T) {
			var logged bytes.Buffer
			s := siteInBubble(t, func(o *Options) {
				o.Store, o.Logger = panickingAudit{o.Store}, slog.New(slog.NewTextHandler(&logged, nil))
			})
			s.server.mux.HandleFunc("GET /stream", func(w http.ResponseWriter, _ *http.Request) {
				api.Stream{Kind: api.JSONLines, Write: func(w *api.StreamWriter) error {
					_ = w.Line(1)
					panic("behind the first line")
				}}.Serve(w)
			})
			s.server.mux.HandleFunc("GET /page", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("a part that is still in a buffer"))
				panic("in a page")
			})
			s.server.mux.HandleFunc("GET /before", func(http.ResponseWriter, *http.Request) { panic("before the answer") })
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			require.NoError(t, err)
			req.Header.Set(wire.HeaderToken, testToken)
			req.Close = true // no connection stays open when the bubble ends
			resp, err := s.client.Do(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				require.NoError(t, resp.Body.Close())
			}
			if status == 0 {
				require.ErrorContains(t, err, "EOF", path)
			} else {
				require.NoError(t, err, path)
				require.Equal(t, status, resp.StatusCode, path)
			}
			synctest.Wait()
			require.Equal(t, 1, strings.Count(logged.String(), "handler panicked"), "%s: %s", path, &logged)
		})
	}
}
