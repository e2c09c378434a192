package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var fireRules = []rule{
	{"PlanFiresReturnsThemAsStored", func(b *fixture) {
		id := b.addJob("job")
		param := ""
		planned, err := b.store.PlanFires(b.ctx, []xxladapter.Fire{
			{
				ID: 99, JobID: id, Due: at(1).Add(999 * time.Microsecond), Type: xxladapter.TriggerManual,
				State:      xxladapter.FireClaimed,
				RetryCount: 4, Param: &param, Addresses: []string{"http://a:1"},
				Owner: xxladapter.Term{Node: "n", Number: 1}, LogID: 3, Claimed: at(0),
			},
			{JobID: id, Due: at(2), Type: xxladapter.TriggerRetry, ShardIndex: 2, ShardTotal: 5},
		})
		b.NoError(err)
		b.Len(planned, 2)
		b.Less(planned[0].ID, planned[1].ID)
		b.Equal([]xxladapter.Fire{
			{
				ID: planned[0].ID, JobID: id, GroupID: b.group, Due: at(1), Type: xxladapter.TriggerManual,
				State:      xxladapter.FirePlanned,
				RetryCount: 4, Param: &param, Addresses: []string{"http://a:1"},
			},
			{
				ID: planned[1].ID, JobID: id, GroupID: b.group, Due: at(2), Type: xxladapter.TriggerRetry,
				State: xxladapter.FirePlanned, ShardIndex: 2, ShardTotal: 5,
			},
		}, planned)
		b.Equal(planned, b.openFires(xxladapter.FireFilter{}))
	}},
	{"ATakenDueTimeMovesToTheNextFreeMillisecond", func(b *fixture) {
		id := b.addJob("job")
		b.plan(id, at(0), xxladapter.TriggerManual)
		b.plan(id, at(0).Add(2*time.Millisecond), xxladapter.TriggerManual)
		planned, err := b.store.PlanFires(b.ctx, []xxladapter.Fire{
			{JobID: id, Due: at(0), Type: xxladapter.TriggerAPI},
			{JobID: id, Due: at(0), Type: xxladapter.TriggerAPI},
			{JobID: id, Due: at(0), Type: xxladapter.TriggerRetry, ShardIndex: 1, ShardTotal: 2},
		})
		b.NoError(err)
		var moved []time.Duration
		for _, f := range planned {
			moved = append(moved, f.Due.Sub(at(0)))
		}
		b.Equal([]time.Duration{time.Millisecond, 3 * time.Millisecond, 4 * time.Millisecond}, moved)
		b.Equal(at(0), b.plan(b.addJob("other"), at(0), xxladapter.TriggerManual).Due, "another job's due time is free")
	}},
	{"ClaimFireRefusesAFireThatIsNotDue", func(b *fixture) {
		id := b.addJob("job")
		fire := b.plan(id, b.clock.Now().Add(1500*time.Millisecond), xxladapter.TriggerCron)
		by := b.term("n1")
		claim := func(shards int) ([]xxladapter.Fire, error) {
			return b.store.ClaimFire(b.ctx, by, fire.ID, b.newLogs(id, shards))
		}
		for _, wait := range []time.Duration{0, 1499 * time.Millisecond} {
			b.clock.Advance(wait)
			for _, shards := range []int{1, 2} { // some stores claim several shards in another way
				_, err := claim(shards)
				b.ErrorIs(err, xxladapter.ErrEarly)
				var early *xxladapter.EarlyError
				b.ErrorAs(err, &early)
				b.Equal(&xxladapter.EarlyError{
					FireID: fire.ID, Due: fire.Due, Now: b.clock.Now().Truncate(time.Millisecond),
				}, early)
			}
		}
		b.Equal([]xxladapter.Fire{fire}, b.openFires(xxladapter.FireFilter{}))
		logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
		b.NoError(err)
		b.Empty(logs)
		b.clock.Advance(time.Millisecond)
		_, err = claim(1)
		b.NoError(err)
	}},
	{"FireIDsNeverComeBack", func(b *fixture) {
		id := b.addJob("job")
		first := b.plan(id, at(0), xxladapter.TriggerManual)
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: first.ID})
		b.Greater(b.plan(id, at(0), xxladapter.TriggerManual).ID, first.ID)
	}},
	{"PlanFiresKeepsTheFiresOfAJobThatIsGone", func(b *fixture) {
		fire := b.plan(4711, at(0), xxladapter.TriggerParent)
		b.Equal([]xxladapter.Fire{fire}, b.openFires(xxladapter.FireFilter{}))
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID})
		b.Empty(b.openFires(xxladapter.FireFilter{}))
	}},
	{"OpenFiresAreFilteredByTheGroupThatTheirJobIsInNow", func(b *fixture) {
		other := b.addGroup("other-app")
		id := b.addJob("moves")
		fire := b.plan(id, at(1), xxladapter.TriggerManual)
		gone := b.plan(absent, at(2), xxladapter.TriggerParent)
		list := func(groups ...int64) []xxladapter.Fire { return b.openFires(xxladapter.FireFilter{Groups: groups}) }
		b.Equal([]xxladapter.Fire{fire}, list(b.group))
		b.Empty(list(other))
		j := b.job(id)
		j.GroupID = other
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.Empty(list(b.group))
		b.Len(list(b.group, other), 1)
		b.Contains(b.openFires(xxladapter.FireFilter{}), gone)
	}},
	{"OpenFiresAreFilteredAndComeByDueTimeThenID", func(b *fixture) {
		one, two := b.addJob("one"), b.addJob("two")
		late := b.plan(one, at(9), xxladapter.TriggerManual)
		early := b.plan(two, at(1), xxladapter.TriggerManual)
		same := b.plan(one, at(1), xxladapter.TriggerManual)
		mine := b.claim(b.plan(one, at(5), xxladapter.TriggerManual), "n1", 1)[0]
		theirs := b.claim(b.plan(one, at(6), xxladapter.TriggerManual), "n2", 1)[0]

		for _, want := range []struct {
			filter xxladapter.FireFilter
			fires  []xxladapter.Fire
		}{
			{xxladapter.FireFilter{}, []xxladapter.Fire{early, same, mine, theirs, late}},
			{xxladapter.FireFilter{JobID: two}, []xxladapter.Fire{early}},
			{xxladapter.FireFilter{Groups: []int64{b.group}}, []xxladapter.Fire{early, same, mine, theirs, late}},
			{xxladapter.FireFilter{Groups: []int64{absent}}, nil},
			{xxladapter.FireFilter{Groups: []int64{}}, nil},
			{xxladapter.FireFilter{State: xxladapter.FireClaimed}, []xxladapter.Fire{mine, theirs}},
			{xxladapter.FireFilter{State: xxladapter.FirePlanned}, []xxladapter.Fire{early, same, late}},
			{xxladapter.FireFilter{Owner: b.term("n2")}, []xxladapter.Fire{theirs}},
			{xxladapter.FireFilter{Owner: xxladapter.Term{Node: "n2", Number: 99}}, nil},
			{xxladapter.FireFilter{IDs: []int64{late.ID, absent, early.ID}}, []xxladapter.Fire{early, late}},
			{xxladapter.FireFilter{
				IDs: []int64{mine.ID, same.ID}, State: xxladapter.FirePlanned, DueBefore: at(9),
			}, []xxladapter.Fire{same}},
			{xxladapter.FireFilter{IDs: []int64{}}, nil},
			{xxladapter.FireFilter{Partitions: xxladapter.AllPartitions}, []xxladapter.Fire{early, same, mine, theirs, late}},
			{xxladapter.FireFilter{
				Partitions: xxladapter.PartitionSet(0).With(xxladapter.PartitionOf(two)),
			}, []xxladapter.Fire{early}},
			{xxladapter.FireFilter{DueBefore: at(5)}, []xxladapter.Fire{early, same}},
			{xxladapter.FireFilter{DueBefore: at(5).Add(time.Nanosecond)}, []xxladapter.Fire{early, same, mine}},
			{xxladapter.FireFilter{Limit: 1}, []xxladapter.Fire{early}},
			{xxladapter.FireFilter{
				JobID: one, State: xxladapter.FirePlanned, DueBefore: at(9),
			}, []xxladapter.Fire{same}},
			{
				xxladapter.FireFilter{AfterDue: early.Due, AfterID: early.ID},
				[]xxladapter.Fire{same, mine, theirs, late},
			},
			{xxladapter.FireFilter{AfterDue: same.Due, AfterID: same.ID, Limit: 2}, []xxladapter.Fire{mine, theirs}},
			{xxladapter.FireFilter{AfterDue: at(5), AfterID: mine.ID}, []xxladapter.Fire{theirs, late}},
			{xxladapter.FireFilter{AfterDue: late.Due, AfterID: late.ID}, nil},
		} {
			b.Equal(want.fires, b.openFires(want.filter), "%+v", want.filter)
		}
	}},
	{"ClaimFireMakesItTheNodesOwnWithALogRow", func(b *fixture) {
		id := b.addJob("job")
		planned := b.plan(id, at(1), xxladapter.TriggerManual)
		b.clock.Advance(time.Second)
		l := &xxladapter.Log{
			ID: 99, GroupID: b.group, JobID: id, Address: "http://a:1", Handler: "h", Param: "p", Sharding: "0/1",
			RetryCount:  2,
			TriggerTime: at(1).Add(900 * time.Millisecond), TriggerCode: 500, TriggerMsg: "<br>", AlarmStatus: 1,
		}
		given := *l
		claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), planned.ID, []*xxladapter.Log{l})
		b.NoError(err)
		b.Equal(given, *l, "the caller's row is left alone")

		want := planned
		want.State, want.Owner, want.ShardTotal = xxladapter.FireClaimed, b.term("n1"), 1
		want.Claimed = epoch.Add(time.Second).Truncate(time.Millisecond)
		want.LogID = claimed[0].LogID
		b.Equal([]xxladapter.Fire{want}, claimed)
		b.Equal(claimed, b.openFires(xxladapter.FireFilter{}))

		given.ID, given.TriggerTime = want.LogID, at(1)
		b.Equal(&given, b.log(want.LogID))
	}},
	{"ClaimFireOfABroadcastMakesAFireOfEachShard", func(b *fixture) {
		param := "override"
		planned, err := b.store.PlanFires(b.ctx, []xxladapter.Fire{{
			JobID: b.addJob("job"), Due: at(0), Type: xxladapter.TriggerCron,
			RetryCount: 3, Param: &param, Addresses: []string{"http://a:1"},
		}})
		b.NoError(err)
		claimed := b.claim(planned[0], "n1", 3)
		for i, f := range claimed {
			want := planned[0]
			want.ID, want.LogID = f.ID, f.LogID
			want.State, want.Owner, want.Claimed = xxladapter.FireClaimed, b.term("n1"),
				epoch.Truncate(time.Millisecond)
			want.ShardIndex, want.ShardTotal = i, 3
			b.Equal(want, f)
			b.Equal(f.LogID, b.log(f.LogID).ID)
		}
		b.Equal(planned[0].ID, claimed[0].ID)
		b.Equal(claimed, b.openFires(xxladapter.FireFilter{}))
	}},
	{"ClaimFireOfOneShardKeepsItsIndex", func(b *fixture) {
		planned, err := b.store.PlanFires(b.ctx, []xxladapter.Fire{
			{JobID: b.addJob("job"), Due: at(1), Type: xxladapter.TriggerRetry, ShardIndex: 2, ShardTotal: 3},
		})
		b.NoError(err)
		claimed := b.claim(planned[0], "n1", 1)
		b.Equal(2, claimed[0].ShardIndex)
		b.Equal(3, claimed[0].ShardTotal)

		_, err = b.store.ClaimFire(b.ctx, b.term("n1"), b.plan(1, at(0), xxladapter.TriggerManual).ID, nil)
		b.Error(err, "a claim needs a log row")
	}},
	{"AFireIsClaimedOnce", func(b *fixture) {
		fire := b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual)
		won := b.claim(fire, "n1", 1)
		_, err := b.store.ClaimFire(b.ctx, b.term("n2"), fire.ID, b.newLogs(fire.JobID, 1))
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.Equal(won, b.openFires(xxladapter.FireFilter{}))
		logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
		b.NoError(err)
		b.Len(logs, 1, "a lost claim leaves no log row")

		_, err = b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID+1, b.newLogs(fire.JobID, 1))
		b.ErrorIs(err, xxladapter.ErrConflict)
	}},
	{"SettleFireWritesTheTriggerColumnsAndRemovesTheFire", func(b *fixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		before := b.log(fire.LogID)
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200, Msg: "sent"})
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		before.TriggerCode, before.TriggerMsg = 200, "sent"
		b.Equal(before, b.log(fire.LogID))
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200, Msg: "sent"}) // again
	}},
	{"WhatFollowsFromAFailedHandOverIsPlannedWithItAndOnce", func(b *fixture) {
		id := b.addJob("job")
		fire := b.claim(b.plan(id, at(1), xxladapter.TriggerManual), "n1", 1)[0]
		settled := xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 500, Msg: "refused",
			Next: []xxladapter.Fire{
				{JobID: id, Due: at(1), Type: xxladapter.TriggerRetry, RetryCount: 1, ShardIndex: 1, ShardTotal: 3},
			}}
		ambiguous := settled
		ambiguous.State = xxladapter.FireAmbiguous
		b.Empty(b.settleBy(b.term("n1"), ambiguous))
		b.Len(b.openFires(xxladapter.FireFilter{State: xxladapter.FirePlanned}), 0, "nothing follows yet")
		planned := b.settleBy(b.term("n1"), settled)
		b.Empty(b.settleBy(b.term("n1"), settled), "nothing follows from a repetition")
		open := b.openFires(xxladapter.FireFilter{})
		b.Len(open, 1)
		b.Equal(open, planned)
		b.Equal(xxladapter.TriggerRetry, open[0].Type)
		b.Equal([]int{1, 1, 3}, []int{open[0].RetryCount, open[0].ShardIndex, open[0].ShardTotal})
		b.Equal(at(1), open[0].Due, "the due time is free again")
	}},
	{"SettleFireReturnsWhatItPlannedAsStored", func(b *fixture) {
		id := b.addJob("job")
		fire := b.claim(b.plan(id, at(1), xxladapter.TriggerManual), "n1", 1)[0]
		taken := b.plan(id, at(2), xxladapter.TriggerManual)
		param := "again"
		planned := b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 500,
			Next: []xxladapter.Fire{
				{
					ID: 99, JobID: id, Due: at(2), Type: xxladapter.TriggerRetry, RetryCount: 1, Param: &param,
					Addresses: []string{"http://a/"}, Owner: fire.Owner, LogID: 5,
				},
				{JobID: id, Due: at(1).Add(time.Microsecond), Type: xxladapter.TriggerRetry},
			}})
		b.Len(planned, 2)
		b.Equal([]xxladapter.Fire{
			{ID: planned[0].ID, JobID: id, GroupID: b.group, Due: at(2).Add(time.Millisecond),
				Type: xxladapter.TriggerRetry, State: xxladapter.FirePlanned,
				RetryCount: 1, Param: &param, Addresses: []string{"http://a/"}, Attempt: 2, Parent: fire.LogID},
			{
				ID: planned[1].ID, JobID: id, GroupID: b.group, Due: at(1), Type: xxladapter.TriggerRetry,
				State: xxladapter.FirePlanned, Attempt: 2, Parent: fire.LogID,
			},
		}, planned)
		b.Equal([]xxladapter.Fire{planned[1], taken, planned[0]}, b.openFires(xxladapter.FireFilter{}))
	}},
	{"SettleFireWithoutACodeLeavesTheTriggerColumns", func(b *fixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		before := b.log(fire.LogID)
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Msg: "unused"})
		b.Equal(before, b.log(fire.LogID))
		b.Empty(b.openFires(xxladapter.FireFilter{}))
	}},
	{"SettleFireKeepsAnAmbiguousFire", func(b *fixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous, Code: 500, Msg: "no answer",
		})
		fire.State = xxladapter.FireAmbiguous
		b.Equal([]xxladapter.Fire{fire}, b.openFires(xxladapter.FireFilter{}))
		b.Equal(500, b.log(fire.LogID).TriggerCode)
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, Code: 200, Msg: "it had begun",
		})
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		b.Equal("it had begun", b.log(fire.LogID).TriggerMsg)
	}},
	{"SettleFireAfterAResultDoesNotBringTheFireBack", func(b *fixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200})
		b.NoError(err)
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous,
		})
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200, Msg: "sent"})
		b.Equal("sent", b.log(fire.LogID).TriggerMsg)
	}},
	{"SettleFireRefusesAnyOtherState", func(b *fixture) {
		fire := b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual)
		_, err := b.store.SettleFire(
			b.ctx, b.term("n1"), xxladapter.Settlement{FireID: fire.ID, State: xxladapter.FirePlanned},
		)
		b.Error(err)
		_, err = b.store.SettleFire(
			b.ctx, b.term("n1"), xxladapter.Settlement{FireID: fire.ID, State: xxladapter.FireAmbiguous},
		)
		b.ErrorIs(err, xxladapter.ErrConflict, "what was never sent is not ambiguous")
		b.Equal([]xxladapter.Fire{fire}, b.openFires(xxladapter.FireFilter{}))
	}},
	{"AFireCarriesTheGroupOfItsJob", func(b *fixture) {
		other := b.addGroup("another-app")
		j := b.newJob("child")
		j.GroupID = other
		child, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		id := b.addRunning("job", at(0))
		groupOf := func(f xxladapter.Fire) int64 {
			b.Helper()
			b.Contains(b.openFires(xxladapter.FireFilter{JobID: f.JobID}), f, "stored as returned")
			return f.GroupID
		}

		scheduled := b.claimDue()
		b.Len(scheduled, 1)
		b.Equal(b.group, groupOf(scheduled[0]), "of a schedule")
		planned, err := b.store.PlanFires(b.ctx, []xxladapter.Fire{
			{JobID: child, GroupID: b.group, Due: at(0), Type: xxladapter.TriggerRetry},
			{JobID: id, GroupID: 4711, Due: at(0), Type: xxladapter.TriggerRetry},
			{JobID: 4711, GroupID: b.group, Due: at(0), Type: xxladapter.TriggerParent},
		})
		b.NoError(err)
		b.Equal(
			[]int64{other, b.group, 0}, []int64{groupOf(planned[0]), groupOf(planned[1]), groupOf(planned[2])},
			"whatever the caller says",
		)

		for _, f := range b.claim(planned[1], "n1", 3) {
			b.Equal(b.group, groupOf(f), "of a shard")
		}
		claimed := b.claim(scheduled[0], "n1", 1)[0]
		b.Equal(b.group, groupOf(claimed))
		failed := b.claim(planned[0], "n1", 1)[0]
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: failed.ID, LogID: failed.LogID, Code: 500,
			Next: []xxladapter.Fire{{JobID: child, Due: at(7), Type: xxladapter.TriggerRetry}}})
		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: claimed.LogID, Code: 200,
			Next: []xxladapter.Fire{{JobID: child, Due: at(8), Type: xxladapter.TriggerParent}}})
		b.NoError(err)
		b.True(applied)
		next := b.openFires(xxladapter.FireFilter{JobID: child, State: xxladapter.FirePlanned})
		b.Len(next, 2)
		b.Equal([]int64{other, other}, []int64{next[0].GroupID, next[1].GroupID}, "of what follows")
	}},
	{"OpenFiresMoveToAnotherGroupWithTheirJob", func(b *fixture) {
		id, stays := b.addJob("job"), b.addJob("stays")
		b.plan(id, at(1), xxladapter.TriggerManual)
		b.claim(b.plan(id, at(2), xxladapter.TriggerRetry), "n1", 2)
		doubted := b.claim(b.plan(id, at(3), xxladapter.TriggerCron), "n1", 1)[0]
		b.settle(doubted, xxladapter.FireAmbiguous, 0)
		kept := b.plan(stays, at(1), xxladapter.TriggerManual)
		want := b.openFires(xxladapter.FireFilter{JobID: id})
		b.Len(want, 4)

		j := b.job(id)
		j.GroupID = b.addGroup("another-app")
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		for i := range want {
			want[i].GroupID = j.GroupID
		}
		b.Equal(want, b.openFires(xxladapter.FireFilter{JobID: id}), "nothing else changes")
		b.Equal([]xxladapter.Fire{kept}, b.openFires(xxladapter.FireFilter{JobID: stays}))
		b.Equal(j.GroupID, b.plan(id, at(4), xxladapter.TriggerManual).GroupID)

		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		for _, f := range b.openFires(xxladapter.FireFilter{JobID: id}) {
			b.Equal(j.GroupID, f.GroupID, "what is in progress keeps its group")
		}
	}},
}

var fireFullRules = []fullRule{
	{"AnOrderCarriesTheGroupOfItsJob", func(b *fullFixture) {
		j := b.newJob("child")
		j.GroupID = b.addGroup("another-app")
		child, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		_, ordered, err := b.store.PlanOrder(
			b.ctx, xxladapter.Fire{JobID: child, Due: at(1), Type: xxladapter.TriggerManual}, "", "",
		)
		b.NoError(err)
		b.Equal(j.GroupID, ordered.GroupID)
		b.Contains(b.openFires(xxladapter.FireFilter{JobID: child}), ordered, "stored as returned")
		b.Equal(j.GroupID, b.claim(ordered, "n1", 1)[0].GroupID)
	}},
}
