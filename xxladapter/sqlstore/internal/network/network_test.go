//go:build unix

package network

import (
	"errors"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAPatienceLearnsWhatIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Patience{Min: 2 * time.Second, Max: 30 * time.Second}
		gaveUp := func(made time.Time, works bool) {
			limit := p.limit()
			time.Sleep(limit)
			p.gaveUp(limit, made, works)
		}
		old := time.Now()
		require.Equal(t, 2*time.Second, p.limit())
		p.answered(time.Second, false)
		require.Equal(t, 2*time.Second, p.limit(), "quick answers")

		// Connections that die, together or one by one, do not double the limit.
		gaveUp(old, true)
		require.Equal(t, 2*time.Second, p.limit())
		made := time.Now().Add(time.Millisecond)
		gaveUp(old, false)
		gaveUp(made, true)
		require.Equal(t, 2*time.Second, p.limit(), "the new one worked")

		// A server that is only slow is silent on new connections as well.
		for _, want := range []time.Duration{4 * time.Second, 8 * time.Second} {
			time.Sleep(time.Millisecond)
			gaveUp(time.Now(), false)
			require.Equal(t, want, p.limit())
		}
		p.answered(time.Millisecond, false)
		require.Equal(t, 8*time.Second, p.limit(), "the settings of a new connection say nothing")
		p.answered(time.Millisecond, true)
		require.Equal(t, 2*time.Second, p.limit(), "another connection works")
		time.Sleep(time.Millisecond)
		gaveUp(time.Now(), false)
		require.Equal(t, 4*time.Second, p.limit())
		time.Sleep(patienceDoubled)
		require.Equal(t, 2*time.Second, p.limit())
		gaveUp(time.Now(), false)
		require.Equal(t, 2*time.Second, p.limit(), "the last silence was long ago")

		// An answer that came slowly is remembered for longer, even if a quick one follows.
		p.answered(3*time.Second, false)
		p.answered(time.Millisecond, false)
		p.answered(2*time.Second, false)
		require.Equal(t, 6*time.Second, p.limit())
		time.Sleep(patienceMemory - time.Nanosecond)
		require.Equal(t, 6*time.Second, p.limit())
		time.Sleep(time.Nanosecond)
		require.Equal(t, 2*time.Second, p.limit())
		p.answered(time.Minute, false)
		require.Equal(t, 30*time.Second, p.limit(), "and never more than Max")

		f := Fixed(time.Second)
		f.answered(time.Minute, false)
		f.gaveUp(time.Second, time.Now(), false)
		f.gaveUp(time.Second, time.Now(), false)
		require.Equal(t, time.Second, f.limit())
	})
}

// TestLocksEndBeforeTheirSilentConnectionIsReplaced checks that LockLife is shorter than
// QuickSilence. Otherwise a retry would wait for rows that its own silent connection still locks.
func TestLocksEndBeforeTheirSilentConnectionIsReplaced(t *testing.T) {
	require.Less(t, LockLife, QuickSilence)
	require.Zero(t, LockLife%time.Second, "MySQL counts whole seconds")
}

// TestASocketKeepsTheDriversDeadlines checks that the socket's own limit ends a connection, that
// the driver's deadlines do not, and that neither lengthens the other.
func TestASocketKeepsTheDriversDeadlines(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	var peers []net.Conn
	defer func() {
		for _, p := range peers {
			_ = p.Close()
		}
	}()
	n := New()
	dial := func(limit time.Duration) net.Conn {
		conn, err := n.Dialer(Fixed(limit))(t.Context(), "tcp", ln.Addr().String())
		require.NoError(t, err)
		peer, err := ln.Accept()
		require.NoError(t, err)
		peers = append(peers, peer)
		return conn
	}
	buf := make([]byte, 1)
	var timeout net.Error

	conn, resting := dial(50*time.Millisecond), dial(time.Minute)
	busy := dial(time.Minute)
	_, err = busy.Write(buf)
	require.NoError(t, err)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err = conn.Read(buf)
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
	require.True(t, Sound(conn), "the driver's deadline is the driver's affair")
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = conn.Read(buf)
	require.ErrorIs(t, err, errSilent)
	require.False(t, errors.As(err, &timeout) && timeout.Timeout(), "a driver would keep the connection")
	require.False(t, Sound(conn))
	require.False(t, Sound(resting), "closed with the silent one")
	require.True(t, Sound(busy), "it has a limit of its own")
	_, err = resting.Write(buf)
	require.ErrorIs(t, err, net.ErrClosed)
	n.Close()
	require.False(t, Sound(busy))
	_, err = n.Dialer(Fixed(1))(t.Context(), "tcp", ln.Addr().String())
	require.ErrorIs(t, err, errEnded)
}

// TestADeadlineSetDuringARead checks that the driver shortens the wait of a Read that is in
// progress, and does not lengthen it.
func TestADeadlineSetDuringARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ first, then, ends time.Duration }{
			{10 * time.Second, 5 * time.Second, 5 * time.Second},
			{10 * time.Second, time.Hour, 10 * time.Second},
			{time.Hour, 2 * time.Hour, time.Minute}, // the socket's own limit
		} {
			client, server := net.Pipe()
			s := &socket{Conn: client, network: New(), limit: Fixed(time.Minute), answers: 1}
			begun := time.Now()
			require.NoError(t, s.SetReadDeadline(begun.Add(c.first)))
			time.AfterFunc(time.Second, func() {
				if err := s.SetReadDeadline(begun.Add(c.then)); err != nil {
					t.Error(err)
				}
			})
			_, err := s.Read(make([]byte, 1))
			require.Error(t, err)
			require.Equal(t, c.ends, time.Since(begun), "%v", c)
			require.Equal(t, c.ends == time.Minute, errors.Is(err, errSilent))
			require.NoError(t, client.Close())
			require.NoError(t, server.Close())
		}
	})
}

// TestALivenessCheckOutlivesTheLastRead checks that a driver that looks at an idle connection, as
// that of MySQL does before it uses one again, does not meet the deadline of the last Read.
func TestALivenessCheckOutlivesTheLastRead(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	const limit = 100 * time.Millisecond
	n := New()
	defer n.Close()
	conn, err := n.Dialer(Fixed(limit))(t.Context(), "tcp", ln.Addr().String())
	require.NoError(t, err)
	peer, err := ln.Accept()
	require.NoError(t, err)
	defer peer.Close()
	_, err = peer.Write(make([]byte, 1))
	require.NoError(t, err)
	_, err = conn.Read(make([]byte, 1))
	require.NoError(t, err)
	time.Sleep(2 * limit) // sockets have no place in a bubble
	raw, err := conn.(syscall.Conn).SyscallConn()
	require.NoError(t, err)
	looked := false
	require.NoError(t, raw.Read(func(uintptr) bool { looked = true; return true }))
	require.True(t, looked)
}

// TestAGreetingHasItsOwnLimit checks that a server that accepts a connection and says nothing is
// given up, even where later answers may take long.
func TestAGreetingHasItsOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, greets := range []bool{false, true} {
			client, server := net.Pipe()
			s := &socket{Conn: client, network: New(), limit: Fixed(AnySilence)}
			buf := make([]byte, 1)
			if greets {
				go func() { _, _ = server.Write(buf) }()
				_, err := s.Read(buf)
				require.NoError(t, err)
			}
			begun := time.Now()
			_, err := s.Read(buf)
			require.ErrorIs(t, err, errSilent)
			require.Equal(t, map[bool]time.Duration{false: OpenDialLimit, true: AnySilence}[greets], time.Since(begun))
			require.NoError(t, server.Close())
		}
	})
}
