package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// history returns the history of a run, which must have one.
func (b *fullFixture) history(logID int64) xxladapter.RunHistory {
	b.Helper()
	found, err := b.store.RunHistories(b.ctx, []int64{logID})
	b.NoError(err)
	b.Contains(found, logID)
	return found[logID]
}

// ms returns t in whole milliseconds, as histories have it.
func ms(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// handOver claims a fire and settles it as accepted, sent 5 ms and acknowledged 17 ms later. It
// returns the history that the run should have.
func (b *fixture) handOver(planned xxladapter.Fire) (fire xxladapter.Fire, want xxladapter.RunHistory) {
	b.Helper()
	fire = b.claim(planned, "n1", 1)[0]
	want = xxladapter.HistoryOf(fire)
	want.Sent, want.Acknowledged = b.clock.Now().Add(5*time.Millisecond), b.clock.Now().Add(17*time.Millisecond)
	b.settleBy(b.term("n1"), xxladapter.Settlement{
		FireID: fire.ID, LogID: fire.LogID, Code: 200, Sent: want.Sent, Acknowledged: want.Acknowledged,
	})
	want.Sent, want.Acknowledged = ms(want.Sent), ms(want.Acknowledged)
	return fire, want
}

var historyRules = []fullRule{
	{"ARunHasAHistoryFromItsClaimOn", func(b *fullFixture) {
		planned := b.plan(b.addJob("job"), at(-3), xxladapter.TriggerMisfire)
		fire := b.claim(planned, "n1", 1)[0]
		want := xxladapter.RunHistory{
			LogID: fire.LogID, Due: at(-3), Type: xxladapter.TriggerMisfire, Attempt: 1, ShardTotal: 1,
			Owner: b.term("n1"), Claimed: ms(epoch),
		}
		b.Equal(want, b.history(fire.LogID))
		b.Equal(3654*time.Millisecond, want.Lateness(), "until the claim, while nothing was sent")
		_, ok := want.Duration()
		b.False(ok)
	}},
	{"ASettledRunKeepsItsDueTimeAndItsHandOver", func(b *fullFixture) {
		fire, want := b.handOver(b.plan(b.addJob("job"), at(-3), xxladapter.TriggerCron))
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		b.Equal(want, b.history(fire.LogID))
		b.Equal(3659*time.Millisecond, want.Lateness())
	}},
	{"TheFirstResultEndsTheHistory", func(b *fullFixture) {
		fire, want := b.handOver(b.plan(b.addJob("job"), at(-3), xxladapter.TriggerCron))
		b.clock.Advance(1500 * time.Millisecond)
		want.Finished = ms(b.clock.Now())
		for range 2 {
			_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200})
			b.NoError(err)
			b.Equal(want, b.history(fire.LogID))
			b.clock.Advance(time.Minute)
		}
		d, ok := want.Duration()
		b.True(ok)
		b.Equal(1495*time.Millisecond, d)
	}},
	{"AResultBeforeItsSettlementLosesNothing", func(b *fullFixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(-3), xxladapter.TriggerCron), "n1", 1)[0]
		want := xxladapter.HistoryOf(fire)
		b.clock.Advance(20 * time.Millisecond)
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 500})
		b.NoError(err)
		want.Finished = ms(b.clock.Now())
		b.Equal(want, b.history(fire.LogID))
		b.settleBy(
			b.term("n1"),
			xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200, Sent: at(1), Acknowledged: at(2)},
		)
		want.Sent, want.Acknowledged = at(1), at(2)
		b.Equal(want, b.history(fire.LogID))
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200})
		b.Equal(want, b.history(fire.LogID), "a settlement without instants adds none")
	}},
	{"AnAmbiguousHandOverKeepsItsFirstRequestUntilAnotherIsSent", func(b *fullFixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(-3), xxladapter.TriggerCron), "n1", 1)[0]
		want := xxladapter.HistoryOf(fire)
		ambiguous := xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous, Sent: at(1),
		}
		b.settleBy(b.term("n1"), ambiguous)
		want.Sent = at(1)
		b.Equal(want, b.history(fire.LogID))
		ambiguous.Sent = time.Time{}
		b.settleBy(b.term("n1"), ambiguous)
		b.Equal(want, b.history(fire.LogID))
		b.settleBy(
			b.term("n1"),
			xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200, Sent: at(9), Acknowledged: at(10)},
		)
		want.Sent, want.Acknowledged = at(9), at(10)
		b.Equal(want, b.history(fire.LogID))
	}},
	{"ATakenFireIsRecordedAndTheClaimStaysTheFormerOwners", func(b *fullFixture) {
		claimed := b.claim(b.plan(b.addJob("job"), at(-3), xxladapter.TriggerCron), "n1", 1)[0]
		former, by := claimed.Owner, b.term("n2")
		want := xxladapter.HistoryOf(claimed)
		b.NoError(b.store.TakeFire(b.ctx, former, claimed.ID, former))
		b.Equal(want, b.history(claimed.LogID), "its owner takes nothing over")
		b.NoError(b.store.Resign(b.ctx, former))
		b.clock.Advance(4 * time.Second)
		b.NoError(b.store.TakeFire(b.ctx, by, claimed.ID, former))
		want.TakenBy, want.TakenOver = "n2", ms(b.clock.Now())
		b.Equal(want, b.history(claimed.LogID))
		b.settleBy(by, xxladapter.Settlement{FireID: claimed.ID, LogID: claimed.LogID, Code: 200, Sent: at(9)})
		want.Sent = at(9)
		b.Equal(want, b.history(claimed.LogID))
	}},
	{"EachShardHasAHistory", func(b *fullFixture) {
		fires := b.claim(b.plan(b.addJob("job"), at(-3), xxladapter.TriggerCron), "n1", 3)
		for i, f := range fires {
			b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 200})
			h := b.history(f.LogID)
			b.Equal([]int{i, 3}, []int{h.ShardIndex, h.ShardTotal})
		}
	}},
	{"WhatFollowsKnowsItsParentAndItsAttempt", func(b *fullFixture) {
		id, child := b.addJob("job"), b.addJob("child")
		follow := func(planned xxladapter.Fire, code int) []xxladapter.Fire {
			fire, _ := b.handOver(planned)
			next := xxladapter.Fire{JobID: id, Due: at(0), Type: xxladapter.TriggerRetry}
			if code == 200 {
				next = xxladapter.Fire{JobID: child, Due: at(0), Type: xxladapter.TriggerParent}
			}
			_, followers, err := b.store.FinishRun(
				b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: code, Next: []xxladapter.Fire{next}},
			)
			b.NoError(err)
			b.Len(followers, 1)
			b.Equal(fire.LogID, followers[0].Parent)
			return followers
		}
		second := follow(b.plan(id, at(-3), xxladapter.TriggerCron), 500)[0]
		b.Equal(2, second.Attempt)
		third := follow(second, 500)[0]
		b.Equal(3, third.Attempt)
		last, want := b.handOver(follow(third, 200)[0])
		b.Equal(1, want.Attempt)
		h := b.history(last.LogID)
		b.Equal(want, h)
		b.Equal(xxladapter.TriggerParent, h.Type)

		// A hand-over that fails is retried by its settlement.
		refused := b.claim(b.plan(id, at(-3), xxladapter.TriggerCron), "n1", 1)[0]
		next := b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: refused.ID, LogID: refused.LogID, Code: 500,
			Next: []xxladapter.Fire{
				{JobID: id, Due: at(0), Type: xxladapter.TriggerRetry},
			}})
		retried := b.claim(next[0], "n1", 1)[0]
		h = b.history(retried.LogID)
		b.Equal([]int64{2, refused.LogID}, []int64{int64(h.Attempt), h.Parent})
		// A run whose result comes before its settlement is retried by the result.
		unsettled := b.claim(b.plan(id, at(-3), xxladapter.TriggerCron), "n1", 1)[0]
		_, next, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: unsettled.LogID, Code: 500,
			Next: []xxladapter.Fire{
				{JobID: id, Due: at(0), Type: xxladapter.TriggerRetry},
			}})
		b.NoError(err)
		b.Equal(2, next[0].Attempt)
		b.Equal(unsettled.LogID, next[0].Parent)
	}},
	{"APlannedFireKeepsItsParentAndAttempt", func(b *fullFixture) {
		id := b.addJob("job")
		planned, err := b.store.PlanFires(
			b.ctx, []xxladapter.Fire{{JobID: id, Due: at(0), Type: xxladapter.TriggerManual, Attempt: 4, Parent: 17}},
		)
		b.NoError(err)
		b.Equal([]int64{4, 17}, []int64{int64(planned[0].Attempt), planned[0].Parent})
		b.Equal(planned, b.openFires(xxladapter.FireFilter{}))
		for _, shard := range b.claim(planned[0], "n1", 2) {
			h := b.history(shard.LogID)
			b.Equal([]int64{4, 17}, []int64{int64(h.Attempt), h.Parent})
		}
	}},
	{"ARowWithoutAHistoryIsLeftOut", func(b *fullFixture) {
		found, err := b.store.RunHistories(b.ctx, []int64{4711})
		b.NoError(err)
		b.Empty(found)
		found, err = b.store.RunHistories(b.ctx, nil)
		b.NoError(err)
		b.Empty(found)
	}},
	{"PurgingALogRowRemovesItsHistory", func(b *fullFixture) {
		id := b.addJob("job")
		var logs []int64
		for i := range 3 {
			fire, _ := b.handOver(b.plan(id, at(-3-i), xxladapter.TriggerCron))
			_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200})
			b.NoError(err)
			logs = append(logs, fire.LogID)
		}
		b.Equal(1, b.purge(xxladapter.LogPurge{KeepNewest: 2}, 10))
		found, err := b.store.RunHistories(b.ctx, logs)
		b.NoError(err)
		b.Len(found, 2)
		b.NotContains(found, logs[0])
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.Equal(2, b.purge(xxladapter.LogPurge{Removed: true}, 10))
		found, err = b.store.RunHistories(b.ctx, logs)
		b.NoError(err)
		b.Empty(found)
	}},
	{"RunsAreFoundByTheirDueTimes", func(b *fullFixture) {
		id, other := b.addJob("job"), b.addJob("other")
		run := func(job int64, due time.Time, late time.Duration) int64 {
			logs := b.newLogs(job, 1)
			logs[0].TriggerTime = second(due.Add(late))
			b.clock.Advance(due.Add(late).Sub(b.clock.Now()))
			fire, err := b.store.ClaimFire(b.ctx, b.term("n1"), b.plan(job, due, xxladapter.TriggerCron).ID, logs)
			b.NoError(err)
			if due.Second()%2 == 0 { // the others stay open
				b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire[0].ID, LogID: fire[0].LogID, Code: 200})
			}
			return fire[0].LogID
		}
		first, second := run(id, at(60), 0), run(id, at(61), 0)
		run(other, at(61), 0)
		third := run(id, at(61).Add(500*time.Millisecond), time.Second)
		last := run(id, at(64), 0)
		lateOne := run(id, at(62), 2*time.Hour)
		for _, tt := range []struct {
			f    xxladapter.RunsDueFilter
			want []int64
		}{
			{xxladapter.RunsDueFilter{
				From: at(60), To: at(65), Late: 3 * time.Hour,
			}, []int64{first, second, third, lateOne, last}},
			{xxladapter.RunsDueFilter{From: at(60), To: at(65), Late: time.Hour}, []int64{first, second, third, last}},
			{xxladapter.RunsDueFilter{
				From: at(60), To: at(64), Late: 3 * time.Hour,
			}, []int64{first, second, third, lateOne}},
			{xxladapter.RunsDueFilter{From: at(60).Add(1), To: at(61), Late: time.Hour}, nil},
			{xxladapter.RunsDueFilter{
				From: at(61), To: at(61).Add(time.Millisecond), Late: time.Hour,
			}, []int64{second}},
			{xxladapter.RunsDueFilter{From: at(60), To: at(65), Late: 3 * time.Hour, Limit: 2}, []int64{first, second}},
			{xxladapter.RunsDueFilter{From: at(900), To: at(901), Late: 3 * time.Hour}, nil},
			{xxladapter.RunsDueFilter{
				From: at(60), To: at(65), Late: 3 * time.Hour, Beyond: time.Hour,
			}, []int64{lateOne}},
			{xxladapter.RunsDueFilter{From: at(60), To: at(65), Late: 4 * time.Hour, Beyond: 3 * time.Hour}, nil},
		} {
			tt.f.JobID = id
			runs, err := b.store.RunsDue(b.ctx, tt.f)
			b.NoError(err)
			var got []int64
			for _, r := range runs {
				got = append(got, r.LogID)
				l := b.log(r.LogID)
				b.Equal([]int{l.TriggerCode, l.HandleCode}, []int{r.TriggerCode, r.HandleCode})
				b.Equal(l.Status(), r.Status())
				b.Equal(b.history(r.LogID), r.RunHistory)
			}
			b.Equal(tt.want, got, "%+v", tt.f)
		}
	}},
}
