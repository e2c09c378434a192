package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// stuckPace is the pause between two polls for stuck triggers.
	stuckPace = 1 * time.Minute

	// stuckAge is how long ago a trigger must have started. A Java admin on the same database has
	// its answer within seconds, even if it first probes a list of dead executors.
	stuckAge = 5 * time.Minute

	// stuckLimit limits the rows that are written off in one transaction.
	stuckLimit = 1000
)

// StuckReason is the trigger message of a row that [Stuck] wrote off.
const StuckReason = xxladapter.ReasonUnknown +
	": the scheduler that started this trigger ended before it stored the outcome"

// A StuckStore is the part of [xxladapter.Store] that [Stuck] needs.
type StuckStore interface {
	WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) ([]*xxladapter.Log, error)
}

// Stuck ends triggers that will never be settled: a row was inserted, neither the answer of an
// executor nor a result was stored, and no fire will settle it. An admin of XXL-JOB that is killed
// leaves such rows, which would otherwise count as running forever. They are not tried again,
// because it is unknown whether the run started; a result that arrives later still counts.
type Stuck struct {
	Store StuckStore
	// Settled is called with each row that was written off; nil disables it.
	Settled func(*xxladapter.Log)
	Logger  *slog.Logger // nil means slog.Default()
}

// Run polls until ctx ends. Errors of the store are logged, and the next poll tries again.
func (s *Stuck) Run(ctx context.Context) error {
	if err := check(&s.Logger, need{"Stuck.Store", s.Store == nil}); err != nil {
		return err
	}
	return every(ctx, stuckPace, s.Logger, "check for stuck triggers failed", s.poll)
}

func (s *Stuck) poll(ctx context.Context) error {
	for {
		logs, err := s.Store.WriteOffStuck(ctx, stuckAge, stuckLimit, xxladapter.ResultUnknown, StuckReason)
		if err != nil {
			return err
		}
		for _, l := range logs {
			s.Logger.Warn(
				"trigger without an outcome", "job", l.JobID, "run", l.ID, "address", l.Address, "at", l.TriggerTime,
			)
			if s.Settled != nil {
				s.Settled(l)
			}
		}
		if len(logs) < stuckLimit {
			return nil
		}
	}
}
