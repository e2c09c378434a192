//go:build linux

package streams

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkPublish publishes from 25 goroutines per processor: on four, as many as a scheduler has
// places for one app. It reports the processor time of client and server, and the reads of Redis,
// for each run.
func BenchmarkPublish(b *testing.B) {
	c := connected(b, ownURL(b), "", "s", time.Hour)
	run := []byte(strings.Repeat("x", 500))
	client := func() float64 {
		var use syscall.Rusage
		require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &use))
		return float64(use.Utime.Nano()+use.Stime.Nano()) / 1e3
	}
	// server returns a number of Redis's own.
	server := func(section, name string) float64 {
		text, err := c.Info(b.Context(), section).Result()
		require.NoError(b, err)
		_, rest, _ := strings.Cut(text, name+":")
		var value float64
		_, err = fmt.Sscan(rest, &value)
		require.NoError(b, err)
		return value
	}
	read := func() float64 {
		return 1e6 * (server("cpu", "used_cpu_sys") + server("cpu", "used_cpu_user"))
	}
	var key atomic.Int64
	b.SetParallelism(25) // for each of GOMAXPROCS
	c0, s0, n0 := client(), read(), server("stats", "total_reads_processed")
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := c.Publish(b.Context(), anyOf, fmt.Sprint(key.Add(1)), nil, run); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.StopTimer()
	n := float64(b.N)
	b.ReportMetric((client()-c0)/n, "client-µs/op")
	b.ReportMetric((read()-s0)/n, "redis-µs/op")
	b.ReportMetric((server("stats", "total_reads_processed")-n0)/n, "reads/op")
}
