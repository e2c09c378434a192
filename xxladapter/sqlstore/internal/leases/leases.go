package leases

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	updateTerm = `UPDATE xxlwheel_term SET last = ?`

	insertLease = `INSERT INTO xxlwheel_lease (node, term, until_ms, life_ms, retired, ended_ms, leads) VALUES (?, ?, ?, ?, 0, 0, ?)`
	// RenewLease sets until when a node's lease holds, and its life.
	RenewLease  = `UPDATE xxlwheel_lease SET until_ms = ?, life_ms = ? WHERE node = ?`
	setElection = `UPDATE xxlwheel_lease SET leads = ? WHERE node = ?`
	retireLease = `UPDATE xxlwheel_lease SET retired = 1 WHERE node = ? AND term = ?`
	// plansBeside asks whether another node than this one holds a lease and has not retired.
	plansBeside = `SELECT 1 FROM xxlwheel_lease WHERE node <> ? AND retired = 0 AND until_ms > ?`
	deleteLease = `DELETE FROM xxlwheel_lease WHERE node = ? AND term = ?`

	// These change nothing if the lease was renewed since it was read: its node relies on a renewal
	// as soon as that is answered.
	shortenLease = `UPDATE xxlwheel_lease SET until_ms = ? WHERE node = ? AND term = ? AND until_ms = ?`
	endLease     = `DELETE FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms = ?`

	// prolongLease finds nothing if the term has ended or retired since it was read, or if the
	// lease already holds for longer. The statement may run seconds after its caller has given up,
	// when later renewals have been answered.
	prolongLease = `UPDATE xxlwheel_lease SET until_ms = ?, life_ms = ? WHERE node = ? AND term = ? AND retired = ? AND until_ms <= ?`

	// termHolds reads the row without locking it. If the term lapses meanwhile, the guards of other
	// rows still limit what it writes; with a lock, a frozen node's transaction would block the
	// renewals of all others. A term that does not hold never holds again, so a "no" stays true.
	termHolds = `SELECT 1 FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?`

	selectLeases = `SELECT node, term, until_ms, leads, retired, skew_ms, fast_places, fast_in_flight, fast_waiting, slow_places, slow_in_flight, slow_waiting,
		address, spread, spread_sent, spread_received, spread_kept
		FROM xxlwheel_lease WHERE until_ms > ? ORDER BY node`
	reportNode = `UPDATE xxlwheel_lease SET skew_ms = ?, fast_places = ?, fast_in_flight = ?, fast_waiting = ?, slow_places = ?, slow_in_flight = ?, slow_waiting = ?,
		address = ?, spread = ?, spread_sent = ?, spread_received = ?, spread_kept = ?
		WHERE node = ? AND term = ?`

	countPartitions  = `SELECT COUNT(*) FROM xxlwheel_partition WHERE node = ?`
	selectPartitions = `SELECT partition_id, node FROM xxlwheel_partition ORDER BY partition_id`
	freePartitions   = `UPDATE xxlwheel_partition SET node = NULL WHERE node = ?`
	movePartition    = `UPDATE xxlwheel_partition SET node = ? WHERE partition_id = ?`
)

// Lease implements [xxladapter.Store].
func (s *Store) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	return s.lease(ctx, node, life, sharesJobs)
}

// Lead implements [xxladapter.Store].
func (s *Store) Lead(
	ctx context.Context, node string, life time.Duration, e xxladapter.Election,
) (xxladapter.Lease, error) {
	if err := e.Validate(); err != nil {
		return xxladapter.Lease{}, err
	}
	return s.lease(ctx, node, life, leadsBy(e))
}

func (s *Store) lease(
	ctx context.Context, node string, life time.Duration, leads leadership,
) (xxladapter.Lease, error) {
	if node == "" || life < time.Millisecond {
		return xxladapter.Lease{}, fmt.Errorf(
			"sqlstore: node is %q and life %v, must be set and at least 1ms", node, life,
		)
	}
	lease, err := s.leaseOrRenew(ctx, node, life, leads)
	if err == nil {
		s.shared(!lease.NextLapse.IsZero())
	}
	return lease, err
}

