package jobs

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type firesCmd struct {
	ID    int64  `arg:"" optional:"" help:"Id of the job (default: all jobs)."`
	State string `predictor:"fire-state" placeholder:"STATE" help:"Only fires in this state: planned, claimed or ambiguous."`
	Count int    `short:"n" default:"20" help:"Print this many, those that are due first (default ${default}; 0 prints all)."`
}

// A fireView is a fire that is not settled, as the API lists it.
type fireView struct {
	ID, JobID, LogID            int64
	JobName, TriggerType, State string
	Node                        string
	Due                         time.Time
}

func (c *firesCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 0 {
		return command.Usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	query := url.Values{}
	if c.ID != 0 {
		query.Set("job", fmt.Sprint(c.ID))
	}
	if c.State != "" {
		query.Set("state", strings.ToLower(c.State))
	}
	return client.Listing[fireView]{
		Key: "fires", Columns: []string{"FIRE", "JOB", "NAME", "DUE", "TYPE", "STATE", "RUN", "NODE"}, Count: c.Count,
		Row: func(f *fireView) []string {
			log, node := "-", "-"
			if f.LogID != 0 {
				log, node = fmt.Sprint(f.LogID), f.Node
			}
			return []string{
				fmt.Sprint(f.ID), fmt.Sprint(f.JobID), f.JobName, printing.Instant(f.Due), f.TriggerType, f.State, log,
				node,
			}
		},
		After: func(f *fireView) url.Values {
			return url.Values{"afterDue": {f.Due.Format(time.RFC3339Nano)}, "afterId": {fmt.Sprint(f.ID)}}
		},
	}.Print(inv, &parent.Flags, "/fires", query)
}
