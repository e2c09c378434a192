package storetest

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var glueRules = []rule{
	// Executors keep the old source while the time is the same.
	{"EachVersionHasATimeOfItsOwn", func(b *fixture) {
		id := b.addJob("often")
		last := b.job(id).GlueUpdated
		for i := range 5 {
			b.saveGlue(id, fmt.Sprintf("echo %d", i), "within one second")
			b.True(b.job(id).GlueUpdated.After(last), "%v", last)
			last = b.job(id).GlueUpdated
		}
		b.clock.Advance(-time.Hour)
		b.saveGlue(id, "echo back", "a clock that was set back")
		b.True(b.job(id).GlueUpdated.After(last))
	}},
}

var glueFullRules = []fullRule{
	{"TheLastVersionIsTheNewestAfterTheClockWasSetBack", func(b *fullFixture) {
		id := b.addJob("set back")
		for i := range xxladapter.MaxGlueVersions {
			b.saveGlue(id, fmt.Sprintf("echo %d", i), "before")
		}
		b.clock.Advance(-time.Hour)
		b.saveGlue(id, "echo back", "after")
		versions, err := b.store.GlueVersions(b.ctx, id)
		b.NoError(err)
		b.Len(versions, xxladapter.MaxGlueVersions)
		b.Equal("echo back", versions[0].Source)
		b.Equal("echo 1", versions[len(versions)-1].Source)
	}},
	{"AJobWhoseSourceNeverChangedHasNoVersions", func(b *fullFixture) {
		versions, err := b.store.GlueVersions(b.ctx, b.addJob("steady"))
		b.NoError(err)
		b.Empty(versions)
	}},
	{"AJobWithoutAGlueTimeSavesItsSource", func(b *fullFixture) {
		id, other := b.addJob("changed"), b.addJob("other")
		before := b.job(id)
		b.clock.Advance(time.Hour)
		b.saveGlue(id, "echo two\n二", "second")

		got := b.job(id)
		want := *before
		want.GlueType, want.GlueSource, want.GlueRemark = xxladapter.GlueShell, "echo two\n二", "second"
		want.GlueUpdated, want.Updated = second(epoch.Add(time.Hour)), second(epoch.Add(time.Hour))
		b.Equal(&want, got)
		b.Equal(before.GlueSource, b.job(other).GlueSource)

		versions, err := b.store.GlueVersions(b.ctx, id)
		b.NoError(err)
		b.Len(versions, 2, "that before the first change as well")
		b.Greater(versions[0].ID, versions[1].ID)
		b.Equal(&xxladapter.GlueVersion{
			ID: versions[0].ID, JobID: id, Type: xxladapter.GlueShell, Source: "echo two\n二", Remark: "second",
			Added: second(epoch.Add(time.Hour)),
		}, versions[0])
		b.Equal(&xxladapter.GlueVersion{
			ID: versions[1].ID, JobID: id, Type: before.GlueType, Source: before.GlueSource, Remark: before.GlueRemark,
			Added: second(epoch),
		}, versions[1])
	}},
	{"TheNewestVersionsAreKept", func(b *fullFixture) {
		id, other := b.addJob("many"), b.addJob("other")
		b.saveGlue(other, "echo other", "stays")
		for i := range 32 {
			b.clock.Advance(time.Minute)
			b.saveGlue(id, fmt.Sprintf("echo %d", i), "version")
		}
		versions, err := b.store.GlueVersions(b.ctx, id)
		b.NoError(err)
		b.Len(versions, 30, "as many as upstream keeps")
		b.Equal("echo 31", versions[0].Source)
		b.Equal("echo 2", versions[len(versions)-1].Source)
		versions, err = b.store.GlueVersions(b.ctx, other)
		b.NoError(err)
		b.Len(versions, 2)
	}},
	{"AJobTakesItsVersionsAlong", func(b *fullFixture) {
		id := b.addJob("removed")
		b.saveGlue(id, "echo two", "second")
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		versions, err := b.store.GlueVersions(b.ctx, id)
		b.NoError(err)
		b.Empty(versions)
	}},
}

// saveGlue stores a job with a new source.
func (b *fixture) saveGlue(id int64, source, remark string) {
	b.Helper()
	j := b.job(id)
	j.GlueType, j.GlueSource, j.GlueRemark, j.GlueUpdated = xxladapter.GlueShell, source, remark, time.Time{}
	b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
}
