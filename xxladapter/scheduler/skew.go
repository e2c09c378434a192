package scheduler

import (
	"context"
	"time"
)

// checkSkew compares this machine's wall clock with the store's, and reports whether they differ by
// more than the limit. It logs each change once.
//
// No fire comes at a wrong time because of a wrong clock, since due times are judged by the
// store's. But such a clock is about to be moved, and the times in this node's messages are wrong
// until then.
func (s *Scheduler) checkSkew(ctx context.Context) (bool, error) {
	asked, before := time.Now(), s.opts.Wall()
	now, err := s.opts.Store.Now(ctx)
	after := s.opts.Wall()
	if err != nil {
		return false, err
	}
	s.clock.seen(now, asked)
	skew := skewOf(before, after, now)
	s.stats.skew.Store(int64(skew))
	limit := s.opts.SkewLimit
	skewed := limit > 0 && skew.Abs() > limit
	if s.stats.skewed.Swap(skewed) != skewed {
		if skewed {
			s.opts.Logger.Error(
				"clock differs from the store's, node claims nothing",
				"node", s.opts.Node, "ahead", skew, "limit", limit,
			)
		} else {
			s.opts.Logger.Info("clock agrees with the store's again", "node", s.opts.Node, "ahead", skew)
		}
	}
	return skewed, nil
}

// skewOf returns how far the wall clock is certainly ahead of the store's, which showed now at some
// moment between before and after; negative if it is behind.
func skewOf(before, after, now time.Time) time.Duration {
	before, after = before.Round(0), after.Round(0)
	if after.Before(before) {
		before, after = after, before // it was set back meanwhile
	}
	switch {
	case now.Before(before):
		return before.Sub(now)
	case now.After(after):
		return after.Sub(now)
	}
	return 0
}
