package node

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestANodeSaysWhatItIsAndTestsItsChannels asks a node over HTTP. One of its channels takes the
// alarm, one refuses it, and one has no receiver.
func TestANodeSaysWhatItIsAndTestsItsChannels(t *testing.T) {
	got := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/refuses-everything") {
			http.Error(w, "no such robot refuses-everything", http.StatusForbidden)
			return
		}
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	}))
	defer receiver.Close()
	var channels []alarm.Channel
	for _, path := range []string{"/takes-everything", "/refuses-everything"} {
		hook, err := alarm.NewWebhook(alarm.Target{Name: path[1:5], URL: receiver.URL + path, Guard: alarm.Guard{Private: true}})
		require.NoError(t, err)
		channels = append(channels, hook)
	}
	mail, err := alarm.NewMail(alarm.MailOptions{Host: "127.0.0.1", From: "alarms@example.org"})
	require.NoError(t, err)
	n, err := New(Options{Store: memstore.New(time.Now), Version: "v1.2.3", Alarms: append(channels, mail)})
	require.NoError(t, err)
	call := func(method, path string) string {
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Host = "localhost"
		w := httptest.NewRecorder()
		n.http.Handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		return w.Body.String()
	}
	var test struct {
		Alarm    string
		Channels []struct{ Channel, Result, Error string }
	}
	require.NoError(t, json.Unmarshal([]byte(call("POST", "/api/v1/alarms/test")), &test))
	require.Len(t, test.Channels, 3)
	require.Equal(t, "SENT", test.Channels[0].Result)
	require.Equal(t, "FAILED", test.Channels[1].Result)
	require.Contains(t, test.Channels[1].Error, "403")
	require.NotContains(t, test.Channels[1].Error, "refuses-everything")
	require.Equal(t, "SKIPPED", test.Channels[2].Result)
	var sent struct{ ID, Kind, Source string }
	require.NoError(t, json.Unmarshal([]byte(<-got), &sent))
	require.Equal(t, test.Alarm, sent.ID)
	require.Equal(t, "test", sent.Kind)
	require.Equal(t, n.Name(), sent.Source)

	var is struct {
		Version, Node string
		Alarms        []string
		Retention     struct{ SuccessesSeconds int }
		Limits        struct{ FastPool, DrainMs, SkewLimitMs int }
	}
	require.NoError(t, json.Unmarshal([]byte(call("GET", "/api/v1/info")), &is))
	require.Equal(t, "v1.2.3", is.Version)
	require.Equal(t, n.Name(), is.Node)
	require.Equal(t, []string{"take", "refu", "mail"}, is.Alarms)
	require.Equal(t, 600, is.Retention.SuccessesSeconds)
	require.Equal(t, 200, is.Limits.FastPool)
	require.Equal(t, 10000, is.Limits.DrainMs)
	require.Equal(t, 2000, is.Limits.SkewLimitMs)
}
