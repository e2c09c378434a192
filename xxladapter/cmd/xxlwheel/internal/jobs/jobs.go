// Package jobs has the subcommands of job, each in a file of its own or with other small ones, and
// the command backfill, in backfill.go.
package jobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// Cmd has one subcommand for each operation on a job.
type Cmd struct {
	client.Flags

	Add      addCmd      `cmd:"" help:"Create a job, stopped unless --start is given, and print its id."`
	List     listCmd     `cmd:"" help:"List jobs."`
	Show     showCmd     `cmd:"" help:"Show a job and its newest runs."`
	Update   updateCmd   `cmd:"" help:"Change the given fields of a job. A running job continues with its new schedule."`
	Copy     copyCmd     `cmd:"" help:"Create a stopped copy of a job, and print its id."`
	Next     nextCmd     `cmd:"" help:"Print the next due times of a job."`
	Start    startCmd    `cmd:"" help:"Switch a job's schedule on."`
	Stop     stopCmd     `cmd:"" help:"Switch a job's schedule off."`
	Trigger  triggerCmd  `cmd:"" help:"Run a job now, even a stopped one."`
	Misfires misfiresCmd `cmd:"" help:"List the due times of a job that got no run of their own."`
	Fires    firesCmd    `cmd:"" help:"List the fires that are not settled: planned, claimed by a scheduler, or of unknown outcome."`
	Why      whyCmd      `cmd:"" help:"Explain why a job ran or did not run at a time, with the records that prove it."`
	Line     timelineCmd `cmd:"" name:"timeline" help:"Show the due times of a job beside its actual runs, with how late each was."`
	Glue     glueCmd     `cmd:"" help:"Show and change the script of a job, and restore earlier versions."`

	Versions versionsCmd      `cmd:"" help:"List the versions of a job: who changed what, newest first."`
	Diff     diffCmd          `cmd:"" help:"Print what differs between two versions of a job."`
	Restore  restoreCmd       `cmd:"" help:"Restore the fields of an earlier version of a job, as a new version. Its schedule stays on or off."`
	Backfill startBackfillCmd `cmd:"" help:"Run a job for each of its due times in a past range, once and in order."`
	Tags     tagsCmd          `cmd:"" help:"List the tags of jobs."`
	Bulk     bulkCmd          `cmd:"" help:"Start, stop, remove, change or trigger many jobs at once."`
	Remove   removeCmd        `cmd:"" help:"Delete a job and its logs."`
}

// jobID is the argument of most subcommands.
type jobID struct {
	ID int64 `arg:"" help:"Id of the job."`
}

func (id jobID) path(action string) string { return fmt.Sprintf("/jobs/%d%s", id.ID, action) }

type addCmd struct {
	fieldFlags
	Title string `placeholder:"TEXT" help:"Title of the executors' group, if it has to be created (default: its app name)."`
	Start bool   `help:"Switch the schedule on at once. If the job cannot be started, it is not created."`
}

func (c *addCmd) Run(inv *command.Invocation, parent *Cmd) error {
	var missing []string
	for flag, given := range map[string]bool{
		"--app": c.App != nil, "--name": c.Name != nil,
		"--handler": c.Handler != nil || c.GlueType != nil && *c.GlueType != "BEAN",
	} {
		if !given {
			missing = append(missing, flag)
		}
	}
	if len(missing) > 0 {
		return command.Usagef(
			"missing flags: %s (try --help)", strings.Join(slices.Sorted(slices.Values(missing)), ", "),
		)
	}
	if c.Author == nil {
		c.Author = new("xxlwheel")
	}
	api := parent.API()
	id, err := c.create(inv, parent, c.form(nil))
	if err != nil {
		return err
	}
	if c.Start {
		if err := api.Call(inv.Context, "POST", jobID{id}.path("/start"), nil, nil); err != nil {
			return errors.Join(err, undoCreate(inv, api, id))
		}
	}
	parent.PrintCreated(inv, id)
	return nil
}

