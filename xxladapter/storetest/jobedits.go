package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var jobEditRules = []rule{
	{"EditJobsDoesWhatTheMethodsOfTheActsDo", func(b *fixture) {
		b.as("set up")
		updated, moved, started, stopped, removed := b.addJob("updated"), b.addRunning("moved", at(60)),
			b.addJob("started"), b.addRunning("stopped", at(60)), b.addRunning("removed", at(60))
		b.plan(stopped, at(1), xxladapter.TriggerCron)
		b.plan(moved, at(2), xxladapter.TriggerCron)
		b.plan(moved, at(3*3600), xxladapter.TriggerCron) // later than it is to continue from
		b.plan(removed, at(3), xxladapter.TriggerManual)
		kept := b.plan(stopped, at(4), xxladapter.TriggerManual)
		other := b.addGroup("another-app")
		b.clock.Advance(time.Hour)
		before := len(b.audit())

		change, move := b.job(updated), b.job(moved)
		change.Name, change.GroupID, change.Settings.Zone, change.ChildIDs = "changed", other, "Asia/Shanghai", nil
		change.GlueSource, change.GlueUpdated = "echo two", time.Time{}
		move.ScheduleConf, move.TriggerNext = "0 0 1 * * ?", b.clock.Now().Add(time.Hour)
		b.as("all at once")
		made, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActCreate, Job: b.newJob("created")},
			{Act: xxladapter.ActUpdate, Job: change},
			{Act: xxladapter.ActReschedule, Job: move},
			{Act: xxladapter.ActStart, Job: b.job(started), First: func(after time.Time) time.Time {
				return after.Add(time.Minute)
			}},
			{Act: xxladapter.ActStop, Job: b.job(stopped)},
			{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: removed}},
			{Act: xxladapter.ActCreate, Job: b.newJob("created too")},
		}, false)
		b.NoError(err)
		for _, m := range made {
			b.NoError(m.Err)
		}
		now := second(b.clock.Now())
		first, second := made[0].ID, made[6].ID
		b.Greater(second, first)
		b.Equal([]int64{first, updated, moved, started, stopped, removed, second}, idsOfEdited(made))
		want := *b.newJob("created")
		want.ID, want.Added, want.Updated, want.GlueUpdated = first, now, now, now
		b.Equal(&want, b.job(first))
		b.Equal("created too", b.job(second).Name)

		is := b.job(updated)
		b.Equal(
			[]any{"changed", other, "Asia/Shanghai", "echo two", now, now},
			[]any{is.Name, is.GroupID, is.Settings.Zone, is.GlueSource, is.GlueUpdated, is.Updated},
		)
		b.Empty(is.ChildIDs)
		b.Equal("0 0 1 * * ?", b.job(moved).ScheduleConf)
		b.Equal(b.clock.Now().Add(time.Hour).Truncate(time.Millisecond), b.job(moved).TriggerNext)
		next := b.clock.Now().Add(time.Minute).Truncate(time.Millisecond)
		b.Equal([]any{true, next, now}, []any{
			b.job(started).Running, b.job(started).TriggerNext, b.job(started).Updated,
		})
		b.Equal(next, made[3].Next)
		b.Equal(
			[]any{false, time.Time{}, now},
			[]any{b.job(stopped).Running, b.job(stopped).TriggerNext, b.job(stopped).Updated},
		)
		_, err = b.store.Job(b.ctx, removed)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.Equal([]time.Time{kept.Due}, b.dues())

		rows := b.audit()[before:]
		b.Len(rows, 7)
		for i, row := range rows {
			b.Equal("all at once", row.Call)
			b.Equal(made[i].ID, row.Object.ID)
		}
		b.verifyAudit()
		for id, numbers := range map[int64]string{
			first: "1", updated: "2 1", moved: "3 2 1", started: "2 1", stopped: "3 2 1", removed: "", second: "1",
		} {
			var got []string
			for _, v := range b.versions(xxladapter.JobVersionFilter{JobID: id}) {
				got = append(got, fmt.Sprint(v.Number))
			}
			b.Equal(numbers, strings.Join(got, " "), id)
		}
	}},
	{"ARefusedEditChangesNothingAndTheOthersAreMade", func(b *fixture) {
		b.as("c")
		stale, fired, orphan, good := b.addJob("stale"), b.addRunning("fired", at(60)), b.addJob("orphan"),
			b.addJob("good")
		b.plan(fired, at(1), xxladapter.TriggerCron)
		b.claim(b.plan(fired, at(90), xxladapter.TriggerCron), "n1", 1)
		states := func() (all []any) {
			for _, id := range []int64{stale, fired, orphan} {
				all = append(all, b.job(id), b.versions(xxladapter.JobVersionFilter{JobID: id}))
			}
			return append(all, b.dues())
		}
		before, rows := states(), len(b.audit())

		old, again, lost, fine := b.job(stale), b.job(fired), b.job(orphan), b.job(good)
		old.Name, old.Updated = "never", old.Updated.Add(-time.Second)
		again.Name, again.TriggerNext = "never", at(80)
		lost.Name, lost.GroupID = "never", absent
		fine.Name = "renamed"
		noGroup := b.newJob("never")
		noGroup.GroupID = absent
		made, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActUpdate, Job: old},
			{Act: xxladapter.ActReschedule, Job: again},
			{Act: xxladapter.ActUpdate, Job: lost},
			{Act: xxladapter.ActUpdate, Job: fine},
			{Act: xxladapter.ActCreate, Job: noGroup},
			{Act: xxladapter.ActStop, Job: &xxladapter.Job{ID: absent}},
			{Act: xxladapter.ActCreate, Job: b.newJob("new")},
		}, false)
		b.NoError(err)
		for i, want := range []error{
			xxladapter.ErrConflict, xxladapter.ErrConflict, xxladapter.ErrNotFound, nil, xxladapter.ErrNotFound,
			xxladapter.ErrNotFound, nil,
		} {
			b.ErrorIs(made[i].Err, want, i)
		}
		b.Zero(made[4].ID)
		b.Equal(before, states())
		b.Equal("renamed", b.job(good).Name)
		b.Equal("new", b.job(made[6].ID).Name)
		b.Len(b.audit(), rows+2)
		b.verifyAudit()
	}},
	{"OneRefusedEditOfAWholeRefusesAll", func(b *fixture) {
		b.as("c")
		id := b.addRunning("job", at(60))
		b.plan(id, at(1), xxladapter.TriggerCron)
		before, dues, rows := b.job(id), b.dues(), len(b.audit())
		_, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActStop, Job: b.job(id)},
			{Act: xxladapter.ActCreate, Job: b.newJob("never")},
			{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: absent}},
		}, true)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.ErrorContains(err, fmt.Sprint(absent))
		b.Equal(before, b.job(id))
		b.Equal(dues, b.dues())
		b.Len(b.audit(), rows)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
		b.NoError(err)
		b.Len(jobs, 1)
	}},
	{"EditsOfAWholeNameTheJobsThatTheyCreate", func(b *fixture) {
		b.as("c")
		old := b.addJob("old")
		parent, child, edit := b.newJob("parent"), b.newJob("child"), b.job(old)
		parent.ChildIDs, child.ChildIDs, edit.ChildIDs = []int64{-2, old}, []int64{-1}, []int64{-1, -2}
		edits := []xxladapter.JobEdit{
			{Act: xxladapter.ActCreate, Job: parent}, {Act: xxladapter.ActCreate, Job: child},
			{Act: xxladapter.ActUpdate, Job: edit},
		}
		_, err := b.store.EditJobs(b.ctx, edits, false)
		b.ErrorContains(err, "edits[0].childJobIds contains -2, must be the id of a job")
		made, err := b.store.EditJobs(b.ctx, edits, true)
		b.NoError(err)
		one, two := made[0].ID, made[1].ID
		b.Equal([]int64{two, old}, b.job(one).ChildIDs)
		b.Equal([]int64{one}, b.job(two).ChildIDs)
		b.Equal([]int64{one, two}, b.job(old).ChildIDs)
		b.Equal([]int64{one, two}, b.versions(xxladapter.JobVersionFilter{JobID: old})[0].Job.ChildIDs)
		b.Equal([]int64{-2, old}, parent.ChildIDs, "the caller's")
		for _, wrong := range [][]int64{{-1}, {-3}, {-4}} {
			edits[0].Job.ChildIDs = wrong
			edits[2].Job.Updated = time.Time{}
			_, err = b.store.EditJobs(b.ctx, edits, true)
			b.ErrorContains(err, "edits[0].childJobIds contains", wrong)
		}
	}},
	{"OneJobIsEditedOnce", func(b *fixture) {
		id := b.addRunning("job", at(60))
		_, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActStop, Job: b.job(id)}, {Act: xxladapter.ActRemove, Job: b.job(id)},
		}, false)
		b.ErrorContains(err, fmt.Sprintf("edits[1] is about job %d, must be the only edit of that job", id))
		b.True(b.job(id).Running)
		_, err = b.store.EditJobs(b.ctx, []xxladapter.JobEdit{{Act: "paint", Job: b.job(id)}}, false)
		b.ErrorContains(err, `edits[0].act is "paint", must be one of`)
	}},
	{"ManyJobsAreEditedTogether", func(b *fixture) {
		b.as("c")
		const many = 300 // more than a statement takes
		creations := make([]xxladapter.JobEdit, many)
		for i := range creations {
			j := b.newJob(fmt.Sprint("job ", i))
			j.ChildIDs, j.Param = nil, fmt.Sprint(i)
			creations[i] = xxladapter.JobEdit{Act: xxladapter.ActCreate, Job: j}
		}
		made, err := b.store.EditJobs(b.ctx, creations, true)
		b.NoError(err)
		b.Len(slices.Compact(slices.Sorted(slices.Values(idsOfEdited(made)))), many)
		edits := make([]xxladapter.JobEdit, many)
		for i, m := range made {
			j := b.job(m.ID)
			b.Equal(fmt.Sprint("job ", i), j.Name)
			due := at(i + 1)
			edits[i] = xxladapter.JobEdit{
				Act: xxladapter.ActStart, Job: j, First: func(time.Time) time.Time { return due },
			}
		}
		slices.Reverse(edits)
		_, err = b.store.EditJobs(b.ctx, edits, false)
		b.NoError(err)
		for i, m := range made {
			j := b.job(m.ID)
			b.Equal([]any{fmt.Sprint(i), true, at(i + 1)}, []any{j.Param, j.Running, j.TriggerNext})
			j.Param += " later"
			edits[i] = xxladapter.JobEdit{Act: xxladapter.ActUpdate, Job: j}
		}
		_, err = b.store.EditJobs(b.ctx, edits, false)
		b.NoError(err)
		for i, m := range made {
			b.Equal(fmt.Sprint(i, " later"), b.job(m.ID).Param)
			edits[i] = xxladapter.JobEdit{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: m.ID}}
		}
		b.verifyAudit()
		_, err = b.store.EditJobs(b.ctx, edits[1:], false)
		b.NoError(err)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
		b.NoError(err)
		b.Len(jobs, 1)
		b.Equal(fmt.Sprint(0, " later"), jobs[0].Param)
	}},
	{"NoEditsAreNoError", func(b *fixture) {
		made, err := b.store.EditJobs(b.ctx, nil, true)
		b.NoError(err)
		b.Empty(made)
	}},
}

func idsOfEdited(made []xxladapter.JobEdited) (ids []int64) {
	for _, m := range made {
		ids = append(ids, m.ID)
	}
	return ids
}
