package storetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// foldStats counts what there is to count, two rows at a time.
func (b *fullFixture) foldStats() {
	b.Helper()
	for range 3 {
		for calls := 0; ; calls++ {
			left, err := b.store.FoldStats(b.ctx, 2)
			b.NoError(err)
			b.Less(calls, 10_000, "it continues forever")
			if left != xxladapter.MoreStatWork {
				break
			}
		}
		b.clock.Advance(xxladapter.StatDelay)
	}
	// Open rows are looked at in turns, two in a call. After as many calls as there are rows, and
	// two that reach the end of a turn, each has been looked at, wherever the turns began.
	for range len(b.logIDs()) + 2 {
		left, err := b.store.FoldStats(b.ctx, 2)
		b.NoError(err)
		if left == xxladapter.NoStatWork {
			break
		}
	}
}

// week selects the figures of the days around the fixture's clock.
func week(by xxladapter.StatBy) xxladapter.StatFilter {
	return xxladapter.StatFilter{From: at(0).AddDate(0, 0, -7), To: at(0).AddDate(0, 0, 7), By: by}
}

func (b *fullFixture) stats(f xxladapter.StatFilter) []xxladapter.Stat {
	b.Helper()
	stats, err := b.store.Stats(b.ctx, f)
	b.NoError(err)
	return stats
}

// counts returns the sum of everything without its histograms.
func (b *fullFixture) counts() xxladapter.Figures {
	b.Helper()
	all := b.stats(week(""))
	b.Len(all, 1)
	f := all[0].Figures
	f.Durations, f.Lateness = xxladapter.Histogram{}, xxladapter.Histogram{}
	return f
}

func (b *fullFixture) wantCounts(want xxladapter.Figures, why ...any) {
	b.Helper()
	for range 2 {
		b.foldStats()
		b.Equal(want, b.counts(), why...)
	}
}

// runAt claims a scheduled fire of the job that is due, and triggered, at the given second.
func (b *fixture) runAt(jobID, group int64, seconds int) xxladapter.Fire {
	b.Helper()
	fire := b.plan(jobID, at(seconds), xxladapter.TriggerMisfire)
	logs := b.newLogs(jobID, 1)
	logs[0].TriggerTime, logs[0].GroupID = at(seconds), group
	claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
	b.NoError(err)
	return claimed[0]
}

// finishAs stores the result of a run.
func (b *fixture) finishAs(f xxladapter.Fire, code int, msg string) {
	b.Helper()
	_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: code, Msg: msg})
	b.NoError(err)
}

// A rawRun is a run as its rows tell it.
type rawRun struct {
	log     xxladapter.Log
	history xxladapter.RunHistory
	known   bool
	open    bool
}

// rawRuns reads all runs.
func (b *fullFixture) rawRuns() map[int64]rawRun {
	b.Helper()
	logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
	b.NoError(err)
	histories, err := b.store.RunHistories(b.ctx, b.logIDs())
	b.NoError(err)
	found := map[int64]rawRun{}
	for _, l := range logs {
		h, known := histories[l.ID]
		found[l.ID] = rawRun{log: *l, history: h, known: known}
	}
	for _, f := range b.openFires(xxladapter.FireFilter{}) {
		if r, ok := found[f.LogID]; ok {
			r.open = true
			found[f.LogID] = r
		}
	}
	return found
}

// recountStats counts runs one by one, by rules of its own.
func recountStats(
	runs map[int64]rawRun, of func(rawRun) bool,
) (f xxladapter.Figures, durations, lateness []time.Duration) {
	for _, r := range runs {
		if !of(r) {
			continue
		}
		l := r.log
		ended := true
		switch {
		case l.HandleCode == 200:
			f.Success++
		case l.HandleCode == 502:
			f.Timeout++
		case l.HandleCode == 500 && strings.HasPrefix(l.HandleMsg, "lost: "):
			f.Lost++
		case l.HandleCode != 0 && strings.HasSuffix(l.HandleMsg, "[job running, killed]"):
			f.Killed++
		case l.HandleCode != 0:
			f.Failed++
		case l.TriggerCode == 504:
			f.Lost++
			ended = false
		case l.TriggerCode != 0 && l.TriggerCode != 200 && !r.open:
			f.NotSent++
		default:
			ended = false
		}
		if !ended || !r.known {
			continue
		}
		if d, ok := r.history.Duration(); ok && !l.Lost() && l.HandleCode != 0 {
			durations = append(durations, d)
		}
		if r.history.Type == xxladapter.TriggerMisfire {
			lateness = append(lateness, r.history.Lateness())
		}
	}
	return f, durations, lateness
}

