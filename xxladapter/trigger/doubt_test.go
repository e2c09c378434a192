package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A forgetful store loses answers: the first calls of each kind fail with [xxladapter.ErrInDoubt].
// By its fate a call has then happened, never happens, or happens when the next call comes.
type forgetful struct {
	*memstore.Store
	fate fate
	lose int // answers of each kind

	mu    sync.Mutex // the shards of a broadcast are settled at once
	calls map[string]int
	late  func() // what happens when the next call comes; nil means nothing
}

type fate int

const (
	happens fate = iota
	doesNot
	happensLate
)

func inDoubt[T any](d *forgetful, kind string, call func() (T, error)) (T, error) {
	var none T
	d.mu.Lock()
	late := d.late
	d.late = nil
	d.calls[kind]++
	lost := d.calls[kind] <= d.lose
	if lost && d.fate == happensLate {
		d.late = func() { _, _ = call() }
	}
	d.mu.Unlock()
	if late != nil {
		late()
	}
	if !lost {
		return call()
	}
	if d.fate == happens {
		_, _ = call()
	}
	return none, xxladapter.ErrInDoubt
}

func (d *forgetful) ClaimFire(ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log) ([]xxladapter.Fire, error) {
	return inDoubt(d, "claim", func() ([]xxladapter.Fire, error) { return d.Store.ClaimFire(ctx, by, id, logs) })
}

func (d *forgetful) SettleFire(ctx context.Context, by xxladapter.Term, s xxladapter.Settlement) ([]xxladapter.Fire, error) {
	return inDoubt(d, "settle", func() ([]xxladapter.Fire, error) { return d.Store.SettleFire(ctx, by, s) })
}

func (d *forgetful) FinishRun(ctx context.Context, r xxladapter.RunResult) (applied bool, planned []xxladapter.Fire, err error) {
	applied, err = inDoubt(d, "finish", func() (applied bool, err error) {
		applied, planned, err = d.Store.FinishRun(ctx, r)
		return applied, err
	})
	if err != nil {
		return false, nil, err
	}
	return applied, planned, nil
}

// TestAnAnswerOfTheStoreThatIsLostDelaysNothing loses the first answer to each claim, settlement
// and result. The run is sent once and settled once, by the same call that got no answer.
func TestAnAnswerOfTheStoreThatIsLostDelaysNothing(t *testing.T) {
	for name, fate := range map[string]fate{"it has happened": happens, "it has not": doesNot, "it happens when it is looked for": happensLate} {
		for _, route := range []xxladapter.RouteStrategy{xxladapter.RouteFirst, xxladapter.RouteShardingBroadcast} {
			t.Run(name+"/"+string(route), func(t *testing.T) {
				one, two := newFakeExecutor(t, nil), newFakeExecutor(t, nil)
				f := newFixture(t, route, one.URL, two.URL)
				f.ambiguous(xxladapter.AmbiguousSkip) // which would drop what is taken for sent
				f.over.opts.Store = &forgetful{Store: f.store, fate: fate, lose: 1, calls: map[string]int{}}
				require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})))
				shards := 1
				if route == xxladapter.RouteShardingBroadcast {
					shards = 2
				}
				require.Len(t, append(one.taken(), two.taken()...), shards)
				require.Empty(t, f.open())
				require.Len(t, f.logs(), shards)
				require.Equal(t, 200, f.logs()[0].TriggerCode)

				l := f.logs()[0]
				f.over.jitter = func() float64 { return 0 }
				require.NoError(t, f.over.Complete(t.Context(), wire.Callbacks{{LogID: wire.Int(l.ID), HandleCode: wire.Int(500)}}))
				require.Equal(t, 1, len(f.sched.planned)+f.sched.swept(), "the retry is armed, or swept where the call does not know of it")
				require.Len(t, f.open(), 1, "and planned once")
			})
		}
	}
}

