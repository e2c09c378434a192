package trigger

import (
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// recordedReply returns a recorded reply of an executor.
func recordedReply(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../wire/testdata/" + name + ".reply.json")
	require.NoError(t, err)
	return string(data)
}

// Each generation is known by its own recorded replies.
func TestProbeKnowsTheGenerations(t *testing.T) {
	recorded := func(name string) string { return recordedReply(t, name) }
	for _, tt := range []struct{ generation, beat, log string }{
		{"G1", recorded("g1/beat"), recorded("g1/log")},
		{"G2", recorded("g2/beat"), recorded("g2/log")},
		{"G3", recorded("g3/beat"), recorded("g3/log")},
		{"G4", recorded("g4/beat"), recorded("g4/log")},
		{"G1", recorded("goport/run"), recorded("goport/run")}, // what the common Go executor says to all
		{"xxlwheel", `{"code":200,"msg":"Success"}`, `{"code":200,"msg":"Success","content":{},"data":{}}`},
		{"", `{"code":200,"msg":"Success"}`, `{"code":500,"msg":"no"}`},
	} {
		var paths []string
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, r.URL.Path)
			switch {
			case tt.generation == "G4" && r.Header.Get(wire.HeaderAppName) == "":
				_, _ = w.Write([]byte(`{"code":500,"msg":"invalid request, accessToken or appname is empty."}`))
			case r.URL.Path == wire.PathBeat:
				_, _ = w.Write([]byte(tt.beat))
			default:
				_, _ = w.Write([]byte(tt.log))
			}
		}))
		c := client(t, ClientOptions{AccessToken: "t"})
		p, err := c.Probe(t.Context(), srv.URL, "some-app")
		require.NoError(t, err)
		require.Equal(t, tt.generation, p.Generation)
		require.Positive(t, p.RoundTrip)
		require.Subset(t, []string{wire.PathBeat, wire.PathLog}, paths, "nothing that starts or ends anything")
		c.Close()
		srv.Close()
	}
	c := client(t, ClientOptions{})
	_, err := c.Probe(t.Context(), "http://127.0.0.1:1", "some-app")
	require.Error(t, err)
}
