package main

import (
	"fmt"
	"time"
)

// logCmd has one subcommand for each operation on runs.
type logCmd struct {
	clientFlags

	List logListCmd `cmd:"" help:"List runs, newest first."`
	Show logShowCmd `cmd:"" help:"Show all that is known about a run, including why it was not handed over."`
	Text logTextCmd `cmd:"" help:"Print the log that a run wrote: the stored copy, or else the executor's."`
	Kill logKillCmd `cmd:"" help:"Kill a run, together with all other runs of its job that run or wait on the same executor."`

	Rerun logRerunCmd `cmd:"" help:"Run a run again, with its parameter and its shard, and print the id of the new run."`

	Clear logClearCmd `cmd:"" help:"Delete ended runs by age, or all but the newest. Failures that are still to be reported are kept."`
}

// logID is the argument that most subcommands share.
type logID struct {
	ID int64 `arg:"" help:"Id of the run, as job show prints it under LOG."`
}

func (id logID) path(action string) string { return fmt.Sprintf("/logs/%d%s", id.ID, action) }

type logKillCmd struct{ logID }

func (c *logKillCmd) Run(inv *invocation, parent *logCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path("/kill"), nil, nil)
}

type logRerunCmd struct {
	logID
	Param   *string  `help:"Parameter passed to the handler in place of the run's."`
	Address []string `placeholder:"URL" help:"Addresses of executors to choose from in place of the group's."`
	Key     *string  `placeholder:"TEXT" help:"Idempotency key: run again at most once for it."`
}

func (c *logRerunCmd) Run(inv *invocation, parent *logCmd) error {
	form := map[string]any{}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	if len(c.Address) > 0 {
		form["addressList"] = c.Address
	}
	api := parent.api()
	api.key = c.Key
	var planned struct{ Order int64 }
	if err := api.call(inv.ctx, "POST", c.path("/rerun"), form, &planned); err != nil {
		return err
	}
	w := &waiter{inv: inv, client: &parent.clientFlags, shown: inv.asks && !parent.Quiet, until: time.Now().Add(startLimit)}
	_, err := w.started(planned.Order)
	return err
}
