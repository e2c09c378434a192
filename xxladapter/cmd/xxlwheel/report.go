package main

import (
	"encoding/json"
	"fmt"
	"time"
)

type reportCmd struct {
	clientFlags
	Days int `default:"7" help:"How many days to show, including today (default ${default})."`
}

// Run prints the newest day last. Today is a day of UTC here and a day of the scheduler's zone
// there, so Run asks for one day more and prints the last c.Days.
func (c *reportCmd) Run(inv *invocation) error {
	if c.Days < 1 {
		return usagef("--days is %d, must be at least 1", c.Days)
	}
	var list struct{ Reports []json.RawMessage }
	from := time.Now().UTC().AddDate(0, 0, -c.Days).Format(time.DateOnly)
	if err := c.api().call(inv.ctx, "GET", "/reports?from="+from, nil, &list); err != nil {
		return err
	}
	rows := [][]string{{"DAY", "RUNNING", "SUCCESS", "FAILED"}}
	for _, raw := range list.Reports[max(0, len(list.Reports)-c.Days):] {
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
			fmt.Fprintln(inv.stdout, day.Day)
		case c.structured():
			if err := c.printRaw(inv.stdout, raw); err != nil {
				return err
			}
		}
		rows = append(rows, []string{day.Day, fmt.Sprint(day.Running), fmt.Sprint(day.Success), fmt.Sprint(day.Failed)})
	}
	if !c.Quiet && !c.structured() {
		t := table{out: inv.stdout}
		t.print(rows)
	}
	return nil
}
