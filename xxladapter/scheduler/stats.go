package scheduler

import (
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Stats describes a scheduler at one moment.
type Stats struct {
	Term       xxladapter.Term           // the last one; zero before the first
	Holds      bool                      // whether the node may act in Term now
	Partitions xxladapter.PartitionSet   // of that term
	Role       xxladapter.NodeRole       // of that term; see [xxladapter.Lease.Role]
	Mode       xxladapter.SchedulingMode // of the node
	Held       int                       // fires in the wheel or being handed over, here or by other nodes

	Terms          int64 // terms that the node was given
	Fenced         int64 // calls that the store refused because their term was over
	PresencesEnded int64 // presences of other nodes that ended while these had partitions
	Dropped        int64 // fires dropped from the wheel because the term had ended or the partition had moved

	Spread xxladapter.SpreadReport // fires that a leader planned for another node

	Skew   time.Duration // how far this machine's clock was ahead of the store's when last compared
	Skewed bool          // more than the limit: the node claims nothing
}

type stats struct {
	terms, fenced, presencesEnded, dropped atomic.Int64
	sent, received, kept                   atomic.Int64 // fires that were spread; see xxladapter.SpreadReport
	skew                                   atomic.Int64 // ns
	skewed                                 atomic.Bool
}

// Stats returns the current figures. It may be called at any time, from any goroutine.
func (s *Scheduler) Stats() Stats {
	g := s.grant.Load()
	return Stats{
		Term: g.Term, Holds: g.holds(), Partitions: g.Partitions, Role: g.Role(), Mode: s.opts.Mode, Held: s.ring.len(),
		Terms: s.stats.terms.Load(), Fenced: s.stats.fenced.Load(), PresencesEnded: s.stats.presencesEnded.Load(),
		Dropped: s.stats.dropped.Load(),
		Spread:  s.stats.spread(),
		Skew:    time.Duration(s.stats.skew.Load()), Skewed: s.stats.skewed.Load(),
	}
}

func (s *stats) spread() xxladapter.SpreadReport {
	return xxladapter.SpreadReport{Sent: s.sent.Load(), Received: s.received.Load(), Kept: s.kept.Load()}
}
