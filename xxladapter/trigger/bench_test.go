//go:build unix

package trigger

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// BenchmarkClient measures the sending of one run request and the reading of its reply. The
// executor is a bare socket in the same process, so that its share of the processor time is small
// and does not change.
func BenchmarkClient(b *testing.B) {
	for _, conns := range []int{1, 64} {
		b.Run(fmt.Sprintf("conns=%d", conns), func(b *testing.B) { benchmarkClient(b, conns) })
	}
}

func benchmarkClient(b *testing.B, conns int) {
	addr := bareExecutor(b)
	c, err := NewClient(ClientOptions{Timeout: time.Minute, AccessToken: "default_token"})
	require.NoError(b, err)
	defer c.Close()
	var next atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(conns)
	cpu := cpuTime(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			id := next.Add(1)
			reply, err := c.Run(b.Context(), addr, "app", &wire.RunRequest{
				JobID: 7, Handler: "noop", Params: "a=1", BlockStrategy: "SERIAL_EXECUTION", LogID: wire.Int(id),
				LogTime: 1767225600000, GlueType: "BEAN", GlueUpdated: 1541254891000, BroadcastTotal: 1, ScheduledTime: 1767225600000,
			})
			if err != nil || reply.Code != wire.CodeOK {
				b.Errorf("reply %+v: %v", reply, err)
				return
			}
		}
	})
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/1000/float64(b.N), "cpu-µs/op")
}

// cpuTime returns the processor time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// bareExecutor starts an executor that accepts every run with little work, and returns its address.
func bareExecutor(b *testing.B) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { _ = ln.Close() })
	const body = `{"code":200,"msg":"Success"}`
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html;charset=UTF-8\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	go func() { // ends with the listener
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go answerAll(conn, answer) // ends with the client
		}
	}()
	return "http://" + ln.Addr().String()
}

// answerAll answers every request of a connection in the same way.
func answerAll(conn net.Conn, answer []byte) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		length := 0
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				return
			}
			if v, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
				length, _ = strconv.Atoi(strings.TrimSpace(v))
			}
			if len(line) == 2 {
				break
			}
		}
		if _, err := in.Discard(length); err != nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// BenchmarkHandOver measures the pool's whole work on a fire, with the store in memory: reading job
// and group, claiming, sending and settling. inflight is how many fires it has at a time.
func BenchmarkHandOver(b *testing.B) {
	for _, inflight := range []int{1, 64} {
		b.Run(fmt.Sprintf("inflight=%d", inflight), func(b *testing.B) { benchmarkHandOver(b, inflight) })
	}
}

func benchmarkHandOver(b *testing.B, inflight int) {
	f := newFixture(b, xxladapter.RouteFirst, bareExecutor(b))
	f.over.opts.OnEvent = func(Event) {}
	now, err := f.store.Now(b.Context())
	require.NoError(b, err)
	due := now.Add(-time.Duration(b.N+1) * time.Millisecond) // fires of one job are a millisecond apart
	fires := make([]xxladapter.Fire, b.N)
	for i := range fires {
		fires[i] = xxladapter.Fire{JobID: f.job.ID, GroupID: f.job.GroupID, Due: due, Type: xxladapter.TriggerManual, State: xxladapter.FirePlanned}
	}
	fires, err = f.store.PlanFires(b.Context(), fires)
	require.NoError(b, err)
	p, err := NewPool(PoolOptions{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, f.over) }()
	places := make(chan struct{}, inflight)
	for !p.Fire(fires[0], func() {}) { // it begins
		runtime.Gosched()
	}
	b.ReportAllocs()
	cpu := cpuTime(b)
	b.ResetTimer()
	for _, fire := range fires[1:] {
		places <- struct{}{}
		if !p.Fire(fire, func() { <-places }) {
			b.Fatal("the pool has no place")
		}
	}
	for range inflight {
		places <- struct{}{}
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/1000/float64(b.N), "cpu-µs/op")
	stop()
	require.NoError(b, <-ended)
	require.Zero(b, len(f.open()))
}
