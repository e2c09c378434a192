package sqlstore

import "strings"

// conditions gathers what a filter restricts.
type conditions struct {
	texts []string
	args  []any
}

func (c *conditions) add(text string, args ...any) {
	c.texts = append(c.texts, text)
	c.args = append(c.args, args...)
}

// selecting completes a SELECT with the conditions; limit 0 is none.
func (c *conditions) selecting(query, order string, limit int) (string, []any) {
	if len(c.texts) > 0 {
		query += ` WHERE ` + strings.Join(c.texts, ` AND `)
	}
	query += ` ORDER BY ` + order
	if limit > 0 {
		query += ` LIMIT ?`
		c.args = append(c.args, limit)
	}
	return query, c.args
}
