package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// listing returns the ids of the jobs that f selects.
func (b *fixture) listing(f xxladapter.JobFilter) []int64 {
	b.Helper()
	jobs, err := b.store.Jobs(b.ctx, f)
	b.NoError(err)
	var ids []int64
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

// A selection is a filter of jobs, with the ids of those that it selects.
type selection struct {
	filter xxladapter.JobFilter
	ids    []int64
}

// addSelected adds jobs, and returns what filters select among them.
func (b *fixture) addSelected() []selection {
	b.Helper()
	add := func(change func(j *xxladapter.Job)) int64 {
		j := b.newJob("job")
		change(j)
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		return id
	}
	bill := add(func(j *xxladapter.Job) { j.Handler, j.Author = "billing_100%", "Li Lei" })
	mail := add(func(j *xxladapter.Job) {
		j.Handler, j.Author, j.ScheduleType = "mail", "韩梅梅", xxladapter.ScheduleFixRate
	})
	bare, err := xxladapter.CreateJob(b.ctx, b.store, &xxladapter.Job{GroupID: b.group, Name: "bare"})
	b.NoError(err)
	return []selection{
		{xxladapter.JobFilter{Handler: "il"}, []int64{bill, mail}},
		{xxladapter.JobFilter{Handler: "100%"}, []int64{bill}},
		{xxladapter.JobFilter{Handler: "_"}, []int64{bill}},
		{xxladapter.JobFilter{Handler: "MAIL"}, nil},
		{xxladapter.JobFilter{Author: "梅"}, []int64{mail}},
		{xxladapter.JobFilter{Author: "L", Handler: "b"}, []int64{bill}},
		{xxladapter.JobFilter{Author: "L", Handler: "m"}, nil},
		{xxladapter.JobFilter{Type: xxladapter.ScheduleFixRate}, []int64{mail}},
		{xxladapter.JobFilter{Type: xxladapter.ScheduleCron, Name: "job"}, []int64{bill}},
		{xxladapter.JobFilter{}, []int64{bill, mail, bare}},
	}
}

var jobListRules = []rule{
	{"JobsAreSelectedByPartsOfTextsAndByType", func(b *fixture) {
		for _, s := range b.addSelected() {
			b.Equal(s.ids, b.listing(s.filter), "%+v", s.filter)
		}
	}},
	{"JobsAreListedPageByPageInEveryOrder", func(b *fixture) { b.listInEveryOrder(func() {}) }},
	{"APositionNeedNotExistAnyLonger", func(b *fixture) {
		var ids []int64
		for _, name := range []string{"c", "a", "b", "a"} {
			ids = append(ids, b.addJob(name))
		}
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, ids[1]))
		after := xxladapter.JobFilter{Sort: xxladapter.SortByName, AfterKey: "a", AfterID: ids[1], Limit: 10}
		b.Equal([]int64{ids[3], ids[2], ids[0]}, b.listing(after))
		after.Descending = true
		b.Empty(b.listing(after))
		after.AfterKey = "b"
		b.Equal([]int64{ids[3]}, b.listing(after))
	}},
	{"AListWithoutALimitHasAllJobs", func(b *fixture) {
		var all []int64
		for range 3 {
			all = append(all, b.addJob("job")) // none has a result
		}
		for _, sort := range xxladapter.JobSort("").Values() {
			for _, descending := range []bool{false, true} {
				f := xxladapter.JobFilter{Sort: sort, Descending: descending}
				b.ElementsMatch(all, b.listing(f), "%+v", f)
			}
		}
	}},
	{"ALightListHasNoLargeTexts", func(b *fixture) {
		id := b.addJob("job")
		for _, sort := range []xxladapter.JobSort{"", xxladapter.SortByName} {
			light, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{Light: true, Sort: sort, Limit: 10})
			b.NoError(err)
			want := b.job(id)
			want.Param, want.GlueSource, want.GlueRemark = "", "", ""
			b.Equal([]*xxladapter.Job{want}, light)
		}
	}},
	{"JobsAreFoundByTheirCalendar", func(b *fixture) {
		b.addJob("none")
		j := b.newJob("office")
		j.Settings.Calendar = "office"
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		j.Settings.Calendar = "office2"
		_, err = xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{Calendar: "office"})
		b.NoError(err)
		b.Len(jobs, 1)
		b.Equal(id, jobs[0].ID)
		b.Empty(b.listing(xxladapter.JobFilter{Calendar: "offic_"}), "an underscore stands for itself")
	}},
}

var jobListFullRules = []fullRule{
	{"JobsAreCountedAsTheyAreSelected", func(b *fullFixture) {
		for _, s := range b.addSelected() {
			n, err := b.store.CountJobs(b.ctx, s.filter, 100)
			b.NoError(err)
			b.Equal(len(s.ids), n, "%+v", s.filter)
		}
	}},
	{"JobsAreListedByResultsThatAreCountedOrNot", func(b *fullFixture) {
		b.listInEveryOrder(b.foldStats) // the later results are not counted yet
	}},
	{"CountJobsStopsAtItsLimitAndIgnoresPositions", func(b *fullFixture) {
		for i := range 5 {
			b.addJob(fmt.Sprint("job ", i))
		}
		for most, want := range map[int]int{1: 1, 4: 4, 5: 5, 6: 5} {
			n, err := b.store.CountJobs(
				b.ctx, xxladapter.JobFilter{AfterID: 3, Limit: 1, Sort: xxladapter.SortByName, Descending: true}, most,
			)
			b.NoError(err)
			b.Equal(want, n)
		}
	}},
}

