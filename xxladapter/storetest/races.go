package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// race runs n callers at the same moment and returns their errors.
func race(n int, call func(i int) error) []error {
	var (
		start = make(chan struct{})
		errs  = make([]error, n)
		wg    sync.WaitGroup
	)
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = call(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

var raceRules = []rule{
	{"OneOfManyClaimsAFire", func(b *fixture) {
		id := b.addJob("job")
		var terms []xxladapter.Term
		for i := range 4 {
			terms = append(terms, b.term(fmt.Sprint("n", i)))
		}
		for round := range 20 {
			fire := b.plan(id, at(-round), xxladapter.TriggerCron)
			won := 0
			for _, err := range race(4, func(i int) error {
				_, err := b.store.ClaimFire(b.ctx, terms[i], fire.ID, b.newLogs(id, 1))
				return err
			}) {
				if err == nil {
					won++
				} else {
					b.ErrorIs(err, xxladapter.ErrConflict)
				}
			}
			b.Equal(1, won)
		}
		logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
		b.NoError(err)
		b.Len(logs, 20)
	}},
	{"NoDueTimeIsClaimedTwice", func(b *fixture) {
		const jobs, schedulers, rounds = 20, 4, 10
		for i := range jobs {
			b.addRunning(fmt.Sprint("job", i), at(0))
		}
		b.clock.Advance(time.Hour)
		planned := make([][]xxladapter.Fire, schedulers)
		term := b.term("n1") // the same for all, so that partitions do not keep them apart
		for _, err := range race(schedulers, func(i int) error {
			for range rounds {
				fires, _, err := b.store.ClaimDue(b.ctx, term, 0, 7, everyMinute)
				if err != nil {
					return err
				}
				planned[i] = append(planned[i], fires...)
			}
			return nil
		}) {
			b.NoError(err)
		}
		// A scheduler may skip jobs that another one holds, but each job's due times are claimed
		// one after the other.
		claimed := map[int64][]time.Time{}
		for _, fires := range planned {
			for _, f := range fires {
				claimed[f.JobID] = append(claimed[f.JobID], f.Due)
			}
		}
		b.Len(claimed, jobs)
		for _, dues := range claimed {
			slices.SortFunc(dues, time.Time.Compare)
			for i, due := range dues {
				b.Equal(at(60*i), due, "claimed twice or lost")
			}
		}
	}},
	{"OnceStopJobHasReturnedNoClaimSucceeds", func(b *fixture) {
		for round := range 20 {
			id := b.addRunning(fmt.Sprint("job", round), at(0))
			fires := b.claimDue()
			b.Len(fires, 1)
			claimedBefore(b, fires[0], func() error { return xxladapter.StopJob(b.ctx, b.store, id, time.Time{}) })
			// Planned fires are gone; a fire that was claimed before continues.
			b.Empty(b.openFires(xxladapter.FireFilter{JobID: id, State: xxladapter.FirePlanned}))
		}
	}},
	{"StopJobAndClaimDueLeaveNoPlannedFire", func(b *fixture) {
		for round := range 20 {
			id := b.addRunning(fmt.Sprint("job", round), at(0))
			term := b.term("n1")
			for _, err := range race(2, func(i int) error {
				if i == 0 {
					return xxladapter.StopJob(b.ctx, b.store, id, time.Time{})
				}
				_, _, err := b.store.ClaimDue(b.ctx, term, 0, 10, everyMinute)
				return err
			}) {
				b.NoError(err)
			}
			b.Empty(b.openFires(xxladapter.FireFilter{JobID: id}))
			b.False(b.job(id).Running)
		}
	}},
	{"OneOfManyResultsIsApplied", func(b *fixture) {
		id := b.addJob("job")
		for round := range 20 {
			fire := b.claim(b.plan(id, at(round), xxladapter.TriggerCron), "n1", 1)[0]
			applied := make([]bool, 4)
			for _, err := range race(len(applied), func(i int) (err error) {
				applied[i], _, err = b.store.FinishRun(
					b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200 + i, Msg: fmt.Sprint(i)},
				)
				return err
			}) {
				b.NoError(err)
			}
			winners := 0
			for i, won := range applied {
				if won {
					winners++
					b.Equal(200+i, b.log(fire.LogID).HandleCode)
				}
			}
			b.Equal(1, winners)
		}
	}},
	{"OneOfManyStartsCounts", func(b *fixture) {
		for round := range 10 {
			id := b.addJob(fmt.Sprint("started by many ", round))
			seen := b.job(id).Updated
			var nexts [8]time.Time
			for _, err := range race(len(nexts), func(i int) (err error) {
				nexts[i], err = xxladapter.StartJob(
					b.ctx, b.store, id, seen, func(time.Time) time.Time { return at(60 + i) },
				)
				return err
			}) {
				b.NoError(err)
			}
			for _, next := range nexts {
				b.Equal(b.job(id).TriggerNext, next)
			}
		}
	}},
	{"EachOfManyReadersHasRowsOfItsOwn", func(b *fixture) {
		id := b.addJob("job")
		job := b.job(id)
		job.ChildIDs = []int64{id + 1, id + 2}
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, job, false))
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		log := b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 1)[0].LogID
		for _, err := range race(8, func(i int) error {
			for range 20 {
				j, err := b.store.Job(b.ctx, id)
				if err != nil {
					return err
				}
				g, err := b.store.Group(b.ctx, b.group)
				if err != nil {
					return err
				}
				l, err := b.store.Log(b.ctx, log)
				if err != nil {
					return err
				}
				if j.ChildIDs[0] != id+1 || g.Addresses[0] != "http://a:1" || l.JobID != id {
					return fmt.Errorf("reader %d was given %v, %v and job %d", i, j.ChildIDs, g.Addresses, l.JobID)
				}
				j.ChildIDs[0], g.Addresses[0], l.JobID = 0, "", 0
				if _, err := b.store.Job(b.ctx, -1); !errors.Is(err, xxladapter.ErrNotFound) {
					return fmt.Errorf("job -1: %w", err)
				}
			}
			return nil
		}) {
			b.NoError(err)
		}
	}},
	{"CloseMayRaceWithCalls", func(b *fixture) {
		id := b.addJob("job")
		errs := race(9, func(i int) error {
			if i == 8 {
				return b.store.Close()
			}
			return StartAt(b.ctx, b.store, id, at(i))
		})
		b.NoError(errs[8])
		_, err := b.store.Job(b.ctx, id)
		b.Error(err)
	}},
}

