package sqlstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// The one row of xxlwheel_term is what two renewals wait for each other at.
	selectTerm = `SELECT last FROM xxlwheel_term`
	updateTerm = `UPDATE xxlwheel_term SET last = ?`

	selectLeases = `SELECT node, term, until_ms, life_ms, retired FROM xxlwheel_lease`
	insertLease  = `INSERT INTO xxlwheel_lease (node, term, until_ms, life_ms, retired) VALUES (?, ?, ?, ?, 0)`
	renewLease   = `UPDATE xxlwheel_lease SET until_ms = ?, life_ms = ? WHERE node = ?`
	shortenLease = `UPDATE xxlwheel_lease SET until_ms = ? WHERE node = ? AND term = ?`
	retireLease  = `UPDATE xxlwheel_lease SET retired = 1 WHERE node = ? AND term = ?`
	deleteLease  = `DELETE FROM xxlwheel_lease WHERE node = ? AND term = ?`

	// Without a lock on the row: what a term that lapses meanwhile has written
	// is still only what the guards of the other rows let it, and a frozen
	// node's transaction must not hold up the renewals of all others. A term
	// that does not hold will never again, so a "no" stays true.
	termHolds = `SELECT 1 FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?`

	selectShards = `SELECT shard, node FROM xxlwheel_shard ORDER BY shard`
	freeShards   = `UPDATE xxlwheel_shard SET node = NULL WHERE node = ?`
	moveShard    = `UPDATE xxlwheel_shard SET node = ? WHERE shard = ?`

	selectOwners = `SELECT DISTINCT node, term FROM xxlwheel_fire WHERE node IS NOT NULL ORDER BY node, term`
)

// Lease implements [xxladapter.Store].
func (s *Store) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	if node == "" || life < time.Millisecond {
		return xxladapter.Lease{}, errors.New("sqlstore: lease without a node or a life")
	}
	var lease xxladapter.Lease
	err := s.writeBy(ctx, s.leases, func(ctx context.Context, tx *tx) (err error) {
		lease, err = tx.lease(ctx, node, life, s.clock)
		return err
	})
	if err != nil {
		return xxladapter.Lease{}, err
	}
	return lease, nil
}

func (t *tx) lease(ctx context.Context, node string, life time.Duration, clock func() time.Time) (xxladapter.Lease, error) {
	var last int64
	err := t.query(ctx, selectTerm+t.dialect.lock, nil, func(r row) error { return r.Scan(&last) })
	if err != nil {
		return xxladapter.Lease{}, err
	}
	now := toMilli(clock()) // after the wait for the lock
	live, err := t.liveLeases(ctx, now)
	if err != nil {
		return xxladapter.Lease{}, err
	}
	mine, lives := live[node]
	mine.until, mine.life = now+life.Milliseconds(), life.Milliseconds()
	if lives {
		_, err = t.exec(ctx, renewLease, mine.until, mine.life, node)
	} else {
		mine.term = last + 1
		if _, err = t.exec(ctx, updateTerm, mine.term); err == nil {
			_, err = t.exec(ctx, insertLease, node, mine.term, mine.until, mine.life)
		}
	}
	if err != nil {
		return xxladapter.Lease{}, err
	}
	live[node] = mine
	shards, err := t.deal(ctx, live, node)
	if err != nil {
		return xxladapter.Lease{}, err
	}
	dead, err := t.deadOwners(ctx, live)
	return xxladapter.Lease{
		Term: xxladapter.Term{Node: node, Number: mine.term}, Until: fromMilli(mine.until), Shards: shards, Dead: dead,
	}, err
}

// A leaseRow is a row of xxlwheel_lease, but for its node.
type leaseRow struct {
	term    int64
	until   int64 // ms
	life    int64 // ms
	retired int
}

// liveLeases are the leases that hold, by node. The others are forgotten. A
// lease that would hold for longer than its life was given before the clock was
// set back, and is cut to its life from now: a node that died then would
// otherwise count as alive for as long as the clock was set back by.
func (t *tx) liveLeases(ctx context.Context, now int64) (map[string]leaseRow, error) {
	all := map[string]leaseRow{}
	err := t.query(ctx, selectLeases, nil, func(r row) error {
		var node string
		var l leaseRow
		err := r.Scan(&node, &l.term, &l.until, &l.life, &l.retired)
		all[node] = l
		return err
	})
	for _, node := range slices.Sorted(maps.Keys(all)) {
		l := all[node]
		switch {
		case err != nil:
			return nil, err
		case l.until <= now:
			delete(all, node)
			_, err = t.exec(ctx, deleteLease, node, l.term)
		case l.until > now+l.life:
			l.until = now + l.life
			all[node] = l
			_, err = t.exec(ctx, shortenLease, l.until, node, l.term)
		}
	}
	return all, err
}

