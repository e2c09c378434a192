package sqlstore

import (
	"context"
	"time"
)

const (
	selectSilentNodes = `SELECT node FROM xxlwheel_node WHERE beat_ms < ? ORDER BY node`
	forgetNodes       = `DELETE FROM xxlwheel_node WHERE beat_ms < ?
		AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire WHERE xxlwheel_fire.node = xxlwheel_node.node)`
)

// BeatNode implements [xxladapter.Store]. A silent node without fires is
// returned one last time as it is forgotten. A claim makes its node known
// again, so that no fire can belong to a node that nobody watches.
func (s *Store) BeatNode(ctx context.Context, node string, life time.Duration) ([]string, error) {
	var dead []string
	err := s.write(ctx, func(ctx context.Context, tx *tx) error {
		dead = nil
		now := s.clock()
		if _, err := tx.exec(ctx, s.dialect.beatNode, node, toMilli(now)); err != nil {
			return err
		}
		limit := fromMilli(toMilli(now)).Add(-life).UnixMilli()
		// Locked, so that no claim counts on one while it is forgotten.
		err := tx.query(ctx, selectSilentNodes+s.dialect.lock, []any{limit}, func(r row) error {
			var name string
			err := r.Scan(&name)
			dead = append(dead, name)
			return err
		})
		if err != nil || len(dead) == 0 {
			return err
		}
		_, err = tx.exec(ctx, forgetNodes, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return dead, nil
}
