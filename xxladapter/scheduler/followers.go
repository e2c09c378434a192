package scheduler

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// firstBackOff is how long a node that did not take a hint gets no fires. Each further failure
	// doubles the back-off, up to maxBackOff. A dead node's lease lapses meanwhile.
	firstBackOff = leaseLife
	maxBackOff   = time.Minute

	// mostSending is how many hints to one node may be in flight. A node that is so slow gets no
	// more until one of them has ended.
	mostSending = 4
)

// A follower is another node that takes fires from this one while this one leads. Its fields are
// guarded by the mutex of followers, but for the term and the address, which are not changed.
type follower struct {
	xxladapter.Term
	address string // empty if it has reported none

	sending  int           // hints in flight
	failures int           // hints in succession that it did not take
	retryAt  time.Time     // the end of its back-off; zero means none
	backOff  time.Duration // the length of its last back-off; 0 means none
}

// followers are the nodes that take fires from this one while it leads.
type followers struct {
	logger *slog.Logger

	mu    sync.Mutex // guards the fields below
	known map[xxladapter.Term]*follower
	live  []*follower // those of the last renewal, by term; empty unless this node leads
	read  time.Time   // when the addresses were last read
}

// updateFollowers learns which nodes take fires, if this node leads and spreads them: all that hold
// a lease, have not retired, and have reported an address. It takes back what it has given to one
// that no longer does.
func (s *Scheduler) updateFollowers(ctx context.Context, lease *xxladapter.Lease) {
	if s.opts.Spread == xxladapter.SpreadNone || lease.Role() != xxladapter.NodeLeads {
		s.followers.set(nil)
		return
	}
	if s.followers.missing(lease.Others) {
		leases, err := s.opts.Store.Leases(ctx)
		if err != nil {
			s.opts.Logger.Debug("addresses of other nodes are not known", "err", err)
		} else {
			s.followers.learn(leases)
		}
	}
	for _, gone := range s.followers.set(lease.Others) {
		s.takeBack(s.ring.leftTo(gone))
	}
}

// missing reports whether the address of one of the terms has to be read. Nodes of older versions
// report no address; their leases are read again at most once per reportPace.
func (n *followers) missing(terms []xxladapter.Term) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(terms, func(t xxladapter.Term) bool {
		f := n.known[t]
		return f == nil || f.address == "" && time.Since(n.read) >= reportPace
	})
}

// learn notes the addresses that nodes have reported.
func (n *followers) learn(leases []xxladapter.Lease) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read = time.Now()
	for _, l := range leases {
		if f := n.known[l.Term]; f == nil || f.address == "" {
			n.known[l.Term] = &follower{Term: l.Term, address: l.Report.Address}
		}
	}
}

// set replaces the nodes that take fires. It forgets those that are no longer there, and returns
// those of them that took fires.
func (n *followers) set(terms []xxladapter.Term) (gone []*follower) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.live {
		if !slices.Contains(terms, f.Term) {
			gone = append(gone, f)
		}
	}
	n.live = n.live[:0:0]
	for _, t := range terms {
		if f := n.known[t]; f != nil && f.address != "" {
			n.live = append(n.live, f)
		}
	}
	for t := range n.known {
		if !slices.Contains(terms, t) {
			delete(n.known, t)
		}
	}
	return gone
}

// ready returns the nodes that take fires now, by term.
func (n *followers) ready() []*follower {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	var found []*follower
	for _, f := range n.live {
		if f.sending < mostSending && !now.Before(f.retryAt) {
			found = append(found, f)
		}
	}
	return found
}

// begin notes that a hint is being sent.
func (n *followers) begin(f *follower) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f.sending++
}

// end notes how a hint has ended. The first failure of several is logged, and the first success
// after them.
func (n *followers) end(f *follower, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f.sending--
	if err == nil {
		if f.failures > 0 {
			n.logger.Info("node takes fires again", "node", f.Node, "address", f.address, "failures", f.failures)
		}
		f.failures, f.backOff, f.retryAt = 0, 0, time.Time{}
		return
	}
	f.failures++
	if time.Now().Before(f.retryAt) {
		return // it was sent before an earlier one had failed
	}
	f.backOff = min(max(2*f.backOff, firstBackOff), maxBackOff)
	f.retryAt = time.Now().Add(f.backOff)
	if f.failures == 1 {
		n.logger.Warn("node takes no fires, the leader keeps them; check the address that the node advertises",
			"node", f.Node, "address", f.address, "err", err)
	}
}
