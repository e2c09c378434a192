package main

import (
	"fmt"
)

// logCmd has what an operator does with one run.
type logCmd struct {
	Server      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The running scheduler (default ${default})."`
	AccessToken string `placeholder:"TOKEN" help:"Secret of the scheduler."`

	List logListCmd `cmd:"" help:"List runs, newest first."`
	Text logTextCmd `cmd:"" help:"Print what a run wrote into its log: what is stored of it, else as its executor has it."`
	Kill logKillCmd `cmd:"" help:"End a run, and with it whatever else of its job runs or waits on that executor."`

	Clear logClearCmd `cmd:"" help:"Delete runs that have ended, by age or all but the newest. Failures of which nobody was told yet stay."`
}

type logTextCmd struct {
	ID   int64 `arg:"" help:"Id of the log row, as job show prints it."`
	From int64 `default:"1" help:"First line to print (default ${default})."`
}

func (c *logTextCmd) Run(inv *invocation, parent *logCmd) error {
	if c.From < 1 {
		return usagef("--from is %d, must be at least 1", c.From)
	}
	api := apiClient{parent.Server, parent.AccessToken}
	for from := c.From; ; {
		var part struct {
			To      int64  `json:"toLineNum"`
			Content string `json:"logContent"`
			End     bool   `json:"isEnd"`
			Note    string `json:"note"`
		}
		if err := api.call(inv.ctx, "GET", fmt.Sprintf("/logs/%d/text?from=%d", c.ID, from), nil, &part); err != nil {
			return err
		}
		fmt.Fprint(inv.stdout, part.Content)
		if part.Note != "" {
			fmt.Fprintf(inv.stderr, "xxlwheel: %s\n", part.Note)
		}
		if part.End || part.Content == "" || part.To < from { // a run that goes on has no more for now
			return nil
		}
		from = part.To + 1
	}
}

type logKillCmd struct {
	ID int64 `arg:"" help:"Id of the log row, as job show prints it."`
}

func (c *logKillCmd) Run(inv *invocation, parent *logCmd) error {
	api := apiClient{parent.Server, parent.AccessToken}
	return api.call(inv.ctx, "POST", fmt.Sprintf("/logs/%d/kill", c.ID), nil, nil)
}
