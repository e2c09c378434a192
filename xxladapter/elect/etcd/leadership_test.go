package etcd

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
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

// TestALeadershipEndsWhenTheServerIsSilent has a server that answers a number of times, with the
// life that it gives the lease, and then says nothing.
func TestALeadershipEndsWhenTheServerIsSilent(t *testing.T) {
	for answers, life := range []time.Duration{elect.SessionLife, elect.SessionLife, 3 * elect.SessionLife} {
		synctest.Test(t, func(t *testing.T) {
			alive := make(chan *clientv3.LeaseKeepAliveResponse)
			l := &leadership{alive: alive, ended: make(chan struct{})}
			l.closing.Do(func() {}) // there is no client
			go l.follow()           // the test waits for its end
			defer close(alive)
			for range answers {
				time.Sleep(time.Second)
				alive <- &clientv3.LeaseKeepAliveResponse{TTL: int64(life / time.Second)}
			}
			heard := time.Now()
			select {
			case <-l.Done():
			case <-time.After(time.Minute):
			}
			require.Equal(t, life, time.Since(heard), "after %d answers", answers)
		})
	}
}

// TestACampaignThatSignsInEndsWithItsContext has a server that takes the connection and says
// nothing.
func TestACampaignThatSignsInEndsWithItsContext(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	e := &Elector{address: elect.Address{Hosts: []string{silent.Addr().String()}, User: "u", Password: "p", Path: "/a"}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() { // the test waits for it
		_, err := e.Campaign(ctx, nil)
		failed <- err
	}()
	conn, err := silent.Accept()
	require.NoError(t, err)
	defer conn.Close()
	begun := time.Now()
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.Less(t, time.Since(begun), elect.ContactLimit/2, "it waits for an answer")
}

// TestAProcessWaitsForProcessesAlone lists keys below a path, of which some are not those of
// processes that campaign there.
func TestAProcessWaitsForProcessesAlone(t *testing.T) {
	e := &Elector{address: elect.Address{Path: "/jobs"}}
	key := func(name string, lease int64) *mvccpb.KeyValue {
		return &mvccpb.KeyValue{Key: []byte(name), Lease: lease}
	}
	others := []*mvccpb.KeyValue{
		key("/jobs/staging/2f", 0x2f), // of a place whose path continues this one
		key("/jobs/readme", 0), key("/jobs/0", 0), key("/jobs/1f", 0x2f),
	}
	require.Empty(t, e.newest(nil))
	require.Empty(t, e.newest(others))
	require.Equal(t, "/jobs/3f", e.newest(append(others, key("/jobs/3f", 0x3f), key("/jobs/1f", 0x1f))))
}
