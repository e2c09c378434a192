package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type bulkCmd struct {
	Action  string  `arg:"" enum:"start,stop,remove,change,trigger" help:"What to do to each job: start, stop, remove, change or trigger."`
	ID      []int64 `arg:"" optional:"" help:"Ids of the jobs; without any, the flags below select them."`
	Name    string  `placeholder:"TEXT" help:"Only jobs whose name contains this text."`
	App     string  `placeholder:"NAME" help:"Only jobs of the executors with this app name."`
	Handler string  `placeholder:"TEXT" help:"Only jobs whose handler contains this text."`
	Author  string  `placeholder:"TEXT" help:"Only jobs whose author contains this text."`
	Tag     string  `placeholder:"TAG" help:"Only jobs with this tag."`
	Last    string  `name:"last-result" placeholder:"RESULT" help:"Only jobs whose newest ended run has this result: SUCCESS or FAIL; NONE selects jobs of which no run has ended."`
	Type    string  `predictor:"schedule-type" placeholder:"TYPE" help:"Only jobs with this schedule type: NONE, CRON, FIX_RATE, FIX_DELAY or ONCE."`
	Running bool    `xor:"state" help:"Only jobs whose schedule is on."`
	Stopped bool    `xor:"state" help:"Only jobs whose schedule is off."`
	All     bool    `help:"All jobs. Must be given if nothing else selects them."`
	DryRun  bool    `help:"Only print how many jobs are selected."`

	Set map[string]string `mapsep:"none" placeholder:"FIELD=VALUE" help:"With change: the new value of a field of the API, as a text or as JSON, such as executorTimeout=90, tags=[\"nightly\"] or author=Li; can be repeated."`

	command.Confirmation
}

// A bulkLine is a line of the API's answer.
type bulkLine struct {
	Total             *int
	ID                int64
	Error             *client.Error
	Done              bool
	Succeeded, Failed int
}

// form returns the body of the call.
func (c *bulkCmd) form(inv *command.Invocation, parent *Cmd) (map[string]any, error) {
	filter := map[string]any{}
	for name, text := range map[string]string{
		"name": c.Name, "handler": c.Handler, "author": c.Author, "tag": c.Tag, "type": strings.ToUpper(c.Type),
		"lastResult": strings.ToUpper(c.Last),
	} {
		if text != "" {
			filter[name] = text
		}
	}
	if c.App != "" {
		group, err := parent.GroupOf(inv, c.App)
		if err != nil {
			return nil, err
		}
		filter["jobGroup"] = group
	}
	if c.Running || c.Stopped {
		filter["running"] = c.Running
	}
	form := map[string]any{"action": c.Action}
	switch c.Action {
	case "remove":
		form["action"] = "delete"
	case "change":
		form["change"] = c.change()
	}
	switch {
	case (c.Action == "change") != (len(c.Set) > 0):
		return nil, command.Usagef("--set must be given with the action change, and with no other action")
	case len(c.ID) > 0 && (len(filter) > 0 || c.All):
		return nil, command.Usagef("ids and flags that select jobs are given, must be one of them")
	case len(c.ID) > 0:
		form["ids"] = c.ID
	case len(filter) == 0 && !c.All:
		return nil, command.Usagef("no job is selected, must be by ids, by flags, or all with --all")
	default:
		if len(filter) == 0 {
			filter["all"] = true
		}
		form["filter"] = filter
	}
	return form, nil
}

// change returns the fields of --set. A value that is no JSON is a text.
func (c *bulkCmd) change() map[string]any {
	fields := map[string]any{}
	for name, text := range c.Set {
		fields[name] = text
		if json.Valid([]byte(text)) {
			fields[name] = json.RawMessage(text)
		}
	}
	return fields
}

func (c *bulkCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form, err := c.form(inv, parent)
	if err != nil {
		return err
	}
	if c.DryRun || !c.Yes && c.Action != "start" {
		form["dryRun"] = true
		var first bulkLine
		if err := parent.API().Call(inv.Context, "POST", "/jobs/bulk", form, &first); err != nil {
			return err
		}
		if first.Total == nil {
			return errors.New("the scheduler did not say how many jobs are selected")
		}
		if c.DryRun {
			return parent.PrintValue(inv.Stdout, map[string]int{"total": *first.Total})
		}
		if err := c.Confirm(inv, fmt.Sprintf("%s %d jobs?", c.Action, *first.Total)); err != nil {
			return err
		}
		delete(form, "dryRun")
	}
	bar := command.Progress{Out: inv.Stderr, Shown: inv.Asks && !parent.Quiet, Begun: time.Now()}
	var last bulkLine
	err = parent.API().Lines(inv.Context, "POST", "/jobs/bulk", form, func(text json.RawMessage) error {
		var line bulkLine
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		switch {
		case line.Total != nil:
			bar.Total = *line.Total
		case line.Done:
			last = line
		default:
			bar.Step(time.Now())
			if line.Error != nil && !parent.Structured() {
				bar.Clear()
				fmt.Fprintf(inv.Stderr, "job %d: %s\n", line.ID, printing.OneLine(line.Error.Message))
			}
		}
		if parent.Structured() {
			return parent.PrintRaw(inv.Stdout, text)
		}
		return nil
	})
	bar.Clear()
	switch {
	case err != nil:
		return err
	case !last.Done:
		return fmt.Errorf("the answer ended after %d of %d jobs, the others may be unchanged", bar.Done, bar.Total)
	}
	if !parent.Structured() && !parent.Quiet {
		fmt.Fprintf(inv.Stdout, "%d jobs, %d failed\n", last.Succeeded+last.Failed, last.Failed)
	}
	if last.Failed > 0 {
		return fmt.Errorf("%d of %d jobs failed", last.Failed, last.Succeeded+last.Failed)
	}
	return nil
}
