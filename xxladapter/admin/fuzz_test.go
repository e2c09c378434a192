package admin

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/executorapi"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// fuzzed returns a server with a group, for arbitrary requests.
func fuzzed(f *testing.F) *Server {
	store := memstore.New(time.Now)
	s, err := New(Options{Store: store, Completer: &fakeCompleter{store: store}, Executors: new(fakeExecutors), Purger: new(purgeNote), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(f, err)
	s.EndStreams() // a stream of events would not end
	s.executors.JobCalls.SetLimit(1e9)
	_, err = store.SaveGroup(f.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(f, err)
	return s
}

// FuzzCalls sends any body and any query to any call of the management API, and any value of the
// parameters in its path. The answer is one that the API's document describes, and never an
// internal error.
func FuzzCalls(f *testing.F) {
	s := fuzzed(f)
	calls := s.calls()
	for i := range calls {
		for _, body := range []string{
			``, `{}`, `null`, `[]`, `{"id":1}`, `{"appName":"some-app","name":"n","author":"a","executorHandler":"h"}`,
			`{"appName":"other-app","addressType":1,"addressList":["http://10.0.0.7:9999/"],"accessToken":"12345678"}`,
			`{"scheduleType":"CRON","scheduleConf":"0 0 2 ? * 6#3","childJobIds":[1,2],"settings":{"zone":"Europe/Berlin","misfireWindowMs":1}}`,
			`{"executorTimeout":9223372036854775807}`, `{"name":"\ud800"}`, `{"addressList":["http://[::1"]}`,
		} {
			f.Add(uint8(i), "1", "", body)
		}
		for _, value := range []string{"0", "-1", "9223372036854775808", "cn", "\x00", "\xff", "1 OR 1=1"} {
			f.Add(uint8(i), value, "", `{}`)
		}
		f.Add(uint8(i), "1", "after=1&limit=1&newest&since=2026-01-02T15:04:05Z&expr=*+*+*+*+*+%3F&count=3&running=x&from=1", `{}`)
	}
	f.Fuzz(func(t *testing.T, which uint8, value, query, body string) {
		if value == "" || value == "." || value == ".." || strings.Contains(value, "/") {
			t.Skip("net/http leads this path elsewhere")
		}
		c := calls[int(which)%len(calls)]
		u := &url.URL{Path: pathParameter.ReplaceAllLiteralString(c.Path, value), RawQuery: query}
		r := httptest.NewRequest(c.Method, "http://127.0.0.1/", strings.NewReader(body))
		r.URL = u
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.NotEqual(t, http.StatusInternalServerError, w.Code, w.Body)
		require.True(t, len(c.Produces) > 0 && w.Code == http.StatusOK || json.Valid(w.Body.Bytes()), w.Body)
		if w.Code != http.StatusOK {
			var failure api.Error
			d := json.NewDecoder(bytes.NewReader(w.Body.Bytes()))
			d.DisallowUnknownFields()
			require.NoError(t, d.Decode(&failure))
			require.NotEmpty(t, failure.Code)
			require.NotEmpty(t, failure.Message)
			require.NotContains(t, failure.Message, "\n", "one line")
		}
	})
}

// FuzzExecutorCalls sends any body to any operation. The answer has status 200 and is a reply.
func FuzzExecutorCalls(f *testing.F) {
	s := fuzzed(f)
	ops := []string{
		wire.OpRegistry, wire.OpRegistryRemove, wire.OpCallback, wire.OpAddJob, wire.OpUpdateJob, wire.OpRemoveJob,
		wire.OpStartJob, wire.OpStopJob, wire.OpTriggerJob, wire.OpAccept, wire.OpFeed, wire.OpDeclare,
	}
	require.Len(f, executorapi.Operations(), len(ops))
	recorded, err := filepath.Glob("../wire/testdata/*/*.http")
	require.NoError(f, err)
	for _, name := range recorded {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		_, body, _ := bytes.Cut(data, []byte("\r\n\r\n"))
		for i := range ops {
			f.Add(uint8(i), string(body))
		}
	}
	f.Add(uint8(len(ops)-1), `{"jobs":[`+hourly+`,`+after+`],"overwrite":["after"]}`)
	s.opts.AllowDeclare = true
	_, err = s.opts.Store.SaveGroup(f.Context(), &xxladapter.Group{AppName: codeApp, Title: codeApp, AccessToken: codeToken})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		op := ops[int(which)%len(ops)]
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+wire.AdminPath+op, strings.NewReader(body))
		if op == wire.OpDeclare {
			r.Header.Set(wire.HeaderAppName, codeApp)
			r.Header.Set(wire.HeaderToken, codeToken)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code)
		var out struct {
			Code    int
			Msg     *string
			Success bool
		}
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		require.Contains(t, []int{wire.CodeOK, wire.CodeFail}, out.Code)
		require.Equal(t, out.Code == wire.CodeOK, out.Success)
		if out.Msg != nil {
			require.NotContains(t, *out.Msg, "internal error")
		}
	})
}
