package records

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
)

// lightColumns are JobColumns without the texts that may be large.
var lightColumns = strings.NewReplacer(
	"executor_param", "''", "glue_source", "''", "glue_remark", "''",
).Replace(JobColumns)

// Jobs implements [xxladapter.Store].
func (s *Store) Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	newer, err := s.NewerResults(ctx, f)
	if err != nil {
		return nil, err
	}
	var found []*xxladapter.Job
	for i, part := range partsOf(f) {
		if i > 0 && f.Limit > 0 && len(found) == f.Limit {
			break
		}
		var list []*xxladapter.Job
		query, args := JobList(s.Dialect, part, newer)
		err = s.Query(ctx, query, args, func(r database.Row) error {
			j, err := ScanJob(r)
			if f.Sort == xxladapter.SortByResult {
				j.LastResult = part.LastResult
			}
			list = append(list, j)
			return err
		})
		if err != nil {
			return nil, err
		}
		found = addPart(found, list, f.Limit)
	}
	return found, nil
}

// partsOf splits the list of f into lists that follow one another. A list in the order of results
// has three: the failed jobs by id, the successful ones, and those without a result. Lists that
// follow a full page are not read.
func partsOf(f xxladapter.JobFilter) (parts []xxladapter.JobFilter) {
	if f.Sort != xxladapter.SortByResult {
		return []xxladapter.JobFilter{f}
	}
	results := xxladapter.LastResult("").Ranked()
	after, _ := strconv.Atoi(f.AfterKey)
	for rank, result := range results {
		part := f
		part.Sort, part.AfterKey, part.LastResult = xxladapter.SortByID, "", result
		before := rank < after
		if f.Descending {
			before = rank > after
		}
		switch {
		case f.AfterID != 0 && before, f.LastResult != "" && f.LastResult != result:
			continue
		case rank != after:
			part.AfterID = 0
		}
		parts = append(parts, part)
	}
	if f.Descending {
		slices.Reverse(parts)
	}
	return parts
}

// addPart appends a part to a page, up to limit jobs; 0 means no limit. A job whose result has
// changed between two statements is in both of their lists, and stays where it is. A part is as
// long as a page, so that such jobs do not make a page shorter: a short page is the last one.
func addPart(page, part []*xxladapter.Job, limit int) []*xxladapter.Job {
	if len(page) == 0 {
		return part
	}
	has := make(map[int64]bool, len(page))
	for _, j := range page {
		has[j.ID] = true
	}
	for _, j := range part {
		if limit > 0 && len(page) == limit {
			break
		}
		if !has[j.ID] {
			page = append(page, j)
		}
	}
	return page
}

// JobList returns the statement of Jobs for any order but that of results. A list that is not
// ordered by id reads all jobs, so it sorts only their ids and values, and reads the other columns
// of the jobs on the page.
func JobList(d *database.Dialect, f xxladapter.JobFilter, newer figures.NewerResults) (query string, args []any) {
	columns := JobColumns
	if f.Light {
		columns = lightColumns
	}
	where := jobConditions(d, f, newer)
	order := jobPosition(d, &where, f)
	if f.Limit == 0 || f.Sort == "" || f.Sort == xxladapter.SortByID {
		return where.Selecting(`SELECT `+columns+` FROM xxl_job_info`, order, f.Limit)
	}
	page, args := where.Selecting(`SELECT id FROM xxl_job_info`, order, f.Limit)
	return `SELECT ` + columns + ` FROM xxl_job_info WHERE id IN (SELECT id FROM (` + page +
		`) AS page) ORDER BY ` + order, args
}

// jobPosition restricts a list to the jobs behind a position and returns its order.
func jobPosition(d *database.Dialect, where *database.Conditions, f xxladapter.JobFilter) (order string) {
	value := jobSortValue(d, f.Sort)
	if value == "" {
		return where.PageByID(f.AfterID, f.Descending)
	}
	behind, direction := `>`, ``
	if f.Descending {
		behind, direction = `<`, ` DESC`
	}
	if f.AfterID != 0 {
		var key any = f.AfterKey
		if !f.Sort.Text() {
			key, _ = strconv.ParseInt(f.AfterKey, 10, 64)
		}
		if f.Sort == xxladapter.SortByUpdated {
			key = d.Datetime(time.UnixMilli(key.(int64)))
		}
		where.Add(fmt.Sprintf(`(%[1]s %[2]s ? OR (%[1]s = ? AND id %[2]s ?))`, value, behind), key, key, f.AfterID)
	}
	return value + direction + `, id` + direction
}

