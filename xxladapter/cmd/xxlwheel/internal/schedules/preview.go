// Package schedules has the commands about when jobs are due: cron expressions, previews,
// calendars, pauses and the forecast. All but cron ask a running scheduler.
package schedules

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// ScheduleCmd shows what a schedule will do.
type ScheduleCmd struct {
	client.Flags
	Preview schedulePreviewCmd `cmd:"" help:"Show what a schedule of any type will do, before a job has it."`
}

type schedulePreviewCmd struct {
	Conf     string `arg:"" optional:"" help:"What the job has: a cron expression in quotes, seconds, or an RFC 3339 instant."`
	Type     string `predictor:"schedule-type" default:"CRON" placeholder:"TYPE" help:"Schedule type: CRON (default), FIX_RATE, FIX_DELAY, ONCE or NONE."`
	Zone     string `placeholder:"ZONE" help:"Time zone, for example Asia/Shanghai (default: the scheduler's)."`
	Profile  string `predictor:"cron-profile" placeholder:"PROFILE" help:"Cron profile: quartz, xxl34, sane or unix (default: the scheduler's)."`
	Calendar string `placeholder:"NAME" help:"Calendar whose days without work are marked, for example cn."`
	From     string `placeholder:"TIME" help:"RFC 3339 instant after which to start (default: now)."`
	Lang     string `default:"en" enum:"en,zh" placeholder:"LANGUAGE" help:"Language of the description: en (default) or zh."`
	Count    int    `short:"n" default:"10" help:"Number of due times to print, at most 1000 (default ${default})."`
	Months   int    `help:"Also count the times of each day of this many months, at most 12."`
}

// Run prints the description, the due times with the clock changes between them, and the days.
func (c *schedulePreviewCmd) Run(inv *command.Invocation, parent *ScheduleCmd) error {
	if c.Count < 1 {
		return command.Usagef("-n is %d, must be 1 to 1000", c.Count)
	}
	query := url.Values{
		"scheduleType": {strings.ToUpper(c.Type)}, "scheduleConf": {c.Conf}, "count": {strconv.Itoa(c.Count)},
		"months": {strconv.Itoa(c.Months)},
	}
	for name, text := range map[string]string{
		"zone": c.Zone, "profile": c.Profile, "from": c.From, "calendar": c.Calendar,
	} {
		if text != "" {
			query.Set(name, text)
		}
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "GET", "/schedule/preview?"+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var p previewView
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	fmt.Fprintf(inv.Stdout, "%s (%s)\n", p.Words[c.Lang], p.Zone)
	if p.Assumed {
		fmt.Fprintln(inv.Stdout, "Each time counts from the end of a run; runs are assumed to take no time.")
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print(p.rows())
	for _, year := range p.CalendarLacksYears {
		fmt.Fprintf(inv.Stdout, "The calendar has no days of %d: only its weekend counts there.\n", year)
	}
	for i, day := range p.Days {
		if i == 0 {
			fmt.Fprintln(inv.Stdout)
		}
		more := ""
		if day.More {
			more = "+"
		}
		fmt.Fprintf(inv.Stdout, "%s  %d%s\n", day.Day, day.Times, more)
	}
	return nil
}

// A previewView is the API's preview of a schedule.
type previewView struct {
	Zone    string
	Words   map[string]string
	Assumed bool
	Times   []struct {
		At       time.Time
		Mark     string
		Excluded bool
	}
	CalendarLacksYears []int
	ClockChanges       []struct {
		At            time.Time
		Before, After string
		Skipped       []string
	}
	Days []struct {
		Day   string
		Times int
		More  bool
	}
}

// rows returns the due times and the clock changes before the last of them, in order.
func (p *previewView) rows() (rows [][]string) {
	changes := p.ClockChanges
	for _, t := range p.Times {
		for len(changes) > 0 && !changes[0].At.After(t.At) {
			text := "the clock goes from " + changes[0].Before + " to " + changes[0].After
			if skipped := changes[0].Skipped; len(skipped) > 0 {
				text += " and skips " + strings.Join(skipped, ", ")
			}
			rows = append(rows, []string{changes[0].At.Format(time.RFC3339), "-- " + text})
			changes = changes[1:]
		}
		mark := t.Mark
		if t.Excluded {
			mark = strings.TrimSpace(mark + " EXCLUDED")
		}
		rows = append(rows, []string{t.At.Format(time.RFC3339), mark})
	}
	return rows
}
