package executor

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const (
	// askPause and askPauseMax are the first and the longest pause between two attempts to reach a
	// scheduler.
	askPause, askPauseMax = 500 * time.Millisecond, 10 * time.Second
	// keepEvery is how often a run whose answer is awaited is kept from being delivered again.
	keepEvery = delivery.AckWait / 3
	// lastAsk is how long a request in flight may continue after the executor was stopped: if it
	// were cut off, the store could give runs that nobody begins, until a restart reports them.
	lastAsk = time.Second
)

// askFor asks, as ask does, for runs that were delivered. Meanwhile it keeps the broker from
// delivering them again, since the runs are not to blame if no scheduler answers.
func (in *intake) askFor(ctx context.Context, offers []offer, ids []int64) (may []bool, ok bool) {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	answered := make(chan struct{})
	var keeping sync.WaitGroup
	keeping.Go(func() {
		for {
			select {
			case <-answered:
				return
			case <-tick.C:
			}
			for _, o := range offers {
				o.delivery.Extend()
			}
		}
	})
	may, ok = in.ask(ctx, ids, false)
	close(answered)
	keeping.Wait()
	return may, ok
}

// ask asks a scheduler for runs or, if held is true, asks which of them this executor has. It asks
// until one answers, and returns false if ctx ends first; a request in flight then may continue for
// lastAsk.
func (in *intake) ask(ctx context.Context, ids []int64, held bool) (may []bool, ok bool) {
	list := make([]wire.Accept, len(ids))
	for i, id := range ids {
		list[i] = wire.Accept{LogID: wire.Int(id), Address: in.e.addr, Held: held}
	}
	callCtx, done := outliving(ctx, lastAsk)
	defer done()
	pause := newPause(askPause, askPauseMax)
	failing := false
	defer func() {
		if failing {
			in.unanswered.Add(-1)
		}
	}()
	for ctx.Err() == nil {
		payload, err := in.admins.callFor(callCtx, wire.OpAccept, sameBody(list))
		if err == nil {
			err = json.Unmarshal(payload, &may)
		}
		if err == nil && len(may) == len(ids) {
			return may, true
		}
		if !failing {
			failing = true
			in.unanswered.Add(1)
			if ctx.Err() == nil {
				in.e.opts.Logger.Warn(
					"no scheduler says whether runs may begin; asking again", "runs", len(ids), "err", err,
				)
			}
		}
		sleep(ctx, pause.next())
	}
	return nil, false
}

// askForUnfinished asks about the runs that an earlier process left open. Those that the store has
// given to this executor have failed, since they may have begun. The others have not begun, and are
// put back: one that the broker delivers again is taken as any other. A request of the earlier
// process that a scheduler handles after this one may still give such a run; see
// [journalState.stranded].
//
// askForUnfinished asks even if there are none, so that an executor takes nothing before a
// scheduler answers: a run that is delivered to executors which restart meanwhile would count as
// one that none of them can begin. It returns false if ctx has ended.
func (in *intake) askForUnfinished(ctx context.Context) bool {
	list := in.l.journal.unfinished()
	for asked := false; !asked || len(list) > 0; asked = true {
		part := list[:min(acceptBatch, len(list))]
		list = list[len(part):]
		ids := make([]int64, len(part))
		for i, r := range part {
			ids[i] = r.logID
		}
		may, ok := in.ask(ctx, ids, true)
		if !ok {
			return false
		}
		for i, r := range part {
			if !may[i] {
				in.l.journal.putBack(r.logID)
				continue
			}
			r.code, r.msg = wire.CodeFail, msgRestarted
			in.l.journal.finish(r)
		}
	}
	return ctx.Err() == nil
}
