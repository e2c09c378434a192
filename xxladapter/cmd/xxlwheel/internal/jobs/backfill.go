package jobs

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type startBackfillCmd struct {
	jobID
	From     instant `required:"" placeholder:"TIME" help:"RFC 3339 instant; the first due time may be this one."`
	To       instant `required:"" placeholder:"TIME" help:"RFC 3339 instant; due times are before it."`
	Parallel int     `default:"1" placeholder:"COUNT" help:"How many runs may be in progress at once (default ${default})."`
	Newest   bool    `help:"Run the newest due time first instead of the oldest."`
	Param    *string `help:"Parameter passed to the handler (default: the job's own)."`
	DryRun   bool    `help:"Only print the due times, at most 1000."`
	Wait     bool    `help:"Wait until each due time has ended."`
}

// An instant is an RFC 3339 instant on the command line.
type instant time.Time

// UnmarshalText reads the instant.
func (i *instant) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", text)
	}
	*i = instant(at)
	return nil
}

// A backfillView is a backfill as the API returns it.
type backfillView struct {
	ID, JobID                                  int64
	State                                      string
	From, To                                   time.Time
	Total, Planned, Succeeded, Failed, Dropped int
	By                                         string
}

func (b *backfillView) ended() int { return b.Succeeded + b.Failed + b.Dropped }

func (c *startBackfillCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form := map[string]any{"from": time.Time(c.From), "to": time.Time(c.To), "parallel": c.Parallel, "newest": c.Newest, "dryRun": c.DryRun}
	if c.Param != nil {
		form["executorParam"] = *c.Param
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "POST", c.path("/backfill"), form, &raw); err != nil {
		return err
	}
	var started struct {
		ID       int64
		Total    int
		DueTimes []time.Time
	}
	if err := json.Unmarshal(raw, &started); err != nil {
		return err
	}
	switch {
	case c.DryRun && parent.Structured():
		return parent.PrintRaw(inv.Stdout, raw)
	case c.DryRun:
		for _, due := range started.DueTimes {
			fmt.Fprintln(inv.Stdout, printing.Time(&due))
		}
		parent.Note(inv, "%d due times", started.Total)
		return nil
	}
	parent.PrintCreated(inv, started.ID)
	if !c.Wait {
		return nil
	}
	return waitForBackfill(inv, parent, started.ID)
}

// backfillPoll is the pause between two polls of a backfill.
const backfillPoll = 500 * time.Millisecond

// waitForBackfill shows the progress of a backfill on a terminal until it has ended.
func waitForBackfill(inv *command.Invocation, parent *Cmd, id int64) error {
	bar := command.Progress{Out: inv.Stderr, Shown: inv.Asks && !parent.Quiet, Begun: time.Now()}
	defer bar.Clear()
	for {
		var b backfillView
		if err := parent.API().Call(inv.Context, "GET", fmt.Sprintf("/backfills/%d", id), nil, &b); err != nil {
			return err
		}
		bar.Total, bar.Done = b.Total, b.ended()
		bar.Draw(time.Now())
		switch {
		case b.State == "RUNNING":
		case b.Failed > 0 || b.Dropped > 0 || b.State != "DONE":
			return command.Exitf(
				command.ExitRunFailed, "backfill %d is %s: %d of %d succeeded, %d failed, %d were dropped", id, b.State,
				b.Succeeded, b.Total, b.Failed, b.Dropped,
			)
		default:
			return nil
		}
		select {
		case <-inv.Context.Done():
			return inv.Context.Err()
		case <-time.After(backfillPoll):
		}
	}
}

// BackfillCmd shows and cancels backfills.
type BackfillCmd struct {
	client.Flags

	List   backfillListCmd   `cmd:"" help:"List backfills with their progress, newest first."`
	Cancel backfillCancelCmd `cmd:"" help:"Cancel a running backfill. Runs in progress continue."`
}

type backfillListCmd struct {
	Job   int64 `placeholder:"ID" help:"Only backfills of this job."`
	Count int   `short:"n" default:"20" help:"Print at most this many (default ${default}; 0 means all)."`
}

func (c *backfillListCmd) Run(inv *command.Invocation, parent *BackfillCmd) error {
	if c.Count < 0 {
		return command.Usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	query := url.Values{}
	if c.Job != 0 {
		query.Set("job", fmt.Sprint(c.Job))
	}
	return client.Listing[backfillView]{
		Key: "backfills", Columns: []string{
			"ID", "JOB", "STATE", "FROM", "TO", "DUE TIMES", "SUCCEEDED", "FAILED", "DROPPED", "BY",
		}, Count: c.Count,
		Row: func(b *backfillView) []string {
			return []string{
				fmt.Sprint(b.ID), fmt.Sprint(b.JobID), b.State, printing.Time(&b.From), printing.Time(&b.To),
				fmt.Sprint(b.Total), fmt.Sprint(b.Succeeded), fmt.Sprint(b.Failed), fmt.Sprint(b.Dropped), b.By,
			}
		},
	}.Print(inv, &parent.Flags, "/backfills", query)
}

type backfillCancelCmd struct {
	ID int64 `arg:"" help:"Id of the backfill."`
}

func (c *backfillCancelCmd) Run(inv *command.Invocation, parent *BackfillCmd) error {
	return parent.API().Call(inv.Context, "POST", fmt.Sprintf("/backfills/%d/cancel", c.ID), nil, nil)
}
