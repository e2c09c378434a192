package scheduler

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// armAhead limits how far ahead a fire that was planned outside of a scan is held in memory. A
	// fire that is due later is left to the sweep and may be up to a second late.
	armAhead = time.Minute

	// resumeSoon is how soon a schedule must continue for a scan to be brought forward. Scans are
	// at most idlePace apart, and read as far ahead.
	resumeSoon = idlePace + time.Second
)

// Planned hands out fires that were planned outside of a scan, such as retries and orders, each
// when it is due. They must be as the store returned them. Those that are due in more than a
// minute are left to the sweep. After the end of Run, Planned stops at the first fire that is not
// due yet, and leaves the rest to other nodes; those before it still go to the pool while the lease
// holds.
func (s *Scheduler) Planned(fires []xxladapter.Fire) {
	until := s.clock.now().Add(armAhead)
	for _, f := range fires {
		if f.Due.After(until) {
			continue
		}
		if err := s.ring.arm(f); err != nil {
			s.opts.Logger.Warn("fire not armed, it waits in the store", "fire", f.ID, "err", err)
			return
		}
	}
}

// Resumed makes the next scan happen now if a schedule that waited for the end of a run continues
// so soon, at next, that the scan might else come too late.
func (s *Scheduler) Resumed(next time.Time) {
	if next.Before(s.clock.now().Add(resumeSoon)) {
		s.Wake()
	}
}
