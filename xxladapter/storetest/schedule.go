package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var scheduleRules = []rule{
	{"NowIsTheStoresClock", func(b *fixture) {
		b.clock.Advance(time.Hour)
		now, err := b.store.Now(b.ctx)
		b.NoError(err)
		b.True(now.Equal(epoch.Add(time.Hour)), "%v", now)
	}},
	{"ClaimDueTakesTheEarliestUpToTheLimit", func(b *fixture) {
		b.addJob("stopped")
		late := b.addRunning("late", at(4))
		b.addRunning("beyond the window", at(6))
		early := b.addRunning("early", at(-10))
		same := b.addRunning("same time, later id", at(4))

		seen := func(limit int) (ids []int64) {
			_, n, err := b.store.ClaimDue(b.ctx, b.term("n1"), 5*time.Second, limit, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				for _, j := range due {
					ids = append(ids, j.ID)
				}
				return nil
			})
			b.NoError(err)
			b.Len(ids, n)
			return ids
		}
		b.Equal([]int64{early, late, same}, seen(10))
		b.Equal([]int64{early, late}, seen(2), "a job without a decision is still due")
	}},
	{"TheWindowIncludesItsEnd", func(b *fixture) {
		b.clock.Advance(time.Second - time.Duration(epoch.Nanosecond())) // to at(1)
		b.addRunning("on the edge", at(6))
		b.addRunning("a millisecond later", at(6).Add(time.Millisecond))
		_, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 5*time.Second, 10, everyMinute)
		b.NoError(err)
		b.Equal(1, due)
	}},
	{"NothingDueAsksNothing", func(b *fixture) {
		b.addRunning("later", at(60))
		asked := false
		fires, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			asked = true
			return nil
		})
		b.NoError(err)
		b.False(asked)
		b.Zero(due)
		b.Empty(fires)
	}},
	{"DecideSeesWholeJobsAndTheStoresClock", func(b *fixture) {
		id := b.addRunning("whole", at(0).Add(123*time.Millisecond))
		var now time.Time
		var got *xxladapter.Job
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(at time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			now, got = at, due[0]
			return nil
		})
		b.NoError(err)
		b.True(now.Equal(epoch), "%v", now)
		b.Equal(b.job(id), got)
	}},
	{"OnlyTheFirstDecisionAboutAJobCounts", func(b *fixture) {
		id, other := b.addRunning("job", at(-1)), b.addJob("another")
		decision := func(job int64, minutes int) xxladapter.Decision {
			return xxladapter.Decision{
				JobID: job, Last: at(-1), Next: at(60 * minutes),
				Fires: []xxladapter.Fire{{Due: at(-minutes), Type: xxladapter.TriggerCron, RetryCount: -1}},
			}
		}
		planned, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{decision(other, 3), decision(id, 1), decision(id, 2)}
		})
		b.NoError(err)
		b.Len(planned, 1)
		b.True(at(-1).Equal(planned[0].Due), "%v", planned[0].Due)
		b.True(at(60).Equal(b.job(id).TriggerNext), "%v", b.job(id).TriggerNext)
		b.Equal(planned, b.openFires(xxladapter.FireFilter{}))
	}},
	{"DecisionsAreStoredTogether", func(b *fixture) {
		id := b.addRunning("job", at(-20))
		started := b.job(id).Updated
		param := "override"
		var planned []xxladapter.Fire
		planned, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{
				JobID: id,
				Fires: []xxladapter.Fire{
					{Due: at(0).Add(time.Microsecond), Type: xxladapter.TriggerMisfire, RetryCount: -1},
					{
						Due: at(3), Type: xxladapter.TriggerCron, RetryCount: 2, Param: &param,
						Addresses: []string{"http://b:1", "http://a:1"},
					},
				},
				Misfires: []xxladapter.Misfire{
					{Due: at(-20), Until: at(-10), Strategy: xxladapter.MisfireFireOnceNow, At: now},
				},
				Last: at(3), Next: at(9),
			}}
		})
		b.NoError(err)
		b.Equal(1, due)

		b.Len(planned, 2)
		b.Less(planned[0].ID, planned[1].ID)
		b.Equal([]xxladapter.Fire{
			{
				ID: planned[0].ID, JobID: id, GroupID: b.group, Due: at(0), Type: xxladapter.TriggerMisfire,
				State: xxladapter.FirePlanned, RetryCount: -1,
			},
			{
				ID: planned[1].ID, JobID: id, GroupID: b.group, Due: at(3), Type: xxladapter.TriggerCron,
				State:      xxladapter.FirePlanned,
				RetryCount: 2, Param: &param, Addresses: []string{"http://b:1", "http://a:1"},
			},
		}, planned)
		b.Equal(planned, b.openFires(xxladapter.FireFilter{}))

		misfires := b.misfires(id)
		b.Len(misfires, 1)
		b.Equal([]xxladapter.Misfire{{
			ID: misfires[0].ID, JobID: id, Due: at(-20), Until: at(-10),
			Strategy: xxladapter.MisfireFireOnceNow, At: epoch.Truncate(time.Millisecond),
		}}, misfires)

		j := b.job(id)
		b.True(j.Running)
		b.Equal(at(3), j.TriggerLast)
		b.Equal(at(9), j.TriggerNext)
		b.Equal(started, j.Updated)
	}},
	{"AScheduleThatEndedSwitchesTheJobOff", func(b *fixture) {
		id := b.addRunning("once", at(0))
		fires, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{JobID: id, Stop: true, Last: at(0), Fires: []xxladapter.Fire{
				{Due: at(0), Type: xxladapter.TriggerCron},
			}}}
		})
		b.NoError(err)
		j := b.job(id)
		b.False(j.Running)
		b.Equal(at(0), j.TriggerLast)
		b.Zero(j.TriggerNext)
		b.claim(fires[0], "n1", 1) // its last fire still happens
	}},
	{"TimesThatNoScheduleGaveAreKeptAsTheyAre", func(b *fixture) {
		// As another program may have written them.
		id := b.addRunning("astray", at(0))
		set := func(last, next time.Time) (was time.Time) {
			_, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				was = due[0].TriggerNext
				return []xxladapter.Decision{{JobID: id, Last: last, Next: next}}
			})
			b.NoError(err)
			b.Equal(1, due)
			return was
		}
		far := time.UnixMilli(1 << 60).UTC()
		before := at(0)
		for _, next := range []time.Time{
			{}, time.UnixMilli(-1).UTC(), time.UnixMilli(-1 << 60).UTC(), {}, xxladapter.AfterRun,
		} {
			b.Equal(before, set(far, next))
			b.Equal(next, b.job(id).TriggerNext)
			before = next
		}
		run := b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 1)[0]
		b.settleSent(run)
		b.True(b.endRun(run, xxladapter.Resume{JobID: id, Next: at(0)}))
		b.Equal(at(0), b.job(id).TriggerNext, "continues after its run")
		set(time.UnixMilli(-1<<60), far)
		b.Equal(far, b.job(id).TriggerNext)
		b.Empty(b.claimDue())
	}},
	{"ADueTimeThatWasPromisedIsNotPlannedAgain", func(b *fixture) {
		id := b.addRunning("again", at(0))
		again := func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			d := everyMinute(epoch, due)
			d[0].Next = due[0].TriggerNext
			return d
		}
		first, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, again)
		b.NoError(err)
		b.Len(first, 1)
		fires, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, again)
		b.NoError(err)
		b.Equal(1, due)
		b.Empty(fires)
		b.Equal(first, b.openFires(xxladapter.FireFilter{}))

		b.claim(first[0], "n1", 3) // as a broadcast it holds the due time three times
		b.Empty(b.claimDue())
		b.Len(b.openFires(xxladapter.FireFilter{}), 3)
		b.Equal(at(60), b.job(id).TriggerNext)
	}},
	{"CatchUpFiresAndDueTimesDoNotSwallowEachOther", func(b *fixture) {
		// Catch-up fires may be spaced out into the time ahead, where due times and the catch-up
		// fires of an earlier outage are.
		id := b.addRunning("caught up", at(0))
		plan := func(fires ...xxladapter.Fire) []xxladapter.Fire {
			b.Helper()
			planned, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				return []xxladapter.Decision{{JobID: id, Next: at(0), Fires: fires}}
			})
			b.NoError(err)
			b.Equal(1, due)
			return planned
		}
		fire := func(seconds int, t xxladapter.TriggerType) xxladapter.Fire {
			return xxladapter.Fire{Due: at(seconds), Type: t, RetryCount: -1}
		}
		b.Len(plan(
			fire(0, xxladapter.TriggerMisfire), fire(1, xxladapter.TriggerMisfire), fire(1, xxladapter.TriggerCron),
			fire(2, xxladapter.TriggerCron),
		), 4)
		again := plan(
			fire(1, xxladapter.TriggerMisfire), fire(2, xxladapter.TriggerMisfire), fire(0, xxladapter.TriggerCron),
		)
		b.Len(again, 3)
		b.Empty(plan(fire(2, xxladapter.TriggerCron)), "which was promised")
		byType := map[xxladapter.TriggerType]int{}
		for _, f := range b.openFires(xxladapter.FireFilter{}) {
			byType[f.Type]++
			b.Less(f.Due.Sub(f.Due.Truncate(time.Second)), 5*time.Millisecond)
		}
		b.Equal(map[xxladapter.TriggerType]int{xxladapter.TriggerMisfire: 4, xxladapter.TriggerCron: 3}, byType)
	}},
	{"AFireFromElsewhereDoesNotSwallowADueTime", func(b *fixture) {
		id := b.addRunning("busy", at(0))
		manual := b.plan(id, at(0), xxladapter.TriggerManual)
		fires := b.claimDue()
		b.Len(fires, 1)
		b.Equal(xxladapter.TriggerCron, fires[0].Type)
		b.Equal(at(0).Add(time.Millisecond), fires[0].Due)
		b.Equal([]time.Time{manual.Due, fires[0].Due}, b.dues())
	}},
	{"ADecisionAboutAJobThatWasNotDueIsIgnored", func(b *fixture) {
		other := b.addRunning("not due", at(60))
		b.addRunning("due", at(0))
		fires, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{
				{JobID: other, Next: at(120), Fires: []xxladapter.Fire{{Due: at(60), Type: xxladapter.TriggerCron}}},
			}
		})
		b.NoError(err)
		b.Empty(fires)
		b.Equal(at(60), b.job(other).TriggerNext)
	}},
	{"JobsThatAreBehindAreLeftOut", func(b *fixture) {
		// Due times of a job whose fires cannot be sent stay in its row, and hold up no other job.
		limit := xxladapter.BehindAfter + time.Second
		seen := func(claim int) (names []string) {
			_, due, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, claim, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				for _, j := range due {
					names = append(names, j.Name)
				}
				return nil
			})
			b.NoError(err)
			b.Len(names, due)
			return names
		}
		behind, missed := b.addRunning("behind", at(-30)), b.addRunning("missed", at(-20))
		b.addRunning("on time", at(-10))
		scheduled := b.plan(behind, at(-40), xxladapter.TriggerCron)
		b.plan(behind, at(-41), xxladapter.TriggerRetry)
		caughtUp := b.plan(missed, at(-40), xxladapter.TriggerMisfire)
		for i, t := range []xxladapter.TriggerType{
			xxladapter.TriggerManual, xxladapter.TriggerRetry, xxladapter.TriggerParent, xxladapter.TriggerBackfill,
		} {
			b.plan(b.addRunning("ordered "+string(t), at(i-9)), at(-60), t)
		}
		ordered := []string{"on time", "ordered MANUAL", "ordered RETRY", "ordered PARENT", "ordered BACKFILL"}
		b.Equal(ordered, seen(100))
		b.Equal(ordered[:2], seen(2), "jobs that are behind take no places")

		b.claim(scheduled, "n1", 1) // whatever becomes of it
		b.Equal(append([]string{"behind"}, ordered...), seen(100))
		b.settleSent(b.claim(caughtUp, "n1", 1)[0])
		b.Equal(append([]string{"behind", "missed"}, ordered...), seen(100))

		edge := b.addRunning("edge", at(-50))
		b.plan(edge, b.clock.Now().Add(-xxladapter.BehindAfter), xxladapter.TriggerCron)
		b.Equal("edge", seen(1)[0])
		b.clock.Advance(time.Millisecond)
		b.Equal("behind", seen(1)[0])
		b.clock.Advance(limit)
		b.Equal("behind", seen(1)[0])
		b.NoError(xxladapter.StopJob(b.ctx, b.store, edge, time.Time{}))
		b.NoError(StartAt(b.ctx, b.store, edge, at(-50)))
		b.Equal("edge", seen(1)[0], "its fires are gone")
	}},
	{"DecideMayChangeTheJobsItIsShown", func(b *fixture) {
		id := b.addRunning("scratch", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			due[0].TriggerNext, due[0].Name, due[0].ChildIDs[0] = at(33), "scribble", 99
			return []xxladapter.Decision{{JobID: id, Last: at(0), Next: at(44)}}
		})
		b.NoError(err)
		b.Equal("scratch", b.job(id).Name)
		b.Equal([]int64{7, 5}, b.job(id).ChildIDs)
		b.Equal(at(44), b.job(id).TriggerNext)
	}},
	{"MisfiresArePagedInBothOrders", func(b *fixture) {
		id, other := b.addRunning("missed", at(0)), b.addRunning("other", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			d := xxladapter.Decision{JobID: id, Next: at(60)}
			for i := range 5 {
				d.Misfires = append(d.Misfires, xxladapter.Misfire{Due: at(i), Until: at(i), At: at(9)})
			}
			return []xxladapter.Decision{
				d, {JobID: other, Next: at(60), Misfires: []xxladapter.Misfire{{Due: at(9), Until: at(9), At: at(9)}}},
			}
		})
		b.NoError(err)
		for newest, want := range map[bool][]time.Time{
			false: {at(0), at(1), at(2), at(3), at(4)},
			true:  {at(4), at(3), at(2), at(1), at(0)},
		} {
			var dues []time.Time
			f := xxladapter.MisfireFilter{JobID: id, Newest: newest, Limit: 2}
			for range 5 { // pages, of which the third is the last
				page, err := b.store.Misfires(b.ctx, f)
				b.NoError(err)
				b.LessOrEqual(len(page), 2)
				for _, m := range page {
					dues, f.AfterID = append(dues, m.Due), m.ID
				}
			}
			b.Equal(want, dues, "newest first: %v", newest)
		}
		all, err := b.store.Misfires(b.ctx, xxladapter.MisfireFilter{})
		b.NoError(err)
		b.Len(all, 6)
	}},
	{"MisfiresAreSelectedByTheirDueTimes", func(b *fixture) {
		id, other := b.addRunning("missed", at(0)), b.addRunning("other", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			d := xxladapter.Decision{JobID: id, Next: at(60)}
			for _, span := range [][2]int{{0, 0}, {1, 9}, {12, 15}, {10, 11}} {
				d.Misfires = append(d.Misfires, xxladapter.Misfire{Due: at(span[0]), Until: at(span[1]), At: at(20)})
			}
			return []xxladapter.Decision{
				d, {JobID: other, Next: at(60), Misfires: []xxladapter.Misfire{{Due: at(9), Until: at(9), At: at(20)}}},
			}
		})
		b.NoError(err)
		for _, c := range []struct {
			f    xxladapter.MisfireFilter
			want []int // the first due times
		}{
			{xxladapter.MisfireFilter{From: at(1)}, []int{1, 12, 10}},
			{xxladapter.MisfireFilter{From: at(9)}, []int{1, 12, 10}},
			{xxladapter.MisfireFilter{From: at(9).Add(1)}, []int{12, 10}}, // 1 ns later
			{xxladapter.MisfireFilter{To: at(1)}, []int{0}},
			{xxladapter.MisfireFilter{To: at(1).Add(1)}, []int{0, 1}},
			{xxladapter.MisfireFilter{From: at(3), To: at(4)}, []int{1}},
			{xxladapter.MisfireFilter{From: at(0), To: at(11), Newest: true}, []int{10, 1, 0}},
			{xxladapter.MisfireFilter{From: at(0), To: at(11), Newest: true, Limit: 2}, []int{10, 1}},
			{xxladapter.MisfireFilter{From: at(16)}, nil},
		} {
			c.f.JobID = id
			found, err := b.store.Misfires(b.ctx, c.f)
			b.NoError(err)
			var dues []int
			for _, m := range found {
				dues = append(dues, int(m.Due.Sub(at(0)).Seconds()))
			}
			b.Equal(c.want, dues, "%+v", c.f)
		}
	}},
	{"OldMisfiresAreDeleted", func(b *fixture) {
		id := b.addRunning("missed", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			d := xxladapter.Decision{JobID: id, Next: at(60)}
			for i, recorded := range []int{5, 9, 5, 6, 5} {
				d.Misfires = append(d.Misfires, xxladapter.Misfire{Due: at(i), Until: at(i), At: at(recorded)})
			}
			return []xxladapter.Decision{d}
		})
		b.NoError(err)
		for _, c := range []struct {
			before  time.Time
			limit   int
			deleted int
			left    []int // the due times
		}{
			{at(5), 10, 0, []int{0, 1, 2, 3, 4}},
			{at(6), 2, 2, []int{1, 3, 4}},
			{at(6), 2, 1, []int{1, 3}},
			{at(6), 2, 0, []int{1, 3}},
			{at(6).Add(1), 2, 1, []int{1}}, // 1 ns later
			{at(60), 2, 1, nil},
		} {
			deleted, err := b.store.PurgeMisfires(b.ctx, c.before, c.limit)
			b.NoError(err)
			b.Equal(c.deleted, deleted, "%+v", c)
			var left []int
			for _, m := range b.misfires(id) {
				left = append(left, int(m.Due.Sub(at(0)).Seconds()))
			}
			b.Equal(c.left, left, "%+v", c)
		}
	}},
}

func (b *fixture) misfires(jobID int64) []xxladapter.Misfire {
	b.Helper()
	found, err := b.store.Misfires(b.ctx, xxladapter.MisfireFilter{JobID: jobID})
	b.NoError(err)
	return found
}
