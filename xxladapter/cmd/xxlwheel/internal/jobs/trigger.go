package jobs

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/runs"
)

type triggerCmd struct {
	jobID
	Param     *string       `help:"Parameter passed to the handler in place of the job's own."`
	Address   []string      `placeholder:"URL" help:"Addresses of executors to choose from in place of the group's. They must be registered, or allowed by the scheduler's --allow-address."`
	Key       *string       `placeholder:"TEXT" help:"Idempotency key: trigger at most once for it. A repeated command finds the run that the first one started."`
	Wait      bool          `help:"Wait until the run has ended; the exit code says how it ended. Retries of a failed run are runs of their own."`
	Follow    bool          `short:"f" help:"Print the run's log as it grows, until the run has ended. Implies --wait."`
	WaitLimit time.Duration `placeholder:"TIME" help:"How long to wait at most, including the wait for the start (default: 10s for the start alone; with --wait or --follow no limit)."`
}

// Run prints the ids of the runs that it started. A broadcast starts several.
func (c *triggerCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.WaitLimit < 0 {
		return command.Usagef("--wait-limit is %v, must not be negative", c.WaitLimit)
	}
	form := map[string]any{}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	if len(c.Address) > 0 {
		form["addressList"] = c.Address
	}
	api := parent.API()
	api.Key = c.Key
	var planned struct {
		Order, Fire int64
		Repeated    bool
	}
	if err := api.Call(inv.Context, "POST", c.path("/trigger"), form, &planned); err != nil {
		return err
	}
	if planned.Repeated {
		parent.Note(inv, "the key %s already started order %d", *c.Key, planned.Order)
	}
	w := &runs.Waiter{Invocation: inv, Client: &parent.Flags, Waits: c.Wait || c.Follow, Shown: inv.Asks &&
		!parent.Quiet && !c.Follow}
	switch {
	case c.WaitLimit > 0:
		w.Until = time.Now().Add(c.WaitLimit)
	case !w.Waits:
		w.Until = time.Now().Add(runs.StartLimit)
	}
	started, err := w.Started(planned.Order)
	if err != nil || len(started) == 0 {
		return err
	}
	if c.Follow {
		if err := follow(inv, parent, started, w.Until); err != nil {
			return err
		}
	}
	if w.Waits {
		return w.Ended(started)
	}
	return nil
}

// follow prints what the runs write, one after the other, until they have ended or the limit is
// reached; zero means no limit.
func follow(inv *command.Invocation, parent *Cmd, started []runs.RunID, until time.Time) error {
	limited := *inv
	if !until.IsZero() {
		var cancel context.CancelFunc
		limited.Context, cancel = context.WithDeadline(inv.Context, until)
		defer cancel()
	}
	for _, run := range started {
		var refusal *client.Error
		if err := runs.Follow(&limited, &parent.Flags, run); err != nil && !errors.As(err, &refusal) {
			return err // a refusal means that there is no text; the run's end says why
		}
	}
	return nil
}
