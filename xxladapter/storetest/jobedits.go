package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var jobEditRules = []rule{
	{"EditJobsDoesWhatTheMethodsOfTheActsDo", func(b *fixture) { b.editByEachAct() }},
	{"ARefusedEditChangesNothingAndTheOthersAreMade", func(b *fixture) {
		jobs, edit := b.editWithRefusals()
		states := func() (all []any) {
			for _, id := range jobs {
				all = append(all, b.job(id))
			}
			return append(all, b.dues())
		}
		before := states()
		edit()
		b.Equal(before, states())
	}},
	{"OneRefusedEditOfAWholeRefusesAll", func(b *fixture) {
		b.as("c")
		id := b.addRunning("job", at(60))
		b.plan(id, at(1), xxladapter.TriggerCron)
		before, dues := b.job(id), b.dues()
		_, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActStop, Job: b.job(id)},
			{Act: xxladapter.ActCreate, Job: b.newJob("never")},
			{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: absent}},
		}, true)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.ErrorContains(err, fmt.Sprint(absent))
		b.Equal(before, b.job(id))
		b.Equal(dues, b.dues())
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
	{"ManyJobsAreEditedTogether", func(b *fixture) { b.editMany() }},
	{"NoEditsAreNoError", func(b *fixture) {
		made, err := b.store.EditJobs(b.ctx, nil, true)
		b.NoError(err)
		b.Empty(made)
	}},
}

var jobEditFullRules = []fullRule{
	{"EachEditIsAuditedAndAVersion", func(b *fullFixture) {
		made, versions := b.editByEachAct()
		rows := b.audit()
		before := slices.IndexFunc(rows, func(r xxladapter.AuditRow) bool { return r.Call == "all at once" })
		b.GreaterOrEqual(before, 0)
		rows = rows[before:]
		b.Len(rows, 7)
		for i, row := range rows {
			b.Equal("all at once", row.Call)
			b.Equal(made[i].ID, row.Object.ID)
		}
		b.verifyAudit()
		for id, n := range versions {
			var want, got []int64
			for ; n > 0; n-- {
				want = append(want, int64(n))
			}
			for _, v := range b.versions(xxladapter.JobVersionFilter{JobID: id}) {
				got = append(got, v.Number)
			}
			b.Equal(want, got, id)
		}
	}},
	{"ARefusedEditIsNeitherAuditedNorAVersion", func(b *fullFixture) {
		jobs, edit := b.editWithRefusals()
		versions := func() (all []any) {
			for _, id := range jobs {
				all = append(all, b.versions(xxladapter.JobVersionFilter{JobID: id}))
			}
			return all
		}
		before, rows := versions(), len(b.audit())
		edit()
		b.Equal(before, versions())
		b.Len(b.audit(), rows+2)
		b.verifyAudit()
	}},
	{"ARefusedWholeIsNotAudited", func(b *fullFixture) {
		b.as("c")
		id := b.addRunning("job", at(60))
		rows := len(b.audit())
		_, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActStop, Job: b.job(id)},
			{Act: xxladapter.ActCreate, Job: b.newJob("never")},
			{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: absent}},
		}, true)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.Len(b.audit(), rows)
	}},
	{"AVersionHasTheIDsOfJobsThatItsWholeCreates", func(b *fullFixture) {
		b.as("c")
		edit := b.job(b.addJob("old"))
		edit.ChildIDs = []int64{-1, -2}
		made, err := b.store.EditJobs(b.ctx, []xxladapter.JobEdit{
			{Act: xxladapter.ActCreate, Job: b.newJob("one")},
			{Act: xxladapter.ActCreate, Job: b.newJob("two")},
			{Act: xxladapter.ActUpdate, Job: edit},
		}, true)
		b.NoError(err)
		versions := b.versions(xxladapter.JobVersionFilter{JobID: edit.ID})
		b.Equal([]int64{made[0].ID, made[1].ID}, versions[0].Job.ChildIDs)
	}},
	{"ManyEditsAreAudited", func(b *fullFixture) {
		b.editMany()
		b.Len(b.audit(), 4*many-1) // each job is created, started and updated, and all but one are removed
		b.verifyAudit()
	}},
}