var raceFullRules = []fullRule{
	{"OnceCreatePauseHasReturnedNoClaimSucceeds", func(b *fullFixture) {
		for round := range 20 {
			id := b.addRunning(fmt.Sprint("job", round), at(0))
			fires := b.claimDue()
			b.Len(fires, 1)
			var begun xxladapter.Pause
			claimed := claimedBefore(b.fixture, fires[0], func() (err error) {
				begun, err = b.store.CreatePause(b.ctx, xxladapter.Pause{GroupID: b.group})
				return err
			})
			b.Empty(b.openFires(xxladapter.FireFilter{JobID: id, State: xxladapter.FirePlanned}))
			missed := b.misfiresOf(id)
			if claimed {
				b.Empty(missed, "it was claimed before")
				continue
			}
			b.Len(missed, 1)
			b.Equal(begun.ID, missed[0].PauseID)
		}
	}},
	{"NoFireThatIsClaimedDuringCreatePauseIsDueInThePause", func(b *fullFixture) {
		id := b.addRunning("job", at(600))
		fire := b.plan(id, at(1), xxladapter.TriggerCron)
		term := b.term("n1")
		var claimErr error
		claimed := make(chan struct{})
		b.clock.OnNextRead(func() { // the pause has read the clock
			b.clock.Advance(2 * time.Second) // now the fire is due
			go func() {                      // the case waits for claimed
				defer close(claimed)
				_, claimErr = b.store.ClaimFire(b.ctx, term, fire.ID, b.newLogs(id, 1))
			}()
			select {
			case <-claimed:
			case <-time.After(time.Second): // a store that has locked the fire keeps the claim waiting
			}
		})
		p := b.pause(b.group, "n", time.Time{})
		<-claimed
		if claimErr == nil {
			b.True(fire.Due.Before(p.From), "claimed, due %v, in the pause from %v", fire.Due, p.From)
			return
		}
		b.ErrorIs(claimErr, xxladapter.ErrConflict)
		b.Len(b.misfiresOf(id), 1)
	}},
	{"CreatePauseAndClaimDueLeaveNoPlannedFire", func(b *fullFixture) {
		const ahead = 5 * time.Second
		decide := func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			decisions := everyMinute(now, due)
			for i, j := range due {
				if suppressed, is := j.Restrictions.Suppression(j, j.TriggerNext, time.UTC); is {
					decisions[i].Fires = nil
					decisions[i].Misfires = []xxladapter.Misfire{{
						Due: j.TriggerNext, Until: j.TriggerNext, Strategy: xxladapter.MisfireDoNothing, At: now,
						PauseID: suppressed.Pause.ID,
					}}
				}
			}
			return decisions
		}
		for round := range 20 {
			id := b.addRunning(fmt.Sprint("job", round), at(4))
			term := b.term("n1")
			var begun xxladapter.Pause
			for _, err := range race(2, func(i int) (err error) {
				if i == 0 {
					begun, err = b.store.CreatePause(b.ctx, xxladapter.Pause{GroupID: b.group})
					return err
				}
				_, _, err = b.store.ClaimDue(b.ctx, term, ahead, 10, decide)
				return err
			}) {
				b.NoError(err)
			}
			b.Empty(b.openFires(xxladapter.FireFilter{JobID: id}))
			missed := b.misfiresOf(id)
			b.Len(missed, 1)
			b.Equal(begun.ID, missed[0].PauseID)
			b.Equal(at(4), missed[0].Due)
			_, err := b.store.EndPause(b.ctx, begun.ID)
			b.NoError(err)
		}
	}},
}

// claimedBefore lets two claims of a fire race with a call after which none may succeed, and
// reports whether one of them was first.
func claimedBefore(b *fixture, fire xxladapter.Fire, call func() error) bool {
	var late error
	term := b.term("n1")
	errs := race(3, func(i int) error {
		if i > 0 {
			_, err := b.store.ClaimFire(b.ctx, term, fire.ID, b.newLogs(fire.JobID, 1))
			return err
		}
		if err := call(); err != nil {
			return err
		}
		_, late = b.store.ClaimFire(b.ctx, term, fire.ID, b.newLogs(fire.JobID, 1))
		return nil
	})
	b.NoError(errs[0])
	b.ErrorIs(late, xxladapter.ErrConflict)
	b.False(errs[1] == nil && errs[2] == nil)
	return errs[1] == nil || errs[2] == nil
}
