package main

import (
	"errors"
	"time"
)

type jobTriggerCmd struct {
	jobID
	Param     *string       `help:"Parameter passed to the handler in place of the job's own."`
	Address   []string      `placeholder:"URL" help:"Addresses of executors to choose from in place of the group's. They must be registered, or allowed by the scheduler's --allow-address."`
	Key       *string       `placeholder:"TEXT" help:"Idempotency key: trigger at most once for it. A repeated command finds the run that the first one started."`
	Wait      bool          `help:"Wait until the run has ended; the exit code says how it ended. Retries of a failed run are runs of their own."`
	Follow    bool          `short:"f" help:"Print the run's log as it grows, until the run has ended. Implies --wait."`
	WaitLimit time.Duration `placeholder:"TIME" help:"How long to wait at most, including the wait for the start (default: 10s for the start alone; with --wait or --follow no limit)."`
}

// Run prints the ids of the runs that it started. A broadcast starts several.
func (c *jobTriggerCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.WaitLimit < 0 {
		return usagef("--wait-limit is %v, must not be negative", c.WaitLimit)
	}
	form := map[string]any{}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	if len(c.Address) > 0 {
		form["addressList"] = c.Address
	}
	api := parent.api()
	api.key = c.Key
	var planned struct {
		Order, Fire int64
		Repeated    bool
	}
	if err := api.call(inv.ctx, "POST", c.path("/trigger"), form, &planned); err != nil {
		return err
	}
	if planned.Repeated {
		parent.note(inv, "the key %s already started order %d", *c.Key, planned.Order)
	}
	w := &waiter{inv: inv, client: &parent.clientFlags, waits: c.Wait || c.Follow, shown: inv.asks && !parent.Quiet && !c.Follow}
	switch {
	case c.WaitLimit > 0:
		w.until = time.Now().Add(c.WaitLimit)
	case !w.waits:
		w.until = time.Now().Add(startLimit)
	}
	started, err := w.started(planned.Order)
	if err != nil || len(started) == 0 {
		return err
	}
	if c.Follow {
		for _, run := range started {
			var refusal *apiError
			if err := followText(inv, &parent.clientFlags, run); err != nil && !errors.As(err, &refusal) {
				return err // a refusal means that there is no text; the run's end says why
			}
		}
	}
	if w.waits {
		return w.ended(started)
	}
	return nil
}
