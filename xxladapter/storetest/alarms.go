package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// end adds a run of the job with these codes and returns its log id; a handle code of 0 means no
// result.
func (b *fixture) end(jobID int64, triggerCode, handleCode int) int64 {
	b.Helper()
	fire := b.claim(b.plan(jobID, at(0), xxladapter.TriggerManual), "n1", 1)[0]
	b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: triggerCode})
	if handleCode != xxladapter.ResultNone {
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: handleCode})
		b.NoError(err)
	}
	return fire.LogID
}

func (b *fullFixture) alarmState(jobID int64) xxladapter.AlarmState {
	b.Helper()
	states, err := b.store.AlarmStates(b.ctx, []int64{jobID})
	b.NoError(err)
	for _, state := range states {
		if state.JobID == jobID {
			return state
		}
	}
	b.FailNow("the state of the job was not listed")
	return xxladapter.AlarmState{}
}

func (b *fullFixture) failedRuns(after int64, limit int) (ids []int64) {
	b.Helper()
	runs, err := b.store.FailedRuns(b.ctx, after, limit)
	b.NoError(err)
	for _, run := range runs {
		ids = append(ids, run.LogID)
	}
	return ids
}

func (b *fullFixture) decide(node string, decisions ...xxladapter.AlarmDecision) []xxladapter.AlarmClaim {
	b.Helper()
	claims, err := b.store.DecideAlarms(b.ctx, node, decisions)
	b.NoError(err)
	return claims
}

func (b *fullFixture) stale(age time.Duration) []xxladapter.AlarmClaim {
	b.Helper()
	claims, err := b.store.StaleAlarms(b.ctx, age, 100)
	b.NoError(err)
	return claims
}

// raise returns the decision that the job's alarm is raised by these runs.
func (b *fullFixture) raise(jobID int64, logIDs ...int64) xxladapter.AlarmDecision {
	before := b.alarmState(jobID)
	after := before
	after.Raised = true
	return xxladapter.AlarmDecision{Before: before, After: after, Alarm: logIDs}
}

