package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestAGroupShowsWhatWaitsInItsQueue reads the queue along with the executors.
func TestAGroupShowsWhatWaitsInItsQueue(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.Queue = new(fakeQueue) })
	for app, want := range map[string]string{
		"queued-app": `{"runs":7,"oldest":"2026-01-01T00:00:00Z","redelivered":2}`,
		"broken-app": `{"runs":0,"redelivered":0,"error":"no broker"}`,
		"http-app":   "",
	} {
		address := "nats://" + app + "/a"
		if want == "" {
			address = "http://10.0.0.7:9999/"
		}
		id, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: app, Title: app, AddressType: xxladapter.AddressManual, Addresses: []string{address}})
		require.NoError(t, err)
		status, body := s.do("GET", fmt.Sprintf("/api/v1/groups/%d/executors", id), testToken, "")
		require.Equal(t, http.StatusOK, status)
		var got struct{ Queue json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(body), &got))
		if want == "" {
			require.Nil(t, got.Queue)
			continue
		}
		require.JSONEq(t, want, string(got.Queue))
	}
}

// TestAnAddressWithoutAnExecutorIsNotProbed has both forms of an address of a queue in one group.
func TestAnAddressWithoutAnExecutorIsNotProbed(t *testing.T) {
	calls := &fakeExecutors{}
	s := siteWith(t, func(o *Options) { o.Queue, o.Executors = new(fakeQueue), calls })
	id, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "queued-app", Title: "queued", AddressType: xxladapter.AddressManual, Addresses: []string{"nats://queued-app", "nats://queued-app/a"}})
	require.NoError(t, err)
	status, body := s.do("GET", fmt.Sprintf("/api/v1/groups/%d/executors", id), testToken, "")
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, []string{"nats://queued-app/a queued-app"}, calls.asked)
	var got struct{ Executors json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(body), &got))
	require.JSONEq(t, `[
		{"address":"nats://queued-app","alive":false,"shared":true,"runsNow":0},
		{"address":"nats://queued-app/a","alive":true,"generation":"G3","roundTripMs":1.5,"runsNow":0}
	]`, string(got.Executors))
}
