package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The longest pause after a scan that found jobs, and after an empty one. A pause ends at a whole
// second. XXL-JOB does the same in JobScheduleHelper.start.
const (
	busyPace = 1 * time.Second
	idlePace = 5 * time.Second

	// scanLimit limits one scan, and one sweep, so that a half-open connection cannot block them
	// for good.
	scanLimit = 30 * time.Second
)

func (s *Scheduler) scanLoop(ctx context.Context) {
	var alert time.Time // until then scans follow at the busy pace
	found := false      // whether a scan found jobs since the last pause
	pause := func(pace time.Duration) {
		found = false
		if s.pause(ctx, pace) {
			// The job that was just started or changed may be in another node's partition. Its
			// owner sees it within an idle pace. Until then this node scans often, because a scan
			// also takes jobs of other partitions that are almost due.
			alert = time.Now().Add(idlePace)
		}
	}
	size := min(firstClaim, s.opts.Limit)
	failing := outage{logger: s.opts.Logger, level: slog.LevelError, begins: "scan failed", ends: "scans work again"}
	var locked time.Time // since when scans have skipped locked due jobs; zero if the last scan skipped none
	for ctx.Err() == nil {
		started := time.Now()
		c, err := s.scan(ctx, size)
		found = found || c.due > 0
		size = nextClaim(c, s.opts.Window, s.opts.Limit)
		switch {
		case c.locked == 0:
			locked = time.Time{}
		case locked.IsZero():
			locked = started
		case started.Sub(locked) >= busyPace:
			s.opts.Logger.Warn(
				"jobs are due, and another session holds their rows", "jobs", c.locked, "for", started.Sub(locked),
			)
		}
		if err == nil {
			failing.note(nil)
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errNoLease):
			pause(busyPace) // the lease wakes it
		case err != nil:
			// A single answer may be lost; the jobs that are due next should not wait for that.
			if failing.note(err); failing.failures > 1 {
				pause(busyPace)
			}
		case c.full() || time.Since(started) >= busyPace:
			// More is due than was taken, or the second is over.
		case found, c.locked > 0:
			pause(busyPace)
		case time.Now().Before(alert) && s.grant.Load().Partitions != xxladapter.AllPartitions:
			pause(busyPace)
		default:
			pause(idle(s.opts.Window))
		}
	}
}

// idle returns the pace after an empty scan. Upstream's pace is as long as its window, so a scan
// may find jobs that are due at once and, if they are many, become misfires before they are
// planned. This one is half of the window, in whole seconds from busyPace to idlePace.
func idle(window time.Duration) time.Duration {
	return max(min(idlePace, (window/2).Truncate(time.Second)), busyPace)
}

// pause sleeps until pace from now, brought forward to a whole second of the store's clock, or
// until it is woken.
func (s *Scheduler) pause(ctx context.Context, pace time.Duration) (woken bool) {
	now := s.clock.now()
	timer := time.NewTimer(pace - now.Sub(now.Truncate(time.Second)))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-s.scanNow:
		return true
	}
	return false
}

// scan takes up to size of the jobs that are due within the window, or within a second in an
// overload (see [congestion]), commits the decisions about them, and only then arms their fires.
func (s *Scheduler) scan(ctx context.Context, size int) (claim, error) {
	c := claim{size: size}
	// The store may call decide several times. These are the jobs and decisions of its last call.
	var found []*xxladapter.Job
	var decisions []xxladapter.Decision
	s.misfires.beginScan(time.Now())
	term, ok := s.Term()
	if !ok {
		return c, errNoLease
	}
	running := ctx
	ctx, cancel := context.WithTimeout(ctx, scanLimit)
	defer cancel()
	// The time before the decisions is mostly a wait for the store's lock, and smaller claims
	// would wait more often.
	asked := time.Now()
	decided := asked
	ahead := s.congestion.look(s.opts.Pool.Waits(), s.ring.stocked(), asked, s.opts.Window)
	planned, due, err := s.opts.Store.ClaimDue(ctx, term, ahead, size,
		func(now time.Time, jobs []*xxladapter.Job) []xxladapter.Decision {
			decided = time.Now()
			s.clock.seen(now, asked)
			found, decisions = jobs, s.decideAll(now, ahead, jobs)
			c.lead = lead(now, jobs)
			return decisions
		})
	c.took = time.Since(decided)
	if errors.Is(err, xxladapter.ErrFenced) {
		s.Fenced(term)
	}
	if errors.Is(err, xxladapter.ErrInDoubt) {
		// If the scan has planned fires, they are armed like those of a partition that was just
		// given to this node.
		s.arrived.Store(true)
		s.Sweep()
	}
	if err != nil {
		return c, err
	}
	c.due = min(len(found), due)
	c.locked = due - c.due
	for _, f := range s.share(running, term, planned) {
		if err := s.ring.arm(f); err != nil {
			return c, err // the wheel has stopped, and the store has the fires
		}
	}
	if _, ok := s.Term(); !ok {
		s.dropAll() // it stepped down before these were armed
	}
	for _, d := range decisions {
		s.report(d)
	}
	return c, nil
}

// lead returns the time from now to the first due time of jobs.
func lead(now time.Time, jobs []*xxladapter.Job) time.Duration {
	first := time.Duration(math.MaxInt64)
	for _, j := range jobs {
		first = min(first, j.TriggerNext.Sub(now))
	}
	return first
}

func (s *Scheduler) decideAll(now time.Time, ahead time.Duration, jobs []*xxladapter.Job) []xxladapter.Decision {
	decisions := make([]xxladapter.Decision, 0, len(jobs))
	for _, j := range jobs {
		plan, err := s.plans.of(j)
		if err != nil {
			// Another tool wrote this row. It must not hold up the others.
			decisions = append(decisions, stop(j, err.Error()))
			continue
		}
		decisions = append(decisions, decide(j, plan, now, s.opts.Window, s.congestion.reach(j.GroupID, ahead)))
	}
	return decisions
}

// report logs what an operator should know of a stored decision.
func (s *Scheduler) report(d xxladapter.Decision) {
	for _, m := range d.Misfires {
		if m.Kind() == xxladapter.MisfireLate {
			s.misfires.note(m)
		}
		s.onMisfire(m)
	}
	if d.Stop {
		level := slog.LevelWarn
		if d.Reason == scheduleEnded {
			level = slog.LevelInfo // the schedule has ended as it should
		}
		s.opts.Logger.Log(context.Background(), level, "job stopped", "job", d.JobID, "reason", d.Reason)
	}
}

// onMisfire calls Options.OnMisfire and recovers its panic, so that the scans continue.
func (s *Scheduler) onMisfire(m xxladapter.Misfire) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.Error(
				"Options.OnMisfire panicked", "job", m.JobID, "panic", p, "stack", string(debug.Stack()),
			)
		}
	}()
	s.opts.OnMisfire(m)
}
