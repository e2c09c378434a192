package records

import (
	"context"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	insertTag = `INSERT INTO xxlwheel_job_tag (tag, job_id) VALUES (?, ?)`
	dropTags  = `DELETE FROM xxlwheel_job_tag WHERE `
	// Jobs that another program removed may still have rows.
	countTags = `SELECT tag, COUNT(*) FROM xxlwheel_job_tag JOIN xxl_job_info ON xxl_job_info.id = xxlwheel_job_tag.job_id`
)

// CountTags implements [xxladapter.Store].
func (s *Store) CountTags(ctx context.Context, groups []int64) ([]xxladapter.TagCount, error) {
	var where database.Conditions
	where.AddIDs(s.Dialect, `job_group`, groups)
	query, args := where.Where(countTags)
	var found []xxladapter.TagCount
	err := s.Query(ctx, query+` GROUP BY tag`, args, func(r database.Row) error {
		var c xxladapter.TagCount
		err := r.Scan(database.Text(&c.Tag), &c.Jobs)
		found = append(found, c)
		return err
	})
	slices.SortFunc(found, func(a, b xxladapter.TagCount) int { return strings.Compare(a.Tag, b.Tag) })
	return found, err
}