func (s *Store) leaseOrRenew(
	ctx context.Context, node string, life time.Duration, leads leadership,
) (xxladapter.Lease, error) {
	if lease, done, err := s.prolongBySnapshot(ctx, node, life, leads); done || err != nil {
		return lease, err
	}
	lease, done, err := s.prolong(ctx, node, life, leads)
	if done || err != nil {
		return lease, err
	}
	err = s.db.WriteBy(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) (err error) {
		lease, err = s.leaseIn(ctx, tx, node, life, leads)
		return err
	})
	if err != nil {
		return xxladapter.Lease{}, err
	}
	return lease, nil
}

// prolong renews a lease if nothing else changes, as in nearly all renewals: one read, and a
// statement that is a transaction by itself. done is false if there is more to do, or if the lease
// was changed since the read. prolong waits for no other node, not even for one that is frozen in
// its own renewal.
func (s *Store) prolong(
	ctx context.Context, node string, life time.Duration, leads leadership,
) (_ xxladapter.Lease, done bool, err error) {
	var state LeaseState
	if err := s.db.QueryBy(ctx, s.db.LeaseReads, SelectLeaseState, nil, state.Scan); err != nil {
		return xxladapter.Lease{}, false, err
	}
	r := state.Renew(node, life.Milliseconds(), database.ToMilli(s.db.Clock()), leads)
	if !r.quiet() {
		s.snapshots.note(node, leaseSnapshot{}, false)
		return xxladapter.Lease{}, false, nil
	}
	err = s.db.WriteOne(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) error {
		changed, err := tx.Exec(
			ctx, prolongLease, r.mine.until, r.mine.life, node, r.mine.Number, database.Bit(r.mine.retired),
			r.mine.until,
		)
		done = changed > 0
		return err
	})
	if err != nil || !done {
		s.snapshots.note(node, leaseSnapshot{}, false)
		return xxladapter.Lease{}, false, err
	}
	lease := r.lease()
	s.snapshots.note(node, state.snapshot(&r), len(lease.Dead) == 0)
	return lease, true, nil
}

// behindLog asks whether the tables lack what a log in front of them has.
const behindLog = `SELECT 1 FROM xxlwheel_redis WHERE id = 1 AND state = 'open'`

// errBehindLog refuses a term to a process that does not see what has happened.
var errBehindLog = errors.New("sqlstore: schedulers with Redis use these tables, which lack what Redis has")

func (s *Store) leaseIn(
	ctx context.Context, t *database.Tx, node string, life time.Duration, leads leadership,
) (xxladapter.Lease, error) {
	last, err := t.LockTerm(ctx)
	if err != nil {
		return xxladapter.Lease{}, err
	}
	var state LeaseState
	if err := t.Query(ctx, SelectLeaseState, nil, state.Scan); err != nil {
		return xxladapter.Lease{}, err
	}
	// The clock is read after the wait for the lock.
	r := state.Renew(node, life.Milliseconds(), database.ToMilli(s.db.Clock()), leads)
	if r.mine.Number == 0 && (s.db.Front == nil || s.db.BehindLog) {
		// A store that is behind a log now may not have been when this process opened it, or the
		// other way round.
		behind, err := t.Has(ctx, behindLog)
		switch {
		case err == nil && behind && !s.db.BehindLog:
			err = errBehindLog
		case err == nil && !behind && s.db.BehindLog:
			err = database.ErrLogClosed
		}
		if err != nil {
			return xxladapter.Lease{}, err
		}
	}
	if err := Apply(ctx, t, &r, last); err != nil {
		return xxladapter.Lease{}, err
	}
	for _, h := range r.moves {
		if h.Term.Node == node && h.Cause == xxladapter.MoveJoined {
			h.Term = r.mine.Term
		}
		if err := addPartitionMove(ctx, t, h, s.db.Clock()); err != nil {
			return xxladapter.Lease{}, err
		}
	}
	return r.lease(), nil
}