// TestAStoreThatLosesEveryAnswerIsNotAskedForEver gives up, and leaves the fire to the sweep.
func TestAStoreThatLosesEveryAnswerIsNotAskedForEver(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	d := &forgetful{Store: f.store, fate: doesNot, lose: 1000, calls: map[string]int{}}
	f.over.opts.Store = d
	require.ErrorIs(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: -1})), xxladapter.ErrInDoubt)
	require.Less(t, d.calls["claim"], 5)
	require.Empty(t, exec.taken())
}

// TestAClaimThatAnotherNodeMadeIsLeftAlone loses the answer to a claim that never arrived, and
// meanwhile another node claims the fire.
func TestAClaimThatAnotherNodeMadeIsLeftAlone(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	other, ok := schedulerOf(t, f.store, "node-2").Term()
	require.True(t, ok)
	fire := f.plan(xxladapter.Fire{RetryCount: -1})
	d := &forgetful{Store: f.store, fate: doesNot, lose: 1, calls: map[string]int{}}
	f.over.opts.Store = &stolen{forgetful: d, steal: func() {
		_, err := f.store.ClaimFire(t.Context(), other, fire.ID, []*xxladapter.Log{{JobID: fire.JobID, TriggerTime: time.Now()}})
		require.NoError(t, err)
	}}
	require.NoError(t, f.over.Fire(t.Context(), fire))
	require.Empty(t, exec.taken())
	require.Equal(t, other, f.open()[0].Owner)
}

// TestAnEarlierHandOverIsNotTakenForAClaimInDoubt hands a fire over a second time, as a sweep may
// that has read it before the first time, and loses the answer to the claim. The first time, the
// executor has taken the run, and its answer was lost.
func TestAnEarlierHandOverIsNotTakenForAClaimInDoubt(t *testing.T) {
	exec := newFakeExecutor(t, func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) })
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	fire := f.plan(xxladapter.Fire{RetryCount: -1})
	require.NoError(t, f.over.Fire(t.Context(), fire))
	require.Equal(t, xxladapter.FireAmbiguous, f.open()[0].State)
	f.over.opts.Store = &forgetful{Store: f.store, fate: doesNot, lose: 1, calls: map[string]int{}}
	require.NoError(t, f.over.Fire(t.Context(), fire))
	require.Len(t, exec.taken(), 1)
}

// A stolen store lets another node act right after the first claim.
type stolen struct {
	*forgetful
	steal func()
}

func (s *stolen) ClaimFire(ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log) ([]xxladapter.Fire, error) {
	fires, err := s.forgetful.ClaimFire(ctx, by, id, logs)
	if s.steal != nil {
		s.steal()
		s.steal = nil
	}
	return fires, err
}

func (d *forgetful) TakeFire(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) error {
	_, err := inDoubt(d, "take over", func() (struct{}, error) { return struct{}{}, d.Store.TakeFire(ctx, by, id, from) })
	return err
}

// TestATakenFireInDoubtIsTakenAgain loses the answer to a take-over from a term that is over, and
// to one within the node's own.
func TestATakenFireInDoubtIsTakenAgain(t *testing.T) {
	for name, fate := range map[string]fate{"it has happened": happens, "it has not": doesNot, "it happens when it is made again": happensLate} {
		for _, own := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				exec := newFakeExecutor(t, nil)
				f := newFixture(t, xxladapter.RouteFirst, exec.URL)
				term, _ := f.sched.term()
				if !own {
					over, err := f.store.Lease(t.Context(), "node-2", time.Hour)
					require.NoError(t, err)
					term = over.Term
				}
				fire := f.plan(xxladapter.Fire{RetryCount: -1})
				claimed, err := f.store.ClaimFire(t.Context(), term, fire.ID, []*xxladapter.Log{{JobID: fire.JobID, Address: exec.URL, TriggerTime: time.Now()}})
				require.NoError(t, err)
				if !own {
					require.NoError(t, f.store.Resign(t.Context(), term))
				}
				f.ambiguous(xxladapter.AmbiguousResend)
				f.over.opts.Store = &forgetful{Store: f.store, fate: fate, lose: 1, calls: map[string]int{}}
				require.NoError(t, f.over.Resolve(t.Context(), claimed[0]))
				require.Len(t, exec.taken(), 1)
				require.Empty(t, f.open())
			})
		}
	}
}

