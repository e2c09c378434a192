package storetest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The runs of this file are triggered at noon in UTC, which is on the same day in most zones: a
// store under test may have its own zone.
const (
	today     = "2026-03-01"
	yesterday = "2026-02-28"
)

// run plans and claims one fire of the job. Its log row says that it was triggered the given number
// of days after today.
func (b *fixture) run(jobID int64, days int) xxladapter.Fire {
	b.Helper()
	fire := b.plan(jobID, at(0), xxladapter.TriggerManual)
	logs := b.newLogs(jobID, 1)
	logs[0].TriggerTime = at(0).AddDate(0, 0, days)
	claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
	b.NoError(err)
	return claimed[0]
}

func (b *fixture) settle(f xxladapter.Fire, state xxladapter.FireState, code int) {
	b.Helper()
	b.settleBy(
		b.term("n1"),
		xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, State: state, Code: code, Msg: fmt.Sprint(code)},
	)
}

func (b *fixture) finish(f xxladapter.Fire, code int) {
	b.Helper()
	_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: code})
	b.NoError(err)
}

// wantReports compares the figures before and after they are folded.
func (b *fullFixture) wantReports(want ...xxladapter.DailyReport) {
	b.Helper()
	for _, when := range []string{"as counted", "folded", "folded again"} {
		got, err := b.store.Reports(b.ctx, time.Time{}, time.Time{})
		b.NoError(err)
		b.Equal(want, got, when)
		b.NoError(b.store.FoldReports(b.ctx))
	}
}

// recount counts all rows as upstream's statement does.
func (b *fixture) recount() (r xxladapter.DailyReport) {
	b.Helper()
	logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
	b.NoError(err)
	for _, l := range logs {
		switch {
		case (l.TriggerCode == 0 || l.TriggerCode == 200) && l.HandleCode == 0:
			r.Running++
		case l.HandleCode == 200:
			r.Success++
		default:
			r.Failed++
		}
	}
	r.Day = today
	return r
}

func (m *model) foldReports(t *rapid.T) {
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error { return s.FoldReports(m.ctx) })
}

