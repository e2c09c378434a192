package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var awaitRules = []rule{
	{"ASettlementThatAwaitsTheResultIsStoredWithItOrWithout", func(b *fixture) { b.settleAwaiting() }},
}

var awaitFullRules = []fullRule{
	{"WhatIsSettledWithItsResultIsRecordedWhole", func(b *fullFixture) {
		for _, f := range b.settleAwaiting() {
			h := b.history(f.LogID)
			b.Equal(
				[]time.Time{f.Due, at(2), at(3), epoch.Truncate(time.Millisecond)},
				[]time.Time{h.Due, h.Sent, h.Acknowledged, h.Finished},
			)
		}
		day, err := b.store.Reports(b.ctx, at(0).Add(-48*time.Hour), at(0).Add(48*time.Hour))
		b.NoError(err)
		b.Len(day, 1)
		b.Equal([]int64{1, 3, 2}, []int64{day[0].Running, day[0].Success, day[0].Failed})
	}},
}

// settleAwaiting settles six fires that wait for their results, the first one in vain, and returns
// the other five, whose results come at the same time.
func (b *fixture) settleAwaiting() (fires []xxladapter.Fire) {
	b.Helper()
	id := b.addJob("job")
	term := b.term("n1")
	settled := func(f xxladapter.Fire) xxladapter.Settlement {
		return xxladapter.Settlement{
			FireID: f.ID, LogID: f.LogID, Code: 200, Msg: fmt.Sprint("sent ", f.ID), AwaitResult: true, Sent: at(2),
			Acknowledged: at(3),
		}
	}
	for i := range 6 {
		fires = append(fires, b.claim(b.plan(id, at(i), xxladapter.TriggerManual), "n1", 1)...)
	}
	alone := fires[0]
	fires = fires[1:]
	b.settleBy(term, settled(alone))
	b.Equal(200, b.log(alone.LogID).TriggerCode)
	b.Equal(fmt.Sprint("sent ", alone.ID), b.log(alone.LogID).TriggerMsg)

	var all sync.WaitGroup
	errs := make([]error, 2*len(fires))
	applied := make([]bool, len(fires))
	for i, f := range fires {
		all.Go(func() { _, errs[2*i] = b.store.SettleFire(b.ctx, term, settled(f)) })
		all.Go(func() {
			code := 200 + 300*(i%2)
			applied[i], _, errs[2*i+1] = b.store.FinishRun(b.ctx, xxladapter.RunResult{
				LogID: f.LogID, Code: code, Msg: fmt.Sprint("done ", i), WantText: i == 0,
			})
		})
	}
	all.Wait()
	b.NoError(errors.Join(errs...))
	b.Empty(b.openFires(xxladapter.FireFilter{}))
	for i, f := range fires {
		b.True(applied[i])
		l := b.log(f.LogID)
		b.Equal([]any{200, fmt.Sprint("sent ", f.ID), 200 + 300*(i%2), fmt.Sprint("done ", i), second(epoch)},
			[]any{l.TriggerCode, l.TriggerMsg, l.HandleCode, l.HandleMsg, l.HandleTime})
	}
	return fires
}
