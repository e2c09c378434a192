package zookeeper

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAResignationOfWhatIsOverClosesTheSession resigns between the two steps with which the method
// follow ends: it closes done, and then the session unless somebody else does.
func TestAResignationOfWhatIsOverClosesTheSession(t *testing.T) {
	a, err := elect.ParseAddress("zookeeper://" + testserver.Refuses + "/a")
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
