package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const (
	// lostPace is the pause between two polls for lost runs. An ended registration causes a poll at
	// once. The regular polls are for results that were lost after they were acknowledged, and for
	// executors that never register. XXL-JOB polls every 60 s (JobCompleteHelper). While there are
	// suspects the pause is suspectPace.
	lostPace    = 30 * time.Second
	suspectPace = 5 * time.Second

	// lostAge is how long ago a run must have been accepted to be checked. If its executor dies
	// right after accepting it, the registration stays valid for at least two beats of 30 s.
	// Upstream waits for ten minutes, and then does not ask the executor.
	lostAge = xxladapter.RegistrationLife - 30*time.Second

	// goneFor is how long an executor that is no longer registered must have failed to answer. It
	// spans several polls, so that an executor that restarts is not taken for dead.
	goneFor = 3 * suspectPace

	// goneForQueued is goneFor for an executor on the queue. A broker that freezes is noticed
	// within 30 s; until then its executors seem silent.
	goneForQueued = xxladapter.HearingTime

	// goneForManual is goneFor for an executor that never registers, whose silence is the only
	// evidence.
	goneForManual = xxladapter.RegistrationLife

	// lostLimit limits the rows of one query.
	lostLimit = 1000

	// askLimit is how many executors are asked at the same time. If a whole network falls silent,
	// each call lasts until its time-out, and the others must not wait for it.
	askLimit = 256
)

// A LostStore is the part of [xxladapter.Store] that [Lost] needs.
type LostStore interface {
	Log(ctx context.Context, id int64) (*xxladapter.Log, error)
	Logs(ctx context.Context, f xxladapter.LogFilter) ([]*xxladapter.Log, error)
	LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*xxladapter.Log, error)
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
}

// Lost ends runs whose result will never arrive: their executor says that they have ended and that
// their results were acknowledged, or the executor is no longer registered and has not answered for
// a while. Lost does not end a run on an executor that never registers but answers, or that
// restarts and keeps its results. The silence of executors begins anew after a poll that failed,
// after the process stood still, and on the queue while the broker is away.
type Lost struct {
	Store LostStore
	// Beat asks the executor at an address for a sign of life; trigger.Client.Alive does that. The
	// app is that of the run's group, whose token the call carries: the address is no longer
	// registered, so it does not tell the app.
	Beat func(ctx context.Context, addr, appName string) error
	// Ended asks the executor at an address which of some runs have ended; trigger.Client.Ended
	// does that. An error settles nothing.
	Ended func(ctx context.Context, addr, appName string, runs []*xxladapter.Log) ([]wire.Callback, error)
	// Complete stores results; trigger.HandOver.Complete does that.
	Complete func(ctx context.Context, results []wire.Callback) error
	// Lose stores the failure of a run; trigger.HandOver.Lose does that.
	Lose func(ctx context.Context, logID int64, reason string) error
	// Connected returns since when this node is connected to the broker, as for
	// [xxladapter.HearsQueue]; nil means that it has none.
	Connected func() time.Time
	// Expired signals that registrations have ended, see [Registry]. A channel with room for one
	// value is enough. If it is nil, the next regular poll finds their runs.
	Expired <-chan struct{}
	Logger  *slog.Logger // nil means slog.Default()

	// suspects maps the log ids of the runs that seemed lost in the previous poll to the time when
	// they first did.
	suspects map[int64]time.Time
	silent   map[callee]bool // where the previous poll found an executor dead
	polled   time.Time       // the end of the last poll
}

// Run polls until ctx ends. Errors of the store are logged, and the next poll tries again.
func (l *Lost) Run(ctx context.Context) error {
	if err := check(
		&l.Logger, need{"Lost.Store", l.Store == nil}, need{"Lost.Beat", l.Beat == nil},
		need{"Lost.Ended", l.Ended == nil}, need{"Lost.Complete", l.Complete == nil}, need{"Lost.Lose", l.Lose == nil},
	); err != nil {
		return err
	}
	next := time.NewTimer(lostPace)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.Expired:
		case <-next.C:
		}
		l.turn(ctx)
		pace := lostPace
		if len(l.suspects) > 0 {
			pace = suspectPace
		}
		next.Reset(pace)
	}
}

