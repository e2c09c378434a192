package storetest

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var versionRules = []fullRule{
	{"EachEditOfAJobIsAVersion", func(b *fullFixture) {
		b.as("POST /jobs")
		id := b.addJob("versioned")
		b.clock.Advance(time.Hour)
		b.as("PUT /jobs/{id}")
		j := b.job(id)
		j.Name, j.ScheduleConf, j.Settings.Zone, j.ChildIDs = "later\x00", "0 0 1 * * ?", "Asia/Shanghai", nil
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, b.job(id), false), "the same again")
		b.clock.Advance(time.Hour)
		b.as("start")
		b.NoError(StartAt(b.ctx, b.store, id, b.clock.Now().Add(time.Hour)))
		b.as("stop")
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, time.Time{}))
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, time.Time{}), "again")
		b.as("glue")
		b.saveGlue(id, "echo two", "second")

		versions := b.versions(xxladapter.JobVersionFilter{JobID: id})
		b.Equal([]string{"5 glue", "4 stop", "3 start", "2 PUT /jobs/{id}", "1 POST /jobs"}, namesOf(versions))
		b.Equal(xxladapter.Actor{Name: "ann", Kind: xxladapter.ActorUser, Address: "10.1.2.3"}, versions[4].Actor)
		b.Equal(epoch.Add(time.Hour).Truncate(time.Millisecond), versions[3].At)

		first := *b.newJob("versioned")
		first.ID, first.GlueSource, first.Updated, first.GlueUpdated = id, "", second(epoch), second(epoch)
		b.Equal(first, versions[4].Job)
		b.Equal("Asia/Shanghai", versions[3].Job.Settings.Zone)
		b.Nil(versions[3].Job.ChildIDs)
		b.False(versions[3].Job.Running)
		b.True(versions[2].Job.Running)
		b.False(versions[1].Job.Running)
		is := *b.job(id)
		is.Name = xxladapter.ValidText(is.Name)
		is.GlueSource, is.TriggerLast, is.TriggerNext, is.Added = "", time.Time{}, time.Time{}, time.Time{}
		b.Equal(is, versions[0].Job)

		b.as("DELETE")
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.Empty(b.versions(xxladapter.JobVersionFilter{JobID: id}))
	}},
	{"VersionsAreFiltered", func(b *fullFixture) {
		other := b.addJob("other")
		b.as("c")
		id := b.addJob("many")
		for i := range 4 {
			b.clock.Advance(time.Minute)
			b.rename(id, fmt.Sprint(i))
		}
		b.rename(other, "another")
		minute := func(n time.Duration) time.Time { return epoch.Truncate(time.Millisecond).Add(n * time.Minute) }
		for _, want := range []struct {
			filter  xxladapter.JobVersionFilter
			numbers []int64
		}{
			{xxladapter.JobVersionFilter{}, []int64{5, 4, 3, 2, 1}},
			{xxladapter.JobVersionFilter{Limit: 2}, []int64{5, 4}},
			{xxladapter.JobVersionFilter{Before: 4, Limit: 2}, []int64{3, 2}},
			{xxladapter.JobVersionFilter{Number: 2}, []int64{2}},
			{xxladapter.JobVersionFilter{Updated: second(minute(3)), Limit: 1}, []int64{4}},
			{xxladapter.JobVersionFilter{Updated: second(minute(1)).Add(-1)}, []int64{1}},
			{xxladapter.JobVersionFilter{Until: minute(2)}, []int64{3, 2, 1}},
			{xxladapter.JobVersionFilter{Until: minute(2).Add(-1)}, []int64{2, 1}},
			{xxladapter.JobVersionFilter{Until: minute(-1)}, nil},
		} {
			want.filter.JobID = id
			var numbers []int64
			for _, v := range b.versions(want.filter) {
				numbers = append(numbers, v.Number)
			}
			b.Equal(want.numbers, numbers, "%+v", want.filter)
		}
	}},
	{"WhatWasFoundBeforeAnEditIsAVersionToo", func(b *fullFixture) {
		id := b.addJob("from before") // without a call, as by another program
		b.clock.Advance(time.Hour)
		b.rename(id, "by another program")
		b.Empty(b.versions(xxladapter.JobVersionFilter{JobID: id}))
		b.clock.Advance(time.Hour)
		b.as("mine")
		b.rename(id, "mine")
		versions := b.versions(xxladapter.JobVersionFilter{JobID: id})
		b.Equal([]string{"2 mine", "1 "}, namesOf(versions))
		b.Equal("by another program", versions[1].Job.Name)
		b.Equal(second(epoch.Add(time.Hour)), versions[1].At, "when that program changed it")
		b.Zero(versions[1].Actor)

		mine := b.ctx
		b.as("")
		b.clock.Advance(time.Hour)
		b.rename(id, "again by another")
		b.ctx = mine
		b.rename(id, "mine again")
		b.Equal([]string{"4 mine", "3 ", "2 mine", "1 "}, namesOf(b.versions(xxladapter.JobVersionFilter{JobID: id})))
	}},
	{"AScheduleThatEndsIsNoVersion", func(b *fullFixture) {
		b.as("start")
		id := b.addRunning("once", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{JobID: id, Stop: true}}
		})
		b.NoError(err)
		b.rename(id, "renamed")
		versions := b.versions(xxladapter.JobVersionFilter{JobID: id})
		b.Equal([]string{"3 start", "2 start", "1 start"}, namesOf(versions))
		b.False(versions[0].Job.Running)
	}},
	{"OldVersionsArePurgedButNotTheOneInForce", func(b *fullFixture) {
		b.as("c")
		id, steady := b.addJob("edited"), b.addJob("steady")
		for i := range 4 {
			b.clock.Advance(time.Hour)
			b.rename(id, fmt.Sprint(i))
		}
		purge := func(hours time.Duration, limit int) int {
			rows, err := b.store.PurgeJobVersions(b.ctx, epoch.Truncate(time.Millisecond).Add(hours*time.Hour), limit)
			b.NoError(err)
			return rows
		}
		b.Equal(0, purge(1, 10))
		b.Equal(1, purge(3, 1))
		b.Equal(1, purge(3, 10))
		versions := b.versions(xxladapter.JobVersionFilter{JobID: id})
		b.Equal([]string{"5 c", "4 c", "3 c"}, namesOf(versions))
		b.Equal(2, purge(1000, 10))
		b.Len(b.versions(xxladapter.JobVersionFilter{JobID: id}), 1)
		b.Len(b.versions(xxladapter.JobVersionFilter{JobID: steady}), 1)
		b.rename(id, "next")
		b.EqualValues(6, b.versions(xxladapter.JobVersionFilter{JobID: id})[0].Number)
	}},
}

func (b *fullFixture) versions(f xxladapter.JobVersionFilter) []*xxladapter.JobVersion {
	b.Helper()
	versions, err := b.store.JobVersions(b.ctx, f)
	b.NoError(err)
	return versions
}

func namesOf(versions []*xxladapter.JobVersion) (names []string) {
	for _, v := range versions {
		names = append(names, fmt.Sprint(v.Number, " ", v.Call))
	}
	return names
}

func (b *fixture) rename(id int64, name string) {
	b.Helper()
	j := b.job(id)
	j.Name = name
	b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
}
