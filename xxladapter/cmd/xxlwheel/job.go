package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"
)

// jobCmd has one subcommand for each thing an operator does to a job.
type jobCmd struct {
	Server      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The running scheduler (default ${default})."`
	AccessToken string `placeholder:"TOKEN" help:"Secret of the scheduler."`

	Add     jobAddCmd     `cmd:"" help:"Create a job, stopped unless --start is given, and print its id."`
	List    jobListCmd    `cmd:"" help:"List the jobs."`
	Show    jobShowCmd    `cmd:"" help:"Show one job and its newest runs."`
	Update  jobUpdateCmd  `cmd:"" help:"Change what is given of a job. A running one goes on by its new schedule."`
	Copy    jobCopyCmd    `cmd:"" help:"Create a job like another one, stopped, and print its id."`
	Next    jobNextCmd    `cmd:"" help:"Print when a job would be due next."`
	Start   jobStartCmd   `cmd:"" help:"Switch a job's schedule on."`
	Stop    jobStopCmd    `cmd:"" help:"Switch a job's schedule off."`
	Trigger jobTriggerCmd `cmd:"" help:"Run a job now, also a stopped one."`
	Missed  jobMissedCmd  `cmd:"" help:"List the due times of a job that gave no run of their own."`
	Remove  jobRemoveCmd  `cmd:"" help:"Delete a job and its logs."`
}

func (c *jobCmd) api() apiClient { return apiClient{c.Server, c.AccessToken} }

// A jobView is the part of the API's job that is shown here.
type jobView struct {
	ID              int64      `json:"id"`
	JobGroup        int64      `json:"jobGroup"`
	Name            string     `json:"name"`
	Author          string     `json:"author"`
	ScheduleType    string     `json:"scheduleType"`
	ScheduleConf    string     `json:"scheduleConf"`
	MisfireStrategy string     `json:"misfireStrategy"`
	Route           string     `json:"executorRouteStrategy"`
	Handler         string     `json:"executorHandler"`
	Param           string     `json:"executorParam"`
	Block           string     `json:"executorBlockStrategy"`
	Timeout         int64      `json:"executorTimeout"`
	RetryCount      int        `json:"executorFailRetryCount"`
	Running         bool       `json:"running"`
	TriggerNext     *time.Time `json:"triggerNextTime"`
}

func (j *jobView) status() string {
	if j.Running {
		return "running"
	}
	return "stopped"
}

func (j *jobView) next() string {
	if j.TriggerNext == nil {
		return "-"
	}
	return j.TriggerNext.Local().Format(time.RFC3339)
}

type jobAddCmd struct {
	Name       string        `required:"" help:"What the job is for."`
	App        string        `required:"" help:"App name of the executors that run it; their group is made if there is none."`
	Handler    string        `required:"" help:"Name of the handler that the executors registered."`
	Cron       string        `xor:"schedule" placeholder:"EXPR" help:"Run by this cron expression."`
	FixedRate  time.Duration `xor:"schedule" placeholder:"PERIOD" help:"Run at this period, for example 5s."`
	FixedDelay time.Duration `xor:"schedule" placeholder:"PAUSE" help:"Run again so long after each run has ended, for example 5s."`
	Param      string        `help:"Text handed to the handler."`
	Route      string        `help:"How the executor is chosen: FIRST (default), ROUND, SHARDING_BROADCAST and others."`
	Block      string        `help:"What happens while a run of the job goes on: SERIAL_EXECUTION (default), DISCARD_LATER, COVER_EARLY."`
	Misfire    string        `help:"What happens to due times that were missed: DO_NOTHING (default), FIRE_ONCE_NOW, LATEST, ALL."`
	Timeout    time.Duration `help:"Longest run time in whole seconds (default: none)."`
	Retry      int           `help:"Further attempts after a failed run."`
	AlarmEmail string        `placeholder:"ADDRESSES" help:"Who gets a mail when the job fails, comma separated."`
	Author     string        `default:"xxlwheel" help:"Who is responsible (default ${default})."`
	Start      bool          `help:"Switch the schedule on at once."`

	Settings jobSettings `embed:""`
}

func (c *jobAddCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.Timeout%time.Second != 0 {
		return usagef("--timeout is %v, must be whole seconds", c.Timeout)
	}
	form := map[string]any{
		"appName": c.App, "name": c.Name, "author": c.Author,
		"executorHandler": c.Handler, "executorParam": c.Param,
		"executorTimeout": int64(c.Timeout / time.Second), "executorFailRetryCount": c.Retry,
		"executorRouteStrategy": c.Route, "executorBlockStrategy": c.Block, "misfireStrategy": c.Misfire,
		"alarmEmail":   c.AlarmEmail,
		"scheduleType": "NONE",
		"settings":     c.Settings.form(),
	}
	switch {
	case c.Cron != "":
		form["scheduleType"], form["scheduleConf"] = "CRON", c.Cron
	case c.FixedDelay != 0:
		form["scheduleType"], form["scheduleConf"] = "FIX_DELAY", seconds(c.FixedDelay)
	case c.FixedRate != 0:
		form["scheduleType"], form["scheduleConf"] = "FIX_RATE", seconds(c.FixedRate)
	}
	api := parent.api()
	id, err := createJob(inv, api, c.App, form)
	if err != nil {
		return err
	}
	fmt.Fprintln(inv.stdout, id)
	if c.Start {
		return api.call(inv.ctx, "POST", fmt.Sprintf("/jobs/%d/start", id), nil, nil)
	}
	return nil
}

