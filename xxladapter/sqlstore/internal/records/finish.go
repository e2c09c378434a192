package records

import (
	"context"
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// FinishRun implements [xxladapter.Store].
func (s *Store) FinishRun(
	ctx context.Context, r xxladapter.RunResult,
) (applied bool, planned []xxladapter.Fire, err error) {
	if s.Fires != nil && len(r.Next) == 0 && r.Resume.JobID == 0 {
		call := &FireCall{LogID: r.LogID, Finish: &r}
		if err := s.Batch(ctx, call); !errors.Is(err, ErrAlone) {
			return call.Applied && err == nil, nil, err
		}
	}
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		now := s.Clock()
		rows, err := rowsOfRun(ctx, tx, r.LogID)
		if err != nil {
			return err
		}
		if rows.Fire == nil && len(r.Next) > 0 {
			if rows.Attempt, err = runs.AttemptOf(ctx, tx, r.LogID); err != nil {
				return err
			}
		}
		change, err := transition.Finish(rows.Rows, r, now)
		if err != nil {
			return err
		}
		applied = change.Log.Columns == transition.HandleColumns
		planned, err = s.carryOut(ctx, tx, change, rows, now)
		return err
	})
	if err != nil {
		return false, nil, err
	}
	return applied, planned, nil
}
