package trigger

import (
	"context"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A run is one execution of a job on its way to an executor. It is not changed once it has its row.
type run struct {
	*HandOver                   // hands it over
	fire      xxladapter.Fire   // before the claim the planned one, which stands for all its shards
	job       *xxladapter.Job   // as it was read for this run
	group     *xxladapter.Group // of the row, or of the job before the claim; without addresses if it is gone
	log       *xxladapter.Log   // its row; nil before the claim
}

// addresses returns the addresses that the run may go to: those that its fire names, or its
// group's.
func (r *run) addresses() []string {
	if len(r.fire.Addresses) > 0 {
		return r.fire.Addresses
	}
	return r.group.Addresses
}

// newLog returns the row that is inserted when the fire is claimed. It contains the retry budget
// from the start, so that no monitor sees the row without.
func (r *run) newLog(to destination, now time.Time) *xxladapter.Log {
	l := &xxladapter.Log{
		GroupID:     r.job.GroupID,
		JobID:       r.job.ID,
		Address:     to.addr,
		Handler:     r.job.Handler,
		Param:       r.job.Param,
		RetryCount:  r.job.RetryCount,
		TriggerTime: now.Truncate(time.Second),
	}
	if r.fire.Param != nil {
		l.Param = *r.fire.Param
	}
	if r.fire.RetryCount >= 0 {
		l.RetryCount = r.fire.RetryCount
	}
	if to.broadcast {
		l.Sharding = fmt.Sprintf("%d/%d", to.index, to.total)
	}
	return l
}

// shard returns the run of one shard, which was claimed as fire with the row l.
func (r *run) shard(fire xxladapter.Fire, l *xxladapter.Log) *run {
	l.ID = fire.LogID
	return &run{HandOver: r.HandOver, fire: fire, job: r.job, group: r.group, log: l}
}

// handOver sends a claimed run and settles its fire by what is known of the outcome.
func (r *run) handOver(ctx context.Context, to destination) error {
	if to.err != nil {
		return r.settle(ctx, failed(time.Now(), to.err.Error()))
	}
	req := r.request()
	req.BroadcastIndex, req.BroadcastTotal = wire.Int(to.index), wire.Int(to.total)
	if xxladapter.IsQueueAddress(to.addr) {
		return r.enqueue(ctx, req, queueKey(r.log.ID))
	}
	return r.settle(ctx, r.send(ctx, req))
}

// request returns the request for a claimed run. A repeated request has the same log id, trigger
// time, due time, handler, parameter and shard; the rest is that of the job as it was read for this
// one.
func (r *run) request() *wire.RunRequest {
	req := &wire.RunRequest{
		JobID:          wire.Int(r.job.ID),
		Handler:        r.log.Handler,
		Params:         r.log.Param,
		BlockStrategy:  string(r.job.Block),
		Timeout:        wire.Int(r.job.Timeout / time.Second),
		LogID:          wire.Int(r.log.ID),
		LogTime:        wire.Int(r.log.TriggerTime.UnixMilli()),
		GlueType:       string(r.job.GlueType),
		GlueSource:     r.job.GlueSource,
		GlueUpdated:    wire.Int(r.job.GlueUpdated.UnixMilli()),
		BroadcastIndex: wire.Int(r.fire.ShardIndex),
		BroadcastTotal: wire.Int(max(r.fire.ShardTotal, 1)),
		ScheduledTime:  wire.Int(r.fire.Due.UnixMilli()),
	}
	if r.opts.TraceParent != nil {
		req.TraceParent = r.opts.TraceParent(r.log)
	}
	return req
}

// event returns the event about the run, without what became of its request.
func (r *run) event(kind EventKind) Event {
	return Event{
		Kind: kind, Job: r.job.Name, JobID: r.job.ID, App: r.group.AppName, Fire: r.fire,
		LogID: r.log.ID, Address: r.log.Address, Began: r.log.TriggerTime,
	}
}
