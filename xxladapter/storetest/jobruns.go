package storetest

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var jobRunRules = []fullRule{
	{"LastRunsAreTheNewestRows", func(b *fullFixture) {
		one, two, idle, gone := b.addJob("one"), b.addJob("two"), b.addJob("idle"), b.addJob("gone")
		run := func(job int64, at, trigger, handle int) int64 {
			return b.addPast(pastRun{
				job: job, group: b.group, typ: xxladapter.TriggerCron, at: at, trigger: trigger, handle: handle,
			})
		}
		run(one, 10, 500, 0)
		last := run(one, 20, 200, 200)
		run(two, 30, 200, 200)
		failed := run(two, 40, 200, 500)
		run(gone, 50, 200, 200)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, gone))
		runs, err := b.store.LastRuns(b.ctx, []int64{two, idle, one, gone, 4711})
		b.NoError(err)
		b.Equal(map[int64]xxladapter.LastRun{
			one: {LogID: last, Status: xxladapter.LogSuccess, Triggered: at(20)},
			two: {LogID: failed, Status: xxladapter.LogFail, Triggered: at(40)},
		}, runs)
		open := run(one, 60, 200, 0)
		runs, err = b.store.LastRuns(b.ctx, []int64{one})
		b.NoError(err)
		b.Equal(map[int64]xxladapter.LastRun{
			one: {LogID: open, Status: xxladapter.LogRunning, Triggered: at(60)},
		}, runs)
		runs, err = b.store.LastRuns(b.ctx, nil)
		b.NoError(err)
		b.Empty(runs)
	}},
	{"RecentRunsAreTheNewestRowsOfEachJob", func(b *fullFixture) {
		one, two, idle, other := b.addJob("one"), b.addJob("two"), b.addJob("idle"), b.addJob("other")
		want := map[int64][]xxladapter.LastRun{}
		for i := range 30 {
			job := []int64{one, two, other}[i%3]
			handle := []int{200, 500, 0}[i%4%3]
			id := b.addPast(pastRun{
				job: job, group: b.group, typ: xxladapter.TriggerCron, at: 10 * i, trigger: 200, handle: handle,
			})
			status := map[int]xxladapter.LogStatus{
				200: xxladapter.LogSuccess, 500: xxladapter.LogFail, 0: xxladapter.LogRunning,
			}[handle]
			want[job] = slices.Insert(
				want[job], 0, xxladapter.LastRun{LogID: id, Status: status, Triggered: at(10 * i)},
			)
		}
		delete(want, other)
		runs, err := b.store.RecentRuns(b.ctx, []int64{two, idle, one, 4711, two}, 20)
		b.NoError(err)
		b.Equal(want, runs, "fewer than asked for")
		want[one], want[two] = want[one][:3], want[two][:3]
		runs, err = b.store.RecentRuns(b.ctx, []int64{one, two}, 3)
		b.NoError(err)
		b.Equal(want, runs)
		many := []int64{one, two}
		for id := range int64(200) {
			many = append(many, 10_000+id)
		}
		runs, err = b.store.RecentRuns(b.ctx, many, 3)
		b.NoError(err)
		b.Equal(want, runs, "more jobs than a statement takes")
		runs, err = b.store.RecentRuns(b.ctx, nil, 3)
		b.NoError(err)
		b.Empty(runs)
	}},
	{"MeanDurationsAreThoseOfTheNewestRuns", func(b *fullFixture) {
		one, two := b.addJob("one"), b.addJob("two")
		means, err := b.store.MeanDurations(b.ctx, 10)
		b.NoError(err)
		b.Empty(means)
		for i, took := range []time.Duration{9 * time.Second, time.Second, 2501 * time.Millisecond} {
			fire := b.plan(one, at(100*i), xxladapter.TriggerCron)
			run := b.claim(fire, "n1", 1)[0]
			sent := b.clock.Now()
			b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: run.ID, LogID: run.LogID, Code: 200, Sent: sent})
			b.clock.Advance(took)
			_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: run.LogID, Code: 200})
			b.NoError(err)
		}
		b.addPast(pastRun{job: two, group: b.group, typ: xxladapter.TriggerCron, at: 900, trigger: 500})
		for rows, want := range map[int]time.Duration{
			4: 4167 * time.Millisecond, 3: 1750 * time.Millisecond, 2: 2501 * time.Millisecond,
		} {
			means, err := b.store.MeanDurations(b.ctx, rows)
			b.NoError(err)
			b.Equal(map[int64]time.Duration{one: want}, means, "%d rows", rows)
		}
	}},
}
