package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

type graphCmd struct {
	clientFlags
	Job int64 `placeholder:"ID" help:"Only this job, those that it triggers and those that trigger it."`
}

// Run prints the jobs by layer.
func (c *graphCmd) Run(inv *invocation) error {
	path := "/graph"
	if c.Job != 0 {
		path += fmt.Sprintf("?job=%d", c.Job)
	}
	var raw json.RawMessage
	if err := c.api().call(inv.ctx, "GET", path, nil, &raw); err != nil {
		return err
	}
	if c.structured() {
		return c.printRaw(inv.stdout, raw)
	}
	var g struct {
		Nodes []struct {
			ID                int64
			Name              string
			Layer             int
			Children, Missing []int64
			Last              *struct {
				Status string
			}
		}
		More      bool
		Cycles    [][]int64
		FailsWith []int64
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		return err
	}
	rows := [][]string{{"LAYER", "ID", "NAME", "LAST", "CHILDREN"}}
	for _, n := range g.Nodes {
		last := "-"
		if n.Last != nil {
			last = n.Last.Status
		}
		children := joined(n.Children)
		if len(n.Missing) > 0 {
			children = strings.TrimSpace(children + " (missing: " + joined(n.Missing) + ")")
		}
		rows = append(rows, []string{fmt.Sprint(n.Layer), fmt.Sprint(n.ID), n.Name, last, children})
	}
	t := table{out: inv.stdout}
	t.print(rows)
	for _, cycle := range g.Cycles {
		c.note(inv, "jobs %s trigger each other", joined(cycle))
	}
	if c.Job != 0 && len(g.FailsWith) > 0 {
		c.note(inv, "when job %d fails, these are not triggered: %s", c.Job, joined(g.FailsWith))
	}
	if g.More {
		c.note(inv, "there are more jobs, only the first %d are shown", len(g.Nodes))
	}
	return nil
}

func joined(ids []int64) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprint(id)
	}
	return strings.Join(texts, ", ")
}
