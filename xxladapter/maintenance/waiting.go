package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// waitingPace is the pause between two polls for waiting schedules.
const waitingPace = 1 * time.Minute

// A WaitingStore is the part of [xxladapter.Store] that [Waiting] needs.
type WaitingStore interface {
	xxladapter.Clock
	Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error)
	ResumeJob(ctx context.Context, r xxladapter.Resume) (bool, error)
}

// Waiting resumes schedules that wait for the end of a run that will never be reported: its log row
// was deleted, or another tool ended it. Usually the transaction that stores the end of a run
// resumes its schedule, so there is rarely anything to find here.
type Waiting struct {
	Store  WaitingStore
	Logger *slog.Logger
}

// Run polls until ctx ends. Errors of the store are logged, and the next poll tries again.
func (w *Waiting) Run(ctx context.Context) error {
	if err := check(&w.Logger, need{"Waiting.Store", w.Store == nil}); err != nil {
		return err
	}
	return every(ctx, waitingPace, w.Logger, "check of waiting schedules failed", w.poll)
}

func (w *Waiting) poll(ctx context.Context) error {
	now, err := w.Store.Now(ctx)
	if err != nil {
		return err
	}
	jobs, err := w.Store.Jobs(ctx, xxladapter.JobFilter{Waiting: true})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		r := trigger.ResumeAfter(j, now)
		resumed, err := w.Store.ResumeJob(ctx, r)
		if err != nil {
			return err
		}
		if resumed {
			w.Logger.Warn("schedule resumed without the end of a run", "job", j.ID, "next", r.Next)
		}
	}
	return nil
}
