package leases

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	insertMove  = `INSERT INTO xxlwheel_partition_move (at_ms, cause, node, term, partitions) VALUES (?, ?, ?, ?, ?)`
	selectMoves = `SELECT id, at_ms, cause, node, term, partitions FROM xxlwheel_partition_move ORDER BY id DESC LIMIT ?`

	// MySQL requires the subquery about the table itself to be a derived table.
	trimMoves = `DELETE FROM xxlwheel_partition_move WHERE id <= (SELECT newest - ? FROM (SELECT MAX(id) AS newest FROM xxlwheel_partition_move) AS kept)`

	endPresence = `UPDATE xxlwheel_lease SET ended_ms = until_ms WHERE node = ? AND term = ?`
)

// addPartitionMove stores a move of partitions, unless it moves none, and deletes all moves but the
// newest [xxladapter.KeptMoves].
func addPartitionMove(ctx context.Context, t *database.Tx, h xxladapter.PartitionMove, at time.Time) error {
	if h.Partitions == 0 {
		return nil
	}
	_, err := t.Exec(ctx, insertMove, database.ToMilli(at), string(h.Cause), h.Term.Node, h.Term.Number, h.Partitions)
	if err == nil {
		_, err = t.Exec(ctx, trimMoves, xxladapter.KeptMoves)
	}
	return err
}

// PartitionMoves implements [xxladapter.PartitionMoveStore].
func (s *Store) PartitionMoves(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error) {
	var found []xxladapter.PartitionMove
	err := s.db.Query(ctx, selectMoves, []any{limit}, func(r database.Row) error {
		var h xxladapter.PartitionMove
		err := r.Scan(&h.ID, database.Milli(&h.At), (*string)(&h.Cause), &h.Term.Node, &h.Term.Number, &h.Partitions)
		found = append(found, h)
		return err
	})
	return found, err
}

// PresenceEnded implements [xxladapter.PartitionMoveStore].
func (s *Store) PresenceEnded(ctx context.Context, term xxladapter.Term) error {
	return s.db.WriteOne(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, endPresence, term.Node, term.Number)
		return err
	})
}

// ReportNode implements [xxladapter.LeaseStore].
func (s *Store) ReportNode(ctx context.Context, term xxladapter.Term, n xxladapter.NodeReport) error {
	return s.db.WriteOne(ctx, s.db.LeaseWrites, func(ctx context.Context, tx *database.Tx) error {
		_, err := tx.Exec(ctx, reportNode, n.Skew.Milliseconds(), n.Fast.Places, n.Fast.InFlight, n.Fast.Waiting,
			n.Slow.Places, n.Slow.InFlight, n.Slow.Waiting,
			n.Address, string(n.Spread), n.Fires.Sent, n.Fires.Received, n.Fires.Kept, term.Node, term.Number)
		return err
	})
}
