package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const leaseLife = 10 * time.Second

func (b *fixture) resign(term xxladapter.Term) {
	b.Helper()
	b.NoError(b.store.Resign(b.ctx, term))
}

var leaseRules = []rule{
	{"ALeaseIsForItsLifeFromNow", func(b *fixture) {
		l := b.lease("n1", leaseLife)
		b.Equal("n1", l.Node)
		b.Equal(int64(1), l.Number)
		b.Equal(epoch.Truncate(time.Millisecond).Add(leaseLife), l.Until)
		b.Equal(xxladapter.AllPartitions, l.Partitions)
		b.Empty(l.Dead)
	}},
	{"LeasesListsThoseThatHold", func(b *fixture) {
		list := func() []xxladapter.Lease {
			found, err := b.store.Leases(b.ctx)
			b.NoError(err)
			return found
		}
		b.Empty(list())
		two, one := b.lease("n2", leaseLife), b.lease("n1", 2*leaseLife)
		got := list()
		b.Len(got, 2)
		one.NextLapse, one.Others, one.Quiet = time.Time{}, nil, false
		b.Equal(one, got[0])
		b.Equal(two.Term, got[1].Term)
		b.Equal(two.Until, got[1].Until)
		b.Equal(xxladapter.AllPartitions, got[0].Partitions|got[1].Partitions)
		b.Zero(got[0].Partitions & got[1].Partitions)
		b.clock.Advance(leaseLife)
		got = list()
		b.Len(got, 1)
		b.Equal(one.Term, got[0].Term)
		b.resign(one.Term)
		b.Empty(list())
	}},
	{"ALeaseTellsWhenTheFirstOfTheOthersLapses", func(b *fixture) {
		b.Zero(b.lease("n1", leaseLife).NextLapse)
		b.clock.Advance(time.Second)
		two := b.lease("n2", leaseLife)
		b.Equal(two.Until.Add(-time.Second), two.NextLapse)
		b.Equal(two.Until, b.lease("n1", leaseLife).NextLapse)
		three := b.lease("n3", leaseLife/2)
		b.Equal(two.Until, three.NextLapse)
		b.Equal(three.Until, b.lease("n1", leaseLife).NextLapse)
		b.clock.Advance(leaseLife / 2)
		b.Equal(two.Until, b.lease("n1", leaseLife).NextLapse, "n3 has lapsed")
		b.resign(two.Term)
		b.Zero(b.lease("n1", leaseLife).NextLapse)
	}},
	{"ARenewalInTimeKeepsTheTerm", func(b *fixture) {
		first := b.lease("n1", leaseLife)
		b.clock.Advance(leaseLife - time.Millisecond)
		second := b.lease("n1", leaseLife)
		b.Equal(first.Term, second.Term)
		b.Equal(first.Until.Add(leaseLife-time.Millisecond), second.Until)
		b.clock.Advance(leaseLife - time.Millisecond)
		b.Equal(first.Term, b.lease("n1", leaseLife).Term)
	}},
	{"ALapsedLeaseIsFollowedByANewTerm", func(b *fixture) {
		first := b.lease("n1", leaseLife)
		b.clock.Advance(leaseLife)
		second := b.lease("n1", leaseLife)
		b.Greater(second.Number, first.Number)
	}},
	{"ARenewalMayShortenTheLease", func(b *fixture) {
		b.lease("n1", time.Hour)
		l := b.lease("n1", leaseLife)
		b.clock.Advance(leaseLife)
		b.Greater(b.lease("n1", leaseLife).Number, l.Number)
	}},
	{"EachRenewalTellsWhatOthersHaveDone", func(b *fixture) {
		id := b.addJob("job")
		quiet := false // of the last renewal
		renewed := func() xxladapter.Lease {
			b.Helper()
			for range 3 { // a store may cache what earlier renewals have found
				b.clock.Advance(time.Second)
				l := b.lease("n1", leaseLife)
				b.Equal(b.clock.Now().Truncate(time.Millisecond).Add(leaseLife), l.Until)
				b.Equal(int64(1), l.Number)
			}
			b.clock.Advance(time.Second)
			l := b.lease("n1", leaseLife)
			quiet = l.Quiet
			return l
		}
		b.Equal(xxladapter.AllPartitions, renewed().Partitions)
		n2 := b.lease("n2", leaseLife)
		b.Equal(^n2.Partitions, renewed().Partitions, "n2 has taken its part")
		n2 = b.lease("n2", leaseLife)
		b.WithinRange(renewed().NextLapse, b.clock.Now(), n2.Until)
		b.NoError(b.store.Retire(b.ctx, n2.Term, xxladapter.MoveStopped))
		b.Equal(xxladapter.AllPartitions, renewed().Partitions)
		b.lease("n2", leaseLife)
		b.resign(n2.Term)
		b.Zero(renewed().NextLapse)

		n2 = b.lease("n2", leaseLife)
		b.Equal(32, renewed().Partitions.Len())
		fire := b.plan(id, b.clock.Now().Add(5500*time.Millisecond), xxladapter.TriggerManual)
		renewed()
		b.lease("n2", leaseLife)
		renewed()
		b.False(quiet, "a fire is due, which one cannot see without a look")
		_, err := b.store.ClaimFire(b.ctx, n2.Term, fire.ID, b.newLogs(id, 1))
		b.NoError(err)
		renewed()
		b.False(quiet)
		b.clock.Advance(leaseLife - 5*time.Second)
		l := renewed()
		b.Equal(xxladapter.AllPartitions, l.Partitions, "n2 has lapsed")
		b.Equal([]xxladapter.Term{n2.Term}, l.Dead)
		b.NoError(b.store.TakeFire(b.ctx, l.Term, fire.ID, n2.Term))
		b.Empty(renewed().Dead)
		b.False(quiet)
		b.settleBy(l.Term, xxladapter.Settlement{FireID: fire.ID})
		renewed()

		b.clock.Advance(-time.Hour)
		b.lease("n3", time.Minute)
		l = b.lease("n1", leaseLife)
		b.Equal(b.clock.Now().Truncate(time.Millisecond).Add(leaseLife), l.Until, "the clock was set back")
		b.clock.Advance(leaseLife)
		b.Greater(b.lease("n1", leaseLife).Number, l.Number)
	}},
	{"ARenewalThatComesLateTakesNothingBack", func(b *fixture) {
		l := b.lease("n1", leaseLife)
		var newer xxladapter.Lease
		renewed := make(chan struct{})
		b.clock.OnNextRead(func() { // the next renewal has read the clock
			b.clock.Advance(leaseLife / 2)
			go func() { // the case waits for renewed
				defer close(renewed)
				newer, _ = b.store.Lease(b.ctx, "n1", leaseLife)
			}()
			select {
			case <-renewed:
			case <-time.After(time.Second): // a store that runs one call at a time has no late renewals
			}
		})
		late := b.lease("n1", leaseLife)
		<-renewed
		b.Equal(l.Term, newer.Term)
		b.Equal(l.Until.Add(leaseLife/2), newer.Until)
		b.Equal(l.Term, late.Term)
		held, err := b.store.Leases(b.ctx)
		b.NoError(err)
		b.Len(held, 1)
		b.Equal(newer.Until, held[0].Until)
		b.clock.Advance(leaseLife - time.Millisecond)
		b.Equal(l.Term, b.lease("n1", leaseLife).Term)
	}},
	{"TermsOnlyGrowWhateverIsForgotten", func(b *fixture) {
		last := int64(0)
		for i := range 5 {
			l := b.lease(fmt.Sprint("n", i%2), leaseLife)
			b.Greater(l.Number, last)
			last = l.Number
			if i%2 == 0 {
				b.resign(l.Term)
			}
			b.clock.Advance(leaseLife)
		}
	}},
	{"AClockThatWasSetBackKeepsNoNodeAlive", func(b *fixture) {
		b.lease("n1", leaseLife)
		b.clock.Advance(-time.Hour)
		n2 := b.lease("n2", leaseLife)
		b.Equal(32, n2.Partitions.Len(), "n1 may be alive")
		b.clock.Advance(leaseLife - time.Millisecond)
		n2 = b.lease("n2", leaseLife)
		b.Equal(32, n2.Partitions.Len())
		b.clock.Advance(time.Millisecond)
		b.Equal(xxladapter.AllPartitions, b.lease("n2", leaseLife).Partitions)
	}},
	{"ALeaseNeedsANodeAndALife", func(b *fixture) {
		_, err := b.store.Lease(b.ctx, "", leaseLife)
		b.Error(err)
		_, err = b.store.Lease(b.ctx, "n1", 0)
		b.Error(err)
	}},
	{"AResignedTermIsOver", func(b *fixture) {
		first := b.lease("n1", leaseLife)
		b.resign(first.Term)
		b.resign(first.Term)
		second := b.lease("n1", leaseLife)
		b.Greater(second.Number, first.Number)
		b.resign(first.Term) // a term that is over ends nothing
		b.Equal(second.Term, b.lease("n1", leaseLife).Term)
		b.resign(xxladapter.Term{Node: "stranger", Number: 7})
	}},
	{"ARetiredTermHoldsWithoutPartitions", func(b *fixture) {
		n1 := b.lease("n1", leaseLife)
		n2 := b.lease("n2", leaseLife)
		id := b.addRunning("job", at(0))
		fire := b.claim(b.plan(id, at(-1), xxladapter.TriggerManual), "n1", 1)[0]
		b.lease("n1", leaseLife)
		b.NoError(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveStopped))
		b.NoError(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveStopped))
		_, due, err := b.store.ClaimDue(b.ctx, n1.Term, time.Hour, 10, everyMinute)
		b.NoError(err)
		b.Zero(due)
		b.Equal(xxladapter.AllPartitions, b.lease("n2", leaseLife).Partitions, "free at once")

		b.clock.Advance(leaseLife - time.Millisecond)
		again := b.lease("n1", leaseLife)
		b.Equal(n1.Term, again.Term)
		b.Zero(again.Partitions, "for good")
		b.clock.Advance(leaseLife - time.Millisecond)
		b.Empty(b.lease("n2", leaseLife).Dead)
		b.settleBy(n1.Term, xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200})

		b.NoError(b.store.Retire(b.ctx, n2.Term, xxladapter.MoveStopped), "over, whatever it was")
		b.clock.Advance(leaseLife)
		b.Equal(xxladapter.AllPartitions, b.lease("n1", leaseLife).Partitions, "the next term takes part again")
	}},
	{"TheLastNodeThatPlansIsNotDrained", func(b *fixture) {
		n1 := b.lease("n1", leaseLife)
		b.ErrorIs(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveDrained), xxladapter.ErrConflict)
		b.Equal(xxladapter.AllPartitions, b.lease("n1", leaseLife).Partitions, "nothing has changed")
		b.lease("n2", leaseLife)
		b.clock.Advance(leaseLife - time.Millisecond)
		b.lease("n1", leaseLife)
		b.clock.Advance(time.Millisecond)
		b.ErrorIs(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveDrained), xxladapter.ErrConflict, "n2's lease has lapsed")
		b.lease("n1", leaseLife)
		n2 := b.lease("n2", leaseLife)

		errs := [2]error{}
		var both sync.WaitGroup
		for i, term := range []xxladapter.Term{n1.Term, n2.Term} {
			both.Go(func() { errs[i] = b.store.Retire(b.ctx, term, xxladapter.MoveDrained) })
		}
		both.Wait()
		if errs[0] != nil {
			errs[0], errs[1], n1, n2 = errs[1], errs[0], n2, n1
		}
		b.NoError(errs[0])
		b.ErrorIs(errs[1], xxladapter.ErrConflict)
		b.True(b.lease(n1.Node, leaseLife).Retired)
		b.Equal(xxladapter.AllPartitions, b.lease(n2.Node, leaseLife).Partitions)
		b.NoError(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveDrained), "again")
		b.NoError(b.store.Retire(b.ctx, n2.Term, xxladapter.MoveStopped), "a stop is not refused")
		b.resign(n2.Term)
		b.NoError(b.store.Retire(b.ctx, n2.Term, xxladapter.MoveDrained), "over")
	}},
	{"OneLeaderHasAllPartitionsUntilItsLeaseEnds", func(b *fixture) {
		n2 := b.lead("n2", leaseLife)
		b.Equal(xxladapter.NodeLeads, n2.Role())
		n1 := b.lead("n1", leaseLife)
		b.Equal(xxladapter.NodeStandby, n1.Role())
		b.Zero(n1.Partitions)
		b.Equal([]xxladapter.Term{n2.Term}, n1.Others)
		for range 3 { // a store may cache what earlier renewals have found
			b.Equal(xxladapter.AllPartitions, b.lead("n2", leaseLife).Partitions)
			b.Zero(b.lead("n1", leaseLife+time.Second).Partitions)
		}
		b.clock.Advance(leaseLife - time.Millisecond)
		b.Zero(b.lead("n1", leaseLife).Partitions, "n2 may be alive")
		b.clock.Advance(time.Millisecond)
		b.Equal(xxladapter.NodeLeads, b.lead("n3", leaseLife).Role(), "the first that renews")
		b.Equal(xxladapter.NodeStandby, b.lead("n1", leaseLife).Role())
		b.Equal(xxladapter.NodeStandby, b.lead("n2", leaseLife).Role(), "a new term")
	}},
	{"ALeaderThatStopsIsSucceededAtOnce", func(b *fixture) {
		id := b.addRunning("job", at(0))
		n1 := b.lead("n1", leaseLife)
		b.lead("n2", leaseLife)
		b.NoError(b.store.Retire(b.ctx, n1.Term, xxladapter.MoveDrained))
		n1 = b.lead("n1", leaseLife)
		b.Equal(xxladapter.NodeRetired, n1.Role())
		n2 := b.lead("n2", leaseLife)
		b.Equal(xxladapter.NodeLeads, n2.Role())
		b.Empty(n2.Others)
		for _, l := range []xxladapter.Lease{n1, n2} {
			fires, _, err := b.store.ClaimDue(b.ctx, l.Term, 0, 10, everyMinute)
			b.NoError(err)
			b.Len(fires, l.Partitions.Len()/xxladapter.Partitions)
			for _, f := range fires {
				b.Equal(id, f.JobID)
			}
		}
		held, err := b.store.Leases(b.ctx)
		b.NoError(err)
		b.Equal(xxladapter.NodeRetired, held[0].Role())
		b.Equal(xxladapter.NodeLeads, held[1].Role())
		b.lead("n3", leaseLife)
		b.resign(n2.Term)
		b.Equal(xxladapter.NodeLeads, b.lead("n3", leaseLife).Role())
		var got []string
		for _, h := range b.moves() {
			got = append(got, fmt.Sprint(h.Term.Node, " ", h.Cause, " ", h.Partitions))
		}
		b.Equal([]string{"n1 joined 64", "n1 drained 64", "n2 joined 64", "n2 stopped 64", "n3 joined 64"}, got)
	}},
	{"ALeaderNeedsTheModeOfAllNodes", func(b *fixture) {
		b.lead("n1", leaseLife)
		n2 := b.lease("n2", leaseLife)
		b.Equal(32, n2.Partitions.Len(), "n2 has no leader")
		n1 := b.lead("n1", leaseLife)
		b.Equal(32, n1.Partitions.Len())
		b.Equal(xxladapter.NodePlans, n1.Role())
		b.Equal(xxladapter.SchedulingLeader, b.lease("n1", leaseLife).Mode, "as its term began")
		b.Equal(xxladapter.SchedulingAll, b.lead("n2", leaseLife).Mode)
		b.Equal(32, b.lead("n1", leaseLife).Partitions.Len())
		b.resign(n2.Term)
		b.Equal(xxladapter.NodeStandby, b.lead("n2", leaseLife).Role(), "n1 has more")
		b.Equal(xxladapter.NodeLeads, b.lead("n1", leaseLife).Role())
		held, err := b.store.Leases(b.ctx)
		b.NoError(err)
		b.Equal(xxladapter.SchedulingLeader, held[0].Mode)
		b.Equal(xxladapter.NodeStandby, held[1].Role())
	}},
	{"DeadAreTheTermsThatAreOverAndOwnFires", func(b *fixture) {
		id := b.addJob("job")
		b.lease("n1", leaseLife)
		b.lease("n2", leaseLife)
		b.lease("n3", leaseLife) // and owns nothing
		fire := b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 2)[0]
		b.claim(b.plan(id, at(1), xxladapter.TriggerCron), "n2", 1)
		n1, n2 := b.lease("n1", leaseLife), b.lease("n2", leaseLife)
		b.clock.Advance(leaseLife - time.Millisecond)
		b.Empty(b.lease("n4", leaseLife).Dead)
		b.clock.Advance(time.Millisecond)
		b.Equal([]xxladapter.Term{n1.Term, n2.Term}, b.lease("n4", leaseLife).Dead)

		again := b.lease("n1", leaseLife)
		b.Equal([]xxladapter.Term{n1.Term, n2.Term}, again.Dead, "its own earlier term among them")
		b.NoError(b.store.TakeFire(b.ctx, again.Term, fire.ID, n1.Term))
		b.Equal([]xxladapter.Term{n1.Term, n2.Term}, b.lease("n4", leaseLife).Dead, "one fire of two")
		for _, f := range b.openFires(xxladapter.FireFilter{Owner: n1.Term}) {
			b.NoError(b.store.TakeFire(b.ctx, again.Term, f.ID, n1.Term))
		}
		b.Equal([]xxladapter.Term{n2.Term}, b.lease("n4", leaseLife).Dead)
	}},
	{"AResignedTermWithFiresIsDeadAtOnce", func(b *fixture) {
		id := b.addJob("job")
		b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 1)
		b.resign(b.term("n1"))
		b.Equal([]xxladapter.Term{{Node: "n1", Number: 1}}, b.lease("n2", leaseLife).Dead)
	}},
}
