package schedules

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// CronCmd evaluates cron expressions without a scheduler.
type CronCmd struct {
	Next     cronNextCmd     `cmd:"" help:"Print the next due times of a cron expression."`
	Describe cronDescribeCmd `cmd:"" help:"Describe in words when a cron expression fires."`
}

type cronNextCmd struct {
	Expr  string `arg:"" help:"Cron expression of six or seven fields, in quotes."`
	Zone  string `default:"Local" placeholder:"ZONE" help:"Time zone, for example Asia/Shanghai (default: this machine's)."`
	Count int    `short:"n" default:"5" help:"Number of due times to print (default ${default})."`
	From  string `placeholder:"TIME" help:"RFC 3339 instant after which to start (default: now)."`
}

func (c *cronNextCmd) Run(inv *command.Invocation) error {
	zone, err := flags.Zone(c.Zone)
	if err != nil {
		return err
	}
	if c.Count < 1 {
		return command.Usagef("-n is %d, must be at least 1", c.Count)
	}
	t := time.Now().In(zone)
	if c.From != "" {
		if t, err = time.Parse(time.RFC3339, c.From); err != nil {
			return command.Usagef("--from is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", c.From)
		}
		t = t.In(zone)
	}
	schedule, err := cron.Parse(c.Expr)
	if err != nil {
		return err
	}
	for i := range c.Count {
		t = schedule.Next(t)
		if t.IsZero() {
			if i == 0 {
				return fmt.Errorf("%q never fires again", c.Expr)
			}
			return nil
		}
		fmt.Fprintln(inv.Stdout, t.Format(time.RFC3339))
	}
	return nil
}

type cronDescribeCmd struct {
	Expr string `arg:"" help:"Cron expression of six or seven fields, in quotes."`
	Lang string `default:"en" enum:"en,zh" placeholder:"LANGUAGE" help:"Language of the description: en (default) or zh."`
}

// languages maps the values of --lang.
var languages = map[string]cron.Language{"en": cron.English, "zh": cron.Chinese}

func (c *cronDescribeCmd) Run(inv *command.Invocation) error {
	schedule, err := cron.Parse(c.Expr)
	if err != nil {
		return err
	}
	fmt.Fprintln(inv.Stdout, schedule.Describe(languages[c.Lang]))
	return nil
}
