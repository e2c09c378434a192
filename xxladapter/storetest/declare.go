package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var declareRules = []fullRule{
	{"DeclareStoresGroupsAndJobsTogether", func(b *fullFixture) {
		b.as("POST /apply")
		kept, gone, stopped := b.addJob("kept"), b.addJob("gone"), b.addRunning("stopped", at(60))
		b.clock.Advance(time.Hour)
		edit := b.declared(b.job(kept), "kept")
		edit.Edit, edit.Name, edit.ChildIDs, edit.Running, edit.Switch = true, "edited", []int64{-3, stopped},
			true, true
		edit.First = after(90 * time.Minute)
		stop := b.declared(b.job(stopped), "stopped")
		stop.Running, stop.Switch = false, true
		first, second := b.declared(b.newJob("first"), "first"), b.declared(b.newJob("second"), "second")
		first.App, first.GroupID, first.ChildIDs, first.Owner = "declared-app", 0, []int64{-4, kept}, "team"
		second.ChildIDs, second.Running, second.Switch, second.First = nil, true, true, after(time.Minute)
		before := len(b.audit())
		ids, err := b.store.Declare(b.ctx, &xxladapter.Declaration{
			Groups: []*xxladapter.Group{{AppName: "declared-app", Title: "declared"}},
			Remove: []xxladapter.SeenJob{{ID: gone, Updated: b.job(gone).Updated}},
			Jobs:   []xxladapter.DeclaredJob{edit, stop, first, second},
		})
		b.NoError(err)
		b.Len(ids, 4)
		b.Equal([]int64{kept, stopped}, ids[:2])

		is := b.job(kept)
		b.Equal("edited", is.Name)
		b.Equal([]int64{ids[2], stopped}, is.ChildIDs)
		b.True(is.Running)
		b.Equal(epoch.Add(time.Hour+90*time.Minute).Truncate(time.Millisecond), is.TriggerNext)
		b.Equal("second", b.job(ids[3]).Name)
		b.True(b.job(ids[3]).Running)
		b.False(b.job(stopped).Running)
		b.Zero(b.job(stopped).TriggerNext)
		_, err = b.store.Job(b.ctx, gone)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		created := b.job(ids[2])
		b.Equal([]int64{ids[3], kept}, created.ChildIDs)
		b.False(created.Running)
		group, err := b.store.Group(b.ctx, created.GroupID)
		b.NoError(err)
		b.Equal("declared-app", group.AppName)
		b.Equal([]xxladapter.JobKey{
			{JobID: kept, GroupID: b.group, Key: "kept"}, {JobID: stopped, GroupID: b.group, Key: "stopped"},
			{JobID: ids[2], GroupID: group.ID, Key: "first", Owner: "team"},
			{JobID: ids[3], GroupID: b.group, Key: "second"},
		}, b.keys(0))
		b.Equal([]xxladapter.JobKey{{JobID: ids[2], GroupID: group.ID, Key: "first", Owner: "team"}}, b.keys(group.ID))

		rows := b.audit()[before:]
		var names []string
		for _, r := range rows {
			b.Equal("POST /apply", r.Call)
			names = append(names, fmt.Sprint(r.Object.Kind, " ", r.Object.Name))
		}
		b.Equal([]string{
			"group declared-app", "job gone", "job edited", "job stopped", "job first", "job second",
		}, names)
		b.verifyAudit()
		last := rows[5].Changes
		b.Equal(`"second"`, string(last[len(last)-2].After), "the key")
		for id, want := range map[int64]int64{kept: 2, stopped: 3, ids[2]: 1, ids[3]: 1} {
			versions := b.versions(xxladapter.JobVersionFilter{JobID: id})
			b.Equal(want, versions[0].Number, "job %d", id)
			b.Equal(b.job(id).Running, versions[0].Job.Running)
			b.Equal(b.job(id).ChildIDs, versions[0].Job.ChildIDs)
		}
	}},
	{"DeclareStoresCalendars", func(b *fullFixture) {
		b.as("POST /apply")
		office := &xxladapter.Calendar{Name: "office", Weekend: []xxladapter.Weekday{"SUNDAY"}}
		stored := func() *xxladapter.Calendar {
			all, err := b.store.Calendars(b.ctx)
			b.NoError(err)
			b.Len(all, 1)
			return all[0]
		}
		job := b.declared(b.newJob("job"), "job")
		job.Settings.Calendar = "office"
		before := len(b.audit())
		ids, err := b.store.Declare(b.ctx, &xxladapter.Declaration{
			Calendars: []*xxladapter.Calendar{office}, Jobs: []xxladapter.DeclaredJob{job},
		})
		b.NoError(err)
		b.Equal("office", b.job(ids[0]).Settings.Calendar)
		b.Equal(office.Text(), stored().Text())
		rows := b.audit()[before:]
		b.Len(rows, 2)
		b.Equal("calendar office", fmt.Sprint(rows[0].Object.Kind, " ", rows[0].Object.Name))
		b.Equal("POST /apply", rows[0].Call)

		first := stored()
		changed := *first
		changed.Note = "changed"
		b.clock.Advance(time.Second)
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{Calendars: []*xxladapter.Calendar{&changed}})
		b.NoError(err)
		b.Equal("changed", stored().Note)
		b.True(stored().Updated.After(first.Updated))

		// A calendar that was created meanwhile, one that was changed, and one in a declaration
		// that is refused.
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{Calendars: []*xxladapter.Calendar{office}})
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.Equal("changed", stored().Note)
		first.Note = "of somebody who has read it before"
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{Calendars: []*xxladapter.Calendar{first}})
		b.ErrorIs(err, xxladapter.ErrConflict)
		now := *stored()
		now.Note = "beside a job that is gone"
		gone := b.declared(b.newJob("gone"), "gone")
		gone.ID = absent
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{
			Calendars: []*xxladapter.Calendar{&now}, Jobs: []xxladapter.DeclaredJob{gone},
		})
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.Equal("changed", stored().Note)
		b.verifyAudit()
	}},
	{"ADeclaredCalendarCountsAtOnce", func(b *fullFixture) {
		// The next scan excludes the days that a declaration excludes, also in a store that caches
		// calendars.
		j := b.newJob("daily")
		j.Settings.Calendar = "office"
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		b.NoError(StartAt(b.ctx, b.store, id, at(0)))
		excluded := func() (days []bool) {
			_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				for _, j := range due {
					c := j.Restrictions.Calendar("office")
					days = append(days, c != nil && c.Excludes(at(0).UTC()))
				}
				return nil
			})
			b.NoError(err)
			return days
		}
		b.Equal([]bool{false}, excluded())
		today := xxladapter.Weekday("").Values()[at(0).UTC().Weekday()]
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{
			Calendars: []*xxladapter.Calendar{{Name: "office", Weekend: []xxladapter.Weekday{today}}},
		})
		b.NoError(err)
		b.Equal([]bool{true}, excluded())
	}},
	{"DeclareIsAllOrNothing", func(b *fullFixture) {
		b.as("POST /apply")
		id, taken := b.addRunning("job", at(0)), b.addJob("taken")
		b.claimDue()
		b.plan(id, at(5), xxladapter.TriggerMisfire)
		_, err := b.store.Declare(
			b.ctx, &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{b.declared(b.job(taken), "taken")}},
		)
		b.NoError(err)
		state := func() string {
			jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
			b.NoError(err)
			groups, err := b.store.Groups(b.ctx)
			b.NoError(err)
			text := fmt.Sprint(len(groups), b.dues(), b.keys(0), len(b.audit()))
			for _, j := range jobs {
				text += fmt.Sprintf("\n%+v %d", *j, len(b.versions(xxladapter.JobVersionFilter{JobID: j.ID})))
			}
			return text
		}
		before, none := state(), errors.New("no due time")
		for name, tt := range map[string]struct {
			last func() xxladapter.DeclaredJob
			want error
		}{
			"a schedule without a due time": {func() xxladapter.DeclaredJob {
				j := b.declared(b.newJob("x"), "x")
				j.Running, j.Switch, j.First = true, true,
					func(time.Time) (time.Time, error) { return time.Time{}, none }
				return j
			}, none},
			"a key that is taken": {func() xxladapter.DeclaredJob {
				return b.declared(
					b.newJob("x"), "taken",
				)
			}, xxladapter.ErrConflict},
			"a changed job": {func() xxladapter.DeclaredJob {
				j := b.declared(b.job(taken), "taken")
				j.Updated = j.Updated.Add(-time.Second)
				return j
			}, xxladapter.ErrConflict},
			"a job that is gone": {func() xxladapter.DeclaredJob {
				j := b.declared(b.newJob("x"), "x")
				j.ID = absent
				return j
			}, xxladapter.ErrNotFound},
			"a group that is gone": {func() xxladapter.DeclaredJob {
				j := b.declared(b.newJob("x"), "x")
				j.GroupID = absent
				return j
			}, xxladapter.ErrNotFound},
		} {
			edit := b.declared(b.job(id), "new-key")
			edit.Edit, edit.Name, edit.Reschedule, edit.GlueUpdated, edit.GlueSource = true, "edited", true,
				time.Time{}, "echo"
			edit.First = after(time.Hour)
			_, err := b.store.Declare(b.ctx, &xxladapter.Declaration{
				Groups: []*xxladapter.Group{{AppName: "new-app", Title: "new"}},
				Jobs:   []xxladapter.DeclaredJob{edit, b.declared(b.newJob("new"), "new"), tt.last()},
			})
			b.ErrorIs(err, tt.want, name)
			b.Equal(before, state(), name)
		}
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{
			Remove: []xxladapter.SeenJob{{ID: id}}, Groups: []*xxladapter.Group{{AppName: app, Title: "taken"}},
		})
		b.ErrorIs(err, xxladapter.ErrConflict)
		_, err = b.store.Declare(
			b.ctx, &xxladapter.Declaration{Remove: []xxladapter.SeenJob{{ID: id}, {ID: taken, Updated: at(-100)}}},
		)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.Equal(before, state())

		// The same edit alone succeeds.
		edit := b.declared(b.job(id), "new-key")
		edit.Edit, edit.Reschedule, edit.First = true, true, after(time.Hour)
		_, err = b.store.Declare(b.ctx, &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{edit}})
		b.NoError(err)
		b.NotEqual(before, state())
	}},
	{"ADeclaredScheduleContinuesBehindWhatMayHaveFired", func(b *fullFixture) {
		id := b.addRunning("job", at(0))
		b.claimDue()
		claimed := b.claim(b.plan(id, at(30), xxladapter.TriggerCron), "n1", 1)
		j := b.declared(b.job(id), "key")
		j.Edit, j.Reschedule = true, true
		var asked time.Time
		j.First = func(after time.Time) (time.Time, error) { asked = after; return after.Add(time.Second), nil }
		updated := b.job(id).Updated
		_, err := b.store.Declare(b.ctx, &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{j}})
		b.NoError(err)
		b.Equal(claimed[0].Due, asked.UTC())
		b.Equal(claimed[0].Due.Add(time.Second), b.job(id).TriggerNext)
		b.Equal([]time.Time{claimed[0].Due}, b.dues())
		b.Equal(updated.Add(time.Second), b.job(id).Updated)
	}},
	{"ADeclarationThatChangesNothingLeavesNoTrace", func(b *fullFixture) {
		b.as("POST /apply")
		id := b.addRunning("job", at(60))
		d := &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{b.declared(b.job(id), "key")}}
		d.Jobs[0].Running = false // which is not asked for
		_, err := b.store.Declare(b.ctx, d)
		b.NoError(err)
		was, rows := b.job(id), len(b.audit())
		_, err = b.store.Declare(b.ctx, d)
		b.NoError(err)
		b.Equal(was, b.job(id))
		b.Len(b.audit(), rows)
	}},
	{"AKeyFollowsItsJob", func(b *fullFixture) {
		other := b.addGroup("other-app")
		id, rival := b.addJob("job"), b.addJob("rival")
		theirs := b.declared(b.job(rival), "same")
		_, err := b.store.Declare(
			b.ctx, &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{theirs, b.declared(b.job(id), "mine")}},
		)
		b.NoError(err)
		move := func(id, group int64) error {
			j := b.job(id)
			j.GroupID = group
			return xxladapter.UpdateJob(b.ctx, b.store, j, false)
		}
		b.NoError(move(rival, other))
		b.Equal([]xxladapter.JobKey{
			{JobID: id, GroupID: b.group, Key: "mine"}, {JobID: rival, GroupID: other, Key: "same"},
		}, b.keys(0))
		_, err = b.store.Declare(
			b.ctx, &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{b.declared(b.job(id), "same")}},
		)
		b.NoError(err, "the key is free in this group")
		b.NoError(move(id, other))
		b.Equal([]xxladapter.JobKey{{JobID: rival, GroupID: other, Key: "same"}}, b.keys(0), "another job has it there")
		b.NoError(move(rival, b.group))
		b.Equal([]xxladapter.JobKey{{JobID: rival, GroupID: b.group, Key: "same"}}, b.keys(0))
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, rival))
		b.Empty(b.keys(0))
	}},
	{"TwoWhoDeclareTheSameJobCreateItOnce", func(b *fullFixture) {
		for round := range 5 {
			won := 0
			for _, err := range race(4, func(int) error {
				_, err := b.store.Declare(b.ctx, &xxladapter.Declaration{
					Jobs: []xxladapter.DeclaredJob{b.declared(b.newJob("job"), fmt.Sprint("key-", round))},
				})
				return err
			}) {
				if err == nil {
					won++
				} else {
					b.ErrorIs(err, xxladapter.ErrConflict)
				}
			}
			b.Equal(1, won)
			b.Len(b.keys(b.group), round+1)
			n, err := b.store.CountJobs(b.ctx, xxladapter.JobFilter{}, 100)
			b.NoError(err)
			b.Equal(round+1, n)
		}
	}},
	{"DeclarationsAndEditsOfTheSameJobsWaitForEachOther", func(b *fullFixture) {
		b.as("POST /apply")
		ids := []int64{b.addJob("a"), b.addJob("b"), b.addJob("c")}
		ctx := context.WithoutCancel(b.ctx)
		for _, err := range race(4, func(i int) error {
			for range 5 {
				var err error
				if i < 2 {
					d := &xxladapter.Declaration{}
					for n := range ids {
						j := b.declared(b.newJob(fmt.Sprint("declared by ", i)), fmt.Sprint("key-", n))
						j.ID, j.Edit = ids[n], true
						d.Jobs = append(d.Jobs, j)
					}
					_, err = b.store.Declare(ctx, d)
				} else {
					j := b.newJob(fmt.Sprint("edited by ", i))
					j.ID, j.GlueUpdated = ids[i%3], at(0)
					err = xxladapter.UpdateJob(ctx, b.store, j, false)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
		b.Len(b.keys(0), 3)
	}},
}

// declared returns the declaration of a job as it is, with a key.
func (b *fixture) declared(j *xxladapter.Job, key string) xxladapter.DeclaredJob {
	return xxladapter.DeclaredJob{Job: *j, App: app, Key: key}
}

// after returns a DeclaredJob.First whose due time is d after the given instant.
func after(d time.Duration) func(time.Time) (time.Time, error) {
	return func(t time.Time) (time.Time, error) { return t.Add(d), nil }
}

func (b *fullFixture) keys(group int64) []xxladapter.JobKey {
	b.Helper()
	keys, err := b.store.JobKeys(b.ctx, group)
	b.NoError(err)
	return keys
}
