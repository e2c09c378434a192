package trigger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/route"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A shot is one run request that is to be sent: its shard and its address, or why there is none.
type shot struct {
	index, total int
	broadcast    bool
	addr         string
	err          error
}

// errDrained means that every address for a run is drained.
var errDrained = errors.New(xxladapter.ReasonDrained)

// aim chooses the addresses of a fire at a time of the store's clock: one for each shard of a
// broadcast, otherwise one by the route of the job. Drained addresses are left out, also of a
// broadcast, which has fewer shards then, and of addresses that an operator has named.
func (h *HandOver) aim(ctx context.Context, f xxladapter.Fire, job *xxladapter.Job, group *xxladapter.Group, now time.Time) []shot {
	all := membersOf(f, group)
	addrs := group.Undrained(all, now)
	if len(addrs) == 0 && len(all) > 0 {
		return []shot{{
			index: f.ShardIndex, total: max(f.ShardTotal, 1), broadcast: job.Route == xxladapter.RouteShardingBroadcast, err: errDrained,
		}}
	}
	if job.Route != xxladapter.RouteShardingBroadcast {
		s := shot{index: f.ShardIndex, total: max(f.ShardTotal, 1)}
		s.addr, s.err = h.routes.Choose(ctx, job.Route, job.ID, addrs)
		s.addr = anyOf(job.Route, f, group, s.addr, now)
		return []shot{s}
	}
	if f.ShardTotal > 0 || len(addrs) == 0 { // one shard again, or nobody to send to
		s := shot{index: f.ShardIndex, total: max(f.ShardTotal, 1), broadcast: true}
		s.addr, s.err = route.Shard(addrs, s.index)
		return []shot{s}
	}
	shots := make([]shot, len(addrs))
	for i := range addrs {
		shots[i] = shot{index: i, total: len(addrs), broadcast: true}
		shots[i].addr, shots[i].err = route.Shard(addrs, i)
	}
	return shots
}

// log returns the row that is inserted when the fire is claimed. It contains the retry budget from
// the start, so that no monitor sees the row without.
func (s shot) log(f xxladapter.Fire, job *xxladapter.Job, now time.Time) *xxladapter.Log {
	l := &xxladapter.Log{
		GroupID:     job.GroupID,
		JobID:       job.ID,
		Address:     s.addr,
		Handler:     job.Handler,
		Param:       job.Param,
		RetryCount:  job.RetryCount,
		TriggerTime: now.Truncate(time.Second),
	}
	if f.Param != nil {
		l.Param = *f.Param
	}
	if f.RetryCount >= 0 {
		l.RetryCount = f.RetryCount
	}
	if s.broadcast {
		l.Sharding = fmt.Sprintf("%d/%d", s.index, s.total)
	}
	return l
}

// shoot sends one claimed fire and settles it by what is known of the outcome.
func (h *HandOver) shoot(ctx context.Context, f xxladapter.Fire, s shot, job *xxladapter.Job, group *xxladapter.Group, l *xxladapter.Log) error {
	var o sendOutcome
	if s.err != nil {
		o = failed(time.Now(), s.err.Error())
	} else {
		req := h.runRequest(f, job, l)
		req.BroadcastIndex, req.BroadcastTotal = wire.Int(s.index), wire.Int(s.total)
		if _, queued := xxladapter.ParseQueueAddress(s.addr); queued {
			return h.enqueue(ctx, f, job, group, l, req, queueKey(l.ID))
		}
		o = h.send(ctx, f.Owner, s.addr, group.AppName, req)
	}
	return h.settle(ctx, f, job, group, l, o)
}

// runRequest returns the request for the run of a claimed fire, the same at every attempt.
func (h *HandOver) runRequest(f xxladapter.Fire, job *xxladapter.Job, l *xxladapter.Log) *wire.RunRequest {
	req := &wire.RunRequest{
		JobID:          wire.Int(job.ID),
		Handler:        l.Handler,
		Params:         l.Param,
		BlockStrategy:  string(job.Block),
		Timeout:        wire.Int(job.Timeout / time.Second),
		LogID:          wire.Int(l.ID),
		LogTime:        wire.Int(l.TriggerTime.UnixMilli()),
		GlueType:       string(job.GlueType),
		GlueSource:     job.GlueSource,
		GlueUpdated:    wire.Int(job.GlueUpdated.UnixMilli()),
		BroadcastIndex: wire.Int(f.ShardIndex),
		BroadcastTotal: wire.Int(max(f.ShardTotal, 1)),
		ScheduledTime:  wire.Int(f.Due.UnixMilli()),
	}
	if h.opts.TraceParent != nil {
		req.TraceParent = h.opts.TraceParent(l)
	}
	return req
}
