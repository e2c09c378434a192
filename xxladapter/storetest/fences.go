package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A scene has a due job, a planned fire, and a fire that n1 has claimed in a term that the case may
// end.
type scene struct {
	term    xxladapter.Term
	planned xxladapter.Fire
	claimed xxladapter.Fire
}

func newScene(b *fixture) scene {
	b.lease("n1", leaseLife)
	id := b.addRunning("due", at(0))
	s := scene{planned: b.plan(id, at(-1), xxladapter.TriggerManual)}
	s.claimed = b.claim(b.plan(id, at(-2), xxladapter.TriggerManual), "n1", 1)[0]
	s.term = b.lease("n1", leaseLife).Term // for leaseLife and no longer
	return s
}

// fenced makes every call that presents a term, and checks that it is refused and changes nothing.
func (s scene) fenced(b *fixture, by xxladapter.Term) {
	b.Helper()
	before := b.openFires(xxladapter.FireFilter{})
	_, _, err := b.store.ClaimDue(b.ctx, by, time.Hour, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
		b.Fail("a fenced node is asked nothing")
		return nil
	})
	b.ErrorIs(err, xxladapter.ErrFenced)
	_, err = b.store.ClaimFire(b.ctx, by, s.planned.ID, b.newLogs(s.planned.JobID, 1))
	b.ErrorIs(err, xxladapter.ErrFenced)
	b.ErrorIs(b.store.TakeFire(b.ctx, by, s.claimed.ID, s.claimed.Owner), xxladapter.ErrFenced)
	for _, state := range []xxladapter.FireState{"", xxladapter.FireAmbiguous} {
		for _, fire := range []xxladapter.Fire{s.claimed, s.planned, {ID: 4711, LogID: s.claimed.LogID}} {
			_, err = b.store.SettleFire(b.ctx, by, xxladapter.Settlement{
				FireID: fire.ID, LogID: s.claimed.LogID, State: state, Code: 500, Msg: "zombie",
			})
			b.ErrorIs(err, xxladapter.ErrFenced)
		}
	}
	var coded *xxladapter.Error
	b.ErrorAs(err, &coded)
	b.Equal(xxladapter.CodeFenced, coded.Code)

	b.Equal(before, b.openFires(xxladapter.FireFilter{}))
	b.Zero(b.log(s.claimed.LogID).TriggerCode)
	b.Equal(at(0), b.job(s.planned.JobID).TriggerNext)
	logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
	b.NoError(err)
	b.Len(logs, 1)
}

