package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var stuckRules = []rule{
	{"ATriggerWithoutOutcomeOrFireIsWrittenOff", func(b *fixture) {
		id := b.addJob("job")
		// begun leaves a row without an outcome, like a program that died between the insert and
		// the outcome.
		begun := func() int64 {
			fires := b.claimNow(b.plan(id, b.clock.Now(), xxladapter.TriggerManual), "n1")
			b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fires.ID, LogID: fires.LogID})
			return fires.LogID
		}
		writeOff := func(limit int) (ids []int64) {
			logs, err := b.store.WriteOffStuck(b.ctx, 5*time.Minute, limit, xxladapter.ResultUnknown, "nobody knows")
			b.NoError(err)
			for _, l := range logs {
				b.Equal(b.log(l.ID), l)
				b.Equal(xxladapter.ResultUnknown, l.TriggerCode)
				b.Equal("nobody knows", l.TriggerMsg)
				b.Zero(l.HandleCode)
				ids = append(ids, l.ID)
			}
			return ids
		}
		one, two := begun(), begun()
		ended := begun()
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: ended, Code: 200})
		b.NoError(err)
		refused := b.claimNow(b.plan(id, b.clock.Now(), xxladapter.TriggerManual), "n1")
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: refused.ID, LogID: refused.LogID, Code: 500})
		open := b.claimNow(b.plan(id, b.clock.Now(), xxladapter.TriggerManual), "n1")

		b.clock.Advance(5*time.Minute - time.Second)
		b.Empty(writeOff(10), "not old enough")
		b.clock.Advance(time.Second)
		young := begun()
		b.Equal([]int64{one}, writeOff(1))
		b.Equal([]int64{two}, writeOff(10))
		b.Empty(writeOff(10), "once")
		b.Zero(b.log(open.LogID).TriggerCode, "its fire is open, and will tell")
		b.Zero(b.log(young).TriggerCode)

		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: one, Code: 200})
		b.NoError(err)
		b.True(applied, "a result that comes after all still counts")
	}},
}

// claimNow claims with one row, triggered now.
func (b *fixture) claimNow(fire xxladapter.Fire, node string) xxladapter.Fire {
	b.Helper()
	logs := b.newLogs(fire.JobID, 1)
	logs[0].TriggerTime = second(b.clock.Now())
	claimed, err := b.store.ClaimFire(b.ctx, b.term(node), fire.ID, logs)
	b.NoError(err)
	return claimed[0]
}
