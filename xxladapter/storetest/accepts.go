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
	{"TheFirstThatAsksGetsTheRunAndItsFireIsSettled", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
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
	{"AnAmbiguousFireIsAccepted", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous,
		})
		b.True(b.accept(fire.LogID, queueA))
		b.Empty(b.openFires(xxladapter.FireFilter{}))
	}},
	{"ARequestForWhatIsHeldGetsNoRunThatWaits", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
		want, open := b.log(fire.LogID), b.openFires(xxladapter.FireFilter{})
		b.False(b.holds(fire.LogID, queueA))
		b.Equal(want, b.log(fire.LogID))
		b.Equal(open, b.openFires(xxladapter.FireFilter{}))
		b.False(b.holds(absent, queueA))

		b.True(b.accept(fire.LogID, queueA), "it waited")
		b.True(b.holds(fire.LogID, queueA))
		b.False(b.holds(fire.LogID, queueB), "another has it")
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultOK})
		b.NoError(err)
		b.False(b.holds(fire.LogID, queueA), "the run has a result")
	}},
	{"ARequestForWhatIsHeldGetsARunInDoubt", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous,
		})
		b.False(b.holds(fire.LogID, "nats://other/a"), "it was queued for another app")
		b.True(b.holds(fire.LogID, queueA), "it may have begun there")
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		b.Equal(queueA, b.log(fire.LogID).Address)
	}},
	{"HeldAndWaitingRunsShareAList", func(b *fixture) {
		id := b.addJob("job")
		var runs []int64
		for i := range 3 {
			runs = append(runs, b.queuedRun(id, i, "nats://app").LogID)
		}
		b.True(b.accept(runs[1], queueA))
		may, err := b.store.AcceptRuns(b.ctx, []xxladapter.Accept{
			{LogID: runs[0], Address: queueA, Held: true}, {LogID: runs[1], Address: queueA, Held: true},
			{LogID: runs[2], Address: queueA}, {LogID: runs[0], Address: queueB},
		})
		b.NoError(err)
		b.Equal([]bool{false, true, true, true}, may)
		b.Equal(queueB, b.log(runs[0]).Address)
	}},
	{"ARunThatWasGivenUpIsNotAccepted", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
		b.settleBy(
			b.term("n1"),
			xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "given up"},
		)
		want := b.log(fire.LogID)
		b.False(b.accept(fire.LogID, queueA))
		b.False(b.accept(fire.LogID, want.Address))
		b.Equal(want, b.log(fire.LogID))
	}},
	{"ARunThatIsTakenWhileItIsGivenUpIsKept", func(b *fixture) {
		id := b.addJob("job")
		fire := b.queuedRun(id, 1, "nats://app")
		b.True(b.accept(fire.LogID, queueA))
		want := b.log(fire.LogID)
		b.Empty(b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "given up",
			Next: []xxladapter.Fire{{JobID: id, Due: at(2), Type: xxladapter.TriggerRetry}},
		}))
		b.Equal(want, b.log(fire.LogID), "its result plans what follows")
	}},
	{"ARunThatEndedBeforeItWasAcceptedIsNot", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
		_, _, err := b.store.FinishRun(
			b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "lost"},
		)
		b.NoError(err)
		want := b.log(fire.LogID)
		b.False(b.accept(fire.LogID, queueA))
		b.Equal(want, b.log(fire.LogID))
	}},
	{"EachRunOfAListIsDecidedByItself", func(b *fixture) {
		id := b.addJob("job")
		var list []xxladapter.Accept
		for i := range 3 {
			fire := b.queuedRun(id, i, "nats://app")
			list = append(list, xxladapter.Accept{LogID: fire.LogID, Address: queueA})
		}
		b.True(b.accept(list[1].LogID, queueB))
		list = []xxladapter.Accept{list[2], list[1], {LogID: absent, Address: queueA}, list[0]}
		may, err := b.store.AcceptRuns(b.ctx, list)
		b.NoError(err)
		b.Equal([]bool{true, false, false, true}, may)
		b.Equal(queueB, b.log(list[1].LogID).Address)
		may, err = b.store.AcceptRuns(b.ctx, nil)
		b.NoError(err)
		b.Empty(may)
	}},
	{"ARunThatWasAcceptedEndsAsAnyOther", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
		b.True(b.accept(fire.LogID, queueA))
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous}) // too late
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		lost, err := b.store.LostRuns(b.ctx, 0, 0, 10)
		b.NoError(err)
		b.Len(lost, 1)
		b.Equal(queueA, lost[0].Address)
		applied, _, err := b.store.FinishRun(
			b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultFail, Msg: "no"},
		)
		b.NoError(err)
		b.True(applied)
		l := b.log(fire.LogID)
		b.Equal([]any{queueA, 200, 500, "no"}, []any{l.Address, l.TriggerCode, l.HandleCode, l.HandleMsg})
	}},
	{"ListsShowTheAddressThatHasTheRun", func(b *fixture) {
		fire := b.queuedRun(b.addJob("job"), 1, "nats://app")
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
	{"OnlyAnExecutorThatARunIsForGetsIt", func(b *fixture) {
		id := b.addJob("job")
		for i, c := range []struct {
			address string
			want    []bool // to a and b of the app, and to a of another
		}{
			{"nats://app", []bool{true, true, false}},
			{queueA, []bool{true, false, false}},
			{"nats://other", []bool{false, false, true}},
			{"http://a:1", []bool{false, false, false}},
			{"", []bool{false, false, false}},
		} {
			for k, by := range []string{queueA, queueB, "nats://other/a"} {
				fire := b.queuedRun(id, 3*i+k, c.address)
				before := b.log(fire.LogID)
				b.Equal(c.want[k], b.accept(fire.LogID, by), "a run at %q for %s", c.address, by)
				if !c.want[k] {
					b.Equal(before, b.log(fire.LogID))
				}
			}
		}
	}},
	{"OneOfManyThatAskAtOnceGetsTheRun", func(b *fixture) {
		id := b.addJob("job")
		var runs []int64
		for i := range 8 {
			runs = append(runs, b.queuedRun(id, i, "nats://app").LogID)
		}
		const askers = 4
		may, errs := [askers][]bool{}, [askers]error{}
		var all sync.WaitGroup
		for n := range askers {
			all.Go(func() {
				list := make([]xxladapter.Accept, len(runs))
				for i := range runs {
					list[i] = xxladapter.Accept{
						LogID: runs[(i+n)%len(runs)], Address: fmt.Sprintf("nats://app/%d", n),
					}
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

// queuedRun claims a fire whose run waits at an address.
func (b *fixture) queuedRun(jobID int64, n int, address string) xxladapter.Fire {
	b.Helper()
	logs := b.newLogs(jobID, 1)
	logs[0].Address = address
	return b.claimWith(b.plan(jobID, at(n), xxladapter.TriggerManual), "n1", logs)[0]
}

// accept reports whether the executor at an address may begin a run.
func (b *fixture) accept(logID int64, address string) bool {
	return b.ask(xxladapter.Accept{LogID: logID, Address: address})
}

// holds reports whether the executor at an address has a run.
func (b *fixture) holds(logID int64, address string) bool {
	return b.ask(xxladapter.Accept{LogID: logID, Address: address, Held: true})
}

func (b *fixture) ask(a xxladapter.Accept) bool {
	may, err := b.store.AcceptRuns(b.ctx, []xxladapter.Accept{a})
	b.NoError(err)
	b.Len(may, 1)
	return may[0]
}
