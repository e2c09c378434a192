package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// stuckPace is how often stuck triggers are looked for.
	stuckPace = 1 * time.Minute

	// stuckAge is how long ago a trigger must have begun. A Java admin on the
	// same database has its answer within seconds, also when it probes a list of
	// dead executors first.
	stuckAge = 5 * time.Minute

	// stuckLimit is how many rows are written off in one transaction.
	stuckLimit = 1000
)

// StuckReason is the trigger message of a row that [Stuck] wrote off.
const StuckReason = "outcome unknown: the scheduler that began this trigger ended before it stored what became of it"

// A StuckStore is what [Stuck] needs of [xxladapter.Store].
type StuckStore interface {
	WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) ([]*xxladapter.Log, error)
}

// Stuck ends triggers that nobody will ever settle: a row was inserted, and
// neither the answer of an executor nor a result was stored, and no fire will
// see to it. An admin of XXL-JOB that is killed leaves such rows, which then
// count as running for ever. They are not tried again, because nobody knows
// whether the run began; a result that comes after all still counts.
type Stuck struct {
	Store StuckStore
	// Settled is told of each row that was written off; nil: nobody is.
	Settled func(*xxladapter.Log)
	Logger  *slog.Logger
}

// Run looks until ctx ends. Failures of the store are logged and tried again
// at the next look.
func (s *Stuck) Run(ctx context.Context) error {
	return every(ctx, stuckPace, s.Logger, "look for stuck triggers failed", s.look)
}

func (s *Stuck) look(ctx context.Context) error {
	for {
		logs, err := s.Store.WriteOffStuck(ctx, stuckAge, stuckLimit, xxladapter.ResultUnknown, StuckReason)
		if err != nil {
			return err
		}
		for _, l := range logs {
			s.Logger.Warn("trigger without an outcome", "job", l.JobID, "log", l.ID, "address", l.Address, "at", l.TriggerTime)
			if s.Settled != nil {
				s.Settled(l)
			}
		}
		if len(logs) < stuckLimit {
			return nil
		}
	}
}