var alarmRules = []fullRule{
	{"FailedRunsAreThoseWhoseHandOverOrRunFailed", func(b *fullFixture) {
		id := b.addJob("job")
		refused := b.end(id, 500, 0)
		b.end(id, 0, 0)
		b.end(id, 200, 0)
		b.end(id, 200, 200)
		b.clock.Advance(time.Minute)
		failed := b.end(id, 200, 500)
		timedOut := b.end(id, 0, 502)
		b.end(id, 500, 200) // the request had arrived after all

		runs, err := b.store.FailedRuns(b.ctx, 0, 100)
		b.NoError(err)
		b.Equal([]xxladapter.FailedRun{
			{LogID: refused, JobID: id, RetryCount: 2, At: at(0)},
			{LogID: failed, JobID: id, RetryCount: 2, At: second(epoch.Add(time.Minute))},
			{LogID: timedOut, JobID: id, RetryCount: 2, At: second(epoch.Add(time.Minute))},
		}, runs)
		b.Equal([]int64{failed, timedOut}, b.failedRuns(refused, 100))
		b.Equal([]int64{refused, failed}, b.failedRuns(0, 2))
	}},
	{"ADecisionMovesTheStateAndTheRowsTogether", func(b *fullFixture) {
		id := b.addJob("job")
		b.Equal(xxladapter.AlarmState{JobID: id}, b.alarmState(id))
		quiet, one, two, open := b.end(id, 200, 500), b.end(id, 200, 500), b.end(id, 500, 0), b.end(id, 500, 0)
		b.clock.Advance(time.Second)
		now := b.clock.Now().Truncate(time.Millisecond)
		after := xxladapter.AlarmState{Raised: true, InARow: 3, SinceID: quiet, LastID: two, Sent: b.clock.Now()}
		claims := b.decide("n1", xxladapter.AlarmDecision{
			Before: xxladapter.AlarmState{JobID: id}, After: after, Quiet: []int64{quiet}, Alarm: []int64{one, two},
		})
		b.Equal([]xxladapter.AlarmClaim{
			{LogID: one, JobID: id, Node: "n1", At: now, Attempts: 1},
			{LogID: two, JobID: id, Node: "n1", At: now, Attempts: 1},
		}, claims)
		after.JobID, after.Version, after.Sent = id, 1, now
		b.Equal(after, b.alarmState(id))
		for row, want := range map[int64]int{
			quiet: xxladapter.AlarmNotNeeded, one: xxladapter.AlarmTaken, two: xxladapter.AlarmTaken,
			open: xxladapter.AlarmOpen,
		} {
			b.Equal(want, b.log(row).AlarmStatus)
		}
		b.Equal([]int64{open}, b.failedRuns(0, 100))
	}},
	{"ADecisionOnAnOldStateChangesNothing", func(b *fullFixture) {
		one, two := b.addJob("one"), b.addJob("two")
		a, c := b.end(one, 200, 500), b.end(two, 200, 500)
		late := b.raise(one, a)
		late.Recovered = a
		b.decide("n1", xxladapter.AlarmDecision{Before: b.alarmState(one), After: xxladapter.AlarmState{InARow: 7}})
		claims := b.decide("n2", late, b.raise(two, c))
		b.Len(claims, 1, "the other one of the same call counts")
		b.Equal(c, claims[0].LogID)
		b.Equal(7, b.alarmState(one).InARow)
		b.Equal(xxladapter.AlarmOpen, b.log(a).AlarmStatus)
		b.Len(b.stale(0), 1)

		b.Empty(
			b.decide("n2", xxladapter.AlarmDecision{Before: xxladapter.AlarmState{JobID: two}, Alarm: []int64{c}}),
			"no state is an old one as well",
		)
	}},
	{"ARunWhoseAlarmIsTakenIsLeftOut", func(b *fullFixture) {
		id := b.addJob("job")
		one, two := b.end(id, 200, 500), b.end(id, 200, 500)
		b.Len(b.decide("n1", b.raise(id, one)), 1)
		claims := b.decide("n2", b.raise(id, one, two))
		b.Len(claims, 1)
		b.Equal(two, claims[0].LogID)
		b.Empty(b.decide("n2", b.raise(id, 4711)))
	}},
	{"StatesAreOfTheJobsAskedForAndOfAllThatAreRaised", func(b *fullFixture) {
		one, two, three, four := b.addJob("one"), b.addJob("two"), b.addJob("three"), b.addJob("four")
		list := func(jobIDs ...int64) []xxladapter.AlarmState {
			states, err := b.store.AlarmStates(b.ctx, jobIDs)
			b.NoError(err)
			return states
		}
		b.Empty(list())
		b.decide("n1", b.raise(three), b.raise(one), xxladapter.AlarmDecision{
			Before: b.alarmState(two), After: xxladapter.AlarmState{InARow: 2, SinceID: 5, LastID: 6},
		})
		state := func(jobID int64) xxladapter.AlarmState {
			return xxladapter.AlarmState{JobID: jobID, Version: 1, Raised: true}
		}
		calm := xxladapter.AlarmState{JobID: two, Version: 1, InARow: 2, SinceID: 5, LastID: 6}
		b.Equal([]xxladapter.AlarmState{state(one), state(three)}, list())
		b.Equal(
			[]xxladapter.AlarmState{state(one), calm, state(three), {JobID: four}, {JobID: absent}},
			list(absent, four, two),
		)
		b.Equal([]xxladapter.AlarmState{state(one), calm, state(three)}, list(two, three, two), "each once")
	}},
	{"StatesOfManyJobsAreListedAtOnce", func(b *fullFixture) {
		id := b.addJob("job")
		b.decide("n1", b.raise(id))
		var jobIDs []int64
		for i := range int64(2500) {
			jobIDs = append(jobIDs, id+i)
		}
		states, err := b.store.AlarmStates(b.ctx, jobIDs)
		b.NoError(err)
		b.Len(states, len(jobIDs))
		b.True(states[0].Raised)
		b.Equal(xxladapter.AlarmState{JobID: id + 2499}, states[2499])
	}},
	{"SettledClaimsGiveTheirRowsAStatus", func(b *fullFixture) {
		id := b.addJob("job")
		failed, ok := b.end(id, 200, 500), b.end(id, 200, 200)
		d := b.raise(id, failed)
		d.Recovered = ok
		claims := b.decide("n1", d)
		b.Len(claims, 2)
		b.True(claims[1].Recovered)
		b.Equal(claims, b.stale(0))
		b.NoError(b.store.SettleAlarms(b.ctx, claims, xxladapter.AlarmSent))
		b.Equal(xxladapter.AlarmSent, b.log(failed).AlarmStatus)
		b.Equal(xxladapter.AlarmOpen, b.log(ok).AlarmStatus, "a success keeps what it has")
		b.Empty(b.stale(0))
		b.NoError(b.store.SettleAlarms(b.ctx, claims, xxladapter.AlarmFailed), "again")
		b.Equal(xxladapter.AlarmSent, b.log(failed).AlarmStatus)
	}},
	{"ARecoveryByTheVeryRunThatFailedLeavesItsAlarmAlone", func(b *fullFixture) {
		id := b.addJob("job")
		run := b.end(id, 500, 0)
		alarm := b.decide("n1", b.raise(id, run))
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: run, Code: 200}) // the request had arrived after all
		b.NoError(err)
		d := b.raise(id)
		d.Recovered = run
		recovery := b.decide("n2", d)
		b.Len(recovery, 1)
		b.Len(b.stale(0), 2)
		b.NoError(b.store.SettleAlarms(b.ctx, recovery, xxladapter.AlarmFailed))
		b.Equal(xxladapter.AlarmTaken, b.log(run).AlarmStatus)
		b.NoError(b.store.SettleAlarms(b.ctx, alarm, xxladapter.AlarmSent))
		b.Equal(xxladapter.AlarmSent, b.log(run).AlarmStatus)
	}},
	{"AStaleClaimIsRenewedOnce", func(b *fullFixture) {
		id := b.addJob("job")
		run := b.end(id, 200, 500)
		claims := b.decide("n1", b.raise(id, run))
		b.clock.Advance(time.Minute - time.Millisecond)
		b.Empty(b.stale(time.Minute))
		b.clock.Advance(time.Millisecond)
		b.Equal(claims, b.stale(time.Minute))

		renewed, err := b.store.RenewAlarms(b.ctx, "n2", claims)
		b.NoError(err)
		b.Equal([]xxladapter.AlarmClaim{{
			LogID: run, JobID: id, Node: "n2", At: b.clock.Now().Truncate(time.Millisecond), Attempts: 2,
		}}, renewed)
		b.Empty(b.stale(time.Minute))
		b.Equal(renewed, b.stale(0))
		again, err := b.store.RenewAlarms(b.ctx, "n3", claims)
		b.NoError(err)
		b.Empty(again, "n2 was faster")
		b.NoError(b.store.SettleAlarms(b.ctx, claims, xxladapter.AlarmSent), "by n1, which comes back to life")
		b.Equal(xxladapter.AlarmTaken, b.log(run).AlarmStatus)
		b.NoError(b.store.SettleAlarms(b.ctx, renewed, xxladapter.AlarmFailed))
		b.Equal(xxladapter.AlarmFailed, b.log(run).AlarmStatus)
		again, err = b.store.RenewAlarms(b.ctx, "n3", renewed)
		b.NoError(err)
		b.Empty(again, "settled")
	}},
	{"ANodeMayRenewItsOwnClaimOnce", func(b *fullFixture) {
		id := b.addJob("job")
		claims := b.decide("n1", b.raise(id, b.end(id, 200, 500)))
		renewed, err := b.store.RenewAlarms(b.ctx, "n1", claims)
		b.NoError(err)
		b.Len(renewed, 1)
		renewed, err = b.store.RenewAlarms(b.ctx, "n1", claims)
		b.NoError(err)
		b.Empty(renewed)
	}},
	{"StaleAlarmsComeOldestFirst", func(b *fullFixture) {
		id := b.addJob("job")
		one, two, three := b.end(id, 200, 500), b.end(id, 200, 500), b.end(id, 200, 500)
		b.decide("n1", b.raise(id, three))
		b.clock.Advance(time.Second)
		b.decide("n1", b.raise(id, one, two))
		var ids []int64
		for _, c := range b.stale(0) {
			ids = append(ids, c.LogID)
		}
		b.Equal([]int64{three, one, two}, ids)
		first, err := b.store.StaleAlarms(b.ctx, 0, 1)
		b.NoError(err)
		b.Len(first, 1)
	}},
	{"ARemovedJobTakesItsAlarmsAlong", func(b *fullFixture) {
		id, other := b.addJob("job"), b.addJob("other")
		b.decide("n1", b.raise(id, b.end(id, 200, 500)), b.raise(other, b.end(other, 200, 500)))
		b.end(id, 200, 500)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.Equal(xxladapter.AlarmState{JobID: id}, b.alarmState(id))
		b.Len(b.stale(0), 1)
		b.Equal(other, b.stale(0)[0].JobID)
		b.purge(xxladapter.LogPurge{Removed: true}, 10)
		b.Empty(b.failedRuns(0, 100))
	}},
	{"OneOfManyNodesTakesAnAlarm", func(b *fullFixture) {
		id := b.addJob("job")
		for range 10 {
			d := b.raise(id, b.end(id, 200, 500))
			won := make([]int, 4)
			for _, err := range race(len(won), func(i int) error {
				claims, err := b.store.DecideAlarms(b.ctx, "n", []xxladapter.AlarmDecision{d})
				won[i] = len(claims)
				return err
			}) {
				b.NoError(err)
			}
			b.Equal(1, won[0]+won[1]+won[2]+won[3])
			stale := b.stale(0)
			for _, err := range race(len(won), func(i int) error {
				claims, err := b.store.RenewAlarms(b.ctx, "n", stale)
				won[i] = len(claims)
				return err
			}) {
				b.NoError(err)
			}
			b.Equal(len(stale), won[0]+won[1]+won[2]+won[3])
			b.NoError(b.store.SettleAlarms(b.ctx, b.stale(0), xxladapter.AlarmSent))
		}
	}},
}
