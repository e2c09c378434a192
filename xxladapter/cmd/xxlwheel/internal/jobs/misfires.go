package jobs

import (
	"fmt"
	"net/url"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type misfiresCmd struct {
	jobID
	Count int `short:"n" default:"20" help:"Print this many of the newest (default ${default}; 0 prints all)."`
}

func (c *misfiresCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 0 {
		return command.Usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	type misfire struct {
		ID              int64
		Due, Until, At  time.Time
		MisfireStrategy string
		Kind, Calendar  string
		PauseID         int64
	}
	return client.Listing[misfire]{
		Key: "misfires", Columns: []string{"MISFIRE", "DUE", "UNTIL", "STRATEGY", "NOTICED", "WHY"}, Count: c.Count,
		Row: func(m *misfire) []string {
			why := m.Kind
			if m.PauseID != 0 {
				why = fmt.Sprintf("%s (pause %d)", m.Kind, m.PauseID)
			} else if m.Calendar != "" {
				why = fmt.Sprintf("%s (calendar %s)", m.Kind, m.Calendar)
			}
			return []string{
				fmt.Sprint(m.ID), printing.Instant(m.Due), printing.Instant(m.Until), m.MisfireStrategy,
				printing.Instant(m.At), why,
			}
		},
	}.Print(inv, &parent.Flags, c.path("/misfires"), url.Values{"newest": {"true"}})
}
