package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// jobCmd has one subcommand for each operation on a job.
type jobCmd struct {
	clientFlags

	Add     jobAddCmd     `cmd:"" help:"Create a job, stopped unless --start is given, and print its id."`
	List    jobListCmd    `cmd:"" help:"List jobs."`
	Show    jobShowCmd    `cmd:"" help:"Show a job and its newest runs."`
	Update  jobUpdateCmd  `cmd:"" help:"Change the given fields of a job. A running job continues with its new schedule."`
	Copy    jobCopyCmd    `cmd:"" help:"Create a stopped copy of a job, and print its id."`
	Next    jobNextCmd    `cmd:"" help:"Print the next due times of a job."`
	Start   jobStartCmd   `cmd:"" help:"Switch a job's schedule on."`
	Stop    jobStopCmd    `cmd:"" help:"Switch a job's schedule off."`
	Trigger jobTriggerCmd `cmd:"" help:"Run a job now, even a stopped one."`
	Missed  jobMissedCmd  `cmd:"" help:"List the due times of a job that got no run of their own."`
	Fires   jobFiresCmd   `cmd:"" help:"List the fires that are not settled: planned, claimed by a scheduler, or of unknown outcome."`
	Why     jobWhyCmd     `cmd:"" help:"Explain why a job ran or did not run at a time, with the records that prove it."`
	Line    jobLineCmd    `cmd:"" name:"timeline" help:"Show the due times of a job beside its actual runs, with how late each was."`
	Glue    jobGlueCmd    `cmd:"" help:"Show and change the script of a job, and restore earlier versions."`

	Versions jobVersionsCmd `cmd:"" help:"List the versions of a job: who changed what, newest first."`
	Diff     jobDiffCmd     `cmd:"" help:"Print what differs between two versions of a job."`
	Restore  jobRestoreCmd  `cmd:"" help:"Restore the fields of an earlier version of a job, as a new version. Its schedule stays on or off."`
	Backfill jobBackfillCmd `cmd:"" help:"Run a job for each of its due times in a past range, once and in order."`
	Tags     jobTagsCmd     `cmd:"" help:"List the tags of jobs."`
	Bulk     jobBulkCmd     `cmd:"" help:"Start, stop, remove, change or trigger many jobs at once."`
	Remove   jobRemoveCmd   `cmd:"" help:"Delete a job and its logs."`
}

// jobID is the argument of most subcommands.
type jobID struct {
	ID int64 `arg:"" help:"Id of the job."`
}

func (id jobID) path(action string) string { return fmt.Sprintf("/jobs/%d%s", id.ID, action) }

type jobAddCmd struct {
	jobFlags
	Title string `placeholder:"TEXT" help:"Title of the executors' group, if it has to be created (default: its app name)."`
	Start bool   `help:"Switch the schedule on at once. If the job cannot be started, it is not created."`
}

func (c *jobAddCmd) Run(inv *invocation, parent *jobCmd) error {
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
		return usagef("missing flags: %s (try --help)", strings.Join(slices.Sorted(slices.Values(missing)), ", "))
	}
	if c.Author == nil {
		c.Author = new("xxlwheel")
	}
	api := parent.api()
	id, err := c.create(inv, parent, c.form(nil))
	if err != nil {
		return err
	}
	if c.Start {
		if err := api.call(inv.ctx, "POST", jobID{id}.path("/start"), nil, nil); err != nil {
			return errors.Join(err, undoCreate(inv, api, id))
		}
	}
	parent.printCreated(inv, id)
	return nil
}

// create creates a job. If the group of its app does not exist, create creates the group and tries
// again.
func (c *jobAddCmd) create(inv *invocation, parent *jobCmd, form map[string]any) (int64, error) {
	api := parent.api()
	var created struct{ ID int64 }
	err := api.call(inv.ctx, "POST", "/jobs", form, &created)
	var refusal *apiError
	if !errors.As(err, &refusal) || refusal.Code != "not_found" {
		return created.ID, err
	}
	group := map[string]any{"appName": *c.App}
	if c.Title != "" {
		group["title"] = c.Title
	}
	if err := api.call(inv.ctx, "POST", "/groups", group, nil); err != nil {
		return 0, err
	}
	parent.note(inv, "created group %s", *c.App)
	err = api.call(inv.ctx, "POST", "/jobs", form, &created)
	return created.ID, err
}

// undoCreate removes a job that was created but cannot be started, so that the command can be
// repeated. The returned error says what exists now.
func undoCreate(inv *invocation, api apiClient, id int64) error {
	if err := api.call(inv.ctx, "DELETE", jobID{id}.path(""), nil, nil); err != nil {
		return fmt.Errorf("job %d exists, stopped, because removing it failed: %w", id, err)
	}
	return errors.New("no job was created")
}

type jobUpdateCmd struct {
	jobID
	jobFlags
	IfUpdated string `placeholder:"TIME" help:"Change the job only if nobody has changed it since this time, which is its updateTime in job show -o json."`
}

func (c *jobUpdateCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	form, err := c.formFor(inv, api, c.jobID)
	if err != nil {
		return err
	}
	if len(form) == 0 {
		return usagef("no field of job %d is given, must be at least one (try --help)", c.ID)
	}
	if err := condition(form, c.IfUpdated); err != nil {
		return err
	}
	return api.call(inv.ctx, "PUT", c.path(""), form, nil)
}

type jobCopyCmd struct {
	jobID
	jobFlags
}

func (c *jobCopyCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	form, err := c.formFor(inv, api, c.jobID)
	if err != nil {
		return err
	}
	var created struct{ ID int64 }
	if err := api.call(inv.ctx, "POST", c.path("/copy"), form, &created); err != nil {
		return err
	}
	parent.printCreated(inv, created.ID)
	return nil
}

type jobNextCmd struct {
	jobID
	Count int `short:"n" default:"5" help:"Number of due times to print (default ${default})."`
}

func (c *jobNextCmd) Run(inv *invocation, parent *jobCmd) error {
	var list struct {
		Next []time.Time `json:"next"`
	}
	if err := parent.api().call(inv.ctx, "GET", fmt.Sprintf("%s?count=%d", c.path("/next"), c.Count), nil, &list); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printValue(inv.stdout, list)
	}
	for _, t := range list.Next {
		fmt.Fprintln(inv.stdout, t.Format(time.RFC3339))
	}
	return nil
}

type jobStartCmd struct{ jobID }

func (c *jobStartCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path("/start"), nil, nil)
}

type jobStopCmd struct{ jobID }

func (c *jobStopCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path("/stop"), nil, nil)
}

type jobRemoveCmd struct {
	jobID
	yesFlag
}

func (c *jobRemoveCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	if !c.Yes {
		var j jobView
		if err := api.call(inv.ctx, "GET", c.path(""), nil, &j); err != nil {
			return err
		}
		var open struct{ Logs []struct{} }
		if err := api.call(inv.ctx, "GET", fmt.Sprintf("/logs?job=%d&status=RUNNING&limit=1", c.ID), nil, &open); err != nil {
			return err
		}
		question := fmt.Sprintf("Delete job %d, %q, and the log of its runs?", c.ID, j.Name)
		if len(open.Logs) > 0 {
			question = fmt.Sprintf("Delete job %d, %q, and the log of its runs? At least one run has not ended.", c.ID, j.Name)
		}
		if err := c.confirm(inv, question); err != nil {
			return err
		}
	}
	return api.call(inv.ctx, "DELETE", c.path(""), nil, nil)
}