// create creates a job. If the group of its app does not exist, create creates the group and tries
// again.
func (c *addCmd) create(inv *command.Invocation, parent *Cmd, form map[string]any) (int64, error) {
	api := parent.API()
	var created struct{ ID int64 }
	err := api.Call(inv.Context, "POST", "/jobs", form, &created)
	var refusal *client.Error
	if !errors.As(err, &refusal) || refusal.Code != "not_found" {
		return created.ID, err
	}
	group := map[string]any{"appName": *c.App}
	if c.Title != "" {
		group["title"] = c.Title
	}
	if err := api.Call(inv.Context, "POST", "/groups", group, nil); err != nil {
		return 0, err
	}
	parent.Note(inv, "created group %s", *c.App)
	err = api.Call(inv.Context, "POST", "/jobs", form, &created)
	return created.ID, err
}

// undoCreate removes a job that was created but cannot be started, so that the command can be
// repeated. The returned error says what exists now.
func undoCreate(inv *command.Invocation, api client.API, id int64) error {
	if err := api.Call(inv.Context, "DELETE", jobID{id}.path(""), nil, nil); err != nil {
		return fmt.Errorf("job %d exists, stopped, because removing it failed: %w", id, err)
	}
	return errors.New("no job was created")
}

type updateCmd struct {
	jobID
	fieldFlags
	IfUpdated string `placeholder:"TIME" help:"Change the job only if nobody has changed it since this time, which is its updateTime in job show -o json."`
}

func (c *updateCmd) Run(inv *command.Invocation, parent *Cmd) error {
	api := parent.API()
	form, err := c.formFor(inv, api, c.jobID)
	if err != nil {
		return err
	}
	if len(form) == 0 {
		return command.Usagef("no field of job %d is given, must be at least one (try --help)", c.ID)
	}
	if err := client.IfUpdated(form, c.IfUpdated); err != nil {
		return err
	}
	return api.Call(inv.Context, "PUT", c.path(""), form, nil)
}

type copyCmd struct {
	jobID
	fieldFlags
}

func (c *copyCmd) Run(inv *command.Invocation, parent *Cmd) error {
	api := parent.API()
	form, err := c.formFor(inv, api, c.jobID)
	if err != nil {
		return err
	}
	var created struct{ ID int64 }
	if err := api.Call(inv.Context, "POST", c.path("/copy"), form, &created); err != nil {
		return err
	}
	parent.PrintCreated(inv, created.ID)
	return nil
}

type nextCmd struct {
	jobID
	Count int `short:"n" default:"5" help:"Number of due times to print (default ${default})."`
}

// maxNext is how many due times the API returns at most; for 0 it would return its default.
const maxNext = 100

func (c *nextCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 1 || c.Count > maxNext {
		return command.Usagef("-n is %d, must be 1 to %d", c.Count, maxNext)
	}
	var list struct {
		Next []time.Time `json:"next"`
	}
	if err := parent.API().Call(
		inv.Context, "GET", fmt.Sprintf("%s?count=%d", c.path("/next"), c.Count), nil, &list,
	); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintValue(inv.Stdout, list)
	}
	for _, t := range list.Next {
		fmt.Fprintln(inv.Stdout, t.Format(time.RFC3339))
	}
	return nil
}

type startCmd struct{ jobID }

func (c *startCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return parent.API().Call(inv.Context, "POST", c.path("/start"), nil, nil)
}

type stopCmd struct{ jobID }

func (c *stopCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return parent.API().Call(inv.Context, "POST", c.path("/stop"), nil, nil)
}

type removeCmd struct {
	jobID
	command.Confirmation
}

func (c *removeCmd) Run(inv *command.Invocation, parent *Cmd) error {
	api := parent.API()
	if !c.Yes {
		var j jobView
		if err := api.Call(inv.Context, "GET", c.path(""), nil, &j); err != nil {
			return err
		}
		var open struct{ Runs []struct{} }
		if err := api.Call(
			inv.Context, "GET", fmt.Sprintf("/runs?job=%d&status=RUNNING&limit=1", c.ID), nil, &open,
		); err != nil {
			return err
		}
		question := fmt.Sprintf("Delete job %d, %q, and the log of its runs?", c.ID, j.Name)
		if len(open.Runs) > 0 {
			question = fmt.Sprintf(
				"Delete job %d, %q, and the log of its runs? At least one run has not ended.", c.ID, j.Name,
			)
		}
		if err := c.Confirm(inv, question); err != nil {
			return err
		}
	}
	return api.Call(inv.Context, "DELETE", c.path(""), nil, nil)
}