// turn polls once. It forgets suspects whose executors were not asked at the pace of suspects.
func (l *Lost) turn(ctx context.Context) {
	if wallClock().Sub(l.polled) > 2*suspectPace { // the process or its machine stood still
		l.suspects, l.silent = nil, nil
	}
	if err := l.poll(ctx); err != nil && ctx.Err() == nil {
		l.Logger.Error("check for lost runs failed", "err", err)
		l.suspects, l.silent = nil, nil
	}
	l.polled = wallClock()
}

func (l *Lost) poll(ctx context.Context) error {
	open, err := l.askEnded(ctx)
	if err != nil {
		return err
	}
	if !open { // so no run is lost, and LostRuns need not be called
		l.suspects, l.silent = nil, nil
		return nil
	}
	suspects := map[int64]time.Time{}
	groups := map[int64]*xxladapter.Group{} // those that this poll has read
	dead := map[callee]bool{}               // those that this poll has asked
	for after := int64(0); ; {
		runs, err := l.Store.LostRuns(ctx, lostAge, after, lostLimit)
		if err != nil {
			return err
		}
		if err := l.probe(ctx, runs, groups, dead); err != nil {
			return err
		}
		for _, run := range runs {
			after = run.ID
			switch {
			case !dead[callee{run.Address, run.GroupID}]:
			case l.tooSoon(run, groups[run.GroupID], suspects):
			default:
				l.Logger.Warn("run lost", "job", run.JobID, "run", run.ID, "address", run.Address)
				reason := xxladapter.LostMsg + "executor " + run.Address +
					" is no longer registered and does not answer"
				if err := l.Lose(ctx, run.ID, reason); err != nil {
					return err
				}
			}
		}
		if len(runs) < lostLimit {
			l.suspects, l.silent = suspects, dead
			return nil
		}
	}
}

// probe asks the executors of runs for a sign of life, and records in dead which of them give none.
// It asks each of them once in a poll, and reads groups as groupOf does.
func (l *Lost) probe(
	ctx context.Context, runs []*xxladapter.Log, groups map[int64]*xxladapter.Group, dead map[callee]bool,
) error {
	var unasked []callee
	for _, run := range runs {
		if _, err := l.groupOf(ctx, run, groups); err != nil {
			return err
		}
		at := callee{run.Address, run.GroupID}
		if _, asked := dead[at]; !asked {
			dead[at] = false
			unasked = append(unasked, at)
		}
	}
	silent := make([]bool, len(unasked))
	var asking errgroup.Group
	asking.SetLimit(askLimit)
	for i, at := range unasked {
		switch group := groups[at.group]; {
		case !l.hears(at.addr):
		case group == nil: // nobody knows which token the executor has
			silent[i] = true
		default:
			asking.Go(func() error {
				silent[i] = l.Beat(ctx, at.addr, group.AppName) != nil
				return nil
			})
		}
	}
	_ = asking.Wait() // its functions return no error
	for i, at := range unasked {
		dead[at] = silent[i]
	}
	return ctx.Err() // which may be why beats have failed
}

// groupOf returns the group of a run, or nil if it is gone. It reads each group once, into known.
func (l *Lost) groupOf(
	ctx context.Context, run *xxladapter.Log, known map[int64]*xxladapter.Group,
) (*xxladapter.Group, error) {
	if group, read := known[run.GroupID]; read {
		return group, nil
	}
	group, err := l.Store.Group(ctx, run.GroupID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		group, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	known[run.GroupID] = group
	return group, nil
}

// hears reports whether the silence of the executor at an address would say anything.
func (l *Lost) hears(addr string) bool {
	return !xxladapter.IsQueueAddress(addr) || xxladapter.HearsQueue(l.Connected, wallClock())
}

// tooSoon reports whether the executor of a run has been gone for too short a time to count as
// dead. It records when the executor was first found gone. Executors with manual addresses are
// given longer. group is nil if it is gone.
func (l *Lost) tooSoon(run *xxladapter.Log, group *xxladapter.Group, suspects map[int64]time.Time) bool {
	since, known := l.suspects[run.ID]
	if !known {
		since = time.Now()
	}
	suspects[run.ID] = since
	limit := goneFor
	switch {
	case group != nil && group.AddressType == xxladapter.AddressManual:
		limit = goneForManual
	case xxladapter.IsQueueAddress(run.Address):
		limit = goneForQueued
	}
	return time.Since(since) < limit
}
