package zookeeper

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// TestAResignationOfWhatIsOverClosesTheSession resigns between the two things that follow does at
// the end: it closes done, and then the session unless somebody else does.
func TestAResignationOfWhatIsOverClosesTheSession(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close()) // nothing listens there
	a, err := elect.ParseAddress("zookeeper://" + ln.Addr().String() + "/a")
	require.NoError(t, err)
	s, err := open(a)
	require.NoError(t, err)
	t.Cleanup(s.close)
	l := &leadership{session: s, done: make(chan struct{})}
	close(l.done)
	require.NoError(t, l.Resign(t.Context()))
	s.mu.Lock()
	defer s.mu.Unlock()
	require.True(t, s.closed)
}
