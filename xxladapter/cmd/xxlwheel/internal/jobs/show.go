package jobs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/runs"
)

type showCmd struct {
	jobID
	Count int `short:"n" default:"10" help:"Show this many of the newest runs (default ${default}; at most 1000)."`
}

func (c *showCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 1 || c.Count > client.MaxPage {
		return command.Usagef("-n is %d, must be 1 to %d", c.Count, client.MaxPage)
	}
	api := parent.API()
	var raw json.RawMessage
	if err := api.Call(inv.Context, "GET", c.path(""), nil, &raw); err != nil {
		return err
	}
	var list struct{ Runs []json.RawMessage }
	if err := api.Call(
		inv.Context, "GET", fmt.Sprintf("/runs?job=%d&newest&limit=%d", c.ID, c.Count), nil, &list,
	); err != nil {
		return err
	}
	if parent.Structured() {
		raw, err := printing.WithField(raw, "runs", list.Runs)
		if err != nil {
			return err
		}
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var j jobView
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	var group struct{ AppName string }
	if err := api.Call(inv.Context, "GET", fmt.Sprintf("/groups/%d", j.JobGroup), nil, &group); err != nil {
		group.AppName = "?" // the group may have been deleted
	}
	details := printing.Table{Out: inv.Stdout}
	details.Print(append([][]string{
		{"id", fmt.Sprint(j.ID)}, {"name", j.Name}, {"author", j.Author},
		{"group", fmt.Sprintf("%d %s", j.JobGroup, group.AppName)},
		{"schedule", j.schedule()}, {"misfire", j.MisfireStrategy},
		{"handler", j.Handler}, {"param", j.Param}, {"route", j.Route}, {"block", j.Block},
		{"timeout", fmt.Sprintf("%d s", j.Timeout)}, {"retries", fmt.Sprint(j.RetryCount)},
	}, append(j.more(), [][]string{
		{"status", j.status()}, {"last", printing.Time(j.TriggerLast)}, {"next", printing.Time(j.TriggerNext)},
	}...)...))
	if len(list.Runs) == 0 {
		return nil
	}
	fmt.Fprintln(inv.Stdout)
	rows := [][]string{{"RUN", "TRIGGERED", "EXECUTOR", "TRIGGER", "RESULT", "MESSAGE"}}
	for _, raw := range list.Runs {
		var l runs.View
		if err := json.Unmarshal(raw, &l); err != nil {
			return err
		}
		rows = append(rows, []string{
			fmt.Sprint(l.ID), printing.Time(l.TriggerTime), l.Address, fmt.Sprint(l.TriggerCode),
			fmt.Sprint(l.HandleCode), printing.FirstLine(l.Message()),
		})
	}
	runs := printing.Table{Out: inv.Stdout}
	runs.Print(rows)
	return nil
}

// more returns rows for the fields that differ from those of a new job. Settings have the names of
// their flags.
func (j *jobView) more() (rows [][]string) {
	if len(j.Children) > 0 {
		rows = append(
			rows, []string{"children", strings.Trim(strings.ReplaceAll(fmt.Sprint(j.Children), " ", ", "), "[]")},
		)
	}
	if len(j.Tags) > 0 {
		rows = append(rows, []string{"tags", strings.Join(j.Tags, ", ")})
	}
	if j.AlarmEmail != "" {
		rows = append(rows, []string{"alarm e-mail", j.AlarmEmail})
	}
	if j.GlueType != "BEAN" && j.GlueType != "" {
		rows = append(rows, []string{"glue type", j.GlueType}, []string{"glue source", fmt.Sprintf(
			"%d bytes", len(j.GlueSource),
		)})
		if j.GlueRemark != "" {
			rows = append(rows, []string{"glue remark", j.GlueRemark})
		}
	}
	names := map[string]string{}
	for _, f := range apiFields {
		if name, ok := strings.CutPrefix(f.api, "settings."); ok {
			names[name] = strings.ReplaceAll(f.flag, "-", " ")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(j.Settings)) {
		value := fmt.Sprint(j.Settings[name])
		if number, ok := j.Settings[name].(float64); ok {
			value = fmt.Sprintf("%.0f", number)
			if strings.HasSuffix(name, "Ms") {
				value = (time.Duration(number) * time.Millisecond).String()
			}
		}
		label := names[name]
		if label == "" {
			label = name // a setting of a newer scheduler
		}
		rows = append(rows, []string{label, value})
	}
	return rows
}