// requireFigures compares figures with a recount. Percentiles may be a sixteenth too high.
func (b *fixture) requireFigures(got xxladapter.Figures, runs map[int64]rawRun, of func(rawRun) bool) {
	b.Helper()
	want, durations, lateness := recountStats(runs, of)
	for _, h := range []struct {
		got  xxladapter.Histogram
		want []time.Duration
	}{{got.Durations, durations}, {got.Lateness, lateness}} {
		b.EqualValues(len(h.want), h.got.Count())
		slices.Sort(h.want)
		for _, percent := range []int{1, 50, 99, 100} {
			if n := len(h.want); n > 0 {
				exact := h.want[(n*percent+99)/100-1].Truncate(time.Millisecond)
				b.GreaterOrEqual(h.got.Percentile(percent), exact)
				b.LessOrEqual(h.got.Percentile(percent), exact+exact/16)
			}
		}
	}
	got.Durations, got.Lateness = xxladapter.Histogram{}, xxladapter.Histogram{}
	b.Equal(want, got)
}

var statRules = []fullRule{
	{"EachResultHasItsCount", func(b *fullFixture) {
		id := b.addJob("job")
		b.Equal(xxladapter.Figures{}, b.counts(), "nothing was counted")
		for _, r := range []struct {
			code int
			msg  string
		}{
			{200, "fine"},
			{500, "handler failed"},
			{500, "job timed out [job running, killed]"},
			{500, "block strategy [job not executed, in the job queue, killed.]"},
			{502, "over time"}, {500, xxladapter.LostMsg + "gone"}, {777, "of its own"},
		} {
			b.finishAs(b.runAt(id, b.group, 0), r.code, r.msg)
		}
		b.settle(b.runAt(id, b.group, 0), "", 500)
		b.runAt(id, b.group, 0)
		b.wantCounts(xxladapter.Figures{Success: 1, Failed: 2, Killed: 2, Timeout: 1, Lost: 1, NotSent: 1})
	}},
	{"AResultThatComesAfterTheCountCounts", func(b *fullFixture) {
		id := b.addJob("job")
		var runs []xxladapter.Fire
		for range 9 {
			runs = append(runs, b.runAt(id, b.group, 0))
		}
		b.wantCounts(xxladapter.Figures{})
		for i, f := range runs {
			b.finishAs(f, []int{200, 500}[i%2], "")
		}
		b.wantCounts(xxladapter.Figures{Success: 5, Failed: 4})
	}},
	{"AnUnknownHandOverIsLostUntilItsResultComes", func(b *fullFixture) {
		id := b.addJob("job")
		unknown, never := b.runAt(id, b.group, 0), b.runAt(id, b.group, 0)
		for _, f := range []xxladapter.Fire{unknown, never} {
			b.settle(f, xxladapter.FireAmbiguous, 0)
			b.foldStats()
			b.settle(f, "", xxladapter.ResultUnknown)
		}
		b.wantCounts(xxladapter.Figures{Lost: 2})
		b.Zero(b.stats(week(""))[0].Lateness.Count(), "it may change as long as the result is open")
		b.finishAs(unknown, 200, "")
		b.wantCounts(xxladapter.Figures{Success: 1, Lost: 1})
		b.EqualValues(1, b.stats(week(""))[0].Lateness.Count())
	}},
	{"AnAmbiguousHandOverIsNotCountedByItsCode", func(b *fullFixture) {
		fire := b.runAt(b.addJob("job"), b.group, 0)
		b.settle(fire, xxladapter.FireAmbiguous, 501)
		b.wantCounts(xxladapter.Figures{})
		b.settle(fire, "", 200)
		b.wantCounts(xxladapter.Figures{})
		b.finishAs(fire, 200, "")
		b.wantCounts(xxladapter.Figures{Success: 1})
	}},
	{"ACallSaysWhatIsLeftToDo", func(b *fullFixture) {
		left := func() xxladapter.StatWork {
			b.foldStats()
			left, err := b.store.FoldStats(b.ctx, 2)
			b.NoError(err)
			return left
		}
		b.Equal(xxladapter.NoStatWork, left(), "there are no rows")
		fire := b.runAt(b.addJob("job"), b.group, 0)
		b.Equal(xxladapter.LaterStatWork, left(), "its result is open")
		b.finishAs(fire, 200, "")
		b.Equal(xxladapter.NoStatWork, left())
	}},
	{"FiguresAreDividedByHourGroupAndJob", func(b *fullFixture) {
		other := b.addGroup("another-app")
		one, two := b.addJob("one"), b.addJob("two")
		b.finishAs(b.runAt(one, b.group, -7200), 200, "")
		b.finishAs(b.runAt(one, b.group, -1), 500, "")
		b.finishAs(b.runAt(two, other, -1), 500, "")
		b.finishAs(b.runAt(two, other, 0), 500, "")
		b.foldStats()
		type line struct {
			hour            time.Time
			group, job      int64
			success, failed int64
		}
		show := func(f xxladapter.StatFilter) (lines []line) {
			for _, s := range b.stats(f) {
				lines = append(lines, line{s.Hour, s.GroupID, s.JobID, s.Success, s.Failed})
			}
			return lines
		}
		byHour, byGroup, byJob := week(xxladapter.StatByHour), week(xxladapter.StatByGroup), week(xxladapter.StatByJob)
		b.Equal([]line{{at(-7200), 0, 0, 1, 0}, {at(-3600), 0, 0, 0, 2}, {at(0), 0, 0, 0, 1}}, show(byHour))
		b.Equal([]line{{group: b.group, success: 1, failed: 1}, {group: other, failed: 2}}, show(byGroup))
		b.Equal([]line{
			{job: two, failed: 2}, {job: one, success: 1, failed: 1},
		}, show(byJob), "the most failures first")
		byJob.Limit = 1
		b.Equal([]line{{job: two, failed: 2}}, show(byJob))

		byHour.JobID = one
		b.Equal([]line{{at(-7200), 0, 0, 1, 0}, {at(-3600), 0, 0, 0, 1}}, show(byHour))
		byHour.GroupID = other
		b.Empty(show(byHour))
		byHour.JobID, byHour.From, byHour.To = 0, at(-1800), at(-1800).Add(time.Minute)
		b.Equal([]line{{at(-3600), 0, 0, 0, 1}}, show(byHour), "of whole hours")
		byHour.From, byHour.To = at(-3600), at(-3600).Add(time.Millisecond)
		b.Equal([]line{{at(-3600), 0, 0, 0, 1}}, show(byHour), "of the hour that has begun")
		byHour.To = at(-3600)
		b.Empty(show(byHour))
		byGroup.Groups = []int64{b.group}
		b.Equal([]line{{group: b.group, success: 1, failed: 1}}, show(byGroup))
		byJob.Groups, byJob.Limit = []int64{b.group}, 0
		b.Equal([]line{{job: one, success: 1, failed: 1}}, show(byJob))
		byJob.Groups, byGroup.Groups = []int64{}, []int64{}
		b.Empty(show(byJob))
		b.Empty(show(byGroup))
		sum := week("")
		sum.GroupID = other
		b.Equal([]line{{failed: 2}}, show(sum))
		sum.GroupID, sum.JobID = 0, one
		b.Equal([]line{{success: 1, failed: 1}}, show(sum))
	}},
	{"WhatIsCountedStaysWhenRunsAndJobsGo", func(b *fullFixture) {
		id := b.addJob("job")
		b.finishAs(b.runAt(id, b.group, 0), 200, "")
		b.foldStats()
		b.settle(b.runAt(id, b.group, 0), "", 500)
		b.finishAs(b.runAt(id, b.group, 0), 200, "")
		b.runAt(id, b.group, 0)
		b.Equal(
			2, b.purge(xxladapter.LogPurge{JobID: id, Unalarmed: true, UntilID: b.logIDs()[1]}, 1),
			"one is counted, one is not",
		)
		b.Equal(xxladapter.Figures{Success: 1, NotSent: 1}, b.counts())
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.Equal(2, b.purge(xxladapter.LogPurge{Removed: true}, 10))
		want := xxladapter.Figures{Success: 2, NotSent: 1} // the open run has no result
		b.Equal(want, b.counts())
		b.wantCounts(want)
	}},
	{"ARunThatWasOpenCountsWhenItIsDeleted", func(b *fullFixture) {
		id := b.addJob("job")
		open, unknown := b.runAt(id, b.group, 0), b.runAt(id, b.group, 0)
		b.settle(unknown, "", xxladapter.ResultUnknown)
		b.foldStats()
		b.finishAs(open, 200, "")
		b.Equal(2, b.purge(xxladapter.LogPurge{Unalarmed: true}, 10))
		b.Equal(xxladapter.Figures{Success: 1, Lost: 1}, b.counts())
		b.wantCounts(xxladapter.Figures{Success: 1, Lost: 1})
	}},
	{"ARowThatCouldNotBeDeletedIsCountedOnce", func(b *fullFixture) {
		id := b.addJob("job")
		kept := b.runAt(id, b.group, 0)
		b.settle(kept, xxladapter.FireAmbiguous, 500) // an open fire keeps its row
		b.finishAs(b.runAt(id, b.group, 0), 200, "")
		b.Equal(1, b.purge(xxladapter.LogPurge{Unalarmed: true}, 10))
		b.settle(kept, "", 500)
		b.wantCounts(xxladapter.Figures{Success: 1, NotSent: 1})
	}},
	{"OldFiguresAreDeleted", func(b *fullFixture) {
		for i, name := range []string{"one", "two", "three"} {
			b.finishAs(b.runAt(b.addJob(name), b.group, -3600*i), 200, "")
		}
		b.foldStats()
		hours := func() int { return len(b.stats(week(xxladapter.StatByHour))) }
		jobs := func() int { return len(b.stats(week(xxladapter.StatByJob))) }
		purge := func(before time.Time) {
			for {
				n, err := b.store.PurgeStats(b.ctx, before, 1)
				b.NoError(err)
				if n == 0 {
					return
				}
			}
		}
		purge(at(-7200).Add(time.Minute))
		b.Equal([]int{3, 3}, []int{hours(), jobs()}, "the hour has not ended before")
		purge(at(-3600))
		b.Equal([]int{2, 2}, []int{hours(), jobs()})
		purge(at(7200))
		b.Equal([]int{0, 0}, []int{hours(), jobs()})
		b.wantCounts(xxladapter.Figures{}, "it does not come back")
	}},
	{"ManyNodesCountEachRunOnce", func(b *fullFixture) {
		id := b.addJob("job")
		var fires []xxladapter.Fire
		for range 30 {
			fires = append(fires, b.runAt(id, b.group, 0))
		}
		for range 3 {
			_, err := b.store.FoldStats(b.ctx, 2)
			b.NoError(err)
			b.clock.Advance(xxladapter.StatDelay)
		}
		for _, err := range race(6, func(i int) error {
			for n, f := range fires {
				var err error
				switch {
				case i == 0:
					_, _, err = b.store.FinishRun(
						b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: []int{200, 500}[n%2]},
					)
				case i == 1 && n%10 == 0:
					_, err = b.store.PurgeLogs(b.ctx, xxladapter.LogPurge{Unalarmed: true}, 3)
				default:
					_, err = b.store.FoldStats(b.ctx, 1+n%3)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
		b.wantCounts(xxladapter.Figures{Success: 15, Failed: 15})
	}},
	{"FiguresAreThoseOfARecount", recountAfterRandomCalls},
}

// recountAfterRandomCalls runs, counts and deletes at random, and compares each division with the
// rows.
func recountAfterRandomCalls(b *fullFixture) {
	seed := rand.Uint64()
	b.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	groups := []int64{b.group, b.addGroup("another-app")}
	jobs := []int64{b.addJob("one"), b.addJob("two"), b.addJob("three")}
	var fires []xxladapter.Fire
	gone, ended := map[int64]rawRun{}, map[int64]bool{}
	pick := func() xxladapter.Fire { return fires[random.IntN(len(fires))] }
	for range 150 {
		b.clock.Advance(time.Duration(random.IntN(9000)) * time.Millisecond)
		switch n := random.IntN(10); {
		case n < 4 || len(fires) == 0:
			fires = append(fires, b.runAt(jobs[random.IntN(3)], groups[random.IntN(2)], -random.IntN(9000)))
		case n < 6:
			f := pick()
			if ended[f.LogID] {
				continue
			}
			ended[f.LogID] = true
			s := xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: []int{200, 200, 500, 504}[random.IntN(4)]}
			if s.Code == 200 {
				s.Sent = b.clock.Now()
			}
			_, _ = b.store.SettleFire(b.ctx, b.term("n1"), s) // the row may be gone
		case n < 8:
			// A result of a run that certainly was not sent is not counted, and no executor sends
			// it.
			if f := pick(); !xxladapter.HandOverFailed(b.codeOf(f)) {
				ended[f.LogID] = true
				msg := []string{"", "x [job running, killed]", xxladapter.LostMsg}[random.IntN(3)]
				_, _, _ = b.store.FinishRun(b.ctx, xxladapter.RunResult{
					LogID: f.LogID, Code: []int{200, 200, 500, 502}[random.IntN(4)], Msg: msg,
				})
			}
		case n < 9:
			_, err := b.store.FoldStats(b.ctx, 1+random.IntN(5))
			b.NoError(err)
		default:
			before := b.rawRuns()
			_, err := b.store.PurgeLogs(
				b.ctx, xxladapter.LogPurge{JobID: jobs[random.IntN(3)], Unalarmed: true}, 1+random.IntN(3),
			)
			b.NoError(err)
			left := b.rawRuns()
			for id, r := range before {
				if _, stayed := left[id]; !stayed {
					gone[id] = r
				}
			}
		}
	}
	b.foldStats()
	runs := b.rawRuns()
	for id, r := range gone {
		runs[id] = r
	}
	b.requireFigures(b.stats(week(""))[0].Figures, runs, func(rawRun) bool { return true })
	for _, s := range b.stats(week(xxladapter.StatByHour)) {
		b.requireFigures(
			s.Figures, runs, func(r rawRun) bool { return r.log.TriggerTime.Truncate(time.Hour).Equal(s.Hour) },
		)
	}
	for _, s := range b.stats(week(xxladapter.StatByGroup)) {
		b.requireFigures(s.Figures, runs, func(r rawRun) bool { return r.log.GroupID == s.GroupID })
	}
	byJob := b.stats(week(xxladapter.StatByJob))
	b.True(slices.IsSortedFunc(byJob, func(x, y xxladapter.Stat) int {
		return cmp.Or(cmp.Compare(y.Unsuccessful(), x.Unsuccessful()), cmp.Compare(x.JobID, y.JobID))
	}))
	for _, s := range byJob {
		b.requireFigures(s.Figures, runs, func(r rawRun) bool { return r.log.JobID == s.JobID })
	}
}

// codeOf returns the trigger code of a run; 0 if its row is gone.
func (b *fixture) codeOf(f xxladapter.Fire) int {
	l, err := b.store.Log(b.ctx, f.LogID)
	if err != nil {
		return 0
	}
	return l.TriggerCode
}
