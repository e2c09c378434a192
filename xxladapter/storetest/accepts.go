package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Addresses of two executors that take runs from a queue.
const (
	queueA = "nats://app/a"
	queueB = "nats://app/b"
)

var acceptRules = []rule{
	{"TheFirstThatAsksGetsTheRunAndItsFireIsSettled", func(b *bench) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		want := b.log(fire.LogID)
		b.clock.Advance(time.Minute)
		b.True(b.accept(fire.LogID, queueA))
		want.Address, want.TriggerCode, want.TriggerMsg = queueA, xxladapter.ResultOK, "taken from the queue by "+queueA
		b.Equal(want, b.log(fire.LogID))
		b.Empty(b.openFires(xxladapter.FireFilter{}))

		b.False(b.accept(fire.LogID, queueB), "another has it")
		b.True(b.accept(fire.LogID, queueA), "the answer was lost")
		b.Equal(want, b.log(fire.LogID))

		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultOK})
		b.NoError(err)
		b.False(b.accept(fire.LogID, queueA), "the run has a result")
	}},
	{"AnAmbiguousFireIsAccepted", func(b *bench) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous})
		b.True(b.accept(fire.LogID, queueA))
		b.Empty(b.openFires(xxladapter.FireFilter{}))
	}},
	{"ARunThatWasGivenUpIsNotAccepted", func(b *bench) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "given up"})
		want := b.log(fire.LogID)
		b.False(b.accept(fire.LogID, queueA))
		b.False(b.accept(fire.LogID, want.Address))
		b.Equal(want, b.log(fire.LogID))
	}},
	{"ARunThatEndedBeforeItWasAcceptedIsNot", func(b *bench) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "lost"})
		b.NoError(err)
		want := b.log(fire.LogID)
		b.False(b.accept(fire.LogID, queueA))
		b.Equal(want, b.log(fire.LogID))
	}},
	{"EachRunOfAListIsDecidedByItself", func(b *bench) {
		id := b.addJob("job")
		var list []xxladapter.Accepted
		for i := range 3 {
			fire := b.claim(b.plan(id, at(i), xxladapter.TriggerManual), "n1", 1)[0]
			list = append(list, xxladapter.Accepted{LogID: fire.LogID, Address: queueA})
		}
		b.True(b.accept(list[1].LogID, queueB))
		list = []xxladapter.Accepted{list[2], list[1], {LogID: absent, Address: queueA}, list[0]}
		may, err := b.store.AcceptRuns(b.ctx, list)
		b.NoError(err)
		b.Equal([]bool{true, false, false, true}, may)
		b.Equal(queueB, b.log(list[1].LogID).Address)
		may, err = b.store.AcceptRuns(b.ctx, nil)
		b.NoError(err)
		b.Empty(may)
	}},
	{"ARunThatWasAcceptedEndsAsAnyOther", func(b *bench) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		b.True(b.accept(fire.LogID, queueA))
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous}) // too late
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		lost, err := b.store.LostRuns(b.ctx, 0, 0, 10)
		b.NoError(err)
		b.Len(lost, 1)
		b.Equal(queueA, lost[0].Address)
		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "no"})
		b.NoError(err)
		b.True(applied)
		l := b.log(fire.LogID)
		b.Equal([]any{queueA, 200, 500, "no"}, []any{l.Address, l.TriggerCode, l.HandleCode, l.HandleMsg})
	}},
	{"ListsShowTheAddressThatHasTheRun", func(b *bench) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		listed := func() string {
			logs, err := b.store.Logs(b.ctx, xxladapter.LogFilter{})
			b.NoError(err)
			b.Len(logs, 1)
			return logs[0].Address
		}
		b.NotEqual(queueA, listed())
		b.True(b.accept(fire.LogID, queueA))
		b.Equal(queueA, listed())
	}},
	{"OneOfManyThatAskAtOnceGetsTheRun", func(b *bench) {
		id := b.addJob("job")
		var runs []int64
		for i := range 8 {
			runs = append(runs, b.claim(b.plan(id, at(i), xxladapter.TriggerManual), "n1", 1)[0].LogID)
		}
		const askers = 4
		may, errs := [askers][]bool{}, [askers]error{}
		var all sync.WaitGroup
		for n := range askers {
			all.Go(func() {
				list := make([]xxladapter.Accepted, len(runs))
				for i := range runs {
					list[i] = xxladapter.Accepted{LogID: runs[(i+n)%len(runs)], Address: fmt.Sprintf("nats://app/%d", n)}
				}
				may[n], errs[n] = b.store.AcceptRuns(b.ctx, list)
			})
		}
		all.Wait()
		owners := map[int64]string{}
		for n := range askers {
			b.NoError(errs[n])
			for i, ok := range may[n] {
				if run := runs[(i+n)%len(runs)]; ok {
					b.Empty(owners[run], "two may begin run %d", run)
					owners[run] = fmt.Sprintf("nats://app/%d", n)
				}
			}
		}
		b.Len(owners, len(runs))
		for run, owner := range owners {
			b.Equal(owner, b.log(run).Address)
		}
	}},
}

// accept asks for one run.
func (b *bench) accept(logID int64, address string) bool {
	may, err := b.store.AcceptRuns(b.ctx, []xxladapter.Accepted{{LogID: logID, Address: address}})
	b.NoError(err)
	b.Len(may, 1)
	return may[0]
}