// deal stores the node's part of the shards and returns it.
func (t *tx) deal(ctx context.Context, live map[string]leaseRow, node string) (xxladapter.ShardSet, error) {
	if live[node].retired != 0 {
		return 0, nil
	}
	var owners [xxladapter.Shards]string
	err := t.query(ctx, selectShards, nil, func(r row) error {
		var shard int
		var owner string
		err := r.Scan(&shard, text(&owner))
		if err == nil && shard >= 0 && shard < len(owners) {
			owners[shard] = owner
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	var takers []string
	for name, l := range live {
		if l.retired == 0 {
			takers = append(takers, name)
		}
	}
	before := owners
	xxladapter.Deal(&owners, takers, node)
	var mine xxladapter.ShardSet
	for shard, owner := range owners {
		if owner != before[shard] {
			if _, err := t.exec(ctx, moveShard, owner, shard); err != nil {
				return 0, err
			}
		}
		if owner == node {
			mine = mine.With(shard)
		}
	}
	return mine, nil
}

func (t *tx) deadOwners(ctx context.Context, live map[string]leaseRow) ([]xxladapter.Term, error) {
	var dead []xxladapter.Term
	err := t.query(ctx, selectOwners, nil, func(r row) error {
		var owner xxladapter.Term
		err := r.Scan(&owner.Node, &owner.Number)
		if l, lives := live[owner.Node]; !lives || l.term != owner.Number {
			dead = append(dead, owner)
		}
		return err
	})
	return dead, err
}

// holds reports whether the term is its node's current one, with a lease that
// has not lapsed.
func (t *tx) holds(ctx context.Context, term xxladapter.Term, now time.Time) (bool, error) {
	return t.has(ctx, termHolds, term.Node, term.Number, toMilli(now))
}

// fence returns an error unless the term holds.
func (t *tx) fence(ctx context.Context, by xxladapter.Term, now time.Time) error {
	holds, err := t.holds(ctx, by, now)
	if err == nil && !holds {
		err = fenced(by)
	}
	return err
}

func fenced(by xxladapter.Term) error {
	return xxladapter.Fencedf("node %q acts in term %d, which is over", by.Node, by.Number)
}

// Retire implements [xxladapter.Store].
func (s *Store) Retire(ctx context.Context, term xxladapter.Term) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		// In the order of a renewal, so that neither waits for the other.
		var last int64
		err := tx.query(ctx, selectTerm+tx.dialect.lock, nil, func(r row) error { return r.Scan(&last) })
		if err != nil {
			return err
		}
		retired, err := tx.exec(ctx, retireLease, term.Node, term.Number)
		if err != nil || retired == 0 {
			return err
		}
		_, err = tx.exec(ctx, freeShards, term.Node)
		return err
	})
}

// Resign implements [xxladapter.Store]. The shards keep the name of a node that
// has no lease, which is what a free shard is.
func (s *Store) Resign(ctx context.Context, term xxladapter.Term) error {
	return s.writeBy(ctx, s.leases, func(ctx context.Context, tx *tx) error {
		_, err := tx.exec(ctx, deleteLease, term.Node, term.Number)
		return err
	})
}

// Leases implements [xxladapter.Store].
func (s *Store) Leases(ctx context.Context) ([]xxladapter.Lease, error) {
	var found []xxladapter.Lease
	now := toMilli(s.clock())
	err := s.query(ctx, `SELECT node, term, until_ms FROM xxlwheel_lease WHERE until_ms > ? ORDER BY node`, []any{now}, func(r row) error {
		var l xxladapter.Lease
		err := r.Scan(&l.Node, &l.Number, milli{&l.Until})
		found = append(found, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = s.query(ctx, selectShards, nil, func(r row) error {
		var shard int
		var owner string
		err := r.Scan(&shard, text(&owner))
		for i := range found {
			if found[i].Node == owner {
				found[i].Shards = found[i].Shards.With(shard)
			}
		}
		return err
	})
	return found, err
}
