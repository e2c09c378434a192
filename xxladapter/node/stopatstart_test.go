package node

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A storeWithoutTime fails every look-up of users whose context has ended.
type storeWithoutTime struct{ *memstore.Store }

func (storeWithoutTime) Users(ctx context.Context, _ xxladapter.UserFilter) ([]*xxladapter.User, error) {
	return nil, ctx.Err()
}

// TestAStopAtTheStartIsNoFailure stops a node before it looks for users, to find out whether it has
// to offer the link that creates the first one.
func TestAStopAtTheStartIsNoFailure(t *testing.T) {
	n, err := New(Options{
		Store: storeWithoutTime{memstore.New(time.Now)}, AccessToken: "a-secret-of-executors", Zone: time.UTC,
		Logger: slog.New(slog.DiscardHandler), OnSetup: func(string) {},
	})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, n.Serve(ctx, ln))
}
