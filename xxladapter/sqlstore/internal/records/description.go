package records

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// Describe implements [xxladapter.Store].
func (s *Store) Describe(ctx context.Context) (xxladapter.StoreDescription, error) {
	d := xxladapter.StoreDescription{Kind: s.Dialect.Kind}
	err := s.Query(ctx, `SELECT `+s.Dialect.Version+
		`, COALESCE(MAX(version_id), 0) FROM xxlwheel_schema WHERE is_applied`, nil, func(r database.Row) error {
		return r.Scan(database.Text(&d.Version), &d.Schema)
	})
	return d, err
}