// TestARefusedRunWhoseSettlementIsInDoubtRunsOnce loses every answer to the settlement of a run
// that the executor has refused, so that the sweep finds the fire. Either the settlement has
// happened, and the retry runs, or it has not, and the run is sent again under its log id; never
// both.
func TestARefusedRunWhoseSettlementIsInDoubtRunsOnce(t *testing.T) {
	never, err := json.Marshal(wire.OK().WithPayload(wire.LogResult{FromLine: 1, Content: wire.MsgNoLogFile, End: true}))
	require.NoError(t, err)
	for name, fate := range map[string]fate{"it has happened": happens, "it has not": doesNot, "it happens when the fire is resolved": happensLate} {
		for _, strategy := range []xxladapter.AmbiguousStrategy{xxladapter.AmbiguousProbe, xxladapter.AmbiguousResend} {
			t.Run(name+"/"+string(strategy), func(t *testing.T) {
				var exec *fakeExecutor
				exec = newFakeExecutor(t, func(w http.ResponseWriter, path string) {
					switch {
					case path == wire.PathLog:
						_, _ = w.Write(never)
					case len(exec.taken()) == 1:
						fmt.Fprint(w, `{"code":500,"msg":"busy"}`)
					default:
						fmt.Fprint(w, `{"code":200}`)
					}
				})
				f := newFixture(t, xxladapter.RouteFirst, exec.URL)
				f.ambiguous(strategy)
				f.over.jitter = func() float64 { return 0 }
				d := &forgetful{Store: f.store, fate: fate, lose: doubtAttempts, calls: map[string]int{"claim": doubtAttempts, "take over": doubtAttempts}}
				noted := &noting{forgetful: d}
				f.over.opts.Store = noted
				if fate == happensLate {
					d.fate = doesNot // until the sweep
				}
				err := f.over.Fire(t.Context(), f.plan(xxladapter.Fire{RetryCount: 1}))
				require.ErrorIs(t, err, xxladapter.ErrInDoubt)
				if fate == happensLate {
					require.Len(t, f.open(), 1)
					d.late = noted.settle
				}
				retries := func() (n int) {
					for _, open := range f.open() {
						if open.State == xxladapter.FirePlanned {
							n++
						}
					}
					return n
				}
				for range 2 * doubtAttempts { // sweeps
					for _, open := range f.open() {
						if open.State == xxladapter.FirePlanned {
							continue
						}
						if err := f.over.Resolve(t.Context(), open); err != nil {
							require.ErrorIs(t, err, xxladapter.ErrInDoubt)
						}
					}
				}
				require.Len(t, f.open(), retries(), "nothing is left without an outcome")
				require.Len(t, f.logs(), 1)
				resent := len(exec.taken()) - 1
				require.Equal(t, 1, resent+retries(), "sent again, or to be retried")
				require.Equal(t, resent == 1, f.logs()[0].TriggerCode == wire.CodeOK)
				require.Equal(t, fate == doesNot, resent == 1)
			})
		}
	}
}

// A noting store notes the last settlement, to make it later.
type noting struct {
	*forgetful
	settle func()
}

func (n *noting) SettleFire(ctx context.Context, by xxladapter.Term, s xxladapter.Settlement) ([]xxladapter.Fire, error) {
	n.settle = func() { _, _ = n.Store.SettleFire(context.WithoutCancel(ctx), by, s) }
	return n.forgetful.SettleFire(ctx, by, s)
}
