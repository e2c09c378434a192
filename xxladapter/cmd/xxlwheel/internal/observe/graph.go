package observe

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// GraphCmd shows jobs and their child jobs in layers.
type GraphCmd struct {
	client.Flags
	Job int64 `placeholder:"ID" help:"Only this job, those that it triggers and those that trigger it."`
}

// Run prints the jobs by layer.
func (c *GraphCmd) Run(inv *command.Invocation) error {
	path := "/graph"
	if c.Job != 0 {
		path += fmt.Sprintf("?job=%d", c.Job)
	}
	var raw json.RawMessage
	if err := c.API().Call(inv.Context, "GET", path, nil, &raw); err != nil {
		return err
	}
	if c.Structured() {
		return c.PrintRaw(inv.Stdout, raw)
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
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	for _, cycle := range g.Cycles {
		c.Note(inv, "jobs %s trigger each other", joined(cycle))
	}
	if c.Job != 0 && len(g.FailsWith) > 0 {
		c.Note(inv, "when job %d fails, these are not triggered: %s", c.Job, joined(g.FailsWith))
	}
	if g.More {
		c.Note(inv, "there are more jobs, only the first %d are shown", len(g.Nodes))
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