// seconds writes a period as schedule_conf has it.
func seconds(d time.Duration) string { return fmt.Sprintf("%g", d.Seconds()) }

// createJob creates a job, and the group of its app first if that is all that
// is missing.
func createJob(inv *invocation, api apiClient, app string, form map[string]any) (int64, error) {
	var created struct{ ID int64 }
	err := api.call(inv.ctx, "POST", "/jobs", form, &created)
	var refusal *apiError
	if !errors.As(err, &refusal) || refusal.Code != "not_found" {
		return created.ID, err
	}
	if err := api.call(inv.ctx, "POST", "/groups", map[string]any{"appName": app}, nil); err != nil {
		return 0, err
	}
	fmt.Fprintf(inv.stderr, "xxlwheel: made group %s\n", app)
	err = api.call(inv.ctx, "POST", "/jobs", form, &created)
	return created.ID, err
}

type jobListCmd struct{}

func (c *jobListCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	w := tabwriter.NewWriter(inv.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tNAME\tSCHEDULE\tHANDLER\tROUTE\tSTATUS\tNEXT")
	for after := int64(0); ; {
		var list struct {
			Jobs []jobView
			Next int64
		}
		if err := api.call(inv.ctx, "GET", fmt.Sprintf("/jobs?after=%d", after), nil, &list); err != nil {
			return err
		}
		for _, j := range list.Jobs {
			fmt.Fprintf(w, "%d\t%s\t%s %s\t%s\t%s\t%s\t%s\n",
				j.ID, j.Name, j.ScheduleType, j.ScheduleConf, j.Handler, j.Route, j.status(), j.next())
		}
		if after = list.Next; after == 0 {
			return w.Flush()
		}
	}
}

// jobID is the argument that most subcommands share.
type jobID struct {
	ID int64 `arg:"" help:"Id of the job."`
}

func (id jobID) path(action string) string { return fmt.Sprintf("/jobs/%d%s", id.ID, action) }

type jobShowCmd struct{ jobID }

func (c *jobShowCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	var j jobView
	if err := api.call(inv.ctx, "GET", c.path(""), nil, &j); err != nil {
		return err
	}
	var list struct {
		Logs []struct {
			ID          int64      `json:"id"`
			Address     string     `json:"executorAddress"`
			TriggerTime *time.Time `json:"triggerTime"`
			TriggerCode int        `json:"triggerCode"`
			HandleTime  *time.Time `json:"handleTime"`
			HandleCode  int        `json:"handleCode"`
			HandleMsg   string     `json:"handleMsg"`
		}
	}
	if err := api.call(inv.ctx, "GET", fmt.Sprintf("/logs?job=%d&newest&limit=10", c.ID), nil, &list); err != nil {
		return err
	}
	w := tabwriter.NewWriter(inv.stdout, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"id", fmt.Sprint(j.ID)}, {"name", j.Name}, {"author", j.Author}, {"group", fmt.Sprint(j.JobGroup)},
		{"schedule", j.ScheduleType + " " + j.ScheduleConf}, {"misfire", j.MisfireStrategy},
		{"handler", j.Handler}, {"param", j.Param}, {"route", j.Route}, {"block", j.Block},
		{"timeout", fmt.Sprintf("%d s", j.Timeout)}, {"retries", fmt.Sprint(j.RetryCount)},
		{"status", j.status()}, {"next", j.next()},
	} {
		fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
	if len(list.Logs) > 0 {
		fmt.Fprintln(w, "\nLOG\tTRIGGERED\tEXECUTOR\tTRIGGER\tRESULT\tMESSAGE")
	}
	for _, l := range list.Logs {
		triggered := "-"
		if l.TriggerTime != nil {
			triggered = l.TriggerTime.Local().Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\t%s\n", l.ID, triggered, l.Address, l.TriggerCode, l.HandleCode, firstLine(l.HandleMsg))
	}
	return w.Flush()
}

type jobStartCmd struct{ jobID }

func (c *jobStartCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path("/start"), nil, nil)
}

type jobStopCmd struct{ jobID }

func (c *jobStopCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path("/stop"), nil, nil)
}

type jobTriggerCmd struct {
	jobID
	Param   *string  `help:"Text handed to the handler in place of the job's own."`
	Address []string `placeholder:"URL" help:"Executors to choose from in place of the group's; they must be registered, or allowed by the scheduler's --allow-address."`
}

func (c *jobTriggerCmd) Run(inv *invocation, parent *jobCmd) error {
	form := map[string]any{}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	if len(c.Address) > 0 {
		form["addressList"] = c.Address
	}
	return parent.api().call(inv.ctx, "POST", c.path("/trigger"), form, nil)
}

type jobRemoveCmd struct{ jobID }

func (c *jobRemoveCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "DELETE", c.path(""), nil, nil)
}
