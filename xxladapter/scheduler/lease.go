package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// leaseLife is how long a node may be silent before its claimed fires are taken over. It spans
	// several renewals, so that a slow store or a long pause is not taken for death, and it is
	// short, because a death delays fires by as much.
	leaseLife = 4 * time.Second

	// leasePace is the time from one renewal to the next. It also bounds the delay of fires after a
	// stop, since the other nodes learn of free partitions by their renewals. It leaves room for
	// several attempts after one that failed. Renewals come sooner when another node may have died;
	// see leasePause.
	leasePace = leaseLife / 4

	// leaseRetry is the pause after an attempt that failed.
	leaseRetry = leaseLife / 10

	// lapseSlack is the time between the end of another node's lease and the check whether it was
	// renewed. Both clocks count in milliseconds.
	lapseSlack = 5 * time.Millisecond

	// leaseTry limits one attempt, so that there is another one before the lease expires.
	leaseTry = leaseLife / 2

	// leaseMargin is how much earlier than the store a node considers its lease expired. It covers
	// the way from the last check of the deadline to the first byte on the wire, and clocks that
	// run at different rates (10 % of the life, where quartz is off by 0.01 %).
	leaseMargin = leaseLife / 10
)

// A grant is a lease, with the instant until which this node may rely on it.
type grant struct {
	xxladapter.Lease
	// deadline is life minus margin after the start of the attempt that got the lease. The store
	// counts from later, so its lease outlasts deadline. The zero value is past.
	deadline time.Time
}

// holds reports whether the deadline lies ahead, by the monotonic clock and by the wall clock. The
// former stands still while a machine sleeps. The latter may be moved; if it is moved ahead, the
// node needlessly waits for a renewal.
func (g *grant) holds() bool {
	now := time.Now()
	return now.Before(g.deadline) && now.Round(0).Before(g.deadline.Round(0))
}

// quiet reports whether the store has just said, with a renewal, that a sweep would find nothing.
func (g *grant) quiet() bool {
	return g.Quiet && time.Until(g.deadline) > leaseLife-leaseMargin-leasePace-leaseRetry
}

// Term returns the term in which this node may claim and send right now. It returns false before
// the first lease, and once the node can no longer rely on its lease. It does not block.
func (s *Scheduler) Term() (xxladapter.Term, bool) {
	g := s.grant.Load()
	return g.Term, g.holds()
}

// Fenced reports to the scheduler that the store refused a call because the term is over. The node
// drops what it holds and asks for a new term.
func (s *Scheduler) Fenced(term xxladapter.Term) {
	s.stats.fenced.Add(1)
	if g := s.grant.Load(); g.Term == term {
		s.stepDown(g, "the store says that its term is over")
	}
	signal(s.renewal)
}

// HoldLease gets a lease and renews it until ctx ends, and then gives it back. Without it Run does
// nothing. It has to run until the last hand-over has ended, because hand-overs are settled under
// the lease. It may be called once.
func (s *Scheduler) HoldLease(ctx context.Context) error {
	leased, end := context.WithCancel(context.WithoutCancel(ctx)) // until the lease is given back
	var presence sync.WaitGroup
	presence.Go(func() { follow(leased, s.roster.mine, s.holdPresence) })
	presence.Go(func() { follow(leased, s.roster.watched, s.watchPresence) })
	defer presence.Wait()
	defer end()
	failing := outage{
		logger: s.opts.Logger, level: slog.LevelWarn, begins: "no lease", ends: "lease requests are answered again",
	}
	for ctx.Err() == nil {
		pace := leaseRetry
		err := s.renew(ctx)
		if err == nil {
			pace = leasePause(s.grant.Load().NextLapse, s.clock.now())
		}
		if ctx.Err() == nil {
			failing.note(err, "node", s.opts.Node)
		}
		timer := time.NewTimer(pace)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.renewal:
		}
		timer.Stop()
	}
	s.resign(ctx)
	return nil
}

// leasePause returns the time to the next renewal: leasePace, or less where another node's lease
// expires sooner. That node is late with its own renewal, and if it is dead, its fires and
// partitions are to be taken over right then.
func leasePause(lapse, now time.Time) time.Duration {
	if lapse.IsZero() {
		return leasePace
	}
	return min(leasePace, max(lapse.Sub(now), 0)+lapseSlack)
}

func (s *Scheduler) resign(ctx context.Context) {
	g := s.grant.Load()
	s.grant.Store(&grant{})
	defer s.roster.set(xxladapter.Term{}, nil) // ends the presence, which other nodes see at once
	if g.Number == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTry)
	defer cancel()
	if err := s.opts.Store.Resign(ctx, g.Term); err != nil {
		s.opts.Logger.Warn(
			"lease not given back, it expires by itself", "node", s.opts.Node, "until", g.Until, "err", err,
		)
	}
}

// renew makes one attempt at a lease.
func (s *Scheduler) renew(ctx context.Context) error {
	before := s.grant.Load()
	limit := leaseTry
	if before.holds() {
		limit = min(limit, time.Until(before.deadline))
	}
	attempt, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if skewed, err := s.checkSkew(attempt); err != nil {
		return s.failed(before, err)
	} else if skewed {
		s.stepDown(before, "its clock is off")
		if s.giveBack(ctx, xxladapter.MoveSkewed) {
			s.skewed = before.Term
		}
		s.resign(ctx)
		return nil
	}
	asking := attempt
	if !before.holds() {
		// The answer may be a new term, which can only be given back by its number. So the end of
		// ctx does not cut it off.
		end, _ := attempt.Deadline()
		asking, cancel = context.WithDeadline(context.WithoutCancel(ctx), end)
		defer cancel()
	}
	start := time.Now()
	lease, err := s.lease(asking)
	if err != nil {
		return s.failed(before, err)
	}
	if lease.Term == s.skewed && !s.retired.Load() {
		return s.resignSkewed(attempt)
	}
	s.adopt(lease, start.Add(leaseLife-leaseMargin))
	if s.retired.Load() && !lease.Retired {
		s.giveBack(ctx, xxladapter.MoveStopped) // retire could not, or this term is newer
	}
	s.stayDrained(attempt, &lease)
	s.reportNode(attempt, lease.Term)
	s.updateFollowers(attempt, &lease)
	return nil
}

