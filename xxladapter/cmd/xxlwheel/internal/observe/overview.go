// Package observe has the commands that look at a scheduler as a whole: what it is, which nodes
// share its store, what is wrong, what has changed, and how runs ended.
package observe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/schedules"
)

// OverviewCmd shows what is wrong and what comes next.
type OverviewCmd struct{ client.Flags }

// A figureView is a number that may be a lower bound.
type figureView struct {
	Count int
	More  bool
}

func (f figureView) String() string {
	if f.More {
		return fmt.Sprint(f.Count, "+")
	}
	return fmt.Sprint(f.Count)
}

// Run prints the figures, then what needs attention, then what comes next.
func (c *OverviewCmd) Run(inv *command.Invocation) error {
	var raw json.RawMessage
	if err := c.API().Call(inv.Context, "GET", "/overview", nil, &raw); err != nil {
		return err
	}
	if c.Structured() {
		return c.PrintRaw(inv.Stdout, raw)
	}
	type job struct {
		ID              int64
		Name            string
		InARow          int
		TriggerNextTime *time.Time
	}
	var o struct {
		RunningJobs, RunsNow, Failed24h  figureView
		LateP99Ms                        *int64
		Failing, Overdue, NotFired, Next []job
		NoExecutor                       []struct {
			AppName string
			Jobs    figureView
		}
		Gone []struct {
			Address     string
			LogID       int64
			TriggerTime *time.Time
		}
		Paused    []schedules.Pause
		Calendars []struct {
			Name string
			Year int
			Jobs figureView
		}
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return err
	}
	rows := [][]string{
		{"running jobs", o.RunningJobs.String()}, {"runs now", o.RunsNow.String()},
		{"failed in 24 h", o.Failed24h.String()},
		{"late (p99)", printing.Span(o.LateP99Ms)},
	}
	named := func(j job) string { return fmt.Sprintf("%d %s", j.ID, j.Name) }
	for _, j := range o.Failing {
		rows = append(rows, []string{"failing", fmt.Sprintf("%s, %d in a row", named(j), j.InARow)})
	}
	for i := range o.Paused {
		rows = append(rows, []string{"paused", strings.TrimSpace(
			fmt.Sprintf("pause %d, %s: %s", o.Paused[i].ID, o.Paused[i].State(), o.Paused[i].Note),
		)})
	}
	for _, c := range o.Calendars {
		rows = append(
			rows, []string{"calendar", fmt.Sprintf("%s has no days of %d, running jobs: %s", c.Name, c.Year, c.Jobs)},
		)
	}
	for _, j := range o.Overdue {
		rows = append(rows, []string{"overdue", named(j) + ", since " + printing.Time(j.TriggerNextTime)})
	}
	for _, g := range o.NoExecutor {
		rows = append(rows, []string{"no executor", fmt.Sprintf("%s, running jobs: %s", g.AppName, g.Jobs)})
	}
	for _, e := range o.Gone {
		rows = append(rows, []string{
			"executor gone", fmt.Sprintf("%s, last run %d at %s", e.Address, e.LogID, printing.Time(e.TriggerTime)),
		})
	}
	for _, j := range o.NotFired {
		rows = append(rows, []string{"never due yet", named(j)})
	}
	for _, j := range o.Next {
		rows = append(rows, []string{"next", printing.Time(j.TriggerNextTime) + " " + named(j)})
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	return nil
}
