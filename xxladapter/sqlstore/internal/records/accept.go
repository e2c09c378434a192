package records

import (
	"cmp"
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// AcceptRuns implements [xxladapter.Store]. All runs of the list share a transaction, which locks
// the fires, then the log rows, each by log id, so that no two transactions deadlock.
func (s *Store) AcceptRuns(ctx context.Context, list []xxladapter.Accepted) ([]bool, error) {
	may := make([]bool, len(list))
	if len(list) == 0 {
		return may, nil
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].LogID, list[b].LogID) })
	err := s.Write(ctx, func(ctx context.Context, tx *Tx) error {
		for _, lock := range []string{LockFireByLog, lockLog} {
			for _, i := range order {
				if err := tx.lockRow(ctx, lock, list[i].LogID); err != nil {
					return err
				}
			}
		}
		now := s.Clock()
		for _, i := range order {
			logID := list[i].LogID
			rows, err := tx.readRows(ctx, SelectRowsByLog, "", 0, 0, logID, logID)
			if err != nil {
				return err
			}
			var change transition.Change
			if change, may[i] = transition.Accept(rows.Rows, list[i], now); !may[i] {
				continue
			}
			if _, err := s.carryOut(ctx, tx, change, rows, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return may, nil
}
