//go:build unix

package executor

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// BenchmarkRuns measures runs that are accepted over keep-alive connections, done by a handler that
// does nothing, and whose results an admin has accepted. Client, executor and admin share the
// machine's cores and this process.
func BenchmarkRuns(b *testing.B) {
	for _, noSync := range []bool{false, true} {
		for _, conns := range []int{16, 64, 256} {
			b.Run(fmt.Sprintf("nosync=%t/conns=%d", noSync, conns), func(b *testing.B) {
				benchmarkRuns(b, noSync, conns)
			})
		}
	}
}

func benchmarkRuns(b *testing.B, noSync bool, conns int) {
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"code":200,"msg":null,"content":null}`)
	}))
	defer admin.Close()
	e, err := New(Options{
		Admins: []string{admin.URL}, AppName: "bench", AccessToken: "default_token",
		Listen: "127.0.0.1:0", DataDir: b.TempDir(), NoSync: noSync, Logger: quietLogger(),
	})
	require.NoError(b, err)
	var done atomic.Int64
	require.NoError(b, e.Handle("noop", func(context.Context, *Run) error { done.Add(1); return nil }))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	<-e.Ready()

	var next atomic.Int64
	var clients sync.WaitGroup
	cpu := cpuTime(b)
	b.ResetTimer()
	for c := range conns {
		clients.Go(func() { sendRuns(b, e.Address(), int64(c+1), &next, int64(b.N)) })
	}
	clients.Wait()
	j := e.live.Load().journal
	for done.Load() < int64(b.N) || j.waiting() > 0 {
		time.Sleep(time.Millisecond) // leaves the processor to the runs
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	// CPU time of client, executor and admin together, which does not depend on the machine's other
	// load.
	b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "cpu-µs/run")
	cancel()
	require.NoError(b, <-ended)
}

// cpuTime returns the CPU time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// sendRuns is a client with one connection, at little cost of its own.
func sendRuns(b *testing.B, addr string, jobID int64, next *atomic.Int64, n int64) {
	conn, err := net.Dial("tcp", addr[len("http://"):len(addr)-1])
	if err != nil {
		b.Error(err)
		return
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	logTime := time.Now().UnixMilli()
	var out, body []byte
	for {
		logID := next.Add(1)
		if logID > n {
			return
		}
		body = fmt.Appendf(body[:0], `{"jobId":%d,"executorHandler":"noop","executorParams":"a=1","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,"logId":%d,"logDateTime":%d,"glueType":"BEAN","glueSource":"","glueUpdatetime":1541254891000,"broadcastIndex":0,"broadcastTotal":1}`,
			jobID, logID, logTime)
		out = append(out[:0], "POST /run HTTP/1.1\r\nHost: executor\r\nContent-Type: application/json;charset=UTF-8\r\nXXL-JOB-ACCESS-TOKEN: default_token\r\nContent-Length: "...)
		out = strconv.AppendInt(out, int64(len(body)), 10)
		out = append(out, "\r\n\r\n"...)
		out = append(out, body...)
		if _, err := conn.Write(out); err != nil {
			b.Error(err)
			return
		}
		length := 0
		for {
			line, err := in.ReadSlice('\n')
			if err != nil {
				b.Error(err)
				return
			}
			if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
				length, _ = strconv.Atoi(string(bytes.TrimSpace(v)))
			}
			if len(line) == 2 {
				break
			}
		}
		reply, err := in.Peek(length)
		if err != nil || !bytes.HasPrefix(reply, []byte(`{"code":200`)) {
			b.Errorf("reply %q: %v", reply, err)
			return
		}
		_, _ = in.Discard(length)
	}
}

// BenchmarkQueued measures the memory of accepted runs: one of each job is in progress, and the
// others wait behind it.
func BenchmarkQueued(b *testing.B) {
	const runs = 10_000
	for _, jobs := range []int{1, 100, runs} {
		b.Run(fmt.Sprintf("jobs=%d", jobs), func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(queuedMemory(b, runs, jobs)/(1<<20), "MiB/10k")
			}
		})
	}
}

// queuedMemory returns the bytes that runs of a number of jobs take; the first run of each job is
// in progress.
func queuedMemory(b *testing.B, runs, jobs int) float64 {
	release := make(chan struct{})
	e := start(b, Options{StopGrace: -1}, func(e *Executor) {
		require.NoError(b, e.Handle("wait", func(context.Context, *Run) error { <-release; return nil }))
	})
	before := memory()
	for i := range runs {
		run := beanRun(int64(i%jobs+1), int64(i+1), "wait")
		run.Params = "a parameter of a usual length: region=north,limit=1000"
		require.Equal(b, wire.CodeOK, e.post("/run", run).Code)
	}
	used := memory() - before
	close(release)
	e.stop()
	return used
}

// memory returns the bytes of heap and stacks after a collection.
func memory() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// BenchmarkServeHTTP measures the executor's own part of a run: without sockets and without waiting
// for the disk.
func BenchmarkServeHTTP(b *testing.B) {
	var done atomic.Int64
	e := start(b, Options{Admins: []string{}}, func(e *Executor) {
		require.NoError(b, e.Handle("noop", func(context.Context, *Run) error { done.Add(1); return nil }))
	})
	logTime := time.Now().UnixMilli()
	var next atomic.Int64
	cpu := cpuTime(b)
	b.ReportAllocs()
	b.ResetTimer()
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		w := &discard{header: http.Header{}}
		jobID := next.Add(1)
		for pb.Next() {
			logID := next.Add(1)
			body := fmt.Appendf(nil, `{"jobId":%d,"executorHandler":"noop","executorParams":"a=1","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,"logId":%d,"logDateTime":%d,"glueType":"BEAN","glueSource":"","glueUpdatetime":1541254891000,"broadcastIndex":0,"broadcastTotal":1}`,
				jobID, logID, logTime)
			r := &http.Request{Method: http.MethodPost, URL: runURL, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body))}
			e.ServeHTTP(w, r)
			if w.status != http.StatusOK || !bytes.HasPrefix(w.body, []byte(`{"code":200`)) {
				b.Errorf("reply %d %s", w.status, w.body)
				return
			}
		}
	})
	for done.Load() < int64(b.N) {
		time.Sleep(time.Millisecond) // leaves the processor to the runs
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/float64(b.N), "cpu-µs/run")
}

var runURL = &url.URL{Path: wire.PathRun}

// discard keeps the last reply.
type discard struct {
	header http.Header
	status int
	body   []byte
}

func (d *discard) Header() http.Header    { return d.header }
func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) {
	d.body = append(d.body[:0], p...)
	return len(p), nil
}
