package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// nodeRules are what several schedulers on one store need: they may race, one may die in the middle
// of a claim, and their clocks may differ. The rules of leases, fences and races have the details,
// and those of stalls are about a database that does not answer.
var nodeRules = []rule{
	{"TwoSchedulersThatRaceClaimEachDueTimeOnce", func(b *fixture) {
		const jobs, rounds = 8, 5
		for i := range jobs {
			b.addRunning(fmt.Sprint("job", i), at(0))
		}
		b.clock.Advance(time.Hour)
		terms := []xxladapter.Term{b.term("n1"), b.term("n2")}
		for _, err := range race(len(terms), func(i int) error {
			for range rounds {
				if err := b.scanAndClaim(terms[i]); err != nil {
					return err
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
		// What one scan skipped because the other held it is claimed now.
		for _, term := range terms {
			b.NoError(b.scanAndClaim(term))
		}
		runs := map[int64]int{} // by job
		seen := map[string]bool{}
		for _, f := range b.openFires(xxladapter.FireFilter{}) {
			b.Equal(xxladapter.FireClaimed, f.State)
			due := fmt.Sprint(f.JobID, f.Due)
			b.False(seen[due], "claimed twice: %s", due)
			seen[due] = true
			runs[f.JobID]++
		}
		b.Len(runs, jobs)
		for id, n := range runs {
			b.Equal(at(60*n), b.job(id).TriggerNext, "a due time is lost")
		}
		logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
		b.NoError(err)
		b.Len(logs, len(seen), "one run for each due time")
	}},
	{"ASchedulerThatDiesInItsScanLosesNoDueTime", func(b *fixture) {
		id := b.addRunning("job", at(0))
		n1 := b.lease("n1", leaseLife).Term
		ctx, die := context.WithCancel(b.ctx)
		// Whether the scan was still committed is unknown, as after the death of a process.
		_, _, _ = b.store.ClaimDue(ctx, n1, 0, 10, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			die()
			return everyMinute(now, due)
		})
		b.clock.Advance(leaseLife)
		n2 := b.term("n2")
		b.repeatUntilClaimed(id, func() error {
			_, _, err := b.store.ClaimDue(b.ctx, n2, 0, 10, everyMinute)
			return err
		})
		b.Equal(at(60), b.job(id).TriggerNext)
		b.Equal([]time.Time{at(0)}, b.dues())
		b.claim(b.openFires(xxladapter.FireFilter{})[0], "n2", 1)
	}},
	{"ASchedulerThatDiesAfterItsClaimIsFollowedByOneOther", func(b *fixture) {
		n1 := b.lease("n1", leaseLife).Term
		fire := b.plan(b.addJob("job"), at(0), xxladapter.TriggerCron)
		claimed, err := b.store.ClaimFire(b.ctx, n1, fire.ID, b.newLogs(fire.JobID, 1))
		b.NoError(err)
		others := []xxladapter.Term{b.term("n2"), b.term("n3")}
		b.ErrorIs(b.store.TakeFire(b.ctx, others[0], fire.ID, n1), xxladapter.ErrConflict, "n1 lives")
		b.clock.Advance(leaseLife)
		b.Equal([]xxladapter.Term{n1}, b.lease("n2", time.Hour).Dead)

		var by []xxladapter.Term
		for i, err := range race(len(others), func(i int) error {
			return b.store.TakeFire(b.ctx, others[i], fire.ID, n1)
		}) {
			if err != nil {
				b.ErrorIs(err, xxladapter.ErrConflict)
				continue
			}
			by = append(by, others[i])
		}
		b.Len(by, 1)
		end := xxladapter.Settlement{FireID: fire.ID, LogID: claimed[0].LogID, Code: 200, Msg: "by the other"}
		b.settleBy(by[0], end)
		end.Code, end.Msg = 500, "by n1, which was only slow"
		_, err = b.store.SettleFire(b.ctx, n1, end)
		b.ErrorIs(err, xxladapter.ErrFenced)
		b.Equal([]any{200, "by the other"}, []any{b.log(end.LogID).TriggerCode, b.log(end.LogID).TriggerMsg})
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
		b.NoError(err)
		b.Len(logs, 1)
	}},
	// The machine that runs the suite shows another time than the store, too.
	{"NodesWhoseClocksDifferGoByTheClockOfTheStore", func(b *fixture) {
		const ahead, behind = time.Hour, -time.Hour
		terms := map[time.Duration]xxladapter.Term{
			ahead: b.lease("ahead", leaseLife).Term, behind: b.lease("behind", leaseLife).Term,
		}
		id := b.addRunning("job", at(2))
		early, late := b.plan(id, at(1), xxladapter.TriggerManual), b.plan(id, at(3), xxladapter.TriggerManual)
		claim := func(fire xxladapter.Fire, off time.Duration) error {
			logs := b.newLogs(id, 1)
			logs[0].TriggerTime = b.clock.Now().Add(off) // as the node sees it
			_, err := b.store.ClaimFire(b.ctx, terms[off], fire.ID, logs)
			return err
		}
		for off, term := range terms {
			now, err := b.store.Now(b.ctx)
			b.NoError(err)
			b.True(now.Equal(b.clock.Now()), "%v", now)
			_, due, err := b.store.ClaimDue(b.ctx, term, 0, 10, everyMinute)
			b.NoError(err)
			b.Zero(due)
			b.ErrorIs(claim(early, off), xxladapter.ErrEarly, "by the clock of the store")
		}
		b.clock.Advance(time.Second)
		b.NoError(claim(early, behind))
		b.clock.Advance(2 * time.Second)
		b.NoError(claim(late, ahead))
		planned := 0
		for _, term := range terms { // one of them has the partition of the job
			fires, _, err := b.store.ClaimDue(b.ctx, term, 0, 10, everyMinute)
			b.NoError(err)
			planned += len(fires)
		}
		b.Equal(1, planned)
		b.clock.Advance(leaseLife - 4*time.Second)
		held, err := b.store.Leases(b.ctx)
		b.NoError(err)
		b.Len(held, 2)
		b.clock.Advance(time.Second)
		held, err = b.store.Leases(b.ctx)
		b.NoError(err)
		b.Empty(held, "both leases end at once")
	}},
}

// scanAndClaim does what a scheduler does: it claims due jobs, and then each planned fire that no
// other has claimed.
func (b *fixture) scanAndClaim(term xxladapter.Term) error {
	if _, _, err := b.store.ClaimDue(b.ctx, term, 0, 4, everyMinute); err != nil {
		return err
	}
	fires, err := b.store.OpenFires(b.ctx, xxladapter.FireFilter{State: xxladapter.FirePlanned})
	if err != nil {
		return err
	}
	for _, f := range fires {
		_, err := b.store.ClaimFire(b.ctx, term, f.ID, b.newLogs(f.JobID, 1))
		if err != nil && !errors.Is(err, xxladapter.ErrConflict) {
			return err
		}
	}
	return nil
}
