package storetest

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// wantLastResults compares the jobs that each last result selects, before and after the statistics
// have counted.
func (b *fullFixture) wantLastResults(want map[xxladapter.LastResult][]int64) {
	b.Helper()
	for _, when := range []string{"as stored", "as counted"} {
		for _, result := range xxladapter.LastResult("").Values() {
			f := xxladapter.JobFilter{LastResult: result, Sort: xxladapter.SortByName}
			jobs, err := b.store.Jobs(b.ctx, f)
			b.NoError(err)
			var ids []int64
			for _, j := range jobs {
				ids = append(ids, j.ID)
			}
			b.Equal(want[result], ids, "%s, %s", result, when)
			n, err := b.store.CountJobs(b.ctx, f, 100)
			b.NoError(err)
			b.Equal(len(want[result]), n)
		}
		b.foldStats()
	}
}

var lastResultRules = []fullRule{
	{"JobsAreFoundByTheResultOfTheirNewestEndedRun", func(b *fullFixture) {
		one, two := b.addJob("a"), b.addJob("b")
		type byResult = map[xxladapter.LastResult][]int64
		b.wantLastResults(byResult{"NONE": {one, two}})
		older := b.runAt(one, b.group, -2)
		newer := b.runAt(one, b.group, -1)
		b.wantLastResults(byResult{"NONE": {one, two}})
		b.finishAs(newer, 500, "")
		b.wantLastResults(byResult{"FAIL": {one}, "NONE": {two}})
		b.finishAs(older, 200, "")
		b.wantLastResults(byResult{"FAIL": {one}, "NONE": {two}})
		open := b.runAt(one, b.group, 0)
		b.wantLastResults(byResult{"FAIL": {one}, "NONE": {two}})
		b.finishAs(open, 200, "")
		b.wantLastResults(byResult{"SUCCESS": {one}, "NONE": {two}})
		b.settle(b.runAt(two, b.group, 0), "", 500)
		b.wantLastResults(byResult{"SUCCESS": {one}, "FAIL": {two}})
		b.settle(b.runAt(one, b.group, 1), "", xxladapter.ResultUnknown)
		b.wantLastResults(byResult{"FAIL": {one, two}})
	}},
	{"TheLastResultStaysWhenItsRunIsDeleted", func(b *fullFixture) {
		one, two := b.addJob("a"), b.addJob("b")
		b.finishAs(b.runAt(one, b.group, 0), 200, "")
		b.foldStats()
		b.finishAs(b.runAt(two, b.group, 0), 200, "")
		b.Equal(2, b.purge(xxladapter.LogPurge{}, 10))
		b.wantLastResults(map[xxladapter.LastResult][]int64{"SUCCESS": {one, two}})
	}},
}
