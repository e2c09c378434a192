package records

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// prolongQuiet renews a lease if nothing has happened since the last look, a complete read of the
// leases. It is one statement, a transaction by itself, and changes nothing where there is more to
// do. Terms only grow, so the number of leases, the sum of their terms and the number of retired
// ones show every lease that has come, ended or retired. A node's own shards can only be taken from
// it, which their number shows. Others' leases may have been renewed, so the look is repeated when
// the first of them would lapse.
//
// Subqueries of an UPDATE lock nothing at READ COMMITTED, and the server requires the one about the
// updated table to be a derived table.
const prolongQuiet = `UPDATE xxlwheel_lease SET until_ms = ?, life_ms = ?
	WHERE node = ? AND term = ? AND retired = ? AND until_ms > ? AND until_ms <= ?
		AND (SELECT COUNT(*) FROM xxlwheel_shard WHERE xxlwheel_shard.node = ?) = ?
		AND EXISTS (SELECT 1 FROM (SELECT COUNT(*) AS leases, SUM(term) AS terms, SUM(retired) AS retirees FROM xxlwheel_lease) AS seen
			WHERE seen.leases = ? AND seen.terms = ? AND seen.retirees = ?)
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE due_ms <= ?)`

// lookLife is how long a look is relied on where there are other nodes, by this machine's clock:
// what they do when the store's clock is set back shows only in a look.
const lookLife = 4 * time.Second

// A leaseLook is the result of a node's last look. It stays true as long as [prolongQuiet]
// succeeds.
type leaseLook struct {
	at      time.Time
	lease   xxladapter.Lease // as returned to the node
	retired int64
	shards  int // of the node
	// Sums over all leases, including the node's own:
	leases, terms, retirees int64
}

// leaseLooks are the looks of the nodes that use a store, mostly of one. The zero value is ready to
// use.
type leaseLooks struct {
	mu sync.Mutex // guards the fields below
	of map[string]leaseLook
}

func (l *leaseLooks) last(node string) (leaseLook, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	look, ok := l.of[node]
	return look, ok
}

// note keeps a look, or forgets the last one if this look is not quiet.
func (l *leaseLooks) note(node string, look leaseLook, quiet bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !quiet {
		delete(l.of, node)
		return
	}
	if l.of == nil {
		l.of = map[string]leaseLook{}
	}
	l.of[node] = look
}

// fresh reports whether only prolongQuiet's conditions can have changed since the look.
func (l *leaseLook) fresh(now time.Time) bool {
	lapse := l.lease.NextLapse
	return lapse.IsZero() || now.Before(lapse) && time.Since(l.at) < lookLife
}

// prolongByLook renews the lease without a look of its own if the last one is still good.
func (s *Store) prolongByLook(ctx context.Context, node string, life time.Duration) (_ xxladapter.Lease, done bool, err error) {
	look, known := s.looks.last(node)
	if !known {
		return xxladapter.Lease{}, false, nil
	}
	at := s.Clock()
	if !look.fresh(at) {
		return xxladapter.Lease{}, false, nil
	}
	lease, now := look.lease, ToMilli(at)
	until := now + life.Milliseconds()
	err = s.writeOne(ctx, s.LeaseWrites, func(ctx context.Context, tx *Tx) error {
		changed, err := tx.Exec(ctx, prolongQuiet, until, life.Milliseconds(), node, lease.Number, look.retired, now, until,
			node, look.shards, look.leases, look.terms, look.retirees, now)
		done = changed > 0
		return err
	})
	lease.Until, lease.Quiet = fromMilli(until), true
	return lease, done, err
}
