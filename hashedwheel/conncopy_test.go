package hashedwheel

import (
	"context"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// largeFile returns a file of size bytes and its hash.
func largeFile(t *testing.T, size int) (*os.File, [32]byte) {
	t.Helper()
	data := make([]byte, size)
	rng := rand.NewChaCha8([32]byte{1})
	_, _ = rng.Read(data)
	path := filepath.Join(t.TempDir(), "large")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f, sha256.Sum256(data)
}

// A slowReader reads 128 KiB and rests, again and again.
type slowReader struct {
	r    io.Reader
	rest time.Duration

	mu      sync.Mutex // guards the fields below
	last    time.Time  // the end of the last call that read something
	longest time.Duration
}

// silence returns how long the longest pause between two calls was, up to now.
func (s *slowReader) silence() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = max(s.longest, time.Since(s.last))
	return s.longest
}

func (s *slowReader) Read(p []byte) (int, error) {
	n, err := io.ReadFull(s.r, p[:min(len(p), 128<<10)])
	s.silence()
	s.mu.Lock()
	s.last = time.Now()
	s.mu.Unlock()
	time.Sleep(s.rest) // the peer is slow: that is what is tested
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	return n, err
}

type idleFunc = func(net.Conn, IdleKind)

// A transfer that makes progress is not idle, though its calls take many periods: a file by
// sendfile, a large Write, a connection spliced into another.
func TestLongTransfersAreNotIdle(t *testing.T) {
	if ours, _ := tcpPair(t); !canTellProgress(ours) {
		t.Skip("nothing tells here how far a call has come")
	}
	const size, period, rest = 16 << 20, 400 * time.Millisecond, 20 * time.Millisecond // 2.5 s or more
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	f, want := largeFile(t, size)
	var all sync.WaitGroup
	for name, send := range map[string]func(to net.Conn, r *io.SectionReader, f *os.File, idle idleFunc) (int64, error){
		"ReadFrom": func(to net.Conn, _ *io.SectionReader, f *os.File, _ idleFunc) (int64, error) { return io.Copy(to, f) },
		"ReadFrom, part": func(to net.Conn, _ *io.SectionReader, f *os.File, _ idleFunc) (int64, error) {
			return io.CopyN(to, f, size)
		},
		"Write": func(to net.Conn, r *io.SectionReader, _ *os.File, _ idleFunc) (int64, error) { return writeAll(to, r) },
		"WriteTo": func(to net.Conn, r *io.SectionReader, _ *os.File, idle idleFunc) (int64, error) {
			return throughProxy(t, w, ConnIdleOptions{Reader: period, OnIdle: idle}, to, r, false)
		},
		"ReadFrom a conn": func(to net.Conn, r *io.SectionReader, _ *os.File, idle idleFunc) (int64, error) {
			return throughProxy(t, w, ConnIdleOptions{Reader: period, OnIdle: idle}, to, r, true)
		},
	} {
		ours, theirs := tcpPair(t)
		reader := &slowReader{r: theirs, rest: rest, last: time.Now()}
		idle := func(_ net.Conn, kind IdleKind) {
			// A machine that keeps the reader from running makes silence of its own.
			if longest := reader.silence(); longest < period/8 {
				t.Errorf("%v: %v during a transfer whose reader was never silent for more than %v", name, kind, longest)
			}
		}
		ci, err := w.NewConnIdle(ConnIdleOptions{Writer: period, All: period, OnIdle: idle})
		require.NoError(t, err)
		own, err := os.Open(f.Name()) // with an offset of its own
		require.NoError(t, err)
		defer own.Close()
		c := mustWrap(t, ci, ours)
		all.Go(func() {
			n, err := send(c, io.NewSectionReader(f, 0, size), own, idle)
			if err != nil || n != size {
				t.Errorf("%v: sent %d bytes of %d: %v", name, n, size, err)
			}
			ci.Stop() // silence is allowed now
			_ = c.Close()
		})
		all.Go(func() {
			got := sha256.New()
			if _, err := io.CopyBuffer(got, reader, make([]byte, 128<<10)); err != nil {
				t.Errorf("%v: %v", name, err)
			}
			if [32]byte(got.Sum(nil)) != want {
				t.Errorf("%v: other bytes than were sent", name)
			}
		})
	}
	all.Wait()
}

