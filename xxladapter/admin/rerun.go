package admin

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A rerunForm says how the repetition of a run differs from that run.
type rerunForm struct {
	Param     *string  `json:"executorParam,omitempty" doc:"The parameter passed to the handler; defaults to that of the run."`
	Addresses []string `json:"addressList,omitempty" doc:"The executors to choose from; defaults to those of the group."`
}

// rerun plans the repetition of a run, with the parameter of that run unless the form has one. A
// shard of a broadcast is repeated as the same shard. The job's route chooses the address anew.
func (s *Server) rerun(ctx context.Context, path triggerPath, form *rerunForm) (no planned, err error) {
	key, err := orderKey(path.Key)
	if err != nil {
		return no, err
	}
	l, err := s.runs.Log(ctx, path.ID)
	if err != nil {
		return no, err
	}
	j, err := s.job(ctx, l.JobID)
	if err != nil {
		return no, err
	}
	given := triggerForm{Param: &l.Param}
	if form != nil {
		given.Addresses = form.Addresses
		if form.Param != nil {
			given.Param = form.Param
		}
	}
	f := xxladapter.Fire{Type: xxladapter.TriggerManual, Parent: l.ID}
	if l.Sharding != "" {
		if f.ShardIndex, f.ShardTotal, err = shardOf(l); err != nil {
			return no, err
		}
	}
	return s.order(ctx, j, f, &given, key, digest(rerunRequest{given, l.ID}))
}

// A rerunRequest is the input of digest for a request to repeat a run.
type rerunRequest struct {
	Form triggerForm
	Run  int64
}

// shardOf returns the shard of a broadcast that a run was.
func shardOf(l *xxladapter.Log) (index, total int, err error) {
	i, n, _ := strings.Cut(l.Sharding, "/")
	index, indexErr := strconv.Atoi(i)
	total, totalErr := strconv.Atoi(n)
	if indexErr != nil || totalErr != nil || index < 0 || total <= index {
		return 0, 0, xxladapter.Conflictf(errorrule.RunShard,
			"run %d has the shard %q, must have index/total to be run again",
			l.ID, l.Sharding)
	}
	return index, total, nil
}

// order plans a fire that is due now, and an order for it. request is the digest of the request: a
// key that was used for another request is refused. A repetition gets the same answer even if an
// address has left since.
func (s *Server) order(
	ctx context.Context, j *xxladapter.Job, f xxladapter.Fire, form *triggerForm, key, request string,
) (no planned, err error) {
	if err := xxladapter.CheckOverride(form.Param); err != nil {
		return no, err
	}
	if refused := s.checkAddresses(ctx, j, form.Addresses); refused != nil {
		if key == "" {
			return no, refused
		}
		switch o, err := s.opts.Store.OrderByKey(ctx, j.ID, key); {
		case err != nil:
			return no, err
		case o == nil:
			return no, refused
		default:
			return repeated(o, request)
		}
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return no, err
	}
	f.JobID, f.Due, f.State, f.RetryCount = j.ID, now.Truncate(time.Millisecond), xxladapter.FirePlanned, -1
	f.Param, f.Addresses = form.Param, form.Addresses
	o, fire, err := s.opts.Store.PlanOrder(ctx, f, key, request)
	if err != nil {
		return no, err
	}
	if fire.ID == 0 {
		return repeated(o, request)
	}
	s.opts.Planned(fire)
	return planned{Order: o.ID, Fire: o.FireID}, nil
}

// repeated returns the answer to a request whose key has the order o already.
func repeated(o *xxladapter.Order, request string) (no planned, err error) {
	if o.Request != request {
		return no, xxladapter.Conflictf(errorrule.IdempotencyKey,
			"%s is %q, must be a different key: order %d used it with a different body",
			"Idempotency-Key", o.Key, o.ID)
	}
	return planned{Order: o.ID, Fire: o.FireID, Repeated: true}, nil
}
