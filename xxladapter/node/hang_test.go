package node

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestHangingExecutorsDelayNoOthers measures how late the runs of an app arrive, first alone, then
// beside three apps whose executors hang each in its own way: one never accepts, one accepts and is
// silent, one answers a byte a second. In all that time the pool must keep within its bounds.
//
// The lateness at p99 must not grow by more than 50 ms. A soak looks at the runs of 30 s in each
// phase and demands just that. Otherwise the test is lenient, because other tests run at the same
// time, and without the bounds the lateness grows by seconds.
func TestHangingExecutorsDelayNoOthers(t *testing.T) {
	testserver.Long(t)
	// Ten jobs run twice a second: 3 s of runs, as long as a call to a hanging executor may take.
	phase, grows := 60, 500*time.Millisecond
	if testserver.Soak() {
		phase, grows = 600, 50*time.Millisecond
	}
	const places = 60
	r := runNode(t, Options{FastPool: places, SlowPool: places})
	start := func(group int64, n int, period string) {
		for range n {
			id := r.job(group, func(j *xxladapter.Job) { j.ScheduleType, j.ScheduleConf = xxladapter.ScheduleFixRate, period })
			require.NoError(t, storetest.StartAt(t.Context(), r.store, id, time.Now().Add(500*time.Millisecond)))
		}
		r.node.scheduler.Wake()
	}

	late := make(chan time.Duration, 3*phase)
	answers := httptest.NewServer(executorFunc(func(run wire.RunRequest) {
		late <- time.Since(time.UnixMilli(int64(run.ScheduledTime)))
	}))
	defer answers.Close()
	start(r.group("answers", answers.URL), 10, "0.5")
	measure := func() time.Duration {
		for len(late) > 0 {
			<-late // of an earlier phase
		}
		all := make([]time.Duration, phase)
		for i := range all {
			all[i] = <-late
		}
		slices.Sort(all)
		return all[len(all)*99/100]
	}
	for range 20 { // all jobs are under way
		<-late
	}
	alone := measure()

	hung := map[int64]bool{}
	for name, addr := range map[string]string{"unaccepting": unaccepting(t), "silent": silent(t), "drop by drop": dropByDrop(t)} {
		group := r.group(name, addr)
		hung[group] = true
		start(group, 25, "1") // in all 75 a second, 3 s each: far more than there are places
	}
	stop := make(chan struct{})
	sampled := make(chan int)
	go func() {
		most := 0
		for {
			for _, l := range r.node.PoolLoads() {
				if hung[l.GroupID] {
					most = max(most, l.InFlight)
				}
			}
			select {
			case <-stop:
				sampled <- most
				return
			case <-time.After(10 * time.Millisecond): // the pace of looking
			}
		}
	}()
	beside := measure()
	close(stop)
	most := <-sampled
	t.Logf("p99 %v alone, %v beside hanging apps, which had up to %d of %d places each", alone, beside, most, places)
	require.LessOrEqual(t, beside, alone+grows)
	require.LessOrEqual(t, most, places/2)
	require.Greater(t, most, 1, "they do hang")
}

// unaccepting returns an address whose connections are never accepted: the kernel holds a few, and
// then stops answering.
func unaccepting(t *testing.T) string {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Close(fd)) })
	require.NoError(t, syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.NoError(t, syscall.Listen(fd, 0))
	name, err := syscall.Getsockname(fd)
	require.NoError(t, err)
	return fmt.Sprintf("http://127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
}

// silent returns an address that accepts connections and says nothing.
func silent(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ended := make(chan struct{})
	var held []net.Conn
	go func() {
		defer close(ended)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return // closed
			}
			held = append(held, conn)
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, ln.Close())
		<-ended
		for _, conn := range held {
			_ = conn.Close() // the scheduler may have hung up
		}
	})
	return "http://" + ln.Addr().String()
}

// dropByDrop returns the URL of an executor that answers a byte a second.
func dropByDrop(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, c := range []byte(`{"code":200,"msg":null}`) {
			if _, err := w.Write([]byte{c}); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // the scheduler may have hung up
			select {
			case <-r.Context().Done():
				return
			case <-time.After(time.Second):
			}
		}
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}
