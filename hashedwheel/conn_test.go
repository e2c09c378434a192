package hashedwheel

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// tcpPair returns both ends of a TCP connection over loopback.
func tcpPair(t *testing.T) (ours, theirs *net.TCPConn) {
	t.Helper()
	l := listen(t)
	a, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	b, err := l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

// A server with more connections than the timer has places closes those that it cannot watch, says
// so once, and serves again when there is room.
func TestListenerOutlivesAFullTimer(t *testing.T) {
	var log logCount
	w := newTestTimer(t, Options{TickDuration: time.Millisecond, MaxPendingTimeouts: 5, Logger: log.logger()})
	ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Hour})
	require.NoError(t, err)
	l := listen(t)
	server := &http.Server{
		Handler:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "hello") }),
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ci.Listener(l)) }()

	// Four are watched, beside the clock of the Idle. The others are closed.
	var open []net.Conn
	var wg sync.WaitGroup
	closed := make(chan int, 10)
	for i := range 10 {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err, "connection %d", i)
		open = append(open, c)
		wg.Go(func() {
			_, _ = c.Read(make([]byte, 1))
			closed <- i
		})
	}
	for range 6 {
		require.GreaterOrEqual(t, <-closed, 0)
	}
	require.EqualValues(t, 6, ci.Refused())
	require.EqualValues(t, 1, log.n.Load(), "one line for six")
	require.EqualValues(t, 4, w.Stats().Idle.Members)

	for _, c := range open {
		_ = c.Close()
	}
	wg.Wait()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	settles(t, func() bool {
		response, err := client.Get("http://" + l.Addr().String())
		if err != nil {
			return false
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return string(body) == "hello"
	})
	require.NoError(t, server.Close())
	require.ErrorIs(t, <-served, http.ErrServerClosed)
}

func TestListenerOfWhatHasStopped(t *testing.T) {
	w := newTestTimer(t, Options{})
	ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Hour})
	require.NoError(t, err)
	l := listen(t)
	watched := ci.Listener(l)
	dial := func() {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
	}
	dial()
	c, err := watched.Accept()
	require.NoError(t, err)
	defer c.Close()
	require.NotZero(t, w.PendingTimeouts())
	ci.Stop()
	require.Zero(t, w.PendingTimeouts())
	dial()
	plain, err := watched.Accept()
	require.NoError(t, err)
	defer plain.Close()
	require.IsType(t, &net.TCPConn{}, plain)
	_, err = ci.Wrap(plain)
	require.ErrorIs(t, err, ErrIdleStopped)

	ci, err = w.NewConnIdle(ConnIdleOptions{All: time.Hour})
	require.NoError(t, err)
	_, err = w.Stop()
	require.NoError(t, err)
	dial()
	_, err = ci.Listener(l).Accept()
	require.ErrorIs(t, err, ErrStopped)
}

// A wrapped connection has the methods of the inner one, for every combination of them.
func TestWrapKeepsWhatAConnectionCanDo(t *testing.T) {
	w := newTestTimer(t, Options{})
	ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Hour, Reader: time.Hour, Writer: time.Hour})
	require.NoError(t, err)
	tcp, _ := tcpPair(t)
	for can := range canAll + 1 {
		inner := (&watchedConn{Conn: tcp}).able(can)
		if can == canAll {
			inner = tcp
		}
		require.Equal(t, can, abilities(inner))
		c, err := ci.Wrap(inner)
		require.NoError(t, err)
		require.Equal(t, can, abilities(c), "of %05b", can)
		require.Equal(t, inner, c.(interface{ NetConn() net.Conn }).NetConn())
		c.(interface{ inside() *watchedConn }).inside().finished(bothSides)
	}
	require.Zero(t, w.PendingTimeouts())

	raw, err := mustWrap(t, ci, tcp).(syscall.Conn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(uintptr) {}))
}

func mustWrap(t *testing.T, ci *ConnIdle, c net.Conn) net.Conn {
	t.Helper()
	wc, err := ci.Wrap(c)
	require.NoError(t, err)
	return wc
}