// Apply stores the renewal.
//
// REQUIRES: the row of xxlwheel_term is locked and contains last.
func Apply(ctx context.Context, t *database.Tx, r *renewal, last int64) error {
	for _, l := range r.lapsed {
		if _, err := t.Exec(ctx, endLease, l.Node, l.Number, l.until); err != nil {
			return err
		}
	}
	for _, l := range r.cut {
		if _, err := t.Exec(ctx, shortenLease, l.latest, l.Node, l.Number, l.until); err != nil {
			return err
		}
	}
	var err error
	if r.mine.Number != 0 {
		_, err = t.Exec(ctx, RenewLease, r.mine.until, r.mine.life, r.mine.Node)
		if err == nil && r.elected {
			_, err = t.Exec(ctx, setElection, int64(r.mine.leads), r.mine.Node)
		}
	} else {
		r.mine.Number = last + 1
		if _, err = t.Exec(ctx, updateTerm, r.mine.Number); err == nil {
			_, err = t.Exec(
				ctx, insertLease, r.mine.Node, r.mine.Number, r.mine.until, r.mine.life, int64(r.mine.leads),
			)
		}
	}
	if err != nil {
		return err
	}
	for _, partition := range slices.Sorted(maps.Keys(r.moved)) {
		if _, err := t.Exec(ctx, movePartition, r.moved[partition], partition); err != nil {
			return err
		}
	}
	return nil
}

// Holds reports whether the term is its node's current one, with a lease that has not lapsed.
func Holds(ctx context.Context, t *database.Tx, term xxladapter.Term, now time.Time) (bool, error) {
	return t.Has(ctx, termHolds, term.Node, term.Number, database.ToMilli(now))
}

// Retire implements [xxladapter.Store].
func (s *Store) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	return s.db.WriteBy(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) error {
		// Rows are locked in the order of a renewal, so that the two cannot deadlock.
		if _, err := tx.LockTerm(ctx); err != nil {
			return err
		}
		retired, err := tx.Exec(ctx, retireLease, term.Node, term.Number)
		if err != nil || retired == 0 {
			return err
		}
		if why == xxladapter.MoveDrained {
			beside, err := tx.Has(ctx, plansBeside, term.Node, database.ToMilli(s.db.Clock()))
			if err != nil {
				return err
			}
			if !beside {
				return xxladapter.Conflictf(errorrule.LastNode, "no other node can plan jobs, one must")
			}
		}
		freed, err := tx.Exec(ctx, freePartitions, term.Node)
		if err != nil {
			return err
		}
		move := xxladapter.PartitionMove{Cause: why, Term: term, Partitions: int(freed)}
		return addPartitionMove(ctx, tx, move, s.db.Clock())
	})
}

// Resign implements [xxladapter.Store]. The partitions keep the name of the node: a partition of a
// node without a lease is free.
func (s *Store) Resign(ctx context.Context, term xxladapter.Term) error {
	return s.db.WriteBy(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) error {
		if ended, err := tx.Exec(ctx, deleteLease, term.Node, term.Number); err != nil || ended == 0 {
			return err
		}
		h := xxladapter.PartitionMove{Cause: xxladapter.MoveStopped, Term: term}
		if err := tx.Query(
			ctx, countPartitions, []any{term.Node}, func(r database.Row) error { return r.Scan(&h.Partitions) },
		); err != nil {
			return err
		}
		return addPartitionMove(ctx, tx, h, s.db.Clock())
	})
}

// Leases implements [xxladapter.Store].
func (s *Store) Leases(ctx context.Context) ([]xxladapter.Lease, error) {
	var found []xxladapter.Lease
	now := database.ToMilli(s.db.Clock())
	err := s.db.Query(ctx, selectLeases, []any{now}, func(r database.Row) error {
		var l xxladapter.Lease
		var leads leadership
		var retired, skew int64
		err := r.Scan(&l.Node, &l.Number, database.Milli(&l.Until), (*int64)(&leads), &retired, &skew,
			&l.Report.Fast.Places, &l.Report.Fast.InFlight, &l.Report.Fast.Waiting, &l.Report.Slow.Places,
			&l.Report.Slow.InFlight, &l.Report.Slow.Waiting,
			&l.Report.Address, (*string)(&l.Report.Spread), &l.Report.Fires.Sent, &l.Report.Fires.Received,
			&l.Report.Fires.Kept)
		l.Mode, l.Election, l.Retired = leads.mode(), leads.election(), retired != 0
		l.Report.Skew = time.Duration(skew) * time.Millisecond
		found = append(found, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = s.db.Query(ctx, selectPartitions, nil, func(r database.Row) error {
		var partition int
		var owner string
		err := r.Scan(&partition, database.Text(&owner))
		for i := range found {
			if found[i].Node == owner {
				found[i].Partitions = found[i].Partitions.With(partition)
			}
		}
		return err
	})
	return found, err
}
