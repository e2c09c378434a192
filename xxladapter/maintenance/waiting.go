package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// waitingPace is how often waiting schedules are looked at.
const waitingPace = 1 * time.Minute

// A WaitingStore is what [Waiting] needs of [xxladapter.Store].
type WaitingStore interface {
	xxladapter.Clock
	Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error)
	ResumeJob(ctx context.Context, r xxladapter.Resume) (bool, error)
}

// Waiting lets schedules go on that wait for the end of a run which nobody will
// report any more: its log row was cleaned away, or another tool ended it. Whoever
// stores the end of a run does the same in its own transaction, so there is
// rarely anything to find here.
type Waiting struct {
	Store  WaitingStore
	Logger *slog.Logger
}

// Run looks until ctx ends. Failures of the store are logged and tried again
// at the next look.
func (w *Waiting) Run(ctx context.Context) error {
	return every(ctx, waitingPace, w.Logger, "look at waiting schedules failed", w.look)
}

func (w *Waiting) look(ctx context.Context) error {
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
			w.Logger.Warn("schedule goes on without the end of a run", "job", j.ID, "next", r.Next)
		}
	}
	return nil
}