func canTellProgress(c net.Conn) bool {
	_, ok := bytesMoved(c, writeSide)
	return ok
}

func writeAll(to net.Conn, r *io.SectionReader) (n int64, err error) {
	data := make([]byte, 8<<20)
	for {
		k, err := r.Read(data)
		if err != nil {
			return n, nil
		}
		k, err = to.Write(data[:k])
		n += int64(k)
		if err != nil {
			return n, err
		}
	}
}

// throughProxy sends r to one connection and copies from that to another, all of it under watch.
func throughProxy(
	t *testing.T, w *HashedWheelTimer, opts ConnIdleOptions, to net.Conn, r io.Reader, readFrom bool,
) (int64, error) {
	ci, err := w.NewConnIdle(opts)
	if err != nil {
		return 0, err
	}
	defer ci.Stop()
	from, client := tcpPair(t)
	go func() {
		_, _ = io.Copy(client, r)
		_ = client.Close()
	}()
	c, err := ci.Wrap(from)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if readFrom {
		return to.(io.ReaderFrom).ReadFrom(c)
	}
	return io.Copy(to, c)
}

// A transfer that is stuck is idle, whatever is in progress.
func TestStuckTransferIsIdle(t *testing.T) {
	w := newTestTimer(t, Options{TickDuration: time.Millisecond})
	for name, send := range map[string]func(to net.Conn, f *os.File) (int64, error){
		"ReadFrom": func(to net.Conn, f *os.File) (int64, error) { return io.Copy(to, f) },
		"Write":    func(to net.Conn, f *os.File) (int64, error) { return writeAll(to, io.NewSectionReader(f, 0, 24<<20)) },
	} {
		t.Run(name, func(t *testing.T) {
			ci, err := w.NewConnIdle(ConnIdleOptions{All: 50 * time.Millisecond})
			require.NoError(t, err)
			ours, _ := tcpPair(t)
			f, _ := largeFile(t, 24<<20) // more than the kernel's buffers
			c := mustWrap(t, ci, ours)
			n, err := send(c, f)
			require.ErrorIs(t, err, net.ErrClosed, "closed as idle")
			require.Less(t, n, int64(24<<20))
		})
	}
}

// The kernel copies a file or a connection to a wrapped connection: while the peer does not read,
// the stack of the copying goroutine shows sendfile or splice.
func TestKernelCopies(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the names of the functions are those on Linux")
	}
	w := newTestTimer(t, Options{})
	ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Hour})
	require.NoError(t, err)
	f, _ := largeFile(t, 24<<20)
	for name, c := range map[string]struct {
		where string
		copy  func(to net.Conn, from net.Conn) (int64, error)
	}{
		"file":              {"internal/poll.SendFile(", func(to, _ net.Conn) (int64, error) { return io.Copy(to, f) }},
		"part of a file":    {"internal/poll.SendFile(", func(to, _ net.Conn) (int64, error) { return io.CopyN(to, f, 20<<20) }},
		"connection":        {"internal/poll.Splice(", func(to, from net.Conn) (int64, error) { return io.Copy(to, from) }},
		"part of a conn":    {"internal/poll.Splice(", func(to, from net.Conn) (int64, error) { return io.CopyN(to, from, 20<<20) }},
		"conn into a plain": {"internal/poll.Splice(", func(to, from net.Conn) (int64, error) { return io.Copy(to.(*watchedTCPConn).NetConn(), from) }},
		"not by the kernel": {"(*watchedConn).Write(", func(to, from net.Conn) (int64, error) { return io.Copy(struct{ io.Writer }{to}, from) }},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.Seek(0, io.SeekStart)
			require.NoError(t, err)
			ours, _ := tcpPair(t)
			source, feeder := tcpPair(t)
			to, from := mustWrap(t, ci, ours), mustWrap(t, ci, source)
			var ended sync.WaitGroup
			ended.Go(func() { _, _ = feeder.Write(make([]byte, 24<<20)) })
			ended.Go(func() { _, _ = c.copy(to, from) })
			settles(t, func() bool {
				stacks := make([]byte, 1<<20)
				return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), c.where)
			})
			for _, c := range []net.Conn{to, from, feeder} {
				_ = c.Close()
			}
			ended.Wait()
		})
	}
}

