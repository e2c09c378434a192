package leases

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// prolongQuiet renews a lease if nothing has happened since the last snapshot, a complete read of
// the leases. It is one statement, a transaction by itself, and changes nothing where there is more
// to do. Terms only grow, so the number of leases, the sum of their terms and the number of retired
// ones show every lease that has come, ended or retired. A node's own partitions can only be taken
// from it, which their number shows. Others' leases may have been renewed, so the snapshot is
// repeated when the first of them would lapse.
//
// Subqueries of an UPDATE lock nothing at READ COMMITTED, and MySQL requires the one about the
// updated table to be a derived table.
const prolongQuiet = `UPDATE xxlwheel_lease SET until_ms = ?, life_ms = ?
	WHERE node = ? AND term = ? AND retired = ? AND until_ms > ? AND until_ms <= ?
		AND (SELECT COUNT(*) FROM xxlwheel_partition WHERE xxlwheel_partition.node = ?) = ?
		AND EXISTS (SELECT 1 FROM (SELECT COUNT(*) AS leases, SUM(term) AS terms, SUM(retired) AS retirees FROM xxlwheel_lease) AS seen
			WHERE seen.leases = ? AND seen.terms = ? AND seen.retirees = ?)
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE due_ms <= ?)`

// snapshotLife is how long a snapshot is relied on where there are other nodes, by this machine's
// clock: what they do when the store's clock is set back shows only in a snapshot.
const snapshotLife = 4 * time.Second

// A leaseSnapshot is what a node's last complete read of the leases has found. It stays true as
// long as [prolongQuiet] succeeds.
type leaseSnapshot struct {
	at         time.Time
	lease      xxladapter.Lease // as returned to the node
	leads      leadership
	retired    int64
	partitions int // of the node
	// Sums over all leases, including the node's own:
	leases, terms, retirees int64
}

// leaseSnapshots are the snapshots of the nodes that use a store, mostly of one. The zero value is
// ready to use.
type leaseSnapshots struct {
	mu sync.Mutex // guards the fields below
	of map[string]leaseSnapshot
}

func (l *leaseSnapshots) last(node string) (leaseSnapshot, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	snapshot, ok := l.of[node]
	return snapshot, ok
}

// note keeps a snapshot, or forgets the last one if this snapshot is not quiet.
func (l *leaseSnapshots) note(node string, snapshot leaseSnapshot, quiet bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !quiet {
		delete(l.of, node)
		return
	}
	if l.of == nil {
		l.of = map[string]leaseSnapshot{}
	}
	l.of[node] = snapshot
}

// fresh reports whether prolongQuiet checks everything that can have changed since the snapshot.
func (l *leaseSnapshot) fresh(now time.Time) bool {
	lapse := l.lease.NextLapse
	return lapse.IsZero() || now.Before(lapse) && time.Since(l.at) < snapshotLife
}

// prolongBySnapshot renews the lease without reading the leases again, if the last snapshot is
// still good.
func (s *Store) prolongBySnapshot(
	ctx context.Context, node string, life time.Duration, leads leadership,
) (_ xxladapter.Lease, done bool, err error) {
	snapshot, known := s.snapshots.last(node)
	if !known || leads != sharesJobs && snapshot.leads != sharesJobs && leads != snapshot.leads {
		return xxladapter.Lease{}, false, nil
	}
	at := s.db.Clock()
	if !snapshot.fresh(at) {
		return xxladapter.Lease{}, false, nil
	}
	lease, now := snapshot.lease, database.ToMilli(at)
	until := now + life.Milliseconds()
	err = s.db.WriteOne(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) error {
		changed, err := tx.Exec(ctx, prolongQuiet, until, life.Milliseconds(), node, lease.Number, snapshot.retired,
			now, until,
			node, snapshot.partitions, snapshot.leases, snapshot.terms, snapshot.retirees, now)
		done = changed > 0
		return err
	})
	lease.Until, lease.Quiet = database.FromMilli(until), true
	return lease, done, err
}
