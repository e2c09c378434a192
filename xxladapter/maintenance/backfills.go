package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// backfillIdle is the pause between two polls while no backfill is known to run. Such a poll
	// finds a backfill whose scheduler has died. Usually the scheduler that hands over the next
	// fire of the backfill polls sooner.
	backfillIdle = 5 * time.Minute
	// backfillPace is the pause while a backfill is running and no run is known to have ended.
	backfillPace = time.Second
	// backfillRetry is the pause after a poll that the store refused: whether a backfill is running
	// is unknown then, and the hint that asked for the poll is used up.
	backfillRetry = 5 * time.Second
	// backfillPause is the shortest pause between two polls, however many runs end.
	backfillPause = 100 * time.Millisecond
)

// A BackfillStore is the part of [xxladapter.Store] that [Backfills] needs.
type BackfillStore interface {
	Backfills(ctx context.Context, f xxladapter.BackfillFilter) ([]*xxladapter.Backfill, error)
	AdvanceBackfill(ctx context.Context, b *xxladapter.Backfill) ([]xxladapter.Fire, error)
	Order(ctx context.Context, id int64) (*xxladapter.Order, error)
	Log(ctx context.Context, id int64) (*xxladapter.Log, error)
}

// Backfills plans the next due times of running backfills as their runs end. Several nodes may do
// so at once: the store accepts the progress of one of them. The store records what was planned, so
// another node can continue when one dies.
type Backfills struct {
	store   BackfillStore
	planned func([]xxladapter.Fire)
	fit     func() bool
	logger  *slog.Logger
	wake    chan struct{}
	running atomic.Bool // the last poll found a running backfill
}

// NewBackfills returns Backfills that do nothing before Run. fit reports whether the node may plan;
// if so, planned is called with the fires that were planned. A node that was drained begins
// backfills, since no other one may know of them, and leaves the rest to the others.
func NewBackfills(
	store BackfillStore, planned func([]xxladapter.Fire), fit func() bool, logger *slog.Logger,
) *Backfills {
	return &Backfills{store: store, planned: planned, fit: fit, logger: logger, wake: make(chan struct{}, 1)}
}

// Begun hints that a backfill has begun, so that Run polls at once. It never blocks.
func (b *Backfills) Begun() {
	select {
	case b.wake <- struct{}{}:
	default: // a poll is due already
	}
}

// RunEnded hints that a run has ended, which matters while a backfill is running. It never blocks.
func (b *Backfills) RunEnded() {
	if b.running.Load() {
		b.Begun()
	}
}

// Run works until ctx ends. Errors of the store are logged, and the next poll tries again.
func (b *Backfills) Run(ctx context.Context) error {
	if err := check(
		&b.logger, need{"NewBackfills's store", b.store == nil}, need{"NewBackfills's planned", b.planned == nil},
		need{"NewBackfills's fit", b.fit == nil},
	); err != nil {
		return err
	}
	for {
		running, err := b.poll(ctx)
		if err != nil && ctx.Err() == nil {
			b.logger.Error("continuation of backfills failed", "err", err)
		}
		pace := backfillIdle
		switch {
		case running:
			pace = backfillPace
		case err != nil:
			pace = backfillRetry
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(backfillPause):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-b.wake:
		case <-time.After(pace - backfillPause):
		}
	}
}

// poll advances each running backfill once, as far as this node may, and reports whether there is
// any.
func (b *Backfills) poll(ctx context.Context) (running bool, err error) {
	list, err := b.store.Backfills(ctx, xxladapter.BackfillFilter{State: xxladapter.BackfillRunning})
	if err != nil {
		return false, err
	}
	b.running.Store(len(list) > 0)
	for _, one := range list {
		if one.Planned > 0 && !b.fit() {
			continue
		}
		if advanceErr := b.advance(ctx, one); advanceErr != nil {
			err = errors.Join(err, advanceErr)
		}
	}
	return len(list) > 0, err
}

// advance stores which runs of a backfill have ended, and plans the next ones.
func (b *Backfills) advance(ctx context.Context, one *xxladapter.Backfill) error {
	var open []xxladapter.BackfillRun
	for _, run := range one.Open {
		fate, err := b.fate(ctx, run.Order)
		if err != nil {
			return err
		}
		switch fate {
		case xxladapter.LogRunning:
			open = append(open, run)
		case xxladapter.LogSuccess:
			one.Succeeded++
		case xxladapter.LogFail:
			one.Failed++
		default:
			one.Dropped++
		}
	}
	ended := len(one.Open) - len(open)
	if one.Open = open; ended == 0 && one.Wants() == 0 {
		return nil // nothing to store
	}
	planned, err := b.store.AdvanceBackfill(ctx, one)
	switch {
	case errors.Is(err, xxladapter.ErrConflict), errors.Is(err, xxladapter.ErrNotFound):
		return nil // another node was quicker, or the backfill was cancelled
	case err != nil:
		return err
	}
	if len(planned) > 0 && b.fit() { // else the sweep of another node finds them
		b.planned(planned)
	}
	return nil
}

// fate returns the status of an order's runs: running until all of them have ended, and failed if
// one has failed. It is empty if there is no run and will be none.
func (b *Backfills) fate(ctx context.Context, order int64) (xxladapter.LogStatus, error) {
	o, err := b.store.Order(ctx, order)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if o.Open {
		return xxladapter.LogRunning, nil
	}
	var fate xxladapter.LogStatus
	for _, id := range o.LogIDs { // one for each shard
		l, err := b.store.Log(ctx, id)
		if errors.Is(err, xxladapter.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		switch status := l.Status(); {
		case status == xxladapter.LogRunning:
			return status, nil
		case fate != xxladapter.LogFail:
			fate = status
		}
	}
	return fate, nil
}