// While ReadFrom or WriteTo of a connection other than a TCPConn copies, each read and write of the
// copy counts.
func TestCopyOfOtherConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		ci, err := w.NewConnIdle(ConnIdleOptions{Reader: time.Second, Writer: time.Second, OnIdle: func(_ net.Conn, kind IdleKind) { t.Error(kind) }})
		require.NoError(t, err)
		ours, theirs := net.Pipe()
		c := mustWrap(t, ci, copyingConn{ours})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { // they send and receive a byte every half second
			buffer := make([]byte, 1)
			for ctx.Err() == nil {
				time.Sleep(500 * time.Millisecond)
				_, _ = theirs.Write(buffer)
				_, _ = theirs.Read(buffer)
			}
			_ = theirs.Close()
		})
		wg.Go(func() { _, _ = io.Copy(c, endless{}) })
		_, err = io.Copy(io.Discard, c)
		require.NoError(t, err)
		ci.Stop()
		wg.Wait()
	})
}

// Once a connection other than a TCPConn has copied to its end, its reader is no longer watched.
func TestTheEndOfACopyOfOtherConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestTimer(t, Options{TickDuration: time.Millisecond})
		ci, err := w.NewConnIdle(ConnIdleOptions{Reader: time.Second, OnIdle: func(_ net.Conn, kind IdleKind) { t.Error(kind) }})
		require.NoError(t, err)
		ours, theirs := net.Pipe()
		c := mustWrap(t, ci, copyingConn{ours})
		require.NoError(t, theirs.Close())
		_, err = io.Copy(io.Discard, c)
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		ci.Stop()
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return 1, nil }

// A copyingConn copies by itself.
type copyingConn struct{ net.Conn }

func (c copyingConn) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}

func (c copyingConn) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{c.Conn})
}

// Bytes count as moved when they have been read, or have reached the peer.
func TestBytesMoved(t *testing.T) {
	ours, theirs := tcpPair(t)
	if !canTellProgress(ours) {
		t.Skip("nothing tells here how many bytes have moved")
	}
	moved := func(s side) uint64 {
		n, ok := bytesMoved(ours, s)
		require.True(t, ok)
		return n
	}
	_, err := theirs.Write(make([]byte, 1000))
	require.NoError(t, err)
	_, err = io.ReadFull(ours, make([]byte, 400))
	require.NoError(t, err)
	require.EqualValues(t, 400, moved(readSide))
	sent := moved(writeSide)
	_, err = ours.Write(make([]byte, 500))
	require.NoError(t, err)
	settles(t, func() bool { return moved(writeSide) == sent+500 })
	require.NoError(t, ours.Close())
	require.False(t, canTellProgress(ours))
	pipe, _ := net.Pipe()
	require.False(t, canTellProgress(pipe))
}

