package storetest

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// ended adds a run of the job that was triggered days after today and has ended. If it has failed,
// it needs no alarm.
func (b *fullFixture) ended(jobID int64, days, code int) int64 {
	b.Helper()
	fire := b.run(jobID, days)
	b.settle(fire, "", 200)
	b.finish(fire, code)
	if code != 200 {
		b.quiet(jobID, fire.LogID)
	}
	return fire.LogID
}

// quiet stores the decision that a failure needs no alarm.
func (b *fullFixture) quiet(jobID, logID int64) {
	b.Helper()
	state := b.alarmState(jobID)
	after := state
	after.LastID = logID
	_, err := b.store.DecideAlarms(
		b.ctx, "n1", []xxladapter.AlarmDecision{{Before: state, After: after, Quiet: []int64{logID}}},
	)
	b.NoError(err)
}

// purge calls PurgeLogs until it is done, and returns the number of deleted rows.
func (b *fullFixture) purge(p xxladapter.LogPurge, limit int) (rows int) {
	b.Helper()
	for calls := 0; ; calls++ {
		purged, err := b.store.PurgeLogs(b.ctx, p, limit)
		b.NoError(err)
		b.LessOrEqual(purged.Rows, limit)
		rows += purged.Rows
		if purged.Done {
			return rows
		}
		p = purged.Next
		b.Less(calls, 1000, "it continues forever")
	}
}

func (b *fixture) logIDs() (ids []int64) {
	b.Helper()
	logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
	b.NoError(err)
	for _, l := range logs {
		ids = append(ids, l.ID)
	}
	return ids
}

// purgeLogs makes one call and not a whole purge, so that other calls interleave.
func (m *model) purgeLogs(t *rapid.T) {
	p := xxladapter.LogPurge{Removed: rapid.Bool().Draw(t, "removed")}
	if !p.Removed {
		p.KeepNewest = rapid.IntRange(0, 3).Draw(t, "keep")
		if rapid.Bool().Draw(t, "of a job") {
			p.JobID = m.jobs.draw(t, "job")
		}
		if rapid.Bool().Draw(t, "by age") {
			p.Before = m.clock.Now().AddDate(0, 0, -rapid.IntRange(0, 2).Draw(t, "days"))
		}
		p.Successes, p.Unalarmed = rapid.Bool().Draw(t, "successes"), rapid.Bool().Draw(t, "unalarmed")
	}
	limit := rapid.IntRange(1, 3).Draw(t, "limit")
	var rows []int
	var done []bool
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		p := p
		p.JobID = id(m.jobs, p.JobID)
		purged, err := s.PurgeLogs(m.ctx, p, limit)
		rows, done = append(rows, purged.Rows), append(done, purged.Done)
		return err
	})
	require.Equal(t, rows[0], rows[1])
	require.Equal(t, done[0], done[1])
}

