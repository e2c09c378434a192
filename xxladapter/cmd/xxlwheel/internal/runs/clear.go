package runs

import (
	"fmt"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

type clearCmd struct {
	OlderThan flags.Days `placeholder:"SPAN" help:"Delete runs triggered longer ago than this, for example 30d."`
	Keep      int        `placeholder:"COUNT" help:"Keep this many of the newest runs."`
	All       bool       `help:"Delete every run."`
	Job       int64      `placeholder:"ID" help:"Delete only runs of this job."`
	Group     int64      `placeholder:"ID" help:"Delete only runs of jobs of this group of executors."`
	DryRun    bool       `help:"Only count the runs that would be deleted."`
	command.Confirmation
}

// Run deletes until nothing is left to delete. It makes several calls if need be, because the
// scheduler limits the duration of each.
func (c *clearCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form := map[string]any{}
	for name, value := range map[string]int64{"jobId": c.Job, "jobGroup": c.Group, "keepNewest": int64(c.Keep)} {
		if value != 0 {
			form[name] = value
		}
	}
	switch {
	case c.OlderThan < 0:
		return command.Usagef("--older-than is %v, must not be negative", time.Duration(c.OlderThan))
	case c.OlderThan == 0 && c.Keep == 0 && !c.All:
		return command.Usagef("--older-than, --keep or --all must be given")
	case c.OlderThan > 0:
		form["before"] = time.Now().Add(-time.Duration(c.OlderThan)).UTC()
	}
	if c.All {
		form["all"] = true
	}
	api := parent.API()
	if c.DryRun || !c.Yes && inv.Asks {
		n, err := c.selected(inv, api, form)
		if err != nil {
			return err
		}
		if c.DryRun && parent.Structured() {
			return parent.PrintValue(inv.Stdout, n)
		} else if c.DryRun {
			fmt.Fprintln(inv.Stdout, n)
			return nil
		}
		fmt.Fprintf(inv.Stderr, "selected: %v\n", n)
	}
	if err := c.Confirm(inv, "Delete "+c.what()+"?"); err != nil {
		return err
	}
	deleted, err := c.delete(inv, parent, api, form)
	switch {
	case err != nil && deleted > 0:
		return fmt.Errorf("deleted %d, then failed: %w", deleted, err)
	case err != nil:
		return err
	case parent.Structured():
		return parent.PrintValue(inv.Stdout, map[string]int64{"deleted": deleted})
	}
	fmt.Fprintf(inv.Stdout, "deleted %d\n", deleted)
	return nil
}

// delete repeats the call until nothing is left, and returns the number of deleted runs.
func (c *clearCmd) delete(inv *command.Invocation, parent *Cmd, api client.API, form map[string]any) (int64, error) {
	var deleted atomic.Int64
	what := func() string { return fmt.Sprintf("deleting, %d runs so far", deleted.Load()) }
	err := command.Waiting(inv.Stderr, inv.Asks && !parent.Quiet, what, func() error {
		for {
			var part struct {
				Deleted int64
				Done    bool
			}
			if err := api.Call(inv.Context, "POST", "/runs/clear", form, &part); err != nil {
				return err
			}
			if deleted.Add(part.Deleted); part.Done {
				return nil
			}
		}
	})
	return deleted.Load(), err
}

// A selection is how many runs would be deleted.
type selection struct {
	Selected int  `json:"selected"`
	More     bool `json:"more,omitempty"` // there may be more
}

func (s selection) String() string {
	if s.More {
		return fmt.Sprintf("%d or more", s.Selected)
	}
	return strconv.Itoa(s.Selected)
}

// selected counts the runs that the form selects.
func (c *clearCmd) selected(inv *command.Invocation, api client.API, form map[string]any) (n selection, err error) {
	asked := maps.Clone(form)
	asked["dryRun"] = true
	return n, api.Call(inv.Context, "POST", "/runs/clear", asked, &n)
}

// what describes the runs to delete.
func (c *clearCmd) what() string {
	text := "all runs that have ended"
	if c.Job != 0 {
		text += fmt.Sprintf(" of job %d", c.Job)
	}
	if c.Group != 0 {
		text += fmt.Sprintf(" of group %d", c.Group)
	}
	if c.OlderThan > 0 {
		text += fmt.Sprintf(" triggered more than %v ago", time.Duration(c.OlderThan))
	}
	if c.Keep > 0 {
		text += fmt.Sprintf(", except the newest %d", c.Keep)
	}
	return text
}
