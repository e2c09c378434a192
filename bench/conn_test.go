package bench_test

import (
	"math/rand/v2"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/bench/cases"
	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

// connTimeout is the silence after which a connection would be closed.
const connTimeout = 10 * time.Minute

// BenchmarkConn marks a connection as alive in each operation, as a server does at every read. All
// connections but those of SetReadDeadline are simulated.
func BenchmarkConn(b *testing.B) {
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	}
	b.Run("by=Idle.Touch/conns="+cases.Count(n), func(b *testing.B) { touchIdle(b, n) })
	b.Run("by=Timeout.Reset/conns="+cases.Count(n), func(b *testing.B) { touchTimeout(b, n) })
	b.Run("by=time.Timer.Reset/conns="+cases.Count(n), func(b *testing.B) { touchTimer(b, n) })
	b.Run("by=word/conns="+cases.Count(n), func(b *testing.B) { touchWord(b, n, false) })
	b.Run("by=clock-and-word/conns="+cases.Count(n), func(b *testing.B) { touchWord(b, n, true) })
	n = min(sockets(), n)
	b.Run("by=SetReadDeadline/conns="+cases.Count(n), func(b *testing.B) { touchDeadline(b, n) })
}

// padding makes a simulated connection as large as a small real one, so that neighbours do not
// share cache lines.
type padding [192]byte

// inOrders measures touch, which marks the connections of an order as alive: always the same
// connection, and all of them in random order. The orders are drawn before the measurement.
func inOrders(b *testing.B, n int, touch func(order []int)) {
	random := rand.New(rand.NewPCG(6, 6)).Perm(n)
	runtime.GC()
	for _, o := range []struct {
		name  string
		order []int
	}{{"same", make([]int, 1<<16)}, {"random", random}} {
		b.Run("order="+o.name, func(b *testing.B) {
			b.ReportAllocs()
			for left := b.N; left > 0; left -= len(o.order) {
				touch(o.order[:min(left, len(o.order))])
			}
		})
	}
}

func touchIdle(b *testing.B, n int) {
	w, err := hashedwheel.New(hashedwheel.Options{TickDuration: 10 * time.Millisecond})
	require.NoError(b, err)
	defer stop(b, w)
	idle, err := w.NewIdle(connTimeout, func(*hashedwheel.IdleMember) {})
	require.NoError(b, err)
	conns := make([]struct {
		hashedwheel.IdleMember
		_ padding
	}, n)
	for i := range conns {
		require.NoError(b, idle.Add(&conns[i].IdleMember))
	}
	inOrders(b, n, func(order []int) {
		for _, i := range order {
			conns[i].Touch()
		}
	})
}

func touchTimeout(b *testing.B, n int) {
	w, err := hashedwheel.New(hashedwheel.Options{TickDuration: 10 * time.Millisecond})
	require.NoError(b, err)
	defer stop(b, w)
	conns := make([]struct {
		hashedwheel.Timeout
		_ padding
	}, n)
	task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})
	for i := range conns {
		w.Init(&conns[i].Timeout, task)
		conns[i].Reset(connTimeout)
	}
	inOrders(b, n, func(order []int) {
		for _, i := range order {
			conns[i].Reset(connTimeout)
		}
	})
}

func touchTimer(b *testing.B, n int) {
	conns := make([]struct {
		*time.Timer
		_ padding
	}, n)
	for i := range conns {
		conns[i].Timer = time.AfterFunc(connTimeout, func() {})
	}
	defer func() {
		for i := range conns {
			conns[i].Stop()
		}
	}()
	inOrders(b, n, func(order []int) {
		for _, i := range order {
			conns[i].Reset(connTimeout)
		}
	})
}

// touchWord is the lower bound for a touch that other goroutines must see when they touch or expire
// the connection: one compare-and-swap of a word in the connection and, with clock, one reading of
// the time. In random order the cache miss dominates.
func touchWord(b *testing.B, n int, clock bool) {
	conns := make([]struct {
		word atomic.Int64
		_    padding
	}, n)
	begin := time.Now()
	inOrders(b, n, func(order []int) {
		for _, i := range order {
			now := int64(i)
			if clock {
				now = int64(time.Since(begin))
			}
			conns[i].word.CompareAndSwap(conns[i].word.Load(), now)
		}
	})
}

// touchDeadline uses real sockets, as many as this process may open, and reads the clock as callers
// of SetReadDeadline have to.
func touchDeadline(b *testing.B, n int) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer listener.Close()
	conns := make([]net.Conn, 0, n)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range n {
		client, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(b, err)
		defer client.Close()
		server, err := listener.Accept()
		require.NoError(b, err)
		conns = append(conns, server)
	}
	failed := 0
	inOrders(b, n, func(order []int) {
		for _, i := range order {
			if conns[i].SetReadDeadline(time.Now().Add(connTimeout)) != nil {
				failed++
			}
		}
	})
	require.Zero(b, failed)
}

func stop(b *testing.B, w *hashedwheel.HashedWheelTimer) {
	_, err := w.Stop()
	require.NoError(b, err)
}
