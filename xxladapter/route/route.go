// Package route chooses the executor of a trigger. It has the ten routing strategies of XXL-JOB,
// one file each; the file names the corresponding class in XXL-JOB 2.4.2, whose algorithms are
// unchanged up to 3.4.2.
//
// The order of the address list matters to every strategy but RANDOM and CONSISTENT_HASH. The
// addresses of automatic groups are sorted as text, so FIRST takes http://10.0.0.10:9999/ before
// http://10.0.0.9:9999/.
//
// ROUND, LEAST_FREQUENTLY_USED and LEAST_RECENTLY_USED remember what they chose for each job. As in
// upstream, that state is in memory, here in a [Routes]: it is lost at a restart, it is forgotten
// every 24 hours for all jobs at once, and every scheduler has its own. A lock for each strategy
// guards it, and its size is limited. docs/differences.md says what differs from upstream.
package route

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Prober probes executors. Each method returns nil only for a reply with code 200, and limits its
// own duration.
//
// [Routes.Choose] calls the methods on its goroutine, with no lock held. They must be safe for
// concurrent use.
type Prober interface {
	// Beat asks whether the executor at addr is alive.
	Beat(ctx context.Context, addr string) error

	// IdleBeat asks whether the executor at addr is free for the job: whether no run of that job is
	// running or waiting there.
	IdleBeat(ctx context.Context, addr string, jobID int64) error
}

// ErrNoAddress is returned when the address list is empty.
var ErrNoAddress = errors.New("route: no address")

// Routes holds the state of the strategies. It is safe for concurrent use. The zero value is not
// usable; see [New].
type Routes struct {
	prober Prober

	// Set by New, and replaced only before first use.
	now  func() time.Time
	intn func(n int) int // uniform in [0, n), safe for concurrent use

	rounds *perJob[int]
	counts *perJob[map[string]int]
	orders *perJob[[]string]
	rings  *ringCache
}

// New returns Routes without any state. FAILOVER and BUSYOVER call p, which may be nil if these two
// strategies are not used.
func New(p Prober) *Routes {
	return &Routes{
		prober: p,
		now:    time.Now,
		intn:   rand.IntN,
		rounds: newPerJob(func(int) int { return 1 }),
		counts: newPerJob(func(counts map[string]int) int { return len(counts) }),
		orders: newPerJob(func(order []string) int { return len(order) }),
		rings:  newRingCache(),
	}
}

// Choose picks one of addrs, the addresses of the job's group in stored order, by strategy s. It
// neither keeps nor changes addrs.
//
// It returns [ErrNoAddress] for an empty list, a [*ProbeError] if FAILOVER or BUSYOVER found no
// executor, and an error that names s if s is unknown.
//
// Only FAILOVER and BUSYOVER call executors, and only they observe ctx; the others return at once.
// SHARDING_BROADCAST is not a choice: the caller creates the shards and calls [Shard] for the
// address of each; Choose returns the first address for it.
func (r *Routes) Choose(
	ctx context.Context, s xxladapter.RouteStrategy, jobID int64, addrs []string,
) (addr string, err error) {
	if len(addrs) == 0 {
		return "", ErrNoAddress
	}
	switch s {
	case xxladapter.RouteFirst, xxladapter.RouteShardingBroadcast:
		return first(addrs), nil
	case xxladapter.RouteLast:
		return last(addrs), nil
	case xxladapter.RouteRandom:
		return random(addrs, r.intn), nil
	case xxladapter.RouteRound:
		return r.round(jobID, addrs), nil
	case xxladapter.RouteConsistentHash:
		return r.consistentHash(jobID, addrs), nil
	case xxladapter.RouteLFU:
		return r.leastFrequentlyUsed(jobID, addrs), nil
	case xxladapter.RouteLRU:
		return r.leastRecentlyUsed(jobID, addrs), nil
	case xxladapter.RouteFailover:
		return r.failover(ctx, addrs)
	case xxladapter.RouteBusyover:
		return r.busyover(ctx, jobID, addrs)
	}
	return "", fmt.Errorf("route: unknown strategy %q", s)
}
