//go:build unix

package streams

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestAShownURLHasNoSecrets(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"redis://u:s3cret@h":                  "redis://h:6379/0/default",
		"redis://:s3cret@h:1/3":               "redis://h:1/3/default",
		"rediss://u:s3cret@[::1]:1/3/orders/": "rediss://[::1]:1/3/orders",
	} {
		got, err := Parse(url)
		require.NoError(t, err, url)
		require.Equal(t, want, got.Shown)
	}
	for url, want := range map[string]string{
		"redis://":                                           "must be redis://host:port/DB",
		"redis://u:s3cret@h:1/orders":                        "must be redis://host:port/DB",
		"redis://u:s3cret@h:1/-1":                            "must be redis://host:port/DB",
		"redis://u:s3cret@h:1?dial_timeout=1s":               "must be redis://host:port/DB",
		"redis://u:s3%cret@h:1":                              "must be redis://host:port/DB",
		"redis://u:s3cret@h:1/0/A":                           "queue namespace is",
		"redis://u:s3cret@h:1/0/a/b":                         "queue namespace is",
		"redis://u:s3cret@a:1,b:2/0":                         "sentinels or a cluster",
		"redis+sentinel://u:s3cret@a:1,b:2/name/0":           "sentinels or a cluster",
		"rediss+sentinel://u:s3cret@a/name?sentinel_user=us": "sentinels or a cluster",
		"redis+cluster://u:s3cret@a:1":                       "sentinels or a cluster",
	} {
		_, err := Parse(url)
		require.ErrorContains(t, err, want, url)
		require.NotContains(t, err.Error(), "s3")
	}
}

// refusedFor returns the error of a connection.
func refusedFor(t *testing.T, url, app string) string {
	t.Helper()
	p, err := Parse(url)
	require.NoError(t, err)
	_, err = p.Connect(t.Context(), broker.Options{App: app, Logger: slog.New(slog.DiscardHandler)})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "s3cret")
	return err.Error()
}

func TestAServerThatCannotBeUsedIsOneLine(t *testing.T) {
	t.Parallel()
	require.Contains(t, refusedFor(t, "redis://127.0.0.1:1", ""), "cannot be used: dial tcp")
	require.Contains(t, refusedFor(t, "redis://127.0.0.1:1", "orders"), "cannot be used: dial tcp")
	shared := testserver.Redis(t)
	require.Contains(t, refusedFor(t, strings.Replace(shared, "//", "//somebody:s3cret@", 1), "orders"), "refuses the credentials")
	cluster := testserver.StartRedis(t, "cluster-enabled yes", "cluster-port "+testserver.FreePort(t)).URL("0")
	require.Contains(t, refusedFor(t, cluster, ""), "cannot be used: it is a cluster of Redis, must be one server")
	replica := testserver.StartRedis(t, "replicaof 127.0.0.1 1").URL("0")
	require.Contains(t, refusedFor(t, replica, ""), "cannot be used: it is a replica, must be the primary")
	for version, old := range map[string]bool{"5.0.14": true, "6.0.20": true, "6.2.0": false, "7.0.15": false, "10.1": false, "": true} {
		require.Equal(t, old, isBefore62(version), version)
	}
	p, err := Parse(shared)
	require.NoError(t, err)
	_, err = p.Connect(t.Context(), broker.Options{Credentials: "file"})
	require.ErrorContains(t, err, "takes no credentials file")
}

// TestAServerWithoutTLSIsOneLine waits for the greeting of a server that does not know TLS.
func TestAServerWithoutTLSIsOneLine(t *testing.T) {
	testserver.Long(t) // the time-out of the client is 5 s
	t.Parallel()
	require.Contains(t, refusedFor(t, strings.Replace(testserver.Redis(t), "redis:", "rediss:", 1), ""), "cannot be used")
}

// TestAServerThatComesBack kills the server. Publications fail at once until it is back; then calls
// and runs go as before.
func TestAServerThatComesBack(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	url := server.URL("0")
	s, e := connected(t, url, "", "s", time.Hour), connected(t, url, "orders", "a", time.Hour)
	stop, err := s.ServeReports(func(string, string, http.Header, []byte) []byte { return []byte("yes") })
	require.NoError(t, err)
	defer stop()
	publish(t, s, anyOf, "1", "run")
	server.Kill(t)
	for i := 0; ; i++ {
		began := time.Now()
		_, err := s.Publish(t.Context(), anyOf, "2", nil, nil)
		require.Error(t, err)
		require.Less(t, time.Since(began), 2*time.Second)
		if i > 0 {
			require.ErrorIs(t, err, broker.ErrAway)
			break
		}
	}
	require.True(t, s.Connected().IsZero())
	back := time.Now()
	server.Start(t)
	require.Eventually(t, func() bool {
		_, err := s.Publish(t.Context(), anyOf, "3", nil, []byte("later"))
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		reply, err := e.Report(t.Context(), "registry", "orders", nil, nil)
		return err == nil && string(reply) == "yes"
	}, 20*time.Second, 50*time.Millisecond)
	require.False(t, s.Connected().Before(back), "the connection of before does not count")
	feed := feeding(t, e, anyOf)
	require.Equal(t, "run", string(feed.next(t).Body))
	require.Equal(t, "later", string(feed.next(t).Body))
}

// TestAFrozenServerIsNoticed has a server that takes connections and answers nothing.
func TestAFrozenServerIsNoticed(t *testing.T) {
	testserver.Long(t) // it waits for limits in real time
	t.Parallel()
	server := testserver.StartRedis(t)
	s := connected(t, server.URL("0"), "", "s", time.Hour)
	server.Freeze(t)
	began := time.Now()
	require.Eventually(t, func() bool { return s.Connected().IsZero() }, 30*time.Second, 50*time.Millisecond)
	_, err := s.Publish(t.Context(), anyOf, "1", nil, nil)
	require.ErrorIs(t, err, broker.ErrAway)
	require.Less(t, time.Since(began), 30*time.Second)
	server.Thaw(t)
}
