package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// jobChange are the flags for what an existing job may be given; what is left
// out stays.
type jobChange struct {
	Name       *string        `help:"What the job is for."`
	App        *string        `help:"App name of the executors that run it."`
	Handler    *string        `help:"Name of the handler that the executors registered."`
	Cron       string         `xor:"schedule" placeholder:"EXPR" help:"Run by this cron expression."`
	FixedRate  time.Duration  `xor:"schedule" placeholder:"PERIOD" help:"Run at this period, for example 5s."`
	NoSchedule bool           `xor:"schedule" help:"Run only when it is triggered."`
	Param      *string        `help:"Text handed to the handler."`
	Route      *string        `help:"How the executor is chosen: FIRST, ROUND, SHARDING_BROADCAST and others."`
	Block      *string        `help:"What happens while a run of the job goes on: SERIAL_EXECUTION, DISCARD_LATER, COVER_EARLY."`
	Misfire    *string        `help:"What happens to due times that were missed: DO_NOTHING, FIRE_ONCE_NOW, LATEST, ALL."`
	Timeout    *time.Duration `help:"Longest run time in whole seconds; 0s: none."`
	Retry      *int           `help:"Further attempts after a failed run."`
	Author     *string        `help:"Who is responsible."`

	Settings jobSettings `embed:""`
}

// form is the API's form with the given fields. The API takes settings as a
// whole, so those of the job are read first where some are given.
func (c *jobChange) form(inv *invocation, api apiClient, job jobID) (map[string]any, error) {
	form := map[string]any{}
	for name, value := range map[string]*string{
		"name": c.Name, "appName": c.App, "executorHandler": c.Handler, "executorParam": c.Param, "author": c.Author,
		"executorRouteStrategy": c.Route, "executorBlockStrategy": c.Block, "misfireStrategy": c.Misfire,
	} {
		if value != nil {
			form[name] = *value
		}
	}
	if c.Timeout != nil {
		if *c.Timeout%time.Second != 0 {
			return nil, usagef("--timeout is %v, must be whole seconds", *c.Timeout)
		}
		form["executorTimeout"] = int64(*c.Timeout / time.Second)
	}
	if c.Retry != nil {
		form["executorFailRetryCount"] = *c.Retry
	}
	switch {
	case c.Cron != "":
		form["scheduleType"], form["scheduleConf"] = "CRON", c.Cron
	case c.FixedRate != 0:
		form["scheduleType"], form["scheduleConf"] = "FIX_RATE", seconds(c.FixedRate)
	case c.NoSchedule:
		form["scheduleType"], form["scheduleConf"] = "NONE", ""
	}
	given := c.Settings.form()
	if given == (xxladapter.Settings{}) {
		return form, nil
	}
	var was struct{ Settings xxladapter.Settings }
	if err := api.call(inv.ctx, "GET", job.path(""), nil, &was); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(given.Text()), &was.Settings); err != nil {
		return nil, err
	}
	form["settings"] = was.Settings
	return form, nil
}

type jobUpdateCmd struct {
	jobID
	jobChange
}

func (c *jobUpdateCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	form, err := c.form(inv, api, c.jobID)
	if err != nil {
		return err
	}
	if len(form) == 0 {
		return usagef("nothing is given that job %d should be changed by (try --help)", c.ID)
	}
	return api.call(inv.ctx, "PUT", c.path(""), form, nil)
}

type jobCopyCmd struct {
	jobID
	jobChange
}

func (c *jobCopyCmd) Run(inv *invocation, parent *jobCmd) error {
	api := parent.api()
	form, err := c.form(inv, api, c.jobID)
	if err != nil {
		return err
	}
	var created struct{ ID int64 }
	if err := api.call(inv.ctx, "POST", c.path("/copy"), form, &created); err != nil {
		return err
	}
	fmt.Fprintln(inv.stdout, created.ID)
	return nil
}

type jobNextCmd struct {
	jobID
	Count int `short:"n" default:"5" help:"How many times to print (default ${default})."`
}

func (c *jobNextCmd) Run(inv *invocation, parent *jobCmd) error {
	var list struct{ Next []time.Time }
	if err := parent.api().call(inv.ctx, "GET", fmt.Sprintf("%s?count=%d", c.path("/next"), c.Count), nil, &list); err != nil {
		return err
	}
	for _, t := range list.Next {
		fmt.Fprintln(inv.stdout, t.Format(time.RFC3339))
	}
	return nil
}
