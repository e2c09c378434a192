package sqlstore

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// The one row of xxlwheel_term is what two renewals wait for each other at.
	selectTerm = `SELECT last FROM xxlwheel_term`
	updateTerm = `UPDATE xxlwheel_term SET last = ?`

	selectLeases = `SELECT node, term, until_ms, life_ms FROM xxlwheel_lease`
	insertLease  = `INSERT INTO xxlwheel_lease (node, term, until_ms, life_ms) VALUES (?, ?, ?, ?)`
	renewLease   = `UPDATE xxlwheel_lease SET until_ms = ?, life_ms = ? WHERE node = ?`
	shortenLease = `UPDATE xxlwheel_lease SET until_ms = ? WHERE node = ? AND term = ?`
	deleteLease  = `DELETE FROM xxlwheel_lease WHERE node = ? AND term = ?`

	// Without a lock on the row: what a term that lapses meanwhile has written
	// is still only what the guards of the other rows let it, and a frozen
	// node's transaction must not hold up the renewals of all others. A term
	// that does not hold will never again, so a "no" stays true.
	termHolds = `SELECT 1 FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?`

	selectShards = `SELECT shard, node FROM xxlwheel_shard ORDER BY shard`
	moveShard    = `UPDATE xxlwheel_shard SET node = ? WHERE shard = ?`

	selectOwners = `SELECT DISTINCT node, term FROM xxlwheel_fire WHERE node IS NOT NULL ORDER BY node, term`
)

// Lease implements [xxladapter.Store].
func (s *Store) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	if node == "" || life < time.Millisecond {
		return xxladapter.Lease{}, errors.New("sqlstore: lease without a node or a life")
	}
	var lease xxladapter.Lease
	err := s.write(ctx, func(ctx context.Context, tx *tx) (err error) {
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
	live, err := t.liveTerms(ctx, now)
	if err != nil {
		return xxladapter.Lease{}, err
	}
	until := now + life.Milliseconds()
	if _, lives := live[node]; lives {
		_, err = t.exec(ctx, renewLease, until, life.Milliseconds(), node)
	} else {
		live[node] = last + 1
		if _, err = t.exec(ctx, updateTerm, live[node]); err == nil {
			_, err = t.exec(ctx, insertLease, node, live[node], until, life.Milliseconds())
		}
	}
	if err != nil {
		return xxladapter.Lease{}, err
	}
	shards, err := t.deal(ctx, live, node)
	if err != nil {
		return xxladapter.Lease{}, err
	}
	dead, err := t.deadOwners(ctx, live)
	return xxladapter.Lease{
		Term: xxladapter.Term{Node: node, Number: live[node]}, Until: fromMilli(until), Shards: shards, Dead: dead,
	}, err
}

// liveTerms are the numbers of the terms that hold, by node. The others are
// forgotten. A lease that would hold for longer than its life was given before
// the clock was set back, and is cut to its life from now: a node that died
// then would otherwise count as alive for as long as the clock was set back by.
func (t *tx) liveTerms(ctx context.Context, now int64) (map[string]int64, error) {
	live := map[string]int64{}
	var lapsed []xxladapter.Term
	long := map[xxladapter.Term]int64{} // until when they may hold
	err := t.query(ctx, selectLeases, nil, func(r row) error {
		var term xxladapter.Term
		var until, life int64
		if err := r.Scan(&term.Node, &term.Number, &until, &life); err != nil {
			return err
		}
		if until <= now {
			lapsed = append(lapsed, term)
			return nil
		}
		live[term.Node] = term.Number
		if until > now+life {
			long[term] = now + life
		}
		return nil
	})
	for _, term := range lapsed {
		if err == nil {
			_, err = t.exec(ctx, deleteLease, term.Node, term.Number)
		}
	}
	for term, until := range long {
		if err == nil {
			_, err = t.exec(ctx, shortenLease, until, term.Node, term.Number)
		}
	}
	return live, err
}

// deal stores the node's part of the shards and returns it.
func (t *tx) deal(ctx context.Context, live map[string]int64, node string) (xxladapter.ShardSet, error) {
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
	before := owners
	names := make([]string, 0, len(live))
	for name := range live {
		names = append(names, name)
	}
	xxladapter.Deal(&owners, names, node)
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

func (t *tx) deadOwners(ctx context.Context, live map[string]int64) ([]xxladapter.Term, error) {
	var dead []xxladapter.Term
	err := t.query(ctx, selectOwners, nil, func(r row) error {
		var owner xxladapter.Term
		err := r.Scan(&owner.Node, &owner.Number)
		if number, lives := live[owner.Node]; !lives || number != owner.Number {
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
		err = xxladapter.Fencedf("node %q acts in term %d, which is over", by.Node, by.Number)
	}
	return err
}

// Resign implements [xxladapter.Store]. The shards keep the name of a node that
// has no lease, which is what a free shard is.
func (s *Store) Resign(ctx context.Context, term xxladapter.Term) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		_, err := tx.exec(ctx, deleteLease, term.Node, term.Number)
		return err
	})
}
