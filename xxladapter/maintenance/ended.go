package maintenance

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// endedAge is how long ago a run must have been triggered for its executor to be asked whether it
// has ended. Most runs have a result before that.
const endedAge = 10 * time.Second

// A callee is an executor that is asked about runs, under the name of a group's app.
type callee struct {
	addr  string
	group int64
}

// askEnded asks executors which open runs have ended, and settles those. A result is acknowledged
// once it is durable, so such a run is open only if the store has lost its result since. A run that
// its executor does not know, or that is still in progress there, stays open. Executors that the
// previous poll found dead are not asked: this poll asks them for a sign of life anyway, and each
// call to a silent one lasts until its time-out. found is false if there was no open run.
func (l *Lost) askEnded(ctx context.Context) (found bool, err error) {
	// By this node's clock, which saves a question to the store: clocks are close to each other.
	open := xxladapter.LogFilter{
		Status: xxladapter.LogRunning, Taken: true, Before: time.Now().Add(-endedAge), Limit: lostLimit,
	}
	for {
		runs, err := l.Store.Logs(ctx, open)
		if err != nil {
			return false, err
		}
		found = found || len(runs) > 0
		at := map[callee][]*xxladapter.Log{}
		for _, run := range runs {
			open.AfterID = run.ID
			if to := (callee{run.Address, run.GroupID}); !l.silent[to] {
				at[to] = append(at[to], run)
			}
		}
		var asking errgroup.Group
		asking.SetLimit(askLimit)
		for to, runs := range at {
			asking.Go(func() error { return l.askEndedAt(ctx, to, runs) })
		}
		if err := asking.Wait(); err != nil || len(runs) < lostLimit {
			return found, err
		}
	}
}

// askEndedAt does for the runs at one executor what askEnded does. The error is the store's.
func (l *Lost) askEndedAt(ctx context.Context, to callee, runs []*xxladapter.Log) error {
	group, err := l.Store.Group(ctx, to.group)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	ended, err := l.Ended(ctx, to.addr, group.AppName, runs)
	if err != nil || len(ended) == 0 {
		return nil // the executor is away, or does not say
	}
	var known []wire.Callback
	lost := 0
	for _, e := range ended {
		// A result that came since the rows were read is acknowledged, and not lost.
		row, err := l.Store.Log(ctx, int64(e.LogID))
		switch {
		case errors.Is(err, xxladapter.ErrNotFound):
			continue
		case err != nil:
			return err
		case row.HandleCode != xxladapter.ResultNone:
			continue
		}
		lost++
		if e.HandleCode != 0 {
			known = append(known, e)
			continue
		}
		reason := xxladapter.LostMsg + "executor " + to.addr + " has ended the run and no longer knows its result"
		if err := l.Lose(ctx, int64(e.LogID), reason); err != nil {
			return err
		}
	}
	if lost == 0 {
		return nil
	}
	l.Logger.Warn(
		"results were lost after they were acknowledged, and are stored as their executor says", "runs", lost,
		"results", len(known), "address", to.addr,
	)
	return l.Complete(ctx, known)
}
