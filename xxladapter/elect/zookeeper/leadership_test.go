package zookeeper

import (
	"testing"
	"testing/synctest"
	"time"

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

// TestASessionEndsWhenTheServersAreSilent lets a server be heard some times, the last time between
// two looks at the clock.
func TestASessionEndsWhenTheServersAreSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{born: time.Now(), over: make(chan struct{})}
		s.watching.Go(s.watch)
		time.Sleep(time.Minute) // the callers limit the first contact
		for range 3 {
			time.Sleep(elect.SessionLife - watchPace/2)
			s.heard.Store(int64(time.Since(s.born)))
		}
		heard := time.Now()
		select {
		case <-s.over:
		case <-time.After(time.Minute):
			s.lose()
		}
		s.watching.Wait()
		require.Greater(t, time.Since(heard), elect.SessionLife)
		require.LessOrEqual(t, time.Since(heard), elect.SessionLife+watchPace)
	})
}
