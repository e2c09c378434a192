// Package runs has the subcommands of the command run: list runs, show them, print the logs that
// they wrote, kill, repeat and clear. Package jobs uses Waiter and Follow for the runs that a
// trigger starts.
package runs

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// Cmd has one subcommand for each operation on runs.
type Cmd struct {
	client.Flags

	List listCmd `cmd:"" help:"List runs, newest first."`
	Show showCmd `cmd:"" help:"Show all that is known about a run, including why it was not handed over."`
	Log  logCmd  `cmd:"" help:"Print the log that a run wrote: the stored copy, or else the executor's."`
	Kill killCmd `cmd:"" help:"Kill a run, together with all other runs of its job that run or wait on the same executor."`

	Rerun rerunCmd `cmd:"" help:"Run a run again, with its parameter and its shard, and print the id of the new run."`

	Clear clearCmd `cmd:"" help:"Delete ended runs by age, or all but the newest. Failures that are still to be reported are kept."`
}

// A RunID is the id of a run, the argument that most subcommands share.
type RunID struct {
	ID int64 `arg:"" help:"Id of the run, as job show prints it under RUN."`
}

// Path returns the path of the run in the API, or that of an action on it.
func (id RunID) Path(action string) string { return fmt.Sprintf("/runs/%d%s", id.ID, action) }

type killCmd struct{ RunID }

func (c *killCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return parent.API().Call(inv.Context, "POST", c.Path("/kill"), nil, nil)
}

type rerunCmd struct {
	RunID
	Param   *string  `help:"Parameter passed to the handler in place of the run's."`
	Address []string `placeholder:"URL" help:"Addresses of executors to choose from in place of the group's."`
	Key     *string  `placeholder:"TEXT" help:"Idempotency key: run again at most once for it."`
}

func (c *rerunCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form := map[string]any{}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	if len(c.Address) > 0 {
		form["addressList"] = c.Address
	}
	api := parent.API()
	api.Key = c.Key
	var planned struct{ Order int64 }
	if err := api.Call(inv.Context, "POST", c.Path("/rerun"), form, &planned); err != nil {
		return err
	}
	w := &Waiter{
		Invocation: inv, Client: &parent.Flags, Shown: inv.Asks && !parent.Quiet, Until: time.Now().Add(StartLimit),
	}
	_, err := w.Started(planned.Order)
	return err
}