// What has ended on its own is watched no longer.
func TestConnIdleForgetsWhatHasEnded(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	kinds := make(chan IdleKind, 10)
	ci, err := w.NewConnIdle(ConnIdleOptions{
		Reader: time.Hour, Writer: time.Hour, All: time.Hour,
		OnIdle: func(_ net.Conn, kind IdleKind) { kinds <- kind },
	})
	require.NoError(t, err)
	members := func() int64 { return w.Stats().Idle.Members }
	buffer := make([]byte, 1)

	// They have closed their side: nothing more to read.
	ours, theirs := tcpPair(t)
	c := mustWrap(t, ci, ours)
	require.NoError(t, theirs.CloseWrite())
	_, err = c.Read(buffer)
	require.Equal(t, io.EOF, err)
	require.EqualValues(t, 2, members())
	// And then we have.
	require.NoError(t, c.(closeWriter).CloseWrite())
	require.Zero(t, members())

	// A deadline is no end.
	ours, theirs = tcpPair(t)
	c = mustWrap(t, ci, ours)
	require.NoError(t, c.SetReadDeadline(time.Unix(1, 0)))
	_, err = c.Read(buffer)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.EqualValues(t, 3, members())
	require.NoError(t, c.(closeReader).CloseRead())
	require.EqualValues(t, 2, members())
	_ = theirs.Close()

	// A broken connection.
	ours, theirs = tcpPair(t)
	c2 := mustWrap(t, ci, ours)
	require.NoError(t, theirs.SetLinger(0))
	require.NoError(t, theirs.Close())
	settles(t, func() bool { _, err := c2.Write(buffer); return err != nil })
	require.EqualValues(t, 2, members())
	require.NoError(t, c.Close())
	require.Zero(t, members())

	// One whose peer is unreachable, as keep-alives find out. Its error is made here: a real one
	// needs a network that loses packets.
	lost := &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ETIMEDOUT)}
	require.True(t, lost.Timeout(), "as a deadline")
	_, err = mustWrap(t, ci, failingConn{err: lost}).Read(buffer)
	require.Equal(t, lost, err)
	require.Zero(t, members())

	// One that was closed behind the watch's back is not reported, though it was not read.
	ci, err = w.NewConnIdle(ConnIdleOptions{All: 20 * time.Millisecond, OnIdle: func(_ net.Conn, kind IdleKind) { kinds <- kind }})
	require.NoError(t, err)
	ours, _ = tcpPair(t)
	mustWrap(t, ci, ours)
	require.NoError(t, ours.Close())
	settles(t, func() bool { return members() == 0 })
	require.Empty(t, kinds)
}

// A failingConn cannot be read.
type failingConn struct {
	net.Conn
	err error
}

func (c failingConn) Read([]byte) (int, error) { return 0, c.err }

// Stop of a ConnIdle leaves connections and timer alone.
func TestConnIdleStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Second, Reader: time.Second})
		require.NoError(t, err)
		ours, theirs := net.Pipe()
		c := mustWrap(t, ci, ours)
		ci.Stop()
		require.Zero(t, w.PendingTimeouts())
		time.Sleep(time.Hour)
		go func() { _, _ = theirs.Write([]byte("x")); _ = theirs.Close() }()
		n, err := c.Read(make([]byte, 1))
		require.NoError(t, err)
		require.Equal(t, 1, n)
		require.NoError(t, c.Close())
	})
}

// A connection that OnIdle leaves open is reported again, whatever way OnIdle ends.
func TestConnIdleReportsAgain(t *testing.T) {
	for name, end := range map[string]func(){
		"return": func() {}, "panic": func() { panic("not again") }, "Goexit": runtime.Goexit,
	} {
		for _, most := range []int64{0, 2} { // the connection and its clock
			t.Run(fmt.Sprintf("%s/limit=%d", name, most), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newTestTimer(t, Options{MaxPendingTimeouts: most, Logger: slog.New(slog.DiscardHandler)})
					var calls atomic.Int64
					ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Minute, OnIdle: func(c net.Conn, _ IdleKind) {
						if calls.Add(1) == 3 {
							require.NoError(t, c.Close())
						}
						end()
					}})
					require.NoError(t, err)
					ours, theirs := net.Pipe()
					defer theirs.Close()
					mustWrap(t, ci, ours)
					time.Sleep(time.Hour)
					require.EqualValues(t, 3, calls.Load())
					require.Zero(t, w.PendingTimeouts())
				})
			})
		}
	}
}

// TestAConnectionThatEndsInsideWrap has the idleness of one kind close a connection that Wrap has
// not yet added for the next kind. It runs in real time: the clock of a bubble stands still for a
// mutex.
func TestAConnectionThatEndsInsideWrap(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	ci, err := w.NewConnIdle(ConnIdleOptions{Reader: time.Millisecond, Writer: time.Hour, All: time.Hour})
	require.NoError(t, err)
	ours, theirs := net.Pipe()
	ci.idles[WriterIdle].mu.Lock()
	wrapped := make(chan error)
	go func() {
		_, err := ci.Wrap(ours)
		wrapped <- err
	}()
	_, err = theirs.Read(make([]byte, 1))
	ci.idles[WriterIdle].mu.Unlock()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, <-wrapped)
	require.Zero(t, w.Stats().Idle.Members)
}
