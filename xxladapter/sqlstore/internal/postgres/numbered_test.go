package postgres

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumbered(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		``:                                   ``,
		`SELECT 1`:                           `SELECT 1`,
		`INSERT INTO t (a, b) VALUES (?, ?)`: `INSERT INTO t (a, b) VALUES ($1, $2)`,
		`a = '?' AND b = ? AND "?" = ?`:      `a = '?' AND b = $1 AND "?" = $2`,
		`a = 'it''s ?' AND b = ?`:            `a = 'it''s ?' AND b = $1`,
		`?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?`:    `$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11`,
	} {
		require.Equal(t, want, numbered(query))
		require.Equal(t, want, numbered(query), "from the cache")
	}
}