var fenceRules = []rule{
	{"ATermHoldsForItsWholeLife", func(b *fixture) {
		s := newScene(b)
		b.clock.Advance(leaseLife - time.Millisecond)
		_, err := b.store.ClaimFire(b.ctx, s.term, s.planned.ID, b.newLogs(s.planned.JobID, 1))
		b.NoError(err)
		b.settleBy(s.term, xxladapter.Settlement{FireID: s.claimed.ID, LogID: s.claimed.LogID, Code: 200})
		_, due, err := b.store.ClaimDue(b.ctx, s.term, time.Minute, 10, everyMinute)
		b.NoError(err)
		b.Equal(1, due)
	}},
	{"ALapsedTermIsFenced", func(b *fixture) {
		s := newScene(b)
		b.clock.Advance(leaseLife)
		s.fenced(b, s.term)
	}},
	{"ATermThatItsNodeHasLeftBehindIsFenced", func(b *fixture) {
		s := newScene(b)
		b.clock.Advance(leaseLife)
		b.lease("n1", leaseLife)
		s.fenced(b, s.term)
	}},
	{"AResignedTermIsFenced", func(b *fixture) {
		s := newScene(b)
		b.resign(s.term)
		s.fenced(b, s.term)
	}},
	{"ATermThatWasNeverIssuedIsFenced", func(b *fixture) {
		s := newScene(b)
		s.fenced(b, xxladapter.Term{})
		s.fenced(b, xxladapter.Term{Node: "n2", Number: s.term.Number})
		s.fenced(b, xxladapter.Term{Node: "n1", Number: s.term.Number + 1})
	}},
	{"ALapsedTermIsFencedThoughNobodyHasNoticed", func(b *fixture) {
		s := newScene(b)
		b.lease("n2", time.Hour)
		b.clock.Advance(leaseLife)
		s.fenced(b, s.term)
		b.lease("n2", time.Hour)
		s.fenced(b, s.term)
	}},
	{"TakeFireGivesAFireOfATermThatIsOverToTheCaller", func(b *fixture) {
		s := newScene(b)
		n2 := b.term("n2")
		b.ErrorIs(b.store.TakeFire(b.ctx, n2, s.planned.ID, xxladapter.Term{}), xxladapter.ErrConflict, "nobody's")
		b.ErrorIs(b.store.TakeFire(b.ctx, n2, s.planned.ID, n2), xxladapter.ErrConflict, "nor its own")
		b.ErrorIs(b.store.TakeFire(b.ctx, n2, 4711, s.term), xxladapter.ErrConflict, "unknown")
		b.ErrorIs(b.store.TakeFire(b.ctx, n2, s.claimed.ID, s.term), xxladapter.ErrConflict, "n1 lives")
		b.clock.Advance(leaseLife)
		again := b.newTerm("n1")
		b.NoError(b.store.TakeFire(b.ctx, n2, s.claimed.ID, s.term), "the node lives on, in another term")
		b.ErrorIs(b.store.TakeFire(b.ctx, again, s.claimed.ID, s.term), xxladapter.ErrConflict, "too late")

		s.claimed.Owner = n2
		b.Equal([]xxladapter.Fire{s.claimed}, b.openFires(xxladapter.FireFilter{State: xxladapter.FireClaimed}))
		b.settleBy(n2, xxladapter.Settlement{FireID: s.claimed.ID, State: xxladapter.FireAmbiguous})
		b.NoError(b.store.TakeFire(b.ctx, n2, s.claimed.ID, n2), "its own")
		b.resign(n2)
		b.NoError(b.store.TakeFire(b.ctx, again, s.claimed.ID, n2))
		s.claimed.Owner, s.claimed.State = again, xxladapter.FireAmbiguous
		b.Equal([]xxladapter.Fire{s.claimed}, b.openFires(xxladapter.FireFilter{Owner: again}))
	}},
	{"SettleFireLeavesAFireOfAnotherTermAlone", func(b *fixture) {
		s := newScene(b)
		n2 := b.term("n2")
		for _, state := range []xxladapter.FireState{"", xxladapter.FireAmbiguous} {
			_, err := b.store.SettleFire(b.ctx, n2, xxladapter.Settlement{
				FireID: s.claimed.ID, LogID: s.claimed.LogID, State: state, Code: 500, Msg: "not mine",
				Next: []xxladapter.Fire{{JobID: s.claimed.JobID, Due: at(9), Type: xxladapter.TriggerRetry}},
			})
			b.ErrorIs(err, xxladapter.ErrConflict)
		}
		b.Equal([]xxladapter.Fire{s.claimed, s.planned}, b.openFires(xxladapter.FireFilter{}))
		b.Zero(b.log(s.claimed.LogID).TriggerCode)
	}},
	{"ANewTermDoesNotSettleWhatItsNodeClaimedBefore", func(b *fixture) {
		s := newScene(b)
		b.clock.Advance(leaseLife)
		_, err := b.store.SettleFire(
			b.ctx, b.newTerm("n1"), xxladapter.Settlement{FireID: s.claimed.ID, LogID: s.claimed.LogID, Code: 200},
		)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.Zero(b.log(s.claimed.LogID).TriggerCode)
	}},
	{"AResultIsTakenWhateverBecameOfTheTerm", func(b *fixture) {
		s := newScene(b)
		b.clock.Advance(leaseLife)
		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: s.claimed.LogID, Code: 200})
		b.NoError(err)
		b.True(applied)
		b.Equal([]xxladapter.Fire{s.planned}, b.openFires(xxladapter.FireFilter{}))
	}},
}