// editByEachAct edits jobs by each act, in one call whose name is "all at once". It returns what
// the call did, and the number of versions that each job should then have.
func (b *fixture) editByEachAct() (made []xxladapter.JobEdited, versions map[int64]int) {
	b.Helper()
	b.as("set up")
	updated, moved, started, stopped, removed := b.addJob("updated"), b.addRunning("moved", at(60)),
		b.addJob("started"), b.addRunning("stopped", at(60)), b.addRunning("removed", at(60))
	b.plan(stopped, at(1), xxladapter.TriggerCron)
	b.plan(moved, at(2), xxladapter.TriggerCron)
	b.plan(moved, at(3*3600), xxladapter.TriggerCron) // after the time from which the job continues
	b.plan(removed, at(3), xxladapter.TriggerManual)
	kept := b.plan(stopped, at(4), xxladapter.TriggerManual)
	other := b.addGroup("another-app")
	b.clock.Advance(time.Hour)

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
	return made, map[int64]int{first: 1, updated: 2, moved: 3, started: 2, stopped: 3, removed: 0, second: 1}
}

// editWithRefusals returns three jobs, and a function that makes seven edits in one call. Five of
// these are refused: those of the three jobs, and two that name a group or a job that does not
// exist.
func (b *fixture) editWithRefusals() (jobs []int64, edit func()) {
	b.Helper()
	b.as("c")
	stale, fired, orphan, good := b.addJob("stale"), b.addRunning("fired", at(60)), b.addJob("orphan"),
		b.addJob("good")
	b.plan(fired, at(1), xxladapter.TriggerCron)
	b.claim(b.plan(fired, at(90), xxladapter.TriggerCron), "n1", 1)
	return []int64{stale, fired, orphan}, func() {
		b.Helper()
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
		b.Equal("renamed", b.job(good).Name)
		b.Equal("new", b.job(made[6].ID).Name)
	}
}

// many is the number of jobs that editMany edits, which is more than one statement takes.
const many = 300

// editMany creates, starts and updates many jobs, and then removes all of them but the first.
func (b *fixture) editMany() {
	b.Helper()
	b.as("c")
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
	now := b.jobs()
	for i, m := range made {
		j := now[m.ID]
		b.Equal(fmt.Sprint("job ", i), j.Name)
		due := at(i + 1)
		edits[i] = xxladapter.JobEdit{
			Act: xxladapter.ActStart, Job: j, First: func(time.Time) time.Time { return due },
		}
	}
	slices.Reverse(edits)
	_, err = b.store.EditJobs(b.ctx, edits, false)
	b.NoError(err)
	now = b.jobs()
	for i, m := range made {
		j := now[m.ID]
		b.Equal([]any{fmt.Sprint(i), true, at(i + 1)}, []any{j.Param, j.Running, j.TriggerNext})
		j.Param += " later"
		edits[i] = xxladapter.JobEdit{Act: xxladapter.ActUpdate, Job: j}
	}
	_, err = b.store.EditJobs(b.ctx, edits, false)
	b.NoError(err)
	now = b.jobs()
	for i, m := range made {
		b.Equal(fmt.Sprint(i, " later"), now[m.ID].Param)
		edits[i] = xxladapter.JobEdit{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: m.ID}}
	}
	_, err = b.store.EditJobs(b.ctx, edits[1:], false)
	b.NoError(err)
	jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
	b.NoError(err)
	b.Len(jobs, 1)
	b.Equal(fmt.Sprint(0, " later"), jobs[0].Param)
}

func idsOfEdited(made []xxladapter.JobEdited) (ids []int64) {
	for _, m := range made {
		ids = append(ids, m.ID)
	}
	return ids
}
