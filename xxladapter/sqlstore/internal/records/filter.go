package records

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// conditions collects the restrictions of a filter.
type conditions struct {
	texts []string
	args  []any
}

func (c *conditions) add(text string, args ...any) {
	c.texts = append(c.texts, text)
	c.args = append(c.args, args...)
}

// addShards restricts a job id to the jobs of some shards.
func (c *conditions) addShards(column string, shards xxladapter.ShardSet) {
	var list []string
	for shard := range shards.All() {
		list = append(list, strconv.Itoa(shard))
	}
	c.add(fmt.Sprintf(`%s %% %d IN (%s)`, column, xxladapter.Shards, strings.Join(list, `, `)))
}

// addIDs restricts a column to the ids; nil restricts nothing.
func (c *conditions) addIDs(d *Dialect, column string, ids []int64) {
	switch {
	case ids == nil:
	case len(ids) == 0:
		c.add(`1 = 0`)
	default:
		condition, args := d.Among(column, ids)
		c.add(condition, args...)
	}
}

// addJobsOf restricts job_id to the jobs that are in the groups now; nil restricts nothing.
func (c *conditions) addJobsOf(d *Dialect, groups []int64) {
	var of conditions
	of.addIDs(d, `job_group`, groups)
	if len(of.texts) > 0 {
		c.add(`job_id IN (SELECT id FROM xxl_job_info WHERE `+of.texts[0]+`)`, of.args...)
	}
}

// pageByID restricts a list to the rows that follow the id after, and returns the order. 0
// restricts nothing.
func (c *conditions) pageByID(after int64, newest bool) (order string) {
	behind, order := `id > ?`, `id`
	if newest {
		behind, order = `id < ?`, `id DESC`
	}
	if after != 0 {
		c.add(behind, after)
	}
	return order
}

// where appends the conditions to a SELECT.
func (c *conditions) where(query string) (string, []any) {
	if len(c.texts) > 0 {
		query += ` WHERE ` + strings.Join(c.texts, ` AND `)
	}
	return query, c.args
}

// Selecting appends conditions, order and limit to a SELECT; limit 0 means no limit.
func (c *conditions) Selecting(query, order string, limit int) (string, []any) {
	query, _ = c.where(query)
	query += ` ORDER BY ` + order
	if limit > 0 {
		query += ` LIMIT ?`
		c.args = append(c.args, limit)
	}
	return query, c.args
}
