package runs

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type listCmd struct {
	Job     int64         `placeholder:"ID" help:"Only runs of this job."`
	App     string        `xor:"group" placeholder:"NAME" help:"Only runs of jobs whose executors have this app name."`
	Group   int64         `xor:"group" placeholder:"ID" help:"Only runs of jobs of this group of executors."`
	Status  string        `predictor:"run-status" placeholder:"STATUS" help:"Only runs with this status: RUNNING, SUCCESS, FAIL or LOST, which is a part of FAIL."`
	Since   string        `placeholder:"TIME" help:"Only runs triggered since this time: an RFC 3339 instant, or a duration before now such as 24h."`
	Before  string        `placeholder:"TIME" help:"Only runs triggered before this time, given like --since."`
	Address string        `placeholder:"TEXT" help:"Only runs whose executor address contains this text."`
	Trigger string        `predictor:"trigger-type" placeholder:"TYPE" help:"Only runs that were triggered this way: CRON, MISFIRE, MANUAL, PARENT, RETRY, API or BACKFILL."`
	Longer  time.Duration `placeholder:"DURATION" help:"Only runs that took this long or longer, or have been running for that long, for example 90s."`
	Text    string        `placeholder:"TEXT" help:"Only runs with this text in their messages."`
	Count   int           `short:"n" default:"20" help:"Print this many of the newest (default ${default}; 0 prints all)."`
	Total   bool          `help:"Only print how many runs there are, exact up to 10000."`
}

func (c *listCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 0 {
		return command.Usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	query := url.Values{"newest": {"true"}}
	if c.App != "" {
		group, err := parent.GroupOf(inv, c.App)
		if err != nil {
			return err
		}
		c.Group = group
	}
	for name, id := range map[string]int64{"job": c.Job, "group": c.Group} {
		if id != 0 {
			query.Set(name, fmt.Sprint(id))
		}
	}
	for name, text := range map[string]string{
		"status": strings.ToUpper(c.Status), "address": c.Address, "triggerType": strings.ToUpper(c.Trigger),
		"text": c.Text,
	} {
		if text != "" {
			query.Set(name, text)
		}
	}
	if c.Longer != 0 {
		query.Set("atLeastMs", fmt.Sprint(c.Longer.Milliseconds()))
	}
	for name, text := range map[string]string{"since": c.Since, "before": c.Before} {
		if text == "" {
			continue
		}
		at, err := flags.Instant(text)
		if err != nil {
			return command.Usagef(
				"--%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z, or a duration such as 24h", name,
				text,
			)
		}
		query.Set(name, at.Format(time.RFC3339))
	}
	if c.Total {
		return parent.PrintTotal(inv, "/runs", query)
	}
	return client.Listing[runView]{
		Key: "runs", Columns: []string{
			"RUN", "JOB", "NAME", "APP", "TRIGGERED", "TYPE", "LATE", "TOOK", "EXECUTOR", "STATUS", "MESSAGE",
		}, Count: c.Count,
		Row: func(l *runView) []string {
			return []string{
				fmt.Sprint(l.ID), fmt.Sprint(l.JobID), l.JobName, l.AppName, printing.Time(l.TriggerTime),
				l.triggerType(),
				lateness(l.History), printing.Span(l.Took), l.Address, l.status(), printing.FirstLine(l.Message()),
			}
		},
	}.Print(inv, &parent.Flags, "/runs", query)
}

// A runView is a run in a list of the API.
type runView struct {
	View
	JobName string `json:"jobName"`
	AppName string `json:"appName"`
	Took    *int64 `json:"tookMs"`
	Lost    bool   `json:"lost"`
}

func (l *runView) status() string {
	if l.Lost {
		return "LOST"
	}
	return l.Status
}

func (l *runView) triggerType() string {
	if l.History == nil {
		return "-"
	}
	return l.History.TriggerType
}
