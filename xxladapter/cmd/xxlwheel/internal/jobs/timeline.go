package jobs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type timelineCmd struct {
	jobID
	From string `placeholder:"TIME" help:"The first instant, given like --at of job why (default: an hour before --to)."`
	To   string `placeholder:"TIME" help:"The instant before which it ends (default: now)."`
}

func (c *timelineCmd) Run(inv *command.Invocation, parent *Cmd) error {
	query := url.Values{}
	for name, text := range map[string]string{"from": c.From, "to": c.To} {
		if text == "" {
			continue
		}
		at, err := clockTime(text, time.Now())
		if err != nil {
			return command.Usagef("--%s is %q, must be a time such as 02:00, an RFC 3339 instant such as 2026-01-02T15:04:05Z, or a duration such as 24h", name, text)
		}
		query.Set(name, at.Format(time.RFC3339))
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "GET", c.path("/timeline?")+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var answer timelineView
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print(answer.rows())
	if answer.ScheduleIsPresent {
		parent.Note(inv, "the job was changed since %s, and its schedule of that time is not known: the due times are those of the present one", printing.Instant(answer.From))
	}
	if answer.More {
		parent.Note(inv, "there are more than 10000 due times, runs or misfires, ask for a shorter time")
	}
	return nil
}

// A timelineView is a job's timeline as the API returns it.
type timelineView struct {
	From              time.Time
	ScheduleIsPresent bool
	More              bool
	Schedules         []struct {
		From         time.Time
		Running      bool
		ScheduleType string
		ScheduleConf string
	}
	Planned []struct {
		Due  time.Time
		Fate string
	}
	Misfires []missedTimes
	Runs     []struct {
		LogID, LatenessMs         int64
		Due                       time.Time
		Sent, Finished            *time.Time
		TriggerType, Node, Status string
	}
}

// rows returns the changes of the schedule, the due times without a run and the runs, by time.
func (v *timelineView) rows() [][]string {
	type line struct {
		due   time.Time
		cells []string
	}
	var lines []line
	for i, then := range v.Schedules {
		change := "OFF"
		if then.Running {
			change = strings.TrimSpace("ON " + then.ScheduleType + " " + then.ScheduleConf)
		}
		if i > 0 || !then.Running {
			lines = append(lines, line{then.From, []string{printing.Instant(then.From), change, "-", "-", "-", "-"}})
		}
	}
	for _, t := range v.Planned {
		if t.Fate != "FIRED" { // its runs are below
			lines = append(lines, line{
				t.Due, []string{printing.Instant(t.Due), fateOf(t.Fate, t.Due, v.Misfires), "-", "-", "-", "-"},
			})
		}
	}
	for _, r := range v.Runs {
		took := "-"
		if r.Sent != nil && r.Finished != nil {
			took = r.Finished.Sub(*r.Sent).String()
		}
		late := (time.Duration(r.LatenessMs) * time.Millisecond).String()
		lines = append(lines, line{
			r.Due, []string{printing.Instant(r.Due), r.TriggerType, fmt.Sprint(r.LogID), late, took, r.Status},
		})
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.due.Compare(b.due) })
	rows := [][]string{{"DUE", "FATE", "RUN", "LATE", "TOOK", "STATUS"}}
	for _, l := range lines {
		rows = append(rows, l.cells)
	}
	return rows
}

// missedTimes are due times that gave no fire of their own.
type missedTimes struct {
	Due, Until            time.Time // the first and the last one
	MisfireStrategy, Kind string
}

// fateOf appends to the fate of a missed due time the strategy, or the kind of the misfire if no
// strategy decided.
func fateOf(fate string, due time.Time, missed []missedTimes) string {
	i := slices.IndexFunc(missed, func(m missedTimes) bool { return !due.Before(m.Due) && !due.After(m.Until) })
	if fate != "MISFIRE" || i < 0 {
		return fate
	}
	return fate + " " + cmp.Or(missed[i].MisfireStrategy, missed[i].Kind)
}
