package trigger

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// In an overload the queue stays full for minutes, and each fire that leaves it makes room for one.
func TestAFullQueueIsNotCopied(t *testing.T) {
	p, err := NewPool(PoolOptions{})
	require.NoError(t, err)
	p.running = true
	fire := xxladapter.Fire{GroupID: 1, Due: time.Now()}
	put := func() bool {
		return p.offer(laneFast, 1, work{fire: fire})
	}
	for put() {
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { put() }), "it was refused")
	const turns = 40_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range turns {
		_, app, ok := p.lanes[laneFast].next()
		require.True(t, ok)
		p.lanes[laneFast].finish(app)
		require.True(t, put())
	}
	runtime.ReadMemStats(&after)
	perFire := (after.TotalAlloc - before.TotalAlloc) / turns
	require.Less(t, perFire, uint64(400), "bytes for each fire")
}
