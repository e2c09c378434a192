package records

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Describe implements [xxladapter.Store].
func (s *Store) Describe(ctx context.Context) (xxladapter.StoreDescription, error) {
	d := xxladapter.StoreDescription{Kind: s.Dialect.Kind}
	err := s.Query(ctx, `SELECT `+s.Dialect.Version+`, COALESCE(MAX(version_id), 0) FROM xxlwheel_schema WHERE is_applied`, nil, func(r Row) error {
		return r.Scan(Text(&d.Version), &d.Schema)
	})
	return d, err
}
