package scheduler

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A forgetful line loses the first call of Retire.
type forgetful struct {
	*line
	mu   sync.Mutex // guards lost
	lost bool
}

func (f *forgetful) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	f.mu.Lock()
	first := !f.lost
	f.lost = true
	f.mu.Unlock()
	if first {
		return errors.New("connection reset by peer")
	}
	return f.line.Retire(ctx, term, why)
}

// TestADrainingNodeKeepsNoPartitions loses the statement by which a node that stops gives its
// partitions back; in a second case, the node's term ends as well. The other node has all
// partitions soon, and not only when the hand-overs have ended, and each due time fires once.
func TestADrainingNodeKeepsNoPartitions(t *testing.T) {
	for _, mode := range []xxladapter.SchedulingMode{xxladapter.SchedulingAll, xxladapter.SchedulingLeader} {
		for _, silent := range []time.Duration{0, leaseLife + leasePace} {
			inBubble(t, func(b *fixture) {
				start := time.Now()
				b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
				store, pool, opts := &forgetful{line: &line{Store: b.store}}, &fakePool{store: b.store}, b.sched.opts
				opts.Store, opts.Pool, opts.Node, opts.Mode = store, pool, "one", mode
				one, err := New(opts)
				require.NoError(b.t, err)
				pool.term = one.Term
				leasing, resign := context.WithCancel(b.t.Context())
				running, stop := context.WithCancel(b.t.Context())
				var ended sync.WaitGroup
				ended.Go(func() { _ = one.HoldLease(leasing) })
				ended.Go(func() { _ = one.Run(running) })
				defer func() { stop(); resign(); ended.Wait() }()
				time.Sleep(100 * time.Millisecond)
				two := b.start("two", func(o *Options) { o.Mode = mode })
				time.Sleep(5 * time.Second)

				stop()
				time.Sleep(time.Millisecond)
				term, _ := one.Term()
				if silent > 0 {
					store.cut()
					time.Sleep(silent)
					store.heal()
				}
				time.Sleep(2 * leasePace)
				now, holds := one.Term()
				require.True(b.t, holds, "until its hand-overs have ended")
				require.Equal(b.t, silent > 0, now != term)
				time.Sleep(8 * time.Second)
				require.Equal(b.t, xxladapter.AllPartitions, two.Stats().Partitions)
				seconds := int(time.Since(start).Seconds()) - 1 // the current one may be on its way
				once(b.t, dues(b.t, &peer{Scheduler: one, pool: pool}, two), start.Add(time.Second), seconds)
			})
		}
	}
}
