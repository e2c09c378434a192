package journaled

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A state says whether the tables need the journal.
type state string

const (
	// stateNew means that a journal is being created, and nothing was acknowledged by it.
	stateNew state = "new"
	// stateOpen means that the journal has what the tables lack.
	stateOpen state = "open"
	// stateClosed means that the tables have everything.
	stateClosed state = "closed"
)

// readApplied returns the stored positions, or the zero value if there are none.
func readApplied(ctx context.Context, tx *database.Tx) (m applied, err error) {
	err = tx.Query(ctx, `SELECT state, generation, settled, runs, plans FROM xxlwheel_journal WHERE id = 1`, nil, func(r database.Row) error {
		var generation int64
		err := r.Scan(database.Text(&m.state), &generation, &m.settled, &m.runs, &m.plans)
		m.generation = uint64(generation)
		return err
	})
	return m, err
}

func storeApplied(ctx context.Context, tx *database.Tx, m applied) error {
	_, err := tx.Exec(ctx, `INSERT OR REPLACE INTO xxlwheel_journal (id, state, generation, settled, runs, plans) VALUES (1, ?, ?, ?, ?, ?)`,
		string(m.state), int64(m.generation), m.settled, m.runs, m.plans)
	return err
}
