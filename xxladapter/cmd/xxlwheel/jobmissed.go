package main

import (
	"fmt"
	"text/tabwriter"
	"time"
)

type jobMissedCmd struct {
	ID    int64 `arg:"" help:"The job's id."`
	Count int   `short:"n" default:"20" help:"How many to print, the newest (default ${default}; 0: all)."`
}

func (c *jobMissedCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.Count < 0 {
		return usagef("-n is %d, must be 0 or more", c.Count)
	}
	type misfire struct {
		ID              int64
		Due, Until, At  time.Time
		MisfireStrategy string
	}
	w := tabwriter.NewWriter(inv.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "MISFIRE\tDUE\tUNTIL\tSTRATEGY\tNOTICED")
	api := parent.api()
	for rest, next := c.Count, int64(0); ; {
		var list struct {
			Misfires []misfire
			Next     int64
		}
		path := fmt.Sprintf("/jobs/%d/misfires?newest&after=%d&limit=%d", c.ID, next, min(max(rest, 0), 1000)) // limit 0: as many as a page takes
		if err := api.call(inv.ctx, "GET", path, nil, &list); err != nil {
			return err
		}
		for _, m := range list.Misfires {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", m.ID, instantOf(m.Due), instantOf(m.Until), m.MisfireStrategy, instantOf(m.At))
		}
		rest -= len(list.Misfires)
		if next = list.Next; next == 0 || c.Count > 0 && rest <= 0 {
			return w.Flush()
		}
	}
}

// instantOf shows a due time, which may lie between two seconds.
func instantOf(t time.Time) string { return t.Local().Format("2006-01-02T15:04:05.999Z07:00") }
