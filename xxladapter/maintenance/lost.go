package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// lostPace is how often lost runs are looked for while no registration ends: those of
	// executors that never register. XXL-JOB: 60 s (JobCompleteHelper). While there are
	// suspects it is suspectPace.
	lostPace    = 30 * time.Second
	suspectPace = 5 * time.Second

	// lostAge is how long ago a run must have been taken. The registration of an
	// executor that dies right then lives on for two beats of 30 s at least.
	// Upstream waits for ten minutes, and then asks nobody.
	lostAge = xxladapter.RegistrationLife - 30*time.Second

	// goneFor is how long an executor that is no longer registered must have
	// given no answer. It is several looks, so that one that is being restarted is
	// not taken for a dead one.
	goneFor = 3 * suspectPace

	// goneForManual is the same for an executor that never registers, so that
	// not to answer is all that is known.
	goneForManual = xxladapter.RegistrationLife

	// lostLimit is how many rows one query takes.
	lostLimit = 1000
)

// A LostStore is what [Lost] needs of [xxladapter.Store].
type LostStore interface {
	LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*xxladapter.Log, error)
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
}

// Lost ends runs that will never be reported: the executor that took them is
// no longer registered and has not answered for a while. So a run on an executor
// that never registers, or that is being restarted and keeps its results, is left
// alone.
type Lost struct {
	Store LostStore
	// Beat asks an address for a sign of life; trigger.Client.Beat does.
	Beat func(ctx context.Context, addr string) error
	// Lose stores the failure; trigger.HandOver.Lose does.
	Lose func(ctx context.Context, logID int64, reason string) error
	// Expired says that registrations have ended, see [Registry]. A channel with room
	// for one value is enough. nil: their runs are found at the next look.
	Expired <-chan struct{}
	Logger  *slog.Logger

	// suspects are the log ids that looked lost at the look before, and since
	// when they did, look for look.
	suspects map[int64]time.Time
}

// Run looks until ctx ends. Failures of the store are logged and tried again
// at the next look.
func (l *Lost) Run(ctx context.Context) error {
	next := time.NewTimer(lostPace)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-l.Expired:
		case <-next.C:
		}
		if err := l.look(ctx); err != nil && ctx.Err() == nil {
			l.Logger.Error("look for lost runs failed", "err", err)
		}
		pace := lostPace
		if len(l.suspects) > 0 {
			pace = suspectPace
		}
		next.Reset(pace)
	}
}

func (l *Lost) look(ctx context.Context) error {
	suspects := map[int64]time.Time{}
	manual := map[int64]bool{} // by group
	dead := map[string]bool{}  // by address, asked once for each look
	for after := int64(0); ; {
		runs, err := l.Store.LostRuns(ctx, lostAge, after, lostLimit)
		if err != nil {
			return err
		}
		for _, run := range runs {
			after = run.ID
			if _, asked := dead[run.Address]; !asked {
				dead[run.Address] = l.Beat(ctx, run.Address) != nil
			}
			if ctx.Err() != nil {
				return ctx.Err() // which is why the beat failed
			}
			switch {
			case !dead[run.Address]:
			case l.tooSoon(ctx, run, suspects, manual):
			default:
				l.Logger.Warn("run lost", "job", run.JobID, "log", run.ID, "address", run.Address)
				reason := "lost: executor " + run.Address + " is not registered any more and does not answer"
				if err := l.Lose(ctx, run.ID, reason); err != nil {
					return err
				}
			}
		}
		if len(runs) < lostLimit {
			l.suspects = suspects
			return nil
		}
	}
}

// tooSoon reports whether the executor of a run has not been gone for long
// enough, and remembers since when it is.
func (l *Lost) tooSoon(ctx context.Context, run *xxladapter.Log, suspects map[int64]time.Time, manual map[int64]bool) bool {
	since, known := l.suspects[run.ID]
	if !known {
		since = time.Now()
	}
	suspects[run.ID] = since
	if _, known := manual[run.GroupID]; !known {
		group, err := l.Store.Group(ctx, run.GroupID)
		manual[run.GroupID] = err == nil && group.AddressType == xxladapter.AddressManual
	}
	limit := goneFor
	if manual[run.GroupID] {
		limit = goneForManual
	}
	return time.Since(since) < limit
}