// jobSortValue returns the expression by which a list is sorted, or nothing for the id. It states
// [xxladapter.Job.SortKey] in SQL.
func jobSortValue(d *database.Dialect, sort xxladapter.JobSort) string {
	switch sort {
	case xxladapter.SortByName:
		return d.Bytes(`job_desc`)
	case xxladapter.SortByAuthor:
		return d.Bytes(`COALESCE(author, '')`)
	case xxladapter.SortByHandler:
		return d.Bytes(`COALESCE(executor_handler, '')`)
	case xxladapter.SortByRoute:
		return d.Bytes(`COALESCE(executor_route_strategy, '')`)
	case xxladapter.SortByType:
		return d.Bytes(`schedule_type`)
	case xxladapter.SortByGroup:
		return `job_group`
	case xxladapter.SortByStatus:
		return `CASE WHEN trigger_status = 1 THEN 1 ELSE 0 END`
	case xxladapter.SortByNext:
		return fmt.Sprintf(
			`CASE WHEN trigger_next_time = 0 THEN %d ELSE trigger_next_time END`, database.ToMilli(xxladapter.AfterRun),
		)
	case xxladapter.SortByLast:
		return `trigger_last_time`
	case xxladapter.SortByUpdated:
		return d.Updated
	}
	return ``
}

// jobConditions returns the restrictions of a filter, without those of its position.
func jobConditions(
	d *database.Dialect, f xxladapter.JobFilter, newer figures.NewerResults,
) (where database.Conditions) {
	if f.GroupID != 0 {
		where.Add(`job_group = ?`, f.GroupID)
	}
	where.AddIDs(d, `job_group`, f.Groups)
	for _, part := range []struct{ column, text string }{
		{`job_desc`, f.Name}, {`executor_handler`, f.Handler}, {`author`, f.Author},
	} {
		if part.text != "" {
			where.Add(d.Has(part.column), part.text)
		}
	}
	if f.Tag != "" {
		where.Add(`id IN (SELECT job_id FROM xxlwheel_job_tag WHERE tag = ?)`, f.Tag)
	}
	if f.Type != "" {
		where.Add(`schedule_type = ?`, string(f.Type))
	}
	if f.Running != nil && *f.Running {
		where.Add(`trigger_status = 1`)
	} else if f.Running != nil {
		where.Add(`trigger_status <> 1`)
	}
	if f.Waiting {
		where.Add(`trigger_status = 1 AND trigger_next_time = ?`, database.ToMilli(xxladapter.AfterRun))
	}
	if f.Calendar != "" {
		// Not LIKE: a name may contain its wildcard, the underscore.
		where.Add(
			`id IN (SELECT job_id FROM xxlwheel_job WHERE `+d.Has(`settings`)+`)`, fmt.Sprintf(`"calendar":%q`, f.Calendar),
		)
	}
	if f.KeepLogs != "" {
		// In the form that ParseSettings reads. Inside a text the quotes would be escaped.
		where.Add(`id IN (SELECT job_id FROM xxlwheel_job WHERE settings LIKE ?)`, fmt.Sprintf(
			`%%"keepLogs":%q%%`, string(f.KeepLogs),
		))
	}
	figures.AddLastResult(&where, d, f.LastResult, newer)
	return where
}

// CountJobs implements [xxladapter.Store].
func (s *Store) CountJobs(ctx context.Context, f xxladapter.JobFilter, limit int) (n int, err error) {
	newer, err := s.NewerResults(ctx, f)
	if err != nil {
		return 0, err
	}
	where := jobConditions(s.Dialect, f, newer)
	selected, args := where.Where(`SELECT 1 FROM xxl_job_info`)
	err = s.Query(ctx, `SELECT COUNT(*) FROM (`+selected+
		` LIMIT ?) AS counted`, append(args, limit), func(r database.Row) error {
		return r.Scan(&n)
	})
	return n, err
}
