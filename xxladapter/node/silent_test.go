package node

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAStopDoesNotWaitForSilentConnections stops a node to which a client keeps a connection in
// reserve.
func TestAStopDoesNotWaitForSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, err := New(Options{Store: memstore.New(time.Now), Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		ln := testserver.NewPipes()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Serve(ctx, ln) }()
		silent, err := ln.Dial(ctx, "", "")
		require.NoError(t, err)
		defer silent.Close()
		synctest.Wait()

		stop()
		stopped := time.Now()
		require.NoError(t, <-ended)
		require.Less(t, time.Since(stopped), 100*time.Millisecond)
		_, err = silent.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	})
}
