package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A kinship says how a run is related to another one.
type kinship string

const (
	kinParent  kinship = "PARENT"  // its success triggered the run
	kinShard   kinship = "SHARD"   // of the same broadcast
	kinAttempt kinship = "ATTEMPT" // of the same fire
	kinRepeat  kinship = "REPEAT"  // somebody repeated the run
	kinChild   kinship = "CHILD"   // of a job that the run's success triggered
)

// Values lists all kinships.
func (kinship) Values() []kinship {
	return []kinship{kinParent, kinShard, kinAttempt, kinRepeat, kinChild}
}

// A relatedRun is a run that is related to another one.
type relatedRun struct {
	LogID   int64                `json:"logId"`
	JobID   int64                `json:"jobId"`
	JobName string               `json:"jobName,omitempty" doc:"Omitted if the job was removed."`
	Kin     kinship              `json:"kin" doc:"PARENT: its success triggered the run. SHARD: of the same broadcast. ATTEMPT: an attempt of the same fire. REPEAT: somebody repeated the run. CHILD: the run's success triggered it."`
	Shard   string               `json:"executorShardingParam,omitempty" doc:"index/total, for a shard of a broadcast to several executors."`
	Attempt int                  `json:"attempt"`
	Due     time.Time            `json:"due"`
	Status  xxladapter.LogStatus `json:"status"`
}

const (
	// maxRelated limits the runs of a job among which related ones are searched for.
	maxRelated = 1000
	// maxAttempts limits how far a run is traced back to the first attempt.
	maxAttempts = 100
	// followsWithin is how far from a run's end its children are searched for. They are due when
	// its result is stored.
	followsWithin = time.Minute
)

// A kin collects the runs that are related to one run.
type kin struct {
	*Server
	self  int64
	found []relatedRun
}

// related lists the runs that are related to l: the parent first, then runs of the same job by id,
// and then runs of its child jobs. Runs of jobs that do not exist for the caller are left out.
func (s *Server) related(ctx context.Context, l *xxladapter.Log, h xxladapter.RunHistory) ([]relatedRun, error) {
	k := kin{Server: s, self: l.ID, found: []relatedRun{}}
	first, err := k.firstAttempt(ctx, h)
	if err != nil {
		return nil, err
	}
	if first.Type == xxladapter.TriggerParent {
		if err := k.parent(ctx, first.Parent); err != nil {
			return nil, err
		}
	}
	if err := k.sameJob(ctx, l, first); err != nil {
		return nil, err
	}
	if err := k.children(ctx, l, h); err != nil {
		return nil, err
	}
	var jobs []int64
	for i := range k.found {
		jobs = append(jobs, k.found[i].JobID)
	}
	names, err := s.opts.Store.JobNames(ctx, jobs, nil)
	for i := range k.found {
		k.found[i].JobName = names[k.found[i].JobID]
	}
	return k.found, err
}

// firstAttempt returns the history of the first attempt of h's fire, as far back as histories are
// kept.
func (k *kin) firstAttempt(ctx context.Context, h xxladapter.RunHistory) (xxladapter.RunHistory, error) {
	for range maxAttempts {
		if h.Type != xxladapter.TriggerRetry || h.Parent == 0 {
			break
		}
		before, err := k.opts.Store.RunHistories(ctx, []int64{h.Parent})
		if err != nil {
			return h, err
		}
		earlier, known := before[h.Parent]
		if !known {
			break // deleted with its log row
		}
		h = earlier
	}
	return h, nil
}

// parent adds the run whose success triggered the fire.
func (k *kin) parent(ctx context.Context, id int64) error {
	l, err := k.opts.Store.Log(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	histories, err := k.opts.Store.RunHistories(ctx, []int64{id})
	h, known := histories[id]
	if !known {
		h.Due, h.Attempt = l.TriggerTime, 1
	}
	k.found = append(k.found, relatedRun{
		LogID: id, JobID: l.JobID, Kin: kinParent, Shard: l.Sharding, Attempt: h.Attempt, Due: h.Due,
		Status: l.Status(),
	})
	return err
}

// runsDue lists the runs of a job that were due at or after from and before to, or none if the job
// does not exist for the caller.
func (k *kin) runsDue(ctx context.Context, job int64, from, to time.Time) ([]xxladapter.DueRun, error) {
	runs, err := k.opts.Store.RunsDue(
		ctx, xxladapter.RunsDueFilter{JobID: job, From: from, To: to, Late: maxTook, Limit: maxRelated},
	)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, nil
	}
	return runs, err
}

func (k *kin) add(job int64, r *xxladapter.DueRun, how kinship) {
	if r.LogID == k.self {
		return
	}
	shard := ""
	if r.ShardTotal > 1 {
		shard = fmt.Sprintf("%d/%d", r.ShardIndex, r.ShardTotal)
	}
	k.found = append(k.found, relatedRun{
		LogID: r.LogID, JobID: job, Kin: how, Shard: shard, Attempt: r.Attempt, Due: r.Due, Status: r.Status(),
	})
}

// sameJob adds the shards and the attempts of a fire, and the repetitions of l. An attempt comes
// after the run that it retries, so one pass in the order of log ids finds them all.
func (k *kin) sameJob(ctx context.Context, l *xxladapter.Log, first xxladapter.RunHistory) error {
	now, err := k.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	runs, err := k.runsDue(ctx, l.JobID, first.Due, now.Add(time.Millisecond))
	if err != nil {
		return err
	}
	slices.SortFunc(runs, func(a, b xxladapter.DueRun) int { return cmp.Compare(a.LogID, b.LogID) })
	fire := map[int64]bool{first.LogID: true}
	for i := range runs {
		r := &runs[i]
		switch {
		case r.Type == xxladapter.TriggerRetry && fire[r.Parent]:
			fire[r.LogID] = true
			k.add(l.JobID, r, kinAttempt)
		case r.LogID == first.LogID:
			k.add(l.JobID, r, kinAttempt)
		case r.ShardTotal > 1 && r.ShardTotal == first.ShardTotal && r.Due.Equal(first.Due) && r.Type == first.Type &&
			r.Parent == first.Parent:
			fire[r.LogID] = true
			k.add(l.JobID, r, kinShard)
		case r.Type == xxladapter.TriggerManual && r.Parent == l.ID:
			k.add(l.JobID, r, kinRepeat)
		}
	}
	return nil
}

// children adds the runs that l's success triggered, among the jobs that are children of its job
// now.
func (k *kin) children(ctx context.Context, l *xxladapter.Log, h xxladapter.RunHistory) error {
	if h.Finished.IsZero() || l.Status() != xxladapter.LogSuccess {
		return nil
	}
	j, err := k.opts.Store.Job(ctx, l.JobID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, child := range j.ChildIDs {
		runs, err := k.runsDue(ctx, child, h.Finished.Add(-followsWithin), h.Finished.Add(followsWithin))
		if err != nil {
			return err
		}
		for i := range runs {
			if runs[i].Parent == l.ID {
				k.add(child, &runs[i], kinChild)
			}
		}
	}
	return nil
}
