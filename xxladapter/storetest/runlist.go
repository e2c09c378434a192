package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A pastRun is a run to store for a case about lists.
type pastRun struct {
	job, group      int64
	typ             xxladapter.TriggerType
	at              int // the second of its trigger
	address         string
	trigger, handle int
	triggerMsg, msg string
	took            time.Duration
}

// addPast stores the run and returns the id of its log row.
func (b *fixture) addPast(r pastRun) int64 {
	b.Helper()
	if behind := at(r.at).Sub(b.clock.Now()); behind > 0 {
		b.clock.Advance(behind)
	}
	logs := b.newLogs(r.job, 1)
	logs[0].GroupID, logs[0].TriggerTime, logs[0].Address = r.group, at(r.at), r.address
	fire := b.plan(r.job, at(r.at-1), r.typ)
	claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
	b.NoError(err)
	id := claimed[0].LogID
	if r.trigger != 0 {
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: claimed[0].ID, LogID: id, Code: r.trigger, Msg: r.triggerMsg,
		})
	}
	if r.handle != 0 {
		b.clock.Advance(r.took)
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: id, Code: r.handle, Msg: r.msg})
		b.NoError(err)
	}
	return id
}

// pages returns the ids on all pages of a list.
func (b *fullFixture) pages(f xxladapter.RunFilter) (ids []int64) {
	b.Helper()
	for range 1000 {
		logs, next, err := b.store.Runs(b.ctx, f)
		b.NoError(err)
		b.LessOrEqual(len(logs), f.Limit)
		for _, l := range logs {
			ids = append(ids, l.ID)
		}
		if next == 0 {
			return ids
		}
		f.AfterID = next
	}
	b.FailNow("the list does not end")
	return nil
}

// A pageWay is a way to page through a list: how many rows a page has, and how many are examined.
type pageWay struct{ limit, examine int }

// pageWays returns every combination that may matter. Unless the environment asks for long tests,
// it returns half of them, with each value at least once.
func pageWays() []pageWay {
	if !testserver.IsLong() {
		return []pageWay{{1, 0}, {1, 2}, {3, 1}, {3, 5}, {100, 0}, {100, 2}}
	}
	var all []pageWay
	for _, limit := range []int{1, 3, 100} {
		for _, examine := range []int{0, 1, 2, 5} {
			all = append(all, pageWay{limit, examine})
		}
	}
	return all
}

