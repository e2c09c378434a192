package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

type jobShowCmd struct {
	jobID
	Count int `short:"n" default:"10" help:"Show this many of the newest runs (default ${default}; at most 1000)."`
}

func (c *jobShowCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.Count < 1 || c.Count > maxPage {
		return usagef("-n is %d, must be 1 to %d", c.Count, maxPage)
	}
	api := parent.api()
	var raw json.RawMessage
	if err := api.call(inv.ctx, "GET", c.path(""), nil, &raw); err != nil {
		return err
	}
	var list struct{ Logs []json.RawMessage }
	if err := api.call(inv.ctx, "GET", fmt.Sprintf("/logs?job=%d&newest&limit=%d", c.ID, c.Count), nil, &list); err != nil {
		return err
	}
	if parent.structured() {
		raw, err := withField(raw, "runs", list.Logs)
		if err != nil {
			return err
		}
		return parent.printRaw(inv.stdout, raw)
	}
	var j jobView
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	var group struct{ AppName string }
	if err := api.call(inv.ctx, "GET", fmt.Sprintf("/groups/%d", j.JobGroup), nil, &group); err != nil {
		group.AppName = "?" // the group may have been deleted
	}
	details := table{out: inv.stdout}
	details.print(append([][]string{
		{"id", fmt.Sprint(j.ID)}, {"name", j.Name}, {"author", j.Author}, {"group", fmt.Sprintf("%d %s", j.JobGroup, group.AppName)},
		{"schedule", j.schedule()}, {"misfire", j.MisfireStrategy},
		{"handler", j.Handler}, {"param", j.Param}, {"route", j.Route}, {"block", j.Block},
		{"timeout", fmt.Sprintf("%d s", j.Timeout)}, {"retries", fmt.Sprint(j.RetryCount)},
	}, append(j.more(), [][]string{
		{"status", j.status()}, {"last", timeText(j.TriggerLast)}, {"next", timeText(j.TriggerNext)},
	}...)...))
	if len(list.Logs) == 0 {
		return nil
	}
	fmt.Fprintln(inv.stdout)
	rows := [][]string{{"LOG", "TRIGGERED", "EXECUTOR", "TRIGGER", "RESULT", "MESSAGE"}}
	for _, raw := range list.Logs {
		var l logView
		if err := json.Unmarshal(raw, &l); err != nil {
			return err
		}
		rows = append(rows, []string{
			fmt.Sprint(l.ID), timeText(l.TriggerTime), l.Address, fmt.Sprint(l.TriggerCode), fmt.Sprint(l.HandleCode), firstLine(l.message()),
		})
	}
	runs := table{out: inv.stdout}
	runs.print(rows)
	return nil
}

// more returns rows for the fields that differ from those of a new job. Settings have the names of
// their flags.
func (j *jobView) more() (rows [][]string) {
	if len(j.Children) > 0 {
		rows = append(rows, []string{"children", strings.Trim(strings.ReplaceAll(fmt.Sprint(j.Children), " ", ", "), "[]")})
	}
	if len(j.Tags) > 0 {
		rows = append(rows, []string{"tags", strings.Join(j.Tags, ", ")})
	}
	if j.AlarmEmail != "" {
		rows = append(rows, []string{"alarm e-mail", j.AlarmEmail})
	}
	if j.GlueType != "BEAN" && j.GlueType != "" {
		rows = append(rows, []string{"glue type", j.GlueType}, []string{"glue source", fmt.Sprintf("%d bytes", len(j.GlueSource))})
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
