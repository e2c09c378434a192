package trigger

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// Complete stores the results that an executor reported, each together with the fires that follow
// from it: the child jobs after a success, the next attempt after a failure. When it returns nil,
// every result is durable or needs no storing: a run that is unknown, or that has a result already,
// is skipped, as upstream does (JobCompleteHelper.callback). After an error the executor has to
// report all of them again, which is harmless.
func (h *HandOver) Complete(ctx context.Context, callbacks []wire.Callback) error {
	return h.CompleteOwn(ctx, callbacks, nil)
}

// An Own says whether the executor that reports a result may report it for the run of a log row. It
// is called from several goroutines. Nil means that the executor may report any.
type Own func(ctx context.Context, l *xxladapter.Log) (bool, error)

// CompleteOwn stores results as [HandOver.Complete] does, for an executor that may report only the
// runs that own accepts. Any other run is treated as unknown.
func (h *HandOver) CompleteOwn(ctx context.Context, callbacks []wire.Callback, own Own) error {
	// In parallel, so that the store commits them together: one after the other, each would wait
	// for its own commit.
	var results errgroup.Group
	results.SetLimit(completeAtOnce)
	var unknown, first atomic.Int64
	byLog := make(map[wire.Int][]wire.Callback)
	for _, c := range callbacks {
		byLog[c.LogID] = append(byLog[c.LogID], c)
	}
	for _, ofOne := range byLog {
		results.Go(func() error {
			return recovered(func() error {
				for _, c := range ofOne { // in their order: the first result counts
					known, err := h.complete(ctx, c, own)
					if err != nil {
						return err
					}
					if !known && unknown.Add(1) == 1 {
						first.Store(int64(c.LogID))
					}
				}
				return nil
			})
		})
	}
	err := results.Wait()
	if n := unknown.Load(); n > 0 { // one line, whatever the executor sends
		h.opts.Logger.Warn("results of unknown runs", "results", n, "run", first.Load())
	}
	return err
}

// completeAtOnce limits how many results of one call are stored in parallel.
const completeAtOnce = 64

// complete stores one result and reports whether the run is known.
func (h *HandOver) complete(ctx context.Context, c wire.Callback, own Own) (known bool, err error) {
	r := xxladapter.RunResult{LogID: int64(c.LogID), Code: int(c.HandleCode), Msg: c.HandleMsg}
	if r.Code <= 0 || r.Code > math.MaxInt32 {
		// Stored as it is, 0 would leave the run open forever, and the tables have 32 bits.
		r.Code = xxladapter.ResultFail
		if r.Msg == "" {
			r.Msg = wire.MsgResultLost
		}
	}
	outcome, err := h.finish(ctx, r, own)
	if errors.Is(err, xxladapter.ErrNotFound) {
		h.opts.OnCallback(CallbackUnknown)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store result of run %d: %w", r.LogID, err)
	}
	h.opts.OnCallback(outcome)
	return true, nil
}

// Lose stores that a run has failed because its executor is silent. A result that came first stays.
// What follows from a failure follows here too; upstream leaves that to another monitor
// (JobCompleteHelper).
func (h *HandOver) Lose(ctx context.Context, logID int64, reason string) error {
	_, err := h.finish(ctx, xxladapter.RunResult{LogID: logID, Code: xxladapter.ResultFail, Msg: reason}, nil)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil
	}
	return err
}

// WrittenOff reports a trigger that the store settled itself because its outcome will never be
// known.
func (h *HandOver) WrittenOff(l *xxladapter.Log) {
	h.opts.OnEvent(Event{
		Kind: EventFailed, JobID: l.JobID, LogID: l.ID, Began: l.TriggerTime, Address: l.Address, At: time.Now(),
		Code: l.TriggerCode, Msg: l.TriggerMsg,
	})
}

// finish stores a result and returns what it changed, as one of the Callback constants. A run that
// own refuses is not found.
func (h *HandOver) finish(ctx context.Context, r xxladapter.RunResult, own Own) (outcome string, err error) {
	var now time.Time
	l, err := h.opts.Store.Log(ctx, r.LogID)
	if err != nil {
		return "", err
	}
	if own != nil {
		may, err := own(ctx, l)
		if err == nil && !may {
			err = xxladapter.ErrNotFound
		}
		if err != nil {
			return "", err
		}
	}
	if l.HandleCode == xxladapter.ResultNone {
		if now, err = h.opts.Store.Now(ctx); err != nil {
			return "", err
		}
		if r.Next, r.Resume, err = h.follow(ctx, l, r.Code, now); err != nil {
			return "", err
		}
	}
	r.WantText = l.Address != "" && h.opts.RunTexts.Wants(r.Code)
	applied, planned, err := h.finishRun(ctx, r)
	switch {
	case err != nil:
		return "", err
	case applied:
	case l.HandleCode == r.Code, l.HandleCode == xxladapter.ResultNone: // or another came meanwhile
		return CallbackDuplicate, nil
	default:
		return CallbackLate, nil
	}
	h.opts.OnEvent(Event{
		Kind: EventResult, JobID: l.JobID, LogID: r.LogID, At: time.Now(), Began: l.TriggerTime, Code: r.Code,
		Msg: r.Msg,
	})
	h.followed(planned, r.Resume)
	if r.WantText {
		h.opts.TextWanted()
	}
	return CallbackApplied, nil
}

// follow returns what follows from a result.
func (h *HandOver) follow(
	ctx context.Context, l *xxladapter.Log, code int, now time.Time,
) ([]xxladapter.Fire, xxladapter.Resume, error) {
	job, err := h.opts.Store.Job(ctx, l.JobID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, xxladapter.Resume{}, nil
	}
	if err != nil {
		return nil, xxladapter.Resume{}, err
	}
	var next []xxladapter.Fire
	switch {
	case code == xxladapter.ResultOK:
		next = children(job, now)
	case !xxladapter.HandOverFailed(l.TriggerCode): // the store checks again
		next = retry(l, job, nil, now, h.jitter())
	}
	return next, ResumeAfter(job, now), nil
}

// followed reports planned fires and a continued schedule to the scheduler.
func (h *HandOver) followed(planned []xxladapter.Fire, r xxladapter.Resume) {
	if len(planned) > 0 {
		h.opts.Scheduler.Planned(planned)
	}
	if r.JobID != 0 {
		h.opts.Scheduler.Resumed(r.Next)
	}
}
