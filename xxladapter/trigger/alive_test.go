package trigger

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestAnExecutorThatStopsIsAlive checks that an executor that finishes its last runs gets no
// further ones, and is not taken for dead.
func TestAnExecutorThatStopsIsAlive(t *testing.T) {
	for _, tt := range []struct {
		reply        wire.Reply
		takes, lives bool
	}{
		{wire.OK(), true, true},
		{wire.Fail(wire.MsgStopping), false, true},
		{wire.Fail("executor is not running"), false, false},
		{wire.Fail(wire.MsgWrongToken), false, false},
	} {
		text, err := json.Marshal(tt.reply)
		require.NoError(t, err)
		addr, calls := serving(t, http.StatusOK, string(text))
		c := client(t, ClientOptions{})
		require.Equal(t, tt.takes, c.Beat(t.Context(), addr) == nil, tt.reply.Msg)
		require.Equal(t, tt.lives, c.Alive(t.Context(), addr, "some-app") == nil, tt.reply.Msg)
		require.Equal(t, []string{wire.PathBeat, wire.PathBeat}, *calls)
	}
	require.Error(t, client(t, ClientOptions{}).Alive(t.Context(), "http://"+testserver.Refuses, "some-app"))
}

// TestAnExecutorWithoutABeatIsAlive checks that an executor that answers status 404 to a beat, as
// old releases of the common Go executor do, is not taken for dead. With a manual address nothing
// else shows that it lives, and its runs would be given up while they are in progress. The answers
// of a proxy show nothing.
func TestAnExecutorWithoutABeatIsAlive(t *testing.T) {
	c := client(t, ClientOptions{})
	addr, _ := serving(t, http.StatusNotFound, "404 page not found\n")
	require.NoError(t, c.Alive(t.Context(), addr, "some-app"))
	require.Error(t, c.Beat(t.Context(), addr))
	for _, status := range []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout} {
		addr, _ := serving(t, status, "")
		require.Error(t, c.Alive(t.Context(), addr, "some-app"))
	}
}
