package main

import (
	"fmt"
	"text/tabwriter"
	"time"
)

type reportCmd struct {
	Server      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"The running scheduler (default ${default})."`
	AccessToken string `placeholder:"TOKEN" help:"Secret of the scheduler."`
	Days        int    `default:"7" help:"How many days, today included (default ${default})."`
}

// Run prints the newest days last. Today is a day of UTC here and one of the
// scheduler's zone there, so it asks for one day more in both directions.
func (c *reportCmd) Run(inv *invocation) error {
	if c.Days < 1 {
		return usagef("--days is %d, must be at least 1", c.Days)
	}
	var list struct {
		Reports []struct {
			Day     string `json:"triggerDay"`
			Running int64  `json:"runningCount"`
			Success int64  `json:"sucCount"`
			Failed  int64  `json:"failCount"`
		}
	}
	from := time.Now().UTC().AddDate(0, 0, -c.Days).Format(time.DateOnly)
	api := apiClient{c.Server, c.AccessToken}
	if err := api.call(inv.ctx, "GET", "/reports?from="+from, nil, &list); err != nil {
		return err
	}
	days := list.Reports
	w := tabwriter.NewWriter(inv.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "DAY\tRUNNING\tSUCCESS\tFAILED\t")
	for _, d := range days[max(0, len(days)-c.Days):] {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t\n", d.Day, d.Running, d.Success, d.Failed)
	}
	return w.Flush()
}
