package scheduler

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// presenceRetry is the pause after an attempt to hold or watch a presence that failed.
	presenceRetry = 1 * time.Second

	// trustAgain is how long a node whose presence has ended is not watched. A node that still
	// holds a lease after that time is alive.
	trustAgain = 2 * leaseLife

	// trustSilent is trustAgain for a node that had no presence at two looks: it cannot hold one.
	trustSilent = time.Minute
)

// A roster lists the terms that hold leases, as of the last renewal of this node. Nodes form a ring
// by the numbers of their terms, in which each watches the one before it.
type roster struct {
	mu      sync.Mutex // guards the fields below
	own     xxladapter.Term
	others  []xxladapter.Term             // by number
	ignored map[xxladapter.Term]time.Time // not watched until then
	silent  map[xxladapter.Term]bool      // had no presence at the last look that ended
	changed chan struct{}                 // closed at the next change
}

func newRoster() *roster {
	return &roster{
		ignored: map[xxladapter.Term]time.Time{}, silent: map[xxladapter.Term]bool{}, changed: make(chan struct{}),
	}
}

// set replaces the terms. A zero own means that the node takes no part.
func (r *roster) set(own xxladapter.Term, others []xxladapter.Term) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := own != r.own || !slices.Equal(others, r.others)
	r.own, r.others = own, others
	for term, until := range r.ignored {
		if !slices.Contains(others, term) || !time.Now().Before(until) {
			delete(r.ignored, term)
			changed = true
		}
	}
	maps.DeleteFunc(r.silent, func(term xxladapter.Term, _ bool) bool { return !slices.Contains(others, term) })
	if changed {
		r.wake()
	}
}

// ignore leaves a term unwatched for a while; the one before it in the ring is watched instead.
func (r *roster) ignore(term xxladapter.Term, life time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ignored[term] = time.Now().Add(life)
	r.wake()
}

// stillSilent notes whether the term had a presence, and reports whether it had none at this look
// and at the one before.
func (r *roster) stillSilent(term xxladapter.Term, held bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.silent[term]
	r.silent[term] = !held
	return before && !held
}

// wake wakes those who wait for a change.
//
// REQUIRES: r.mu is held.
func (r *roster) wake() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// mine returns the term whose presence this node holds.
func (r *roster) mine() (xxladapter.Term, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.own, r.changed
}

// watched returns the term whose absence this node awaits: the one before its own, or the last one.
func (r *roster) watched() (xxladapter.Term, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var before, last xxladapter.Term
	for _, term := range r.others {
		if _, ignored := r.ignored[term]; ignored {
			continue
		}
		if term.Number < r.own.Number {
			before = term
		}
		last = term
	}
	switch {
	case r.own.Number == 0:
		return xxladapter.Term{}, r.changed
	case before.Number != 0:
		return before, r.changed
	}
	return last, r.changed
}

// follow runs do for the term that pick returns, and again whenever pick returns another one. It
// returns when ctx has ended and do has returned.
func follow(
	ctx context.Context, pick func() (xxladapter.Term, <-chan struct{}), do func(context.Context, xxladapter.Term),
) {
	for ctx.Err() == nil {
		term, changed := pick()
		doing, cancel := context.WithCancel(ctx)
		var ended sync.WaitGroup
		if term.Number != 0 {
			ended.Go(func() { do(doing, term) })
		}
		for same := true; same; {
			select {
			case <-ctx.Done():
				same = false
			case <-changed:
				var now xxladapter.Term
				now, changed = pick()
				same = now == term
			}
		}
		cancel()
		ended.Wait()
	}
}

// holdPresence keeps the presence of this node's term until ctx ends.
func (s *Scheduler) holdPresence(ctx context.Context, term xxladapter.Term) {
	for ctx.Err() == nil {
		err := s.opts.Store.HoldPresence(ctx, term)
		if errors.Is(err, errors.ErrUnsupported) {
			return
		}
		if ctx.Err() == nil {
			s.opts.Logger.Info("presence ended, it begins anew", "node", s.opts.Node, "term", term.Number, "err", err)
		}
		sleep(ctx, presenceRetry)
	}
}

// watchPresence waits until the presence of another node's term ends, and then takes over what that
// node had planned.
func (s *Scheduler) watchPresence(ctx context.Context, term xxladapter.Term) {
	for ctx.Err() == nil {
		waited, err := s.opts.Store.AwaitAbsence(ctx, term)
		switch {
		case ctx.Err() != nil, errors.Is(err, errors.ErrUnsupported):
			return
		case err != nil:
			s.opts.Logger.Debug("presence of another node is not watched", "node", term.Node, "err", err)
			sleep(ctx, presenceRetry)
			continue
		}
		life := trustAgain
		if s.roster.stillSilent(term, waited) {
			life = trustSilent
		}
		s.suspect(ctx, term)
		s.roster.ignore(term, life)
		return
	}
}

// suspect arms the planned fires of a node whose presence has ended. That node may be alive: its
// term stays as it is, it may claim and send, and the store gives each fire to one node. What it
// has claimed waits until its lease lapses.
func (s *Scheduler) suspect(ctx context.Context, term xxladapter.Term) {
	ctx, cancel := context.WithTimeout(ctx, leaseTry)
	defer cancel()
	leases, err := s.opts.Store.Leases(ctx)
	if err != nil {
		s.opts.Logger.Debug(
			"presence of another node has ended, and its partitions are not known", "node", term.Node, "err", err,
		)
		return
	}
	i := slices.IndexFunc(leases, func(l xxladapter.Lease) bool { return l.Term == term })
	if i < 0 || leases[i].Partitions == 0 {
		signal(s.renewal) // it has stopped, and its partitions are free
		return
	}
	s.stats.presencesEnded.Add(1)
	if err := s.opts.Store.PresenceEnded(ctx, term); err != nil {
		s.opts.Logger.Debug("end of a presence not noted", "node", term.Node, "err", err)
	}
	s.opts.Logger.Info("presence of another node has ended, its planned fires are armed here as well",
		"node", term.Node, "term", term.Number, "partitions", leases[i].Partitions.Len())
	s.suspected.Or(uint64(leases[i].Partitions))
	s.Sweep()
	s.Wake() // scans follow at the busy pace until its lease has lapsed
}

// armSuspected arms the planned fires of partitions whose owner may have died.
func (s *Scheduler) armSuspected(ctx context.Context, now time.Time) error {
	partitions := xxladapter.PartitionSet(s.suspected.Swap(0))
	if partitions == 0 {
		return nil
	}
	err := s.armAll(ctx, xxladapter.FireFilter{
		State: xxladapter.FirePlanned, Partitions: partitions, DueBefore: now.Add(s.opts.Window),
	})
	if err != nil {
		s.suspected.Or(uint64(partitions))
	}
	return err
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
