package observe

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// ReportCmd counts the runs of each day.
type ReportCmd struct {
	client.Flags
	Days int `default:"7" help:"How many days to show, including today (default ${default})."`
}

// Run prints the days of the last c.Days on which anything ran, the newest one last. Days are those
// of the schedulers' zone.
func (c *ReportCmd) Run(inv *command.Invocation) error {
	if c.Days < 1 {
		return command.Usagef("--days is %d, must be at least 1", c.Days)
	}
	var info struct{ Zone string }
	if err := c.API().Call(inv.Context, "GET", "/info", nil, &info); err != nil {
		return err
	}
	zone, err := time.LoadLocation(info.Zone)
	if err != nil {
		return fmt.Errorf("the schedulers' zone %q is unknown here: %w", info.Zone, err)
	}
	var list struct{ Reports []json.RawMessage }
	// The call refuses days before 1970.
	from := max("1970-01-01", time.Now().In(zone).AddDate(0, 0, 1-c.Days).Format(time.DateOnly))
	if err := c.API().Call(inv.Context, "GET", "/reports?from="+from, nil, &list); err != nil {
		return err
	}
	rows := [][]string{{"DAY", "RUNNING", "SUCCESS", "FAILED"}}
	for _, raw := range list.Reports {
		var day struct {
			Day     string `json:"triggerDay"`
			Running int64  `json:"runningCount"`
			Success int64  `json:"sucCount"`
			Failed  int64  `json:"failCount"`
		}
		if err := json.Unmarshal(raw, &day); err != nil {
			return err
		}
		switch {
		case c.Quiet:
			fmt.Fprintln(inv.Stdout, day.Day)
		case c.Structured():
			if err := c.PrintRaw(inv.Stdout, raw); err != nil {
				return err
			}
		}
		rows = append(rows, []string{day.Day, fmt.Sprint(day.Running), fmt.Sprint(day.Success), fmt.Sprint(day.Failed)})
	}
	if !c.Quiet && !c.Structured() {
		t := printing.Table{Out: inv.Stdout}
		t.Print(rows)
	}
	return nil
}
