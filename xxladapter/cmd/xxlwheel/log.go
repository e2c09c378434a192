package main

import "fmt"

// logCmd has what an operator does with runs.
type logCmd struct {
	clientFlags

	List logListCmd `cmd:"" help:"List runs, newest first."`
	Show logShowCmd `cmd:"" help:"Show all that is known of a run, why it was not handed over included."`
	Text logTextCmd `cmd:"" help:"Print what a run wrote into its log: what is stored of it, else as its executor has it."`
	Kill logKillCmd `cmd:"" help:"End a run, and with it whatever else of its job runs or waits on that executor."`

	Clear logClearCmd `cmd:"" help:"Delete runs that have ended, by age or all but the newest. Failures that were not reported yet are kept."`
}

// logID is the argument that most subcommands share.
type logID struct {
	ID int64 `arg:"" help:"Id of the run's log row, as job show prints it."`
}

func (id logID) path(action string) string { return fmt.Sprintf("/logs/%d%s", id.ID, action) }

type logKillCmd struct{ logID }

func (c *logKillCmd) Run(inv *invocation, parent *logCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path("/kill"), nil, nil)
}
