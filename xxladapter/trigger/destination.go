package trigger

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/route"
)

// A destination is where one run goes: its shard and its address, or why there is none.
type destination struct {
	index, total int
	broadcast    bool
	addr         string
	err          error
}

// errDrained means that every address for a run is drained.
var errDrained = errors.New(xxladapter.ReasonDrained)

// destinations chooses addresses at a time of the store's clock: one for each shard of a broadcast,
// otherwise one by the route of the job. Drained addresses are left out, also of a broadcast, which
// has fewer shards then, and of addresses that an operator has named.
func (r *run) destinations(ctx context.Context, now time.Time) []destination {
	all := r.addresses()
	addrs := r.group.Undrained(all, now)
	one := destination{
		index:     r.fire.ShardIndex,
		total:     max(r.fire.ShardTotal, 1),
		broadcast: r.job.Route == xxladapter.RouteShardingBroadcast,
	}
	switch {
	case len(addrs) == 0 && len(all) > 0:
		one.err = errDrained
	case !one.broadcast:
		one.addr, one.err = r.choose(ctx, addrs, now)
	case r.fire.ShardTotal > 0 || len(addrs) == 0: // one shard again, or nobody to send to
		one.addr, one.err = route.Shard(addrs, one.index)
	default:
		shards := make([]destination, len(addrs))
		for i := range addrs {
			shards[i] = destination{index: i, total: len(addrs), broadcast: true}
			shards[i].addr, shards[i].err = route.Shard(addrs, i)
		}
		return shards
	}
	return []destination{one}
}

// choose chooses an address by the route of the job. If no executor answers FAILOVER or BUSYOVER,
// the run goes to the first address on a queue: it waits there for its executor, and while the
// broker is away nobody behind it can answer. If that address would be widened to the queue of all
// executors, only the addresses before it are asked.
func (r *run) choose(ctx context.Context, addrs []string, now time.Time) (string, error) {
	asked, queued := addrs, -1
	if r.job.Route == xxladapter.RouteFailover || r.job.Route == xxladapter.RouteBusyover {
		queued = slices.IndexFunc(addrs, xxladapter.IsQueueAddress)
	}
	if queued >= 0 && r.widened(addrs[queued], now) != addrs[queued] {
		asked = addrs[:queued]
	}
	addr, err := r.routes.Choose(forApp(ctx, r.group.AppName), r.job.Route, r.job.ID, asked)
	if err != nil && queued >= 0 {
		addr, err = addrs[queued], nil
	}
	return r.widened(addr, now), err
}

// widened returns the address for a run that its route has given to addr. If any executor of the
// app may have the run, that is the address of all of them, so that one with a free place takes it.
// While one of the group is drained, addr is kept, because the drained one would take runs too.
func (r *run) widened(addr string, now time.Time) string {
	to, queued := xxladapter.ParseQueueAddress(addr)
	if !queued || len(r.fire.Addresses) > 0 {
		return addr
	}
	if undrained := r.group.Undrained(r.group.Addresses, now); len(undrained) < len(r.group.Addresses) {
		return addr
	}
	switch r.job.Route {
	case xxladapter.RouteRandom, xxladapter.RouteRound, xxladapter.RouteLFU, xxladapter.RouteLRU,
		xxladapter.RouteFailover, xxladapter.RouteBusyover:
		return xxladapter.QueueAddress{App: to.App}.String()
	}
	return addr
}
