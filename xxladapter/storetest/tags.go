package storetest

import "github.com/xxlwheel/xxlwheel/xxladapter"

// addTagged adds a job with tags.
func (b *fixture) addTagged(tags ...string) int64 {
	b.Helper()
	j := b.newJob("job")
	j.Tags = tags
	id, err := xxladapter.CreateJob(b.ctx, b.store, j)
	b.NoError(err)
	return id
}

// tags returns the tags that the store lists.
func (b *fullFixture) tags(groups []int64) []xxladapter.TagCount {
	b.Helper()
	counts, err := b.store.CountTags(b.ctx, groups)
	b.NoError(err)
	return counts
}

var tagRules = []rule{
	{"TagsAreKeptSortedAndEachOnce", func(b *fixture) {
		tags := []string{"二", "b", "A", "b"}
		id := b.addTagged(tags...)
		tags[0] = "scribble"
		want := []string{"A", "b", "二"}
		b.Equal(want, b.job(id).Tags)
		b.job(id).Tags[0] = "scribble"
		b.Equal(want, b.job(id).Tags)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{Light: true})
		b.NoError(err)
		b.Equal(want, jobs[0].Tags)

		j := b.job(id)
		j.Tags = []string{"new", "b"}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.Equal([]string{"b", "new"}, b.job(id).Tags)
		j = b.job(id)
		j.Tags, j.Settings = nil, xxladapter.Settings{}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.Nil(b.job(id).Tags)
	}},
	{"JobsAreSelectedByAWholeTag", func(b *fixture) {
		both, one, bare := b.addTagged("nightly", "billing"), b.addTagged("nightly"), b.addTagged()
		b.addTagged("Nightly", "nightly2", "night")
		of := func(tag string) []int64 { return b.listing(xxladapter.JobFilter{Tag: tag}) }
		b.Equal([]int64{both, one}, of("nightly"))
		b.Equal([]int64{both}, of("billing"))
		b.Empty(of("night%"))
		b.Empty(of("bill"))
		b.Equal([]int64{one}, b.listing(xxladapter.JobFilter{Tag: "nightly", AfterID: both, Limit: 5}))

		j := b.job(both)
		j.Tags = []string{"billing"}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		j = b.job(bare)
		j.Tags = []string{"nightly"}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.Equal([]int64{one, bare}, of("nightly"))
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, one))
		b.Equal([]int64{bare}, of("nightly"))
	}},
	{"ARefusedEditKeepsTheTags", func(b *fixture) {
		id := b.addTagged("kept")
		j := b.job(id)
		j.Tags, j.GroupID = []string{"lost"}, absent
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, j, false), xxladapter.ErrNotFound)
		b.Equal([]string{"kept"}, b.job(id).Tags)
		b.Equal([]int64{id}, b.listing(xxladapter.JobFilter{Tag: "kept"}))
		b.Empty(b.listing(xxladapter.JobFilter{Tag: "lost"}))
	}},
}

var tagFullRules = []fullRule{
	{"JobsAreCountedByAWholeTag", func(b *fullFixture) {
		b.addTagged("nightly", "billing")
		b.addTagged("nightly")
		b.addTagged("Nightly", "nightly2", "night")
		n, err := b.store.CountJobs(b.ctx, xxladapter.JobFilter{Tag: "nightly"}, 10)
		b.NoError(err)
		b.Equal(2, n)
	}},
	{"ATagThatNoJobHasAnyLongerIsNotCounted", func(b *fullFixture) {
		j := b.job(b.addTagged("二", "b", "A"))
		j.Tags, j.Settings = nil, xxladapter.Settings{}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.Empty(b.tags(nil))
	}},
	{"TagsAreCountedByGroup", func(b *fullFixture) {
		b.Empty(b.tags(nil))
		b.addTagged("b", "B", "一")
		second := b.addTagged("b")
		other := b.addGroup("another-app")
		j := b.job(second)
		j.GroupID = other
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.Equal([]xxladapter.TagCount{{Tag: "B", Jobs: 1}, {Tag: "b", Jobs: 2}, {Tag: "一", Jobs: 1}}, b.tags(nil))
		b.Equal([]xxladapter.TagCount{{Tag: "b", Jobs: 1}}, b.tags([]int64{other}))
		b.Empty(b.tags([]int64{}))
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, second))
		b.Empty(b.tags([]int64{other}))
	}},
	{"AVersionHasTheTags", func(b *fullFixture) {
		ctx := xxladapter.WithCall(b.ctx, "PUT /api/v1/jobs/{id}")
		id := b.addTagged("first")
		j := b.job(id)
		j.Tags = []string{"second"}
		b.NoError(xxladapter.UpdateJob(ctx, b.store, j, false))
		versions, err := b.store.JobVersions(b.ctx, xxladapter.JobVersionFilter{JobID: id})
		b.NoError(err)
		b.Len(versions, 2)
		b.Equal([]string{"second"}, versions[0].Job.Tags)
		b.Equal([]string{"first"}, versions[1].Job.Tags)
		rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{})
		b.NoError(err)
		b.Equal("tags", rows[len(rows)-1].Changes[0].Field)
	}},
}
