package scheduler

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// reportPace is the shortest time between two reports in one term.
	reportPace = 5 * time.Second

	// reportSkew is how far the node's clock has to move, relative to the store's, to cause a
	// report by itself.
	reportSkew = 50 * time.Millisecond
)

// A reporter reports this node to the others when something has changed. An idle node reports
// nothing.
type reporter struct {
	term     xxladapter.Term // the term of the last report
	at       time.Time
	reported xxladapter.NodeReport
}

// due reports whether the node has to report r at now.
func (p *reporter) due(term xxladapter.Term, now time.Time, r xxladapter.NodeReport) bool {
	if term != p.term {
		return true
	}
	if now.Sub(p.at) < reportPace {
		return false
	}
	moved := (r.Skew - p.reported.Skew).Abs() >= reportSkew
	r.Skew = p.reported.Skew
	return moved || r != p.reported
}

// reportNode reports this node to the others if something has changed. A report that fails is
// repeated after the next renewal.
func (s *Scheduler) reportNode(ctx context.Context, term xxladapter.Term) {
	r := xxladapter.NodeReport{Skew: time.Duration(s.stats.skew.Load()).Truncate(time.Millisecond)}
	r.Fast, r.Slow = s.opts.Pool.Report()
	if s.opts.Mode == xxladapter.SchedulingLeader {
		r.Address, r.Spread, r.Fires = s.opts.Advertise, s.opts.Spread, s.stats.spread()
	}
	now := time.Now()
	if !s.reporter.due(term, now, r) {
		return
	}
	if err := s.opts.Store.ReportNode(ctx, term, r); err != nil {
		s.opts.Logger.Debug("node not reported", "node", s.opts.Node, "err", err)
		return
	}
	s.reporter = reporter{term, now, r}
}
