package xxladapter

import (
	"context"
	"time"
)

// A Clock is the part of [Store] that tells the time.
type Clock interface {
	// Now returns the time of the store's clock, by which due times and leases are judged. It
	// may differ from this machine's.
	Now(ctx context.Context) (time.Time, error)
}

// A ClockEstimate is made from one reading of a remote clock: a time that it showed, and the local
// instant at which it did. From then on the estimate runs by the local monotonic clock, so that a
// change of this machine's wall clock does not move it. It is a value and never changes; the zero
// value knows nothing.
type ClockEstimate struct{ remote, local time.Time }

// Seen returns the estimate after the remote clock showed t at some moment between the local
// instants asked and answered, which come from [time.Now].
//
// At the instant answered the clock shows a time between t and t plus the round trip, which is the
// time from asked to answered. An estimate within that span is kept, so that it does not jump with
// each round trip, whose length says more about the network than about the clock. Any other
// estimate is replaced by t at the instant answered, which is never ahead of the clock. An estimate
// that is kept may be ahead of the clock at that instant, by at most the round trip.
func (e ClockEstimate) Seen(t, asked, answered time.Time) ClockEstimate {
	if e.Known() {
		shown := e.At(answered)
		if !shown.Before(t) && !shown.After(t.Add(answered.Sub(asked))) {
			return e
		}
	}
	return ClockEstimate{remote: t.Round(0), local: answered}
}

// Known reports whether e comes from a reading.
func (e ClockEstimate) Known() bool { return !e.local.IsZero() }

// At returns the time of the remote clock at a local instant, which comes from [time.Now].
//
// REQUIRES: e is known.
func (e ClockEstimate) At(local time.Time) time.Time { return e.remote.Add(local.Sub(e.local)) }
