package records

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// AcceptRuns implements [xxladapter.Store]. Each run of the list becomes a call in the batches of
// claims and results. The calls that a batch cannot make are made in one transaction of their own.
func (s *Store) AcceptRuns(ctx context.Context, list []xxladapter.Accept) ([]bool, error) {
	may := make([]bool, len(list))
	var alone []int // in list
	if s.Fires == nil {
		for i := range list {
			alone = append(alone, i)
		}
	} else if len(list) > 0 {
		calls := make([]*FireCall, len(list))
		for i := range list {
			calls[i] = &FireCall{LogID: list[i].LogID, Accept: &list[i]}
		}
		if err := s.batchAll(ctx, calls); err != nil {
			return nil, err
		}
		for i, c := range calls {
			may[i] = c.MayBegin
			if errors.Is(c.Err, ErrAlone) {
				alone = append(alone, i)
			} else if c.Err != nil {
				return nil, c.Err
			}
		}
	}
	if len(alone) == 0 {
		return may, nil
	}
	return may, s.acceptAlone(ctx, list, alone, may)
}

// acceptAlone accepts the runs of a list that order names. They share a transaction, which locks
// the fires, then the log rows, each by log id, so that no two transactions deadlock.
func (s *Store) acceptAlone(ctx context.Context, list []xxladapter.Accept, order []int, may []bool) error {
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].LogID, list[b].LogID) })
	return s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		for _, lock := range []string{LockFireByLog, lockLog} {
			for _, i := range order {
				if err := lockRow(ctx, tx, lock, list[i].LogID); err != nil {
					return err
				}
			}
		}
		now := s.Clock()
		for _, i := range order {
			logID := list[i].LogID
			rows, err := readRows(ctx, tx, SelectRowsByLog, "", 0, 0, logID, logID)
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
}