var runListRules = []fullRule{
	{"RunsAreSelectedByWhatPeopleLookFor", func(b *fullFixture) {
		one, two, other := b.addJob("one"), b.addJob("two"), b.addGroup("other-app")
		ok, fail := xxladapter.ResultOK, xxladapter.ResultFail
		manual, cron, retry := xxladapter.TriggerManual, xxladapter.TriggerCron, xxladapter.TriggerRetry
		open := b.addPast(pastRun{job: one, group: b.group, typ: cron, at: 10})
		sent := b.addPast(pastRun{job: two, group: other, typ: cron, at: 20, address: "http://a:1/", trigger: ok})
		good := b.addPast(pastRun{
			job: one, group: b.group, typ: cron, at: 30, address: "http://b:1/", trigger: ok, handle: ok,
			msg: "100% done", took: 4 * time.Second,
		})
		bad := b.addPast(pastRun{
			job: two, group: other, typ: retry, at: 40, address: "http://a:2/", trigger: ok, handle: fail,
			msg: "Disk full", took: 8 * time.Second,
		})
		lost := b.addPast(pastRun{
			job: one, group: b.group, typ: manual, at: 60, address: "http://b:1/", trigger: ok, handle: fail,
			msg: xxladapter.LostMsg + "gone",
		})
		loud := b.addPast(pastRun{
			job: one, group: b.group, typ: manual, at: 70, address: "http://b:1/", trigger: ok, handle: fail,
			msg: "LOST: no",
		})
		unknown := b.addPast(pastRun{
			job: one, group: other, typ: manual, at: 80, address: "http://c:1/", trigger: xxladapter.ResultUnknown,
			triggerMsg: "no answer",
		})
		refused := b.addPast(
			pastRun{job: two, group: b.group, typ: cron, at: 90, trigger: fail, triggerMsg: "no executor_"},
		)
		b.clock.Advance(at(100).Sub(b.clock.Now()))
		pages := pageWays()
		of := func(f xxladapter.LogFilter) xxladapter.RunFilter { return xxladapter.RunFilter{LogFilter: f} }
		for i, c := range []struct {
			filter xxladapter.RunFilter
			ids    []int64
		}{
			{xxladapter.RunFilter{}, []int64{open, sent, good, bad, lost, loud, unknown, refused}},
			{of(xxladapter.LogFilter{JobID: one}), []int64{open, good, lost, loud, unknown}},
			{of(xxladapter.LogFilter{GroupID: other}), []int64{sent, bad, unknown}},
			{of(xxladapter.LogFilter{Groups: []int64{other}, JobID: two}), []int64{sent, bad}},
			{of(xxladapter.LogFilter{Groups: []int64{}}), nil},
			{of(xxladapter.LogFilter{Status: xxladapter.LogRunning}), []int64{open, sent}},
			{of(xxladapter.LogFilter{Status: xxladapter.LogRunning, JobID: two}), []int64{sent}},
			{of(xxladapter.LogFilter{Status: xxladapter.LogSuccess}), []int64{good}},
			{of(xxladapter.LogFilter{Status: xxladapter.LogFail}), []int64{bad, lost, loud, unknown, refused}},
			{xxladapter.RunFilter{Lost: true}, []int64{lost, unknown}},
			{of(xxladapter.LogFilter{Since: at(30), Before: at(60)}), []int64{good, bad}},
			{of(xxladapter.LogFilter{Since: at(31)}), []int64{bad, lost, loud, unknown, refused}},
			{of(xxladapter.LogFilter{Since: at(3000)}), nil},
			{of(xxladapter.LogFilter{Before: at(10)}), nil},
			{of(xxladapter.LogFilter{Before: at(11), JobID: one}), []int64{open}},
			{xxladapter.RunFilter{Address: "a:"}, []int64{sent, bad}},
			{xxladapter.RunFilter{Address: "A:"}, nil},
			{xxladapter.RunFilter{Type: cron}, []int64{open, sent, good, refused}},
			{xxladapter.RunFilter{Type: retry}, []int64{bad}},
			{xxladapter.RunFilter{Text: "100%"}, []int64{good}},
			{xxladapter.RunFilter{Text: "no "}, []int64{unknown, refused}},
			{xxladapter.RunFilter{Text: "_"}, []int64{refused}},
			{xxladapter.RunFilter{Text: "disk"}, nil},
			{xxladapter.RunFilter{AtLeast: 4 * time.Second}, []int64{open, sent, good, bad}},
			{xxladapter.RunFilter{AtLeast: 4*time.Second + time.Millisecond}, []int64{open, sent, bad}},
			{xxladapter.RunFilter{AtLeast: 81 * time.Second}, []int64{open}},
			{xxladapter.RunFilter{AtLeast: 5 * time.Second, Type: cron, Address: "a"}, []int64{sent}},
		} {
			name := fmt.Sprintf("%d: %+v", i, c.filter)
			for _, page := range pages {
				f := c.filter
				f.Limit, f.Examine = page.limit, page.examine
				b.Equal(c.ids, b.pages(f), name)
				f.Newest = true
				newest := b.pages(f)
				slices.Reverse(newest)
				b.Equal(c.ids, newest, name)
			}
			n, more, err := b.store.CountRuns(b.ctx, c.filter, 8)
			b.NoError(err)
			b.Equal(len(c.ids), n, name)
			b.False(more, name)
		}
	}},
	{"RunsAreSelectedUntilTheEndOfTheLastYear", func(b *fullFixture) {
		// A request can name these instants. Rounded up, or in a zone east of UTC, they are in the
		// year 10000: MySQL has no such datetime, and as a text it sorts before all others.
		job, end := b.addJob("job"), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		id := b.addPast(
			pastRun{job: job, group: b.group, typ: xxladapter.TriggerCron, at: 10, trigger: xxladapter.ResultFail},
		)
		for _, before := range []time.Time{end, end.Add(time.Second / 2)} {
			f := xxladapter.LogFilter{Before: before, Limit: 10}
			b.Equal([]int64{id}, b.pages(xxladapter.RunFilter{LogFilter: f}), before)
			n, _, err := b.store.CountRuns(b.ctx, xxladapter.RunFilter{LogFilter: f}, 10)
			b.NoError(err)
			b.Equal(1, n, before)
			logs, err := b.store.Logs(b.ctx, f)
			b.NoError(err)
			b.Len(logs, 1, before)
			f.Before, f.Since = time.Time{}, before
			b.Empty(b.pages(xxladapter.RunFilter{LogFilter: f}), before)
		}
		p := xxladapter.LogPurge{JobID: job, Before: end.Add(time.Second / 2), Unalarmed: true}
		purged, err := b.store.PurgeLogs(b.ctx, p, 10)
		b.NoError(err)
		b.Equal(1, purged.Rows)
	}},
	{"CountRunsSaysThatThereMayBeMore", func(b *fullFixture) {
		job := b.addJob("job")
		for i := range 6 {
			b.addPast(pastRun{
				job: job, group: b.group, typ: xxladapter.TriggerCron, at: 10 * i, trigger: 500,
				triggerMsg: "no executor",
			})
		}
		for most, want := range map[int]int{1: 1, 5: 5, 6: 6, 7: 6} {
			f := xxladapter.RunFilter{LogFilter: xxladapter.LogFilter{AfterID: 3, Limit: 1}}
			n, more, err := b.store.CountRuns(b.ctx, f, most)
			b.NoError(err)
			b.Equal(want, n)
			b.Equal(most < 6, more)
		}
	}},
	{"RunsAreSelectedBySecondsWhereThereIsNoHistory", func(b *fullFixture) {
		// The run is open: its history has no end, so the whole seconds of its row count.
		job := b.addJob("job")
		open := b.addPast(pastRun{job: job, group: b.group, typ: xxladapter.TriggerCron, at: 10})
		f := xxladapter.RunFilter{AtLeast: 5 * time.Second, LogFilter: xxladapter.LogFilter{Limit: 10}}
		b.Empty(b.pages(f))
		b.clock.Advance(5 * time.Second)
		b.Equal([]int64{open}, b.pages(f))
	}},
	{"JobNamesNameTheJobsThatExist", func(b *fullFixture) {
		one, two := b.addJob("one"), b.addJob("二")
		names, err := b.store.JobNames(b.ctx, []int64{two, 4711, one}, nil)
		b.NoError(err)
		b.Equal(map[int64]string{one: "one", two: "二"}, names)
		for _, none := range [][2][]int64{{nil, nil}, {{one}, {}}, {{one}, {b.group + 1}}} {
			names, err = b.store.JobNames(b.ctx, none[0], none[1])
			b.NoError(err)
			b.Empty(names)
		}
	}},
}
