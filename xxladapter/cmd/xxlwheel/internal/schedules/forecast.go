package schedules

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

// ForecastCmd shows how many fires to expect.
type ForecastCmd struct {
	client.Flags
	Hours int    `default:"24" help:"How many hours to look ahead, at most 168 (default ${default})."`
	App   string `placeholder:"NAME" help:"Only jobs of the executors with this app name."`
	At    string `placeholder:"TIME" help:"List the jobs of the quarter of an hour that contains this RFC 3339 instant."`
}

// Run prints the quarters of an hour that have fires, or the jobs of one.
func (c *ForecastCmd) Run(inv *command.Invocation) error {
	if c.Hours < 1 {
		return command.Usagef("--hours is %d, must be 1 to 168", c.Hours)
	}
	query := url.Values{"hours": {strconv.Itoa(c.Hours)}}
	if c.At != "" {
		if _, err := time.Parse(time.RFC3339, c.At); err != nil {
			return command.Usagef("--at is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", c.At)
		}
		query.Set("at", c.At)
	}
	if c.App != "" {
		group, err := c.GroupOf(inv, c.App)
		if err != nil {
			return err
		}
		query.Set("group", strconv.FormatInt(group, 10))
	}
	var raw json.RawMessage
	if err := c.API().Call(inv.Context, "GET", "/forecast?"+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if c.Structured() {
		return c.PrintRaw(inv.Stdout, raw)
	}
	var f struct {
		Cells []struct {
			At         time.Time
			Fires      int64
			RunSeconds float64
		}
		UnknownDurations int
		In               *struct {
			Count int
			Jobs  []struct {
				ID, Fires  int64
				Name       string
				RunSeconds float64
			}
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	rows := [][]string{{"FROM", "FIRES", "RUN TIME"}}
	for _, cell := range f.Cells {
		if cell.Fires > 0 {
			rows = append(rows, []string{printing.Time(&cell.At), fmt.Sprint(cell.Fires), runTime(cell.RunSeconds)})
		}
	}
	if f.In != nil {
		rows = [][]string{{"ID", "NAME", "FIRES", "RUN TIME"}}
		for _, j := range f.In.Jobs {
			rows = append(rows, []string{fmt.Sprint(j.ID), j.Name, fmt.Sprint(j.Fires), runTime(j.RunSeconds)})
		}
		if more := f.In.Count - len(f.In.Jobs); more > 0 {
			c.Note(inv, "%d more jobs are not shown", more)
		}
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	if f.UnknownDurations > 0 {
		c.Note(inv, "%d jobs have no recent run, their run time is missing", f.UnknownDurations)
	}
	return nil
}

func runTime(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond).String()
}