var purgeRules = []fullRule{
	{"PurgeDeletesWhatIsOldAndHasEnded", func(b *fullFixture) {
		id := b.addJob("job")
		old1, old2 := b.ended(id, -3, 200), b.ended(id, -3, 500)
		young := b.ended(id, -2, 200)
		b.Equal(0, b.purge(xxladapter.LogPurge{Before: at(0).AddDate(0, 0, -3)}, 10), "before is exclusive")
		b.Equal([]int64{old1, old2, young}, b.logIDs())
		b.Equal(2, b.purge(xxladapter.LogPurge{Before: at(0).AddDate(0, 0, -3).Add(time.Nanosecond)}, 10))
		b.Equal([]int64{young}, b.logIDs())
		_, err := b.store.Log(b.ctx, old1)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.Equal(0, b.purge(xxladapter.LogPurge{Before: at(0).AddDate(0, 0, -2)}, 10))
		b.Equal(1, b.purge(xxladapter.LogPurge{}, 10))
		b.Empty(b.logIDs())
	}},
	{"PurgeContinuesInChunksAndSkipsNothing", func(b *fullFixture) {
		one, two := b.addJob("one"), b.addJob("two")
		var stay []int64
		n := 0
		for i := range 30 {
			job := []int64{one, two}[i%2]
			if i%7 == 3 {
				stay = append(stay, b.run(job, -i%5).LogID)
			} else {
				b.ended(job, -i%5, 200)
				n++
			}
		}
		b.Equal(n, b.purge(xxladapter.LogPurge{}, 4))
		b.Equal(stay, b.logIDs())
	}},
	{"PurgeFindsOldRowsAmongYoungOnesInAnyOrder", func(b *fullFixture) {
		id := b.addJob("job")
		var stay []int64
		for _, days := range []int{-5, 0, -9, -1, -5, 0, -7} {
			l := b.ended(id, days, 200)
			if days > -5 {
				stay = append(stay, l)
			}
		}
		b.Equal(4, b.purge(xxladapter.LogPurge{Before: at(0).AddDate(0, 0, -2)}, 2))
		b.Equal(stay, b.logIDs())
	}},
	{"PurgeLeavesRowsThatSomebodyStillNeeds", func(b *fullFixture) {
		id := b.addJob("job")
		handedOver := b.run(id, -9)
		running := b.run(id, -9)
		b.settle(running, "", 200)
		unknown := b.run(id, -9)
		b.settle(unknown, xxladapter.FireAmbiguous, 500)
		unalarmed := b.run(id, -9)
		b.settle(unalarmed, "", 500)
		claimed := b.run(id, -9)
		b.settle(claimed, "", 500)
		state := b.alarmState(id)
		claims, err := b.store.DecideAlarms(
			b.ctx, "n1", []xxladapter.AlarmDecision{{Before: state, After: state, Alarm: []int64{claimed.LogID}}},
		)
		b.NoError(err)
		b.Len(claims, 1)

		b.Equal(0, b.purge(xxladapter.LogPurge{}, 10))
		b.Len(b.logIDs(), 5)
		again := b.run(id, -9)
		b.settle(again, "", 500)
		alone := b.purge(
			xxladapter.LogPurge{Before: at(0).AddDate(0, 0, -8), JobID: id, Unalarmed: true, AfterID: claimed.LogID},
			10,
		)
		b.Equal(1, alone, "nobody is notified, so nobody waits")
		b.NoError(b.store.SettleAlarms(b.ctx, claims, 2))
		b.Equal(1, b.purge(xxladapter.LogPurge{}, 10), "the alarm was sent")
		b.quiet(id, unalarmed.LogID)
		b.Equal(1, b.purge(xxladapter.LogPurge{}, 10), "no alarm was needed")
		b.finish(unknown, 200)
		b.finish(running, 200)
		b.Equal(2, b.purge(xxladapter.LogPurge{}, 10))
		b.Equal([]int64{handedOver.LogID}, b.logIDs())
	}},
	{"PurgeKeepsTheNewestOfAJobOrAGroup", func(b *fullFixture) {
		other := b.addGroup("other-group")
		one, two := b.addJob("one"), b.newJob("two")
		two.GroupID = other
		second, err := xxladapter.CreateJob(b.ctx, b.store, two)
		b.NoError(err)
		var ones, twos []int64
		for range 4 {
			ones = append(ones, b.ended(one, 0, 200))
			l := b.run(second, 0)
			b.settle(l, "", 200)
			b.finish(l, 200)
			twos = append(twos, l.LogID)
		}
		b.Equal(0, b.purge(xxladapter.LogPurge{JobID: one, KeepNewest: 4}, 10))
		b.Equal(1, b.purge(xxladapter.LogPurge{JobID: one, KeepNewest: 3}, 10))
		b.Equal(
			2, b.purge(xxladapter.LogPurge{JobID: second, KeepNewest: 2, GroupID: b.group}, 1),
			"rows carry the group that they were triggered in",
		)
		b.Equal([]int64{ones[1], ones[2], twos[2], ones[3], twos[3]}, b.logIDs())
		b.Equal(2, b.purge(xxladapter.LogPurge{KeepNewest: 3}, 10))
		b.Equal([]int64{twos[2], ones[3], twos[3]}, b.logIDs())
		b.Equal(0, b.purge(xxladapter.LogPurge{GroupID: other}, 10))
		b.Equal(3, b.purge(xxladapter.LogPurge{GroupID: b.group}, 10))
	}},
	{"PurgeOfSuccessesLeavesFailuresAndWhatEndedThem", func(b *fullFixture) {
		id := b.addJob("job")
		b.ended(id, 0, 200)
		failed := b.ended(id, 0, 500)
		recovered := b.ended(id, 0, 200)
		b.ended(id, 0, 200)
		b.Equal(2, b.purge(xxladapter.LogPurge{JobID: id, Successes: true}, 10))
		b.Equal([]int64{failed, recovered}, b.logIDs())
		b.Equal(0, b.purge(xxladapter.LogPurge{JobID: id, Successes: true}, 10))
		again := b.ended(id, 0, 500)
		b.Equal(1, b.purge(xxladapter.LogPurge{JobID: id, Successes: true}, 10), "a later failure is remembered")
		b.Equal([]int64{failed, again}, b.logIDs())
	}},
	{"PurgeTouchesNoReport", func(b *fullFixture) {
		id := b.addJob("job")
		b.ended(id, 0, 200)
		b.ended(id, -1, 500)
		b.run(id, 0)
		want := []xxladapter.DailyReport{{Day: yesterday, Failed: 1}, {Day: today, Running: 1, Success: 1}}
		b.wantReports(want...)
		b.Equal(2, b.purge(xxladapter.LogPurge{}, 10))
		b.wantReports(want...)
	}},
	{"PurgeTakesTextsAlong", func(b *fullFixture) {
		id := b.addJob("job")
		gone, stays := b.ended(id, -2, 200), b.ended(id, 0, 200)
		for _, l := range []int64{gone, stays} {
			b.saveText(xxladapter.RunText{LogID: l, Text: fmt.Sprint(l), Complete: true})
		}
		wanted := b.run(id, -2)
		b.settle(wanted, "", 200)
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: wanted.LogID, Code: 200, WantText: true})
		b.NoError(err)
		b.Equal(2, b.purge(xxladapter.LogPurge{Before: at(0).AddDate(0, 0, -1)}, 10))
		_, err = b.store.RunText(b.ctx, gone)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		_, err = b.store.RunText(b.ctx, stays)
		b.NoError(err)
		b.clock.Advance(time.Hour)
		b.Empty(b.claimTexts(10))
	}},
	{"PurgeOfRemovedJobsTakesAllTheirRowsInChunks", func(b *fullFixture) {
		kept := b.addJob("kept")
		stays := b.ended(kept, 0, 200)
		one, two := b.addJob("one"), b.addJob("two")
		for range 7 {
			b.ended(one, -1, 200)
		}
		open := b.run(one, 0)
		taken := b.run(one, -1)
		b.settle(taken, "", 200)
		unalarmed := b.run(one, 0)
		b.settle(unalarmed, "", 500)
		text := b.ended(two, 0, 200)
		b.saveText(xxladapter.RunText{LogID: text, Text: "said", Complete: true})
		late := b.run(two, 0)
		b.settle(late, "", 200)
		b.Equal(0, b.purge(xxladapter.LogPurge{Removed: true}, 3), "nothing was removed")

		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, two))
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, one))
		b.Len(b.logIDs(), 13, "the rows are still there")
		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: late.LogID, Code: 200, WantText: true})
		b.NoError(err)
		b.True(applied, "and take results")

		b.Equal(12, b.purge(xxladapter.LogPurge{Removed: true}, 4))
		b.Equal([]int64{stays}, b.logIDs())
		b.Equal(0, b.purge(xxladapter.LogPurge{Removed: true}, 4))
		_, err = b.store.RunText(b.ctx, text)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.clock.Advance(time.Hour)
		b.Empty(b.claimTexts(10))

		// Runs that had ended stay counted; the others are no longer counted.
		b.wantReports(
			xxladapter.DailyReport{Day: yesterday, Success: 7},
			xxladapter.DailyReport{Day: today, Success: 3, Failed: 1},
		)
		// Fires in progress can still be settled.
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: open.ID, LogID: open.LogID, Code: xxladapter.ResultOK})
		b.Empty(b.dues())
	}},
	{"PurgeOfRemovedJobsForgetsAlarmsThatCameToBe", func(b *fullFixture) {
		id := b.addJob("removed")
		f := b.run(id, 0)
		b.settle(f, "", 500)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.quiet(id, f.LogID)
		state := b.alarmState(id)
		b.NotZero(state.Version)
		b.Equal(1, b.purge(xxladapter.LogPurge{Removed: true}, 1))
		state = b.alarmState(id)
		b.Equal(xxladapter.AlarmState{JobID: id}, state)
	}},
	{"PurgeMayRaceWithResultsAndOtherPurges", func(b *fullFixture) {
		id := b.addJob("job")
		var fires []xxladapter.Fire
		runs := testserver.Count(20, 40)
		for range runs {
			f := b.run(id, 0)
			b.settle(f, "", 500)
			b.quiet(id, f.LogID)
			fires = append(fires, f)
		}
		for _, err := range race(4, func(i int) error {
			if i < 2 {
				p := xxladapter.LogPurge{}
				for {
					purged, err := b.store.PurgeLogs(b.ctx, p, 3)
					if err != nil || purged.Done {
						return err
					}
					p = purged.Next
				}
			}
			for _, f := range fires {
				_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200})
				if err != nil && kind(err) != "not found" {
					return err
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
		b.purge(xxladapter.LogPurge{}, 10)
		b.Empty(b.logIDs())
		reports, err := b.store.Reports(b.ctx, time.Time{}, time.Time{})
		b.NoError(err)
		b.Len(reports, 1)
		b.EqualValues(runs, reports[0].Success+reports[0].Failed, "each run counts once, as what it was when it went")
		b.Zero(reports[0].Running)
	}},
}
