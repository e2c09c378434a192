package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

//go:generate go run generate.go .

// A measured is a store whose calls are timed. It hides what the store offers beyond the contract.
type measured struct {
	xxladapter.Store
	m *Metrics
}

// Store returns a store that forwards to s and measures its calls.
func (m *Metrics) Store(s xxladapter.Store) xxladapter.Store { return &measured{s, m} }

// done records the end of a call that began at begun. It is deferred; err is the result of the
// call.
func (s *measured) done(op string, begun time.Time, err *error) {
	s.m.storeOps.WithLabelValues(op).Observe(time.Since(begun).Seconds())
	switch {
	case *err == nil, errors.Is(*err, xxladapter.ErrNotFound), errors.Is(*err, xxladapter.ErrConflict),
		errors.Is(*err, xxladapter.ErrEarly), errors.Is(*err, context.Canceled):
	case errors.Is(*err, xxladapter.ErrFenced):
		s.m.fenced.Inc()
	default:
		s.m.storeErrors.WithLabelValues(op).Inc()
	}
}

// ClaimDue also measures the scan: the time until the first decision is the wait for the lock and
// the read, and a scan that reaches its limit may have left due jobs behind.
func (s *measured) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision,
) (planned []xxladapter.Fire, due int, err error) {
	begun := time.Now()
	defer s.done("claim_due", begun, &err)
	waits, shown := true, 0
	planned, due, err = s.Store.ClaimDue(ctx, by, ahead, limit, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		shown = len(due)
		if waits {
			waits = false // a repeated transaction counts as part of the scan
			s.m.scanWait.Observe(time.Since(begun).Seconds())
		}
		return decide(now, due)
	})
	if err != nil {
		return planned, due, err
	}
	s.m.scanTime.Observe(time.Since(begun).Seconds())
	shown = min(shown, due) // decide is not called again if a repeated transaction finds nothing
	s.m.scanDue.Observe(float64(shown))
	s.m.scanLocked.Add(float64(due - shown))
	if limit > 0 && shown >= limit {
		s.m.scanCapped.Inc()
	}
	return planned, due, nil
}

// ClaimFire also counts conflicts: the fire was claimed or dropped before this call.
func (s *measured) ClaimFire(
	ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log,
) (fires []xxladapter.Fire, err error) {
	defer s.done("claim_fire", time.Now(), &err)
	fires, err = s.Store.ClaimFire(ctx, by, id, logs)
	if errors.Is(err, xxladapter.ErrConflict) {
		s.m.blocked.Inc()
	}
	return fires, err
}

// HoldPresence passes the call on unmeasured: it lasts as long as the node's term.
func (s *measured) HoldPresence(ctx context.Context, term xxladapter.Term) error {
	return s.Store.HoldPresence(ctx, term)
}

// AwaitAbsence passes the call on unmeasured: it lasts as long as another node's term.
func (s *measured) AwaitAbsence(ctx context.Context, term xxladapter.Term) (waited bool, err error) {
	return s.Store.AwaitAbsence(ctx, term)
}

// PurgeLogs also counts the deleted rows.
func (s *measured) PurgeLogs(
	ctx context.Context, p xxladapter.LogPurge, limit int,
) (done xxladapter.Purged, err error) {
	defer s.done("purge_logs", time.Now(), &err)
	done, err = s.Store.PurgeLogs(ctx, p, limit)
	s.m.deleted.Add(float64(done.Rows))
	return done, err
}