// resignSkewed ends the term that was given back while the clock was off, and which the store still
// has because the call that should have ended it was lost. The term has retired for good; the next
// renewal, which follows at once, begins another one.
func (s *Scheduler) resignSkewed(ctx context.Context) error {
	err := s.opts.Store.Resign(ctx, s.skewed)
	if err == nil {
		s.Renew()
	}
	return err
}

// stayDrained retires a term that has begun since an operator drained this node. The store refuses
// that while no other node plans; then the next renewal tries again.
func (s *Scheduler) stayDrained(ctx context.Context, lease *xxladapter.Lease) {
	s.drained = s.drained || lease.Retired
	if !s.drained || lease.Retired || s.retired.Load() {
		return
	}
	switch err := s.opts.Store.Retire(ctx, lease.Term, xxladapter.MoveDrained); {
	case err == nil:
		s.Renew() // it drops its fires when the store says that it has retired
	case !errors.Is(err, xxladapter.ErrConflict):
		s.opts.Logger.Warn("drained node still plans", "node", s.opts.Node, "err", err)
	}
}

// failed steps down if the lease can no longer be relied on, and returns err.
func (s *Scheduler) failed(before *grant, err error) error {
	if !before.holds() {
		s.stepDown(before, "its lease could not be renewed")
	}
	return err
}

// stepDown drops all fires that the wheel holds. Hand-overs in flight check the lease themselves
// before they send.
func (s *Scheduler) stepDown(g *grant, reason string) {
	if g.deadline.IsZero() || !s.grant.CompareAndSwap(g, &grant{Lease: g.Lease}) {
		return // somebody else did, or the lease was renewed after all
	}
	dropped := s.dropAll()
	s.opts.Logger.Warn("node steps down", "node", s.opts.Node, "term", g.Number, "reason", reason, "dropped", dropped)
}

// dropAll drops all fires that the wheel holds, and returns how many there were.
func (s *Scheduler) dropAll() int {
	dropped := s.ring.drop(func(xxladapter.Fire) bool { return true })
	s.stats.dropped.Add(int64(dropped))
	return dropped
}

// adopt replaces the grant by a lease that the store has just given.
func (s *Scheduler) adopt(lease xxladapter.Lease, deadline time.Time) {
	before := s.grant.Load()
	gained := lease.Partitions
	switch {
	case before.Term != lease.Term:
		s.stepDown(before, "it has a new term")
		s.stats.terms.Add(1)
	case !before.deadline.IsZero():
		gained &^= before.Partitions
		lost := before.Partitions &^ lease.Partitions
		s.stats.dropped.Add(int64(s.ring.drop(func(f xxladapter.Fire) bool { return lost.HasJob(f.JobID) })))
	}
	own := lease.Term
	if s.retired.Load() {
		gained = 0
	}
	if standby := lease.Role() == xxladapter.NodeStandby; s.retired.Load() || lease.Partitions == 0 && !standby {
		own = xxladapter.Term{} // it retires, or was drained by an operator
	}
	s.grant.Store(&grant{lease, deadline})
	s.logRole(&before.Lease, &lease)
	s.roster.set(own, lease.Others)
	if gained != 0 {
		s.arrived.Store(true)
		s.Wake()
	}
	if gained != 0 || len(lease.Dead) > 0 || before.Quiet && !lease.Quiet {
		s.Sweep()
	}
}

// logRole logs that the node begins to lead or to stand by.
func (s *Scheduler) logRole(before, now *xxladapter.Lease) {
	if now.Mode != xxladapter.SchedulingLeader || before.Term == now.Term && before.Role() == now.Role() {
		return
	}
	switch now.Role() {
	case xxladapter.NodeLeads:
		s.opts.Logger.Info("node leads, it plans all jobs", "node", s.opts.Node, "term", now.Number)
	case xxladapter.NodeStandby:
		s.opts.Logger.Info("node stands by, another one leads", "node", s.opts.Node, "term", now.Number)
	}
}

// retire gives the partitions back, so that other nodes plan and fire their jobs while this node
// drains.
func (s *Scheduler) retire(ctx context.Context) {
	s.retired.Store(true)
	s.dropAll()
	if s.giveBack(ctx, xxladapter.MoveStopped) {
		s.roster.set(xxladapter.Term{}, nil) // as in resign
	}
}

// giveBack frees the node's partitions, and reports whether it has a term at all.
func (s *Scheduler) giveBack(ctx context.Context, why xxladapter.MoveCause) bool {
	g := s.grant.Load()
	if g.Number == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTry)
	defer cancel()
	if err := s.opts.Store.Retire(ctx, g.Term, why); err != nil {
		s.opts.Logger.Warn("partitions not given back", "node", s.opts.Node, "err", err)
	}
	return true
}

// errNoLease says that nothing is scanned because the node has no lease.
var errNoLease = errors.New("scheduler: no lease")
