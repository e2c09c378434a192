package observe

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// StatsCmd shows how runs ended, how long they took and how late they were.
type StatsCmd struct {
	client.Flags
	By     string `default:"hour" enum:"hour,group,job" placeholder:"WHAT" help:"What the figures are grouped by: hour (default), group or job. By job, those with the most runs that did not succeed come first."`
	Since  string `placeholder:"TIME" help:"Only runs triggered at or after this RFC 3339 instant, from its full hour on (default a day before --before)."`
	Before string `placeholder:"TIME" help:"Only runs triggered before this RFC 3339 instant, to the end of its hour (default now)."`
	App    string `placeholder:"NAME" help:"Only runs of the executors with this app name."`
	Job    int64  `placeholder:"ID" help:"Only runs of this job."`
	Limit  int    `default:"20" help:"How many jobs to list, at most 1000 (default ${default})."`
}

// A statRow is a row of the API's statistics.
type statRow struct {
	Hour                                                  *time.Time
	JobGroup, JobID                                       int64
	AppName, JobName                                      string
	Runs, Success, Failed, Timeout, Killed, Lost, NotSent int64
	Duration, Lateness                                    struct{ P50Ms, P99Ms *int64 }
}

// Run prints the figures, and those of all runs in the last row.
func (c *StatsCmd) Run(inv *command.Invocation) error {
	if c.Limit < 1 || c.Limit > 1000 {
		return command.Usagef("--limit is %d, must be 1 to 1000", c.Limit)
	}
	query := url.Values{"by": {c.By}, "limit": {strconv.Itoa(c.Limit)}}
	for _, t := range []struct{ flag, param, value string }{{"since", "from", c.Since}, {"before", "to", c.Before}} {
		if t.value == "" {
			continue
		}
		if _, err := time.Parse(time.RFC3339, t.value); err != nil {
			return command.Usagef(
				"--%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", t.flag, t.value,
			)
		}
		query.Set(t.param, t.value)
	}
	if c.App != "" {
		group, err := c.GroupOf(inv, c.App)
		if err != nil {
			return err
		}
		query.Set("group", strconv.FormatInt(group, 10))
	}
	if c.Job != 0 {
		query.Set("job", strconv.FormatInt(c.Job, 10))
	}
	var raw json.RawMessage
	if err := c.API().Call(inv.Context, "GET", "/stats?"+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if c.Structured() {
		return c.PrintRaw(inv.Stdout, raw)
	}
	var list struct {
		Stats []statRow
		Total statRow
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	rows := [][]string{{
		"HOUR", "RUNS", "SUCCESS", "FAILED", "TIMEOUT", "KILLED", "LOST", "NOT SENT",
		"TOOK P50", "P99", "LATE P50", "P99",
	}}
	switch c.By {
	case "group":
		rows[0][0] = "GROUP"
	case "job":
		rows[0][0] = "JOB"
	}
	for _, s := range list.Stats {
		rows = append(rows, s.row(s.name()))
	}
	rows = append(rows, list.Total.row("total"))
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	return nil
}

// name says whose figures these are.
func (s *statRow) name() string {
	switch {
	case s.Hour != nil:
		return printing.Time(s.Hour)
	case s.JobID != 0:
		return fmt.Sprintf("%d %s", s.JobID, s.JobName)
	}
	return fmt.Sprintf("%d %s", s.JobGroup, s.AppName)
}

func (s *statRow) row(name string) []string {
	row := []string{name}
	for _, n := range []int64{s.Runs, s.Success, s.Failed, s.Timeout, s.Killed, s.Lost, s.NotSent} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	for _, ms := range []*int64{s.Duration.P50Ms, s.Duration.P99Ms, s.Lateness.P50Ms, s.Lateness.P99Ms} {
		text := "-"
		if ms != nil {
			text = (time.Duration(*ms) * time.Millisecond).String()
		}
		row = append(row, text)
	}
	return row
}
