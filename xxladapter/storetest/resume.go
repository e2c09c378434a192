package storetest

import (
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// waiting returns a job that waits for the end of a broadcast of three runs, whose due time was
// at(0).
func (b *fixture) waiting() (id int64, shards []xxladapter.Fire) {
	b.Helper()
	id = b.addRunning("waits", at(0))
	fires, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		return []xxladapter.Decision{{
			JobID: id, Last: due[0].TriggerNext, Next: xxladapter.AfterRun,
			Fires: []xxladapter.Fire{{Due: due[0].TriggerNext, Type: xxladapter.TriggerCron, RetryCount: -1}},
		}}
	})
	b.NoError(err)
	b.Len(fires, 1)
	b.True(b.job(id).Waits())
	b.True(b.job(id).TriggerNext.Equal(xxladapter.AfterRun))
	return id, b.claim(fires[0], "n1", 3)
}

func (b *fixture) settleSent(f xxladapter.Fire) {
	b.Helper()
	b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 200})
}

func (b *fixture) endRun(f xxladapter.Fire, r xxladapter.Resume, next ...xxladapter.Fire) (applied bool) {
	b.Helper()
	applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: 500, Resume: r, Next: next})
	b.NoError(err)
	return applied
}

var resumeRules = []rule{
	{"AScheduleThatWaitsContinuesWithTheLastEnd", func(b *fixture) {
		id, shards := b.waiting()
		resume := xxladapter.Resume{JobID: id, Next: at(30).Add(5 * time.Millisecond)}
		b.settleSent(shards[0])
		b.True(b.endRun(shards[0], resume))
		b.True(b.job(id).Waits(), "two shards are being handed over")
		b.settleSent(shards[1])
		failed := xxladapter.Settlement{FireID: shards[2].ID, LogID: shards[2].LogID, Code: 500, Resume: resume}
		ambiguous := failed
		ambiguous.State = xxladapter.FireAmbiguous
		b.settleBy(b.term("n1"), ambiguous)
		b.settleBy(b.term("n1"), failed)
		b.True(b.job(id).Waits(), "one shard runs")
		b.False(b.endRun(shards[0], resume), "it had its result")
		b.True(b.endRun(shards[1], resume))
		j := b.job(id)
		b.Equal(resume.Next, j.TriggerNext)
		b.Equal(at(0), j.TriggerLast)
		b.True(j.Running)
	}},
	{"AFailedHandOverCanBeTheLastEnd", func(b *fixture) {
		id, shards := b.waiting()
		for _, f := range shards {
			b.True(b.job(id).Waits())
			s := xxladapter.Settlement{
				FireID: f.ID, LogID: f.LogID, Code: 500, Resume: xxladapter.Resume{JobID: id, Next: at(9)},
			}
			b.settleBy(b.term("n1"), s)
		}
		b.Equal(at(9), b.job(id).TriggerNext)
	}},
	{"ARetryKeepsAScheduleWaiting", func(b *fixture) {
		id, shards := b.waiting()
		resume := xxladapter.Resume{JobID: id, Next: at(9)}
		for i, f := range shards {
			var retry []xxladapter.Fire
			if i == 1 {
				retry = []xxladapter.Fire{
					{JobID: id, Due: at(600), Type: xxladapter.TriggerRetry, ShardIndex: 1, ShardTotal: 3},
				}
			}
			b.True(b.endRun(f, resume, retry...))
		}
		b.True(b.job(id).Waits())
		open := b.openFires(xxladapter.FireFilter{})
		b.Len(open, 1)
		b.True(b.endRun(b.claim(open[0], "n1", 1)[0], resume))
		b.Equal(at(9), b.job(id).TriggerNext)
	}},
	{"AScheduleThatDoesNotWaitIsLeftAlone", func(b *fixture) {
		id, shards := b.waiting()
		resume := xxladapter.Resume{JobID: id, Next: at(9)}
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, time.Time{}))
		b.True(b.endRun(shards[0], resume))
		b.True(b.endRun(shards[1], resume))
		b.Zero(b.job(id).TriggerNext, "it was stopped")
		b.NoError(StartAt(b.ctx, b.store, id, at(60)))
		b.True(b.endRun(shards[2], resume))
		b.Equal(at(60), b.job(id).TriggerNext, "and has begun anew")
		resumed, err := b.store.ResumeJob(b.ctx, resume)
		b.NoError(err)
		b.False(resumed)
		b.Equal(at(60), b.job(id).TriggerNext)
		resumed, err = b.store.ResumeJob(b.ctx, xxladapter.Resume{JobID: 4711, Next: at(9)})
		b.NoError(err)
		b.False(resumed)
	}},
	{"RunsFromBeforeTheDueTimeHoldNothingUp", func(b *fixture) {
		old := b.addJob("holds nothing up") // another job's run
		b.settleSent(b.claim(b.plan(old, at(0), xxladapter.TriggerManual), "n1", 1)[0])
		id := b.addRunning("waits", at(100))
		open := b.claim(b.plan(id, at(0), xxladapter.TriggerManual), "n1", 1)[0] // began at(0), and never gets a result
		b.settleSent(open)
		b.clock.Advance(100 * time.Second)
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{JobID: id, Last: at(100), Next: xxladapter.AfterRun}}
		})
		b.NoError(err)
		resumed, err := b.store.ResumeJob(b.ctx, xxladapter.Resume{JobID: id, Next: at(200)})
		b.NoError(err)
		b.True(resumed)
		b.Equal(at(200), b.job(id).TriggerNext)
	}},
	{"OfShardsThatEndAtOnceOneIsTheLast", func(b *fixture) {
		for range 5 {
			id, shards := b.waiting()
			var ends sync.WaitGroup
			errs := make([]error, len(shards))
			for i, f := range shards {
				ends.Go(func() {
					_, _, errs[i] = b.store.FinishRun(b.ctx, xxladapter.RunResult{
						LogID: f.LogID, Code: 200, Resume: xxladapter.Resume{JobID: id, Next: at(9)},
					})
				})
			}
			ends.Wait()
			for _, err := range errs {
				b.NoError(err)
			}
			b.Equal(at(9), b.job(id).TriggerNext)
		}
	}},
	{"WaitingJobsCanBeListedAndResumed", func(b *fixture) {
		b.addRunning("due", at(50))
		id, shards := b.waiting()
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{Waiting: true})
		b.NoError(err)
		b.Len(jobs, 1)
		b.Equal(id, jobs[0].ID)
		resume := xxladapter.Resume{JobID: id, Next: at(9)}
		for _, f := range shards {
			resumed, err := b.store.ResumeJob(b.ctx, resume)
			b.NoError(err)
			b.False(resumed)
			b.True(b.endRun(f, xxladapter.Resume{})) // by a caller that does not know of the wait
		}
		b.True(b.job(id).Waits())
		resumed, err := b.store.ResumeJob(b.ctx, resume)
		b.NoError(err)
		b.True(resumed)
		b.Equal(at(9), b.job(id).TriggerNext)
	}},
}
