package etcd

import (
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAResignationOfWhatIsOverClosesTheClient resigns between the two things that follow does at
// the end: it closes ended, and then the client unless somebody else does.
func TestAResignationOfWhatIsOverClosesTheClient(t *testing.T) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + testserver.Refuses}, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	l := &leadership{client: c, ended: make(chan struct{})}
	close(l.ended)
	require.NoError(t, l.Resign(t.Context()))
	require.Error(t, c.Ctx().Err(), "the client is open")
}