// What comes from a watched connection that is no TCP connection counts byte by byte, also if
// another copies from it in pieces of megabytes: nothing else shows that it makes progress.
func TestCopyFromAWatchedConnThatIsNoTCP(t *testing.T) {
	w := newTestTimer(t, Options{})
	ci, err := w.NewConnIdle(ConnIdleOptions{Reader: time.Hour, All: time.Hour})
	require.NoError(t, err)
	sockets, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	defer sockets.Close()
	theirUnix, err := net.Dial("unix", sockets.Addr().String())
	require.NoError(t, err)
	unix, err := sockets.Accept()
	require.NoError(t, err)
	pipe, theirPipe := net.Pipe()
	for name, pair := range map[string][2]net.Conn{"unix": {unix, theirUnix}, "pipe": {pipe, theirPipe}} {
		t.Run(name, func(t *testing.T) {
			tcp, theirs := tcpPair(t)
			from, to := mustWrap(t, ci, pair[0]), mustWrap(t, ci, tcp)
			var all sync.WaitGroup
			all.Go(func() { _, _ = io.Copy(to, from); _ = to.Close() })
			members := from.(interface{ inside() *watchedConn }).inside().members
			for range 3 {
				var before [idleKinds]uint64
				for kind, m := range members {
					if m != nil {
						before[kind] = m.lastTouch.now.Load().Load() >> stepBits << stepBits
						m.lastTouch.step.Store(before[kind])
					}
				}
				_, err := pair[1].Write([]byte("x"))
				require.NoError(t, err)
				_, err = io.ReadFull(theirs, make([]byte, 1))
				require.NoError(t, err)
				for kind, m := range members {
					if m != nil {
						require.Greater(t, m.lastTouch.step.Load(), before[kind], "%v: not touched", IdleKind(kind))
					}
				}
			}
			require.NoError(t, pair[1].Close())
			all.Wait()
			require.NoError(t, from.Close())
		})
	}
}

// What several goroutines write at once to a wrapped connection arrives one Write after the other,
// as without the watch, also if a Write is made in pieces.
func TestWritesAreNotMixed(t *testing.T) {
	w := newTestTimer(t, Options{})
	ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Hour})
	require.NoError(t, err)
	inner := &gateConn{large: make(chan struct{}), small: make(chan struct{})}
	c := mustWrap(t, ci, inner)
	var all sync.WaitGroup
	all.Go(func() { _, _ = c.Write(make([]byte, 3*transferPiece)) })
	<-inner.large
	all.Go(func() { _, _ = c.Write(make([]byte, 1)) })
	all.Wait()
	require.Equal(t, []int{transferPiece, transferPiece, transferPiece, 1}, inner.written)
	require.NoError(t, c.Close())
}

// A gateConn notes the sizes of the Writes to a stream. Its first Write gives one of a single byte
// the time to come in between.
type gateConn struct {
	messageConn
	large, small chan struct{} // closed when these Writes begin

	mu sync.Mutex // guards written
}

func (c *gateConn) Write(p []byte) (int, error) {
	if len(p) == 1 {
		close(c.small)
	} else {
		c.mu.Lock()
		first := len(c.written) == 0
		c.mu.Unlock()
		if first {
			close(c.large)
			defer func() {
				select {
				case <-c.small:
				case <-time.After(100 * time.Millisecond): // the small one waits its turn
				}
			}()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.messageConn.Write(p)
}

// One Write to a wrapped connection that keeps messages apart is one message, however long.
func TestMessagesAreNotSplit(t *testing.T) {
	w := newTestTimer(t, Options{})
	ci, err := w.NewConnIdle(ConnIdleOptions{All: time.Hour})
	require.NoError(t, err)
	message := make([]byte, 2*transferPiece)
	for _, network := range []string{"udp", "unixgram", "unixpacket", "ip4:icmp"} {
		inner := &messageConn{network: network}
		c := mustWrap(t, ci, inner)
		n, err := c.Write(message)
		require.NoError(t, err)
		require.Equal(t, len(message), n)
		require.Equal(t, []int{len(message)}, inner.written, network)
		require.NoError(t, c.Close())
	}
}

// A messageConn notes the sizes of the messages that are written to it.
type messageConn struct {
	net.Conn
	network string
	written []int
}

func (c *messageConn) Write(p []byte) (int, error) {
	c.written = append(c.written, len(p))
	return len(p), nil
}
func (c *messageConn) Close() error        { return nil }
func (c *messageConn) LocalAddr() net.Addr { return c }
func (c *messageConn) Network() string     { return c.network }
func (c *messageConn) String() string      { return c.network }