// listInEveryOrder lists jobs page by page in every order. It calls halfway when half of the jobs
// have got their last results, which may be none.
func (b *fixture) listInEveryOrder(halfway func()) {
	b.Helper()
	other := b.addGroup("other-app")
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	jobs := testserver.Count(24, 40)
	for i := range jobs {
		j := b.newJob(pick("a", "B", "b", "á", "二", "z z", "Z"))
		j.Author, j.Handler = pick("", "x", "X", "李"), pick("", "h", "h2", "H")
		j.ScheduleType = xxladapter.ScheduleType(pick("CRON", "NONE", "FIX_RATE"))
		j.Route = xxladapter.RouteStrategy(pick("FIRST", "ROUND", "RANDOM"))
		j.GroupID = []int64{b.group, other}[random.IntN(2)]
		id, err := xxladapter.CreateJob(b.ctx, b.store, j)
		b.NoError(err)
		b.clock.Advance(xxladapter.Milliseconds(random.IntN(2) * 1000).Duration())
		if random.IntN(2) == 0 {
			b.NoError(StartAt(b.ctx, b.store, id, at(100+random.IntN(3))))
		}
		if i == jobs/2 {
			b.clock.Advance(xxladapter.Milliseconds(200_000).Duration())
			b.claimDue() // sets the last times
		}
	}
	all, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
	b.NoError(err)
	for i, j := range all {
		b.Empty(j.LastResult)
		j.LastResult = xxladapter.LastResult("").Values()[random.IntN(3)]
		switch j.LastResult {
		case xxladapter.LastSuccess:
			b.finishAs(b.runAt(j.ID, b.group, -1), 200, "")
		case xxladapter.LastFail:
			b.finishAs(b.runAt(j.ID, b.group, -1), 200, "")
			b.finishAs(b.runAt(j.ID, b.group, 0), 500, "")
		}
		if i == jobs/2 {
			halfway()
		}
	}
	for _, sort := range xxladapter.JobSort("").Values() {
		for _, descending := range []bool{false, true} {
			for _, group := range []int64{0, other} {
				b.comparePages(
					all, xxladapter.JobFilter{Sort: sort, Descending: descending, GroupID: group, Limit: 7},
				)
				b.comparePages(all, xxladapter.JobFilter{
					Sort: sort, Descending: descending, GroupID: group, LastResult: xxladapter.LastSuccess,
					Limit: 4,
				})
			}
		}
	}
}

// comparePages lists all pages of f and compares them with the jobs of all that f selects.
func (b *fixture) comparePages(all []*xxladapter.Job, f xxladapter.JobFilter) {
	b.Helper()
	var want []int64
	results := map[int64]xxladapter.LastResult{}
	for _, j := range slices.SortedFunc(
		slices.Values(all), func(x, y *xxladapter.Job) int { return orderOf(f.Sort, x, y) },
	) {
		if (f.GroupID == 0 || j.GroupID == f.GroupID) && (f.LastResult == "" || j.LastResult == f.LastResult) {
			want = append(want, j.ID)
			results[j.ID] = j.LastResult
		}
	}
	if f.Descending {
		slices.Reverse(want)
	}
	name := fmt.Sprintf("%+v", f)
	var got []int64
	for {
		page, err := b.store.Jobs(b.ctx, f)
		b.NoError(err)
		if len(page) == 0 {
			break
		}
		for _, j := range page {
			got = append(got, j.ID)
			if f.Sort == xxladapter.SortByResult {
				b.Equal(results[j.ID], j.LastResult)
			} else {
				b.Empty(j.LastResult)
			}
		}
		b.LessOrEqual(len(page), f.Limit)
		last := page[len(page)-1]
		f.AfterID, f.AfterKey = last.ID, last.SortKey(f.Sort)
		b.NoError(f.CheckPosition())
	}
	b.Equal(want, got, name)
}

// orderOf compares two jobs by the fields themselves, not by their keys.
func orderOf(sort xxladapter.JobSort, x, y *xxladapter.Job) int {
	next := func(j *xxladapter.Job) time.Time {
		if j.TriggerNext.IsZero() {
			return xxladapter.AfterRun
		}
		return j.TriggerNext
	}
	status := func(j *xxladapter.Job) int {
		if j.Running {
			return 1
		}
		return 0
	}
	result := func(j *xxladapter.Job) int {
		return map[xxladapter.LastResult]int{
			xxladapter.LastFail: 1, xxladapter.LastSuccess: 2, xxladapter.LastNone: 3,
		}[j.LastResult]
	}
	return cmp.Or(map[xxladapter.JobSort]int{
		xxladapter.SortByName:    strings.Compare(x.Name, y.Name),
		xxladapter.SortByGroup:   cmp.Compare(x.GroupID, y.GroupID),
		xxladapter.SortByAuthor:  strings.Compare(x.Author, y.Author),
		xxladapter.SortByHandler: strings.Compare(x.Handler, y.Handler),
		xxladapter.SortByRoute:   cmp.Compare(x.Route, y.Route),
		xxladapter.SortByType:    cmp.Compare(x.ScheduleType, y.ScheduleType),
		xxladapter.SortByStatus:  cmp.Compare(status(x), status(y)),
		xxladapter.SortByNext:    next(x).Compare(next(y)),
		xxladapter.SortByLast:    x.TriggerLast.Compare(y.TriggerLast),
		xxladapter.SortByUpdated: x.Updated.Compare(y.Updated),
		xxladapter.SortByResult:  cmp.Compare(result(x), result(y)),
	}[sort], cmp.Compare(x.ID, y.ID))
}
