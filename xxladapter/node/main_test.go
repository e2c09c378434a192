package node

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// A running is a node on a SQLite file, with what the tests need to know of it.
type running struct {
	t     *testing.T
	node  *Node
	store xxladapter.Store
	url   string
}

// runNode starts a node that ends with the test.
func runNode(t *testing.T, opts Options) *running {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	store, err := sqlstore.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "node.db"), sqlstore.Options{Logger: logger})
	require.NoError(t, err)
	opts.Store, opts.Logger, opts.Zone = store, logger, time.UTC
	n, err := New(opts)
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, store.Close())
	})
	return &running{t, n, store, "http://" + ln.Addr().String()}
}

// group makes a manual group of one address.
func (r *running) group(app, addr string) int64 {
	r.t.Helper()
	id, err := r.store.SaveGroup(r.t.Context(), &xxladapter.Group{
		AppName: app, Title: app, AddressType: xxladapter.AddressManual, Addresses: []string{addr},
	})
	require.NoError(r.t, err)
	return id
}

// job makes a job of the group; change may alter it first.
func (r *running) job(group int64, change func(*xxladapter.Job)) int64 {
	r.t.Helper()
	j := &xxladapter.Job{GroupID: group, Name: "job", Author: "a", Handler: "h"}
	j.SetDefaults()
	if change != nil {
		change(j)
	}
	id, err := xxladapter.CreateJob(r.t.Context(), r.store, j)
	require.NoError(r.t, err)
	return id
}

// An executorFunc is an executor that is asked for runs only, and answers with success.
type executorFunc func(run wire.RunRequest)

func (f executorFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the scheduler hung up
	}
	var run wire.RunRequest
	if r.URL.Path == wire.PathRun && wire.Decode(body, &run) == nil {
		f(run)
	}
	data, _ := json.Marshal(wire.OK())
	_, _ = w.Write(data)
}
