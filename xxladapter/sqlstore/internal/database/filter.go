package database

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Conditions collects the restrictions of a filter.
type Conditions struct {
	texts []string
	args  []any
}

// Add adds a condition, with its arguments.
func (c *Conditions) Add(text string, args ...any) {
	c.texts = append(c.texts, text)
	c.args = append(c.args, args...)
}

// AddPartitions restricts a job id to the jobs of some partitions.
func (c *Conditions) AddPartitions(column string, partitions xxladapter.PartitionSet) {
	var list []string
	for partition := range partitions.All() {
		list = append(list, strconv.Itoa(partition))
	}
	c.Add(fmt.Sprintf(`%s %% %d IN (%s)`, column, xxladapter.Partitions, strings.Join(list, `, `)))
}

// AddIDs restricts a column to the ids; nil restricts nothing.
func (c *Conditions) AddIDs(d *Dialect, column string, ids []int64) {
	switch {
	case ids == nil:
	case len(ids) == 0:
		c.Add(`1 = 0`)
	default:
		condition, args := d.Among(column, ids)
		c.Add(condition, args...)
	}
}

// AddJobsOf restricts job_id to the jobs that are in the groups now; nil restricts nothing.
func (c *Conditions) AddJobsOf(d *Dialect, groups []int64) {
	var of Conditions
	of.AddIDs(d, `job_group`, groups)
	if len(of.texts) > 0 {
		c.Add(`job_id IN (SELECT id FROM xxl_job_info WHERE `+of.texts[0]+`)`, of.args...)
	}
}

// PageByID restricts a list to the rows that follow the id after, and returns the order. 0
// restricts nothing.
func (c *Conditions) PageByID(after int64, newest bool) (order string) {
	behind, order := `id > ?`, `id`
	if newest {
		behind, order = `id < ?`, `id DESC`
	}
	if after != 0 {
		c.Add(behind, after)
	}
	return order
}

// Where appends the conditions to a SELECT.
func (c *Conditions) Where(query string) (string, []any) {
	if len(c.texts) > 0 {
		query += ` WHERE ` + strings.Join(c.texts, ` AND `)
	}
	return query, c.args
}

// Selecting appends conditions, order and limit to a SELECT; limit 0 means no limit.
func (c *Conditions) Selecting(query, order string, limit int) (string, []any) {
	query, _ = c.Where(query)
	query += ` ORDER BY ` + order
	if limit > 0 {
		query += ` LIMIT ?`
		c.args = append(c.args, limit)
	}
	return query, c.args
}