var reportRules = []fullRule{
	{"ARunIsRunningUntilItHasEnded", func(b *fullFixture) {
		b.wantReports()
		id := b.addJob("job")
		good, bad, open := b.run(id, 0), b.run(id, 0), b.run(id, 0)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 3})
		for _, f := range []xxladapter.Fire{good, bad, open} {
			b.settle(f, "", 200)
		}
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 3})
		b.finish(good, 200)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 2, Success: 1})
		b.finish(bad, 502)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 1, Success: 1, Failed: 1})
	}},
	{"EveryShardCounts", func(b *fullFixture) {
		fires := b.claim(b.plan(b.addJob("job"), at(0), xxladapter.TriggerManual), "n1", 3)
		b.finish(fires[1], 200)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 2, Success: 1})
	}},
	{"AHandOverThatFailedIsAFailureUntilAResultComesAfterAll", func(b *fullFixture) {
		id := b.addJob("job")
		refused, unknown := b.run(id, 0), b.run(id, 0)
		b.settle(refused, "", 500)
		b.settle(unknown, xxladapter.FireAmbiguous, 0)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 1, Failed: 1})
		b.settle(unknown, xxladapter.FireAmbiguous, 501)
		b.wantReports(xxladapter.DailyReport{Day: today, Failed: 2})
		b.settle(unknown, "", 200)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 1, Failed: 1})
		b.finish(refused, 200)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 1, Success: 1})
	}},
	{"TheHandOversOutcomeIsNothingToARunThatHasEnded", func(b *fullFixture) {
		fire := b.run(b.addJob("job"), 0)
		b.finish(fire, 200)
		for _, code := range []int{200, 500, 0} {
			b.settle(fire, "", code)
			b.wantReports(xxladapter.DailyReport{Day: today, Success: 1})
		}
	}},
	{"AResultThatComesTwiceCountsOnce", func(b *fullFixture) {
		fire := b.run(b.addJob("job"), 0)
		for _, code := range []int{200, 200, 500} {
			b.finish(fire, code)
			b.wantReports(xxladapter.DailyReport{Day: today, Success: 1})
		}
	}},
	{"AResultThatComesDaysLaterCountsOnTheDayOfTheTrigger", func(b *fullFixture) {
		id := b.addJob("job")
		fire := b.run(id, 0)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 1})
		b.clock.Advance(5 * 24 * time.Hour)
		b.finish(fire, 200)
		b.wantReports(xxladapter.DailyReport{Day: today, Success: 1})
	}},
	{"ReportsAreOfTheDaysAskedFor", func(b *fullFixture) {
		id := b.addJob("job")
		b.run(id, -1)
		b.run(id, 0)
		b.run(id, 2)
		first, second, third := xxladapter.DailyReport{Day: yesterday, Running: 1},
			xxladapter.DailyReport{Day: today, Running: 1}, xxladapter.DailyReport{Day: "2026-03-03", Running: 1}
		b.wantReports(first, second, third)
		for _, c := range []struct {
			from, to time.Time
			want     []xxladapter.DailyReport
		}{
			{at(0), at(0), []xxladapter.DailyReport{second}},
			{at(3600), at(0), []xxladapter.DailyReport{second}},
			{at(0).AddDate(0, 0, -1), at(0), []xxladapter.DailyReport{first, second}},
			{at(0).AddDate(0, 0, 1), time.Time{}, []xxladapter.DailyReport{third}},
			{time.Time{}, at(0).AddDate(0, 0, 1), []xxladapter.DailyReport{first, second}},
			{at(0).AddDate(0, 0, 1), at(0).AddDate(0, 0, 1), nil},
			{at(0).AddDate(0, 0, 2), at(0), nil},
		} {
			got, err := b.store.Reports(b.ctx, c.from, c.to)
			b.NoError(err)
			b.Equal(c.want, got, "%v to %v", c.from, c.to)
		}
	}},
	{"WhatHasEndedStaysCountedWhenItsJobGoes", func(b *fullFixture) {
		id, other := b.addJob("job"), b.addJob("other")
		good, bad := b.run(id, 0), b.run(id, -1)
		b.finish(good, 200)
		b.settle(bad, "", 500)
		b.run(id, 0)
		b.run(other, 0)
		b.wantReports(
			xxladapter.DailyReport{Day: yesterday, Failed: 1}, xxladapter.DailyReport{Day: today, Running: 2, Success: 1},
		)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.Equal(3, b.purge(xxladapter.LogPurge{Removed: true}, 10))
		b.wantReports(
			xxladapter.DailyReport{Day: yesterday, Failed: 1}, xxladapter.DailyReport{Day: today, Running: 1, Success: 1},
		)
	}},
	{"AFailedCallCountsNothing", func(b *fullFixture) {
		id := b.addJob("job")
		fire := b.run(id, 0)
		_, err := b.store.ClaimFire(b.ctx, b.term("n2"), fire.ID, b.newLogs(id, 1))
		b.ErrorIs(err, xxladapter.ErrConflict)
		_, _, err = b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: 4711, Code: 200})
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.wantReports(xxladapter.DailyReport{Day: today, Running: 1})
	}},
	{"FiguresAreThoseOfARecountWhateverRaces", func(b *fullFixture) {
		id := b.addJob("job")
		var fires []xxladapter.Fire
		for range 40 {
			fires = append(fires, b.run(id, 0))
		}
		for _, err := range race(8, func(i int) error {
			if i == 7 {
				for range 10 {
					if err := b.store.FoldReports(b.ctx); err != nil {
						return err
					}
				}
				return nil
			}
			for n, f := range fires {
				code := []int{200, 500, 0}[n%3]
				var err error
				if i%2 == 0 {
					_, err = b.store.SettleFire(
						b.ctx, b.term("n1"),
						xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: code, Msg: fmt.Sprint(i)},
					)
				} else if n%4 > 0 {
					_, _, err = b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200 + n%2*300})
				}
				if err != nil {
					return err
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
		b.wantReports(b.recount())
	}},
}
