package storetest

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var jobRules = []rule{
	{"CreateJobStoresEveryFieldAndStartsStopped", func(b *fixture) {
		j := b.newJob("all fields")
		j.Running, j.TriggerLast, j.TriggerNext = true, at(1), at(2)
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)

		want := *b.newJob("all fields")
		want.ID = id
		want.Added, want.Updated, want.GlueUpdated = second(epoch), second(epoch), second(epoch)
		b.Equal(&want, b.job(id))
	}},
	{"CreateJobLeavesTheCallersJobAlone", func(b *fixture) {
		j := b.newJob("mine")
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		b.Equal(b.newJob("mine"), j)

		j.Name, j.ChildIDs[0] = "changed later", 99
		b.Equal("mine", b.job(id).Name)
		b.Equal([]int64{7, 5}, b.job(id).ChildIDs)
	}},
	{"CreateJobNeedsItsGroup", func(b *fixture) {
		j := b.newJob("orphan")
		j.GroupID = b.group + 1
		_, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
		b.NoError(err)
		b.Empty(jobs)
	}},
	{"JobIDsNeverComeBack", func(b *fixture) {
		first := b.addJob("first")
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, first))
		b.Greater(b.addJob("second"), first)
	}},
	{"AJobWithoutOptionalFieldsComesBackEmpty", func(b *fixture) {
		id, err := xxladapter.CreateJob(b.ctx, b.store, &xxladapter.Job{GroupID: b.group, Name: "bare"})
		b.NoError(err)
		b.Equal(&xxladapter.Job{
			ID: id, GroupID: b.group, Name: "bare",
			Added: second(epoch), Updated: second(epoch), GlueUpdated: second(epoch),
		}, b.job(id))
	}},
	{"UnknownEnumerationsPassThrough", func(b *fixture) {
		j := b.newJob("from elsewhere")
		j.ScheduleType, j.Misfire, j.Route, j.Block, j.GlueType = "LUNAR", "SHRUG", "NEAREST", "QUEUE", "GLUE_LISP"
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		b.NoError(StartAt(b.ctx, b.store, id, at(0)))
		_, _, err = b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			j = due[0]
			return nil
		})
		b.NoError(err)
		b.EqualValues("LUNAR", j.ScheduleType)
		b.EqualValues("SHRUG", j.Misfire)
		b.EqualValues("NEAREST", j.Route)
		b.EqualValues("QUEUE", j.Block)
		b.EqualValues("GLUE_LISP", j.GlueType)
	}},
	{"UpdateJobStoresOnlyWhatAnOperatorEdits", func(b *fixture) {
		id := b.addRunning("before", at(60))
		other := b.addGroup("another-app")
		b.clock.Advance(time.Hour)
		edit := &xxladapter.Job{
			ID: id, GroupID: other, Name: "after", Author: "b", AlarmEmail: "c@example.org",
			ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "30", Misfire: xxladapter.MisfireDoNothing,
			Route: xxladapter.RouteRound, Handler: "h2", Param: "p2", Block: xxladapter.BlockSerial,
			Timeout: time.Second, RetryCount: 1, ChildIDs: nil,
			Settings: xxladapter.Settings{Ambiguous: xxladapter.AmbiguousSkip},
			GlueType: xxladapter.GlueBean, GlueSource: "no", GlueRemark: "no", GlueUpdated: at(1),
			Running: false, TriggerLast: at(5), TriggerNext: at(6), Added: at(7), Updated: b.job(id).Updated,
		}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, edit, false))

		want, old := *edit, b.newJob("before")
		want.GlueType, want.GlueSource, want.GlueRemark, want.GlueUpdated = old.GlueType, old.GlueSource,
			old.GlueRemark, second(epoch)
		want.Running, want.TriggerLast, want.TriggerNext = true, time.Time{}, at(60)
		want.Added, want.Updated = second(epoch), second(epoch.Add(time.Hour))
		b.Equal(&want, b.job(id))
	}},
	{"UpdateJobWithoutRescheduleKeepsPlannedFires", func(b *fixture) {
		id := b.addRunning("steady", at(0))
		b.claimDue()
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, b.job(id), false))
		b.Equal([]time.Time{at(0)}, b.dues())
	}},
	{"UpdateJobWithRescheduleMovesTheNextTimeAndDropsItsPlannedFires", func(b *fixture) {
		id := b.addRunning("moved", at(0))
		b.claimDue()
		b.plan(id, at(1), xxladapter.TriggerMisfire)
		manual := b.plan(id, at(2), xxladapter.TriggerManual)
		claimed := b.claim(b.plan(id, at(3), xxladapter.TriggerCron), "n1", 1)
		bystander := b.plan(b.addJob("other"), at(4), xxladapter.TriggerCron)

		j := b.job(id)
		j.TriggerNext = at(120).Add(7 * time.Millisecond)
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, true))
		b.Equal(at(120).Add(7*time.Millisecond), b.job(id).TriggerNext)
		b.Equal(at(0), b.job(id).TriggerLast)
		b.Equal([]time.Time{manual.Due, claimed[0].Due, bystander.Due}, b.dues())
	}},
	{"UpdateJobDoesNotContinueFromWhatMayHaveFired", func(b *fixture) {
		id := b.addRunning("moved", at(60))
		b.plan(id, at(1), xxladapter.TriggerCron)
		b.claim(b.plan(id, at(3), xxladapter.TriggerCron), "n1", 1)
		b.claim(b.plan(id, at(5), xxladapter.TriggerManual), "n1", 1)
		now, err := b.store.Now(b.ctx)
		b.NoError(err)
		before := b.job(id)
		j := b.job(id)
		j.Name = "not stored"
		for _, next := range []time.Time{at(-60), now, at(2), at(3)} {
			j.TriggerNext = next
			b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, j, true), xxladapter.ErrConflict, next)
			b.Equal(before, b.job(id))
			b.Len(b.dues(), 3)
		}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false), "which leaves the schedule alone")
		j.Updated = time.Time{}
		for _, next := range []time.Time{at(3).Add(time.Millisecond), at(5)} {
			j.TriggerNext = next
			b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, true))
			b.Equal(next, b.job(id).TriggerNext)
			b.Equal([]time.Time{at(3), at(5)}, b.dues())
		}
	}},
	{"AnEditThatWasHeldUpDoesNotUndoALaterOne", func(b *fixture) {
		id := b.addRunning("edited", at(60))
		held, later := b.job(id), b.job(id)
		held.Name, later.Name = "held up", "later"
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, later, false))
		want := b.job(id)
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, held, false), xxladapter.ErrConflict)
		held.TriggerNext = at(120)
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, held, true), xxladapter.ErrConflict)
		b.Equal(want, b.job(id))
		held.Updated = want.Updated
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, held, false))
		b.Equal("held up", b.job(id).Name)
	}},
	{"UpdateJobNeedsTheJobAndItsGroup", func(b *fixture) {
		j := b.newJob("nobody")
		j.ID = 4711
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, j, true), xxladapter.ErrNotFound)

		id := b.addJob("somebody")
		j.ID, j.GroupID = id, b.group+1
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, j, true), xxladapter.ErrNotFound)
		b.Equal("somebody", b.job(id).Name)
	}},
	{"StartJobSetsTheFirstDueTime", func(b *fixture) {
		id := b.addJob("started")
		next := at(10).Add(250 * time.Millisecond)
		b.NoError(StartAt(b.ctx, b.store, id, next.Add(999*time.Microsecond)))
		b.True(b.job(id).Running)
		b.Equal(next, b.job(id).TriggerNext)
		b.Zero(b.job(id).TriggerLast)
		b.ErrorIs(StartAt(b.ctx, b.store, id+1, next), xxladapter.ErrNotFound)
	}},
	{"StartJobOfARunningJobChangesNothing", func(b *fixture) {
		id := b.addRunning("twice", at(0))
		b.claimDue()
		before := b.job(id)
		b.clock.Advance(time.Hour)
		for _, seen := range []time.Time{{}, at(-60)} {
			asked := false
			next, err := xxladapter.StartJob(b.ctx, b.store, id, seen, func(time.Time) time.Time {
				asked = true
				return at(30)
			})

			b.NoError(err)
			b.False(asked)
			b.Equal(at(60), next)
		}
		b.Equal(before, b.job(id))
		b.Equal([]time.Time{at(0)}, b.dues())
	}},
	{"ALateStartRepeatsNoDueTime", func(b *fixture) {
		id := b.addJob("started twice")
		seen := b.job(id).Updated
		late := func() {
			_, _ = xxladapter.StartJob(b.ctx, b.store, id, seen, func(time.Time) time.Time { return at(0) })
		}
		late()
		ran := b.claimDue()
		b.Len(ran, 1)
		late() // the due time is planned
		b.settleSent(b.claim(ran[0], "n1", 1)[0])
		late() // and now has run
		b.Empty(b.claimDue())
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, b.job(id).Updated))
		late() // the job is stopped
		b.Empty(b.claimDue())
		b.False(b.job(id).Running)
	}},
	{"StartJobAsksForTheFirstDueTimeAfterWhatMayHaveFired", func(b *fixture) {
		id := b.addJob("asks")
		ask := func() (after time.Time) {
			_, err := xxladapter.StartJob(b.ctx, b.store, id, time.Time{}, func(t time.Time) time.Time {
				after = t.UTC()
				return time.Time{}
			})

			b.NoError(err)
			return after
		}
		b.Equal(epoch, ask())
		b.plan(id, at(9), xxladapter.TriggerManual)
		b.plan(id, at(8), xxladapter.TriggerMisfire)
		b.plan(b.addJob("other"), at(7), xxladapter.TriggerCron)
		b.plan(id, at(-7), xxladapter.TriggerCron)
		b.Equal(epoch, ask())
		b.claim(b.plan(id, at(3), xxladapter.TriggerCron), "n1", 2)
		b.Equal(at(3), ask())
		b.plan(id, at(4), xxladapter.TriggerCron) // of a schedule that has ended
		b.Equal(at(4), ask())
	}},
	{"AScheduleWithoutADueTimeStaysOff", func(b *fixture) {
		id := b.addJob("never")
		before := b.job(id)
		next, err := xxladapter.StartJob(
			b.ctx, b.store, id, before.Updated, func(time.Time) time.Time { return time.Time{} },
		)
		b.NoError(err)
		b.Zero(next)
		b.Equal(before, b.job(id))
	}},
	{"AnOrderThatWasHeldUpDoesNotUndoALaterOne", func(b *fixture) {
		id := b.addJob("ordered about") // all within a second
		start := func(seen time.Time) error {
			_, err := xxladapter.StartJob(b.ctx, b.store, id, seen, func(time.Time) time.Time { return at(60) })
			return err
		}
		created := b.job(id).Updated
		b.NoError(start(created))
		started := b.job(id).Updated
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, started))
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, started), "given again")
		stopped := b.job(id)
		b.ErrorIs(start(created), xxladapter.ErrConflict)
		b.Equal(stopped, b.job(id))

		b.NoError(start(stopped.Updated))
		running := b.job(id)
		b.ErrorIs(xxladapter.StopJob(b.ctx, b.store, id, started), xxladapter.ErrConflict)
		b.Equal(running, b.job(id))
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, running, false))
		b.ErrorIs(xxladapter.StopJob(b.ctx, b.store, id, running.Updated), xxladapter.ErrConflict, "it was edited")
		b.True(b.job(id).Running)

		b.clock.Advance(-time.Hour)
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, b.job(id).Updated))
		b.NoError(start(b.job(id).Updated))
		b.ErrorIs(xxladapter.StopJob(b.ctx, b.store, id, running.Updated), xxladapter.ErrConflict)
		b.True(b.job(id).Running)
	}},
	{"StopJobZeroesTheTimesAndDropsPlannedFires", func(b *fixture) {
		id := b.addRunning("stopped", at(0))
		b.claimDue()
		b.plan(id, at(1), xxladapter.TriggerMisfire)
		manual := b.plan(id, at(2), xxladapter.TriggerManual)
		claimed := b.claim(b.plan(id, at(3), xxladapter.TriggerCron), "n1", 1)

		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, time.Time{}))
		j := b.job(id)
		b.False(j.Running)
		b.Zero(j.TriggerLast)
		b.Zero(j.TriggerNext)
		b.Equal([]time.Time{manual.Due, claimed[0].Due}, b.dues())
		b.Empty(b.claimDue())
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, time.Time{}), "stopping again is fine")
		b.ErrorIs(xxladapter.StopJob(b.ctx, b.store, id+1, time.Time{}), xxladapter.ErrNotFound)
	}},
	{"RemoveJobTakesItsPlannedFiresAndMisfires", func(b *fixture) {
		id, other := b.addRunning("removed", at(0)), b.addRunning("kept", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			var all []xxladapter.Decision
			for _, j := range due {
				all = append(all, xxladapter.Decision{
					JobID: j.ID, Last: at(0), Next: at(60), Misfires: []xxladapter.Misfire{{Due: at(0), Until: at(0)}},
				})
			}
			return all
		})
		b.NoError(err)
		b.plan(id, at(1), xxladapter.TriggerCron)
		b.plan(id, at(2), xxladapter.TriggerManual)
		claimed := b.claim(b.plan(id, at(3), xxladapter.TriggerCron), "n1", 1)[0]
		kept := b.claim(b.plan(other, at(4), xxladapter.TriggerCron), "n1", 1)[0]

		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		_, err = b.store.Job(b.ctx, id)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.ErrorIs(xxladapter.RemoveJob(b.ctx, b.store, id), xxladapter.ErrNotFound)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
		b.NoError(err)
		b.Len(jobs, 1)
		b.Empty(b.claimDue())
		b.Empty(b.misfires(id))
		b.Equal([]time.Time{claimed.Due, kept.Due}, b.dues())

		// Fires in progress can still be settled.
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: claimed.ID, LogID: claimed.LogID, Code: xxladapter.ResultOK,
		})
		b.Equal([]time.Time{kept.Due}, b.dues())
		b.Equal(kept.LogID, b.log(kept.LogID).ID)
		b.Len(b.misfires(other), 1)
	}},
	{"JobsAreFilteredAndComeByID", func(b *fixture) {
		other := b.addGroup("another-app")
		a, c := b.addJob("send 100% mail"), b.addRunning("send_mail", at(60))
		j := b.newJob("report")
		j.GroupID, j.Settings.KeepLogs = other, xxladapter.KeepFailures
		d, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)

		yes, no := true, false
		for _, want := range []struct {
			filter xxladapter.JobFilter
			ids    []int64
		}{
			{xxladapter.JobFilter{}, []int64{a, c, d}},
			{xxladapter.JobFilter{GroupID: other}, []int64{d}},
			{xxladapter.JobFilter{Groups: []int64{other}}, []int64{d}},
			{xxladapter.JobFilter{Groups: []int64{b.group, other, absent}}, []int64{a, c, d}},
			{xxladapter.JobFilter{Groups: []int64{b.group, other}, GroupID: other}, []int64{d}},
			{xxladapter.JobFilter{Groups: []int64{b.group}, GroupID: other}, nil},
			{xxladapter.JobFilter{Groups: []int64{}}, nil},
			{xxladapter.JobFilter{Groups: []int64{b.group}, Name: "mail", Limit: 1}, []int64{a}},
			{xxladapter.JobFilter{Name: "send"}, []int64{a, c}},
			{xxladapter.JobFilter{Name: "%"}, []int64{a}},
			{xxladapter.JobFilter{Name: "_"}, []int64{c}},
			{xxladapter.JobFilter{Running: &yes}, []int64{c}},
			{xxladapter.JobFilter{Running: &no}, []int64{a, d}},
			{xxladapter.JobFilter{AfterID: a}, []int64{c, d}},
			{xxladapter.JobFilter{AfterID: a, Limit: 1}, []int64{c}},
			{xxladapter.JobFilter{Limit: 2}, []int64{a, c}},
			{xxladapter.JobFilter{Name: "send", GroupID: other}, nil},
			{xxladapter.JobFilter{KeepLogs: xxladapter.KeepFailures}, []int64{d}},
			{xxladapter.JobFilter{KeepLogs: xxladapter.KeepFailures, GroupID: j.GroupID + 1}, nil},
		} {
			jobs, err := b.store.Jobs(b.ctx, want.filter)
			b.NoError(err)
			var ids []int64
			for _, j := range jobs {
				ids = append(ids, j.ID)
			}
			b.True(slices.Equal(want.ids, ids), "%+v: want %v, got %v", want.filter, want.ids, ids)
		}
	}},
	{"ReturnedJobsBelongToTheCaller", func(b *fixture) {
		id := b.addJob("mine")
		b.job(id).ChildIDs[0] = 99
		b.Equal([]int64{7, 5}, b.job(id).ChildIDs)
	}},
}
