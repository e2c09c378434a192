package main

import (
	"fmt"
	"net/url"
	"time"
)

type logListCmd struct {
	Job    int64  `placeholder:"ID" help:"Only runs of this job."`
	App    string `xor:"group" placeholder:"NAME" help:"Only runs of jobs whose executors have this app name."`
	Group  int64  `xor:"group" placeholder:"ID" help:"Only runs of jobs of this group of executors."`
	Status string `placeholder:"STATUS" help:"Only runs with this status: RUNNING, SUCCESS or FAIL."`
	Since  string `placeholder:"TIME" help:"Only runs triggered since this time: an RFC 3339 instant, or a duration before now such as 24h."`
	Before string `placeholder:"TIME" help:"Only runs triggered before this time, given like --since."`
	Count  int    `short:"n" default:"20" help:"Print this many of the newest (default ${default}; 0 prints all)."`
}

func (c *logListCmd) Run(inv *invocation, parent *logCmd) error {
	if c.Count < 0 {
		return usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	query := url.Values{"newest": {"true"}}
	if c.App != "" {
		group, err := parent.groupOf(inv, c.App)
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
	if c.Status != "" {
		query.Set("status", c.Status)
	}
	for name, text := range map[string]string{"since": c.Since, "before": c.Before} {
		if text == "" {
			continue
		}
		at, err := instant(text)
		if err != nil {
			return usagef("--%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z, or a duration such as 24h", name, text)
		}
		query.Set(name, at.Format(time.RFC3339))
	}
	return listing[logView]{
		key: "logs", columns: []string{"LOG", "JOB", "TRIGGERED", "EXECUTOR", "STATUS", "MESSAGE"}, count: c.Count,
		row: func(l *logView) []string {
			return []string{
				fmt.Sprint(l.ID), fmt.Sprint(l.JobID), timeText(l.TriggerTime), l.Address, l.Status, firstLine(l.message()),
			}
		},
	}.print(inv, &parent.clientFlags, "/logs", query)
}

// instant parses an RFC 3339 instant, or a duration before now.
func instant(text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	return time.Parse(time.RFC3339, text)
}
