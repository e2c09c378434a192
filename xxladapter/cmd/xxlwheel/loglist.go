package main

import (
	"fmt"
	"net/url"
	"text/tabwriter"
	"time"
)

type logListCmd struct {
	Job    int64  `help:"Only runs of this job."`
	Group  int64  `help:"Only runs of jobs of this group."`
	Status string `placeholder:"STATUS" help:"Only runs of this status: RUNNING, SUCCESS or FAIL."`
	Since  string `placeholder:"TIME" help:"Only runs triggered since then: an RFC 3339 instant, or how long ago, for example 24h."`
	Before string `placeholder:"TIME" help:"Only runs triggered before then."`
	Count  int    `short:"n" default:"20" help:"How many to print, the newest (default ${default}; at most 1000)."`
}

func (c *logListCmd) Run(inv *invocation, parent *logCmd) error {
	query := url.Values{"newest": {"true"}, "limit": {fmt.Sprint(c.Count)}}
	if c.Count < 1 || c.Count > 1000 {
		return usagef("-n is %d, must be 1 to 1000", c.Count)
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
	var list struct {
		Logs []struct {
			ID          int64
			JobID       int64
			Address     string     `json:"executorAddress"`
			TriggerTime *time.Time `json:"triggerTime"`
			Status      string
			HandleTime  *time.Time `json:"handleTime"`
			HandleMsg   string     `json:"handleMsg"`
			TriggerMsg  string     `json:"triggerMsg"`
		}
	}
	api := apiClient{parent.Server, parent.AccessToken}
	if err := api.call(inv.ctx, "GET", "/logs?"+query.Encode(), nil, &list); err != nil {
		return err
	}
	w := tabwriter.NewWriter(inv.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LOG\tJOB\tTRIGGERED\tEXECUTOR\tSTATUS\tMESSAGE")
	for _, l := range list.Logs {
		triggered := "-"
		if l.TriggerTime != nil {
			triggered = l.TriggerTime.Local().Format(time.RFC3339)
		}
		message := l.HandleMsg
		if l.HandleTime == nil && l.Status == "FAIL" {
			message = l.TriggerMsg
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\n", l.ID, l.JobID, triggered, l.Address, l.Status, firstLine(message))
	}
	return w.Flush()
}

// instant reads an RFC 3339 instant, or a duration before now.
func instant(text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return time.Now().Add(-ago), nil
	}
	return time.Parse(time.RFC3339, text)
}
