package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A versionView is a version of a job, as the API shows it.
type versionView struct {
	Version int64                    `json:"version"`
	At      time.Time                `json:"time"`
	Actor   xxladapter.Actor         `json:"actor"`
	Call    string                   `json:"call"`
	Changes []xxladapter.FieldChange `json:"changes"`
}

type jobVersionsCmd struct {
	jobID
	Count int `short:"n" default:"20" help:"How many versions to print (default ${default}); 0 prints all."`
}

func (c *jobVersionsCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.Count < 0 {
		return usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	return listing[versionView]{
		key: "versions", columns: []string{"VERSION", "TIME", "WHO", "FROM", "CALL", "CHANGES"}, count: c.Count,
		row: func(v *versionView) []string {
			return []string{
				fmt.Sprint(v.Version), timeText(&v.At), strings.TrimSpace(string(v.Actor.Kind) + " " + v.Actor.Name), v.Actor.Address, v.Call,
				changesText(v.Changes),
			}
		},
	}.print(inv, &parent.clientFlags, c.path("/versions"), nil)
}

type jobDiffCmd struct {
	jobID
	Version int64 `arg:"" help:"Number of the version, as job versions prints it."`
	Against int64 `arg:"" optional:"" help:"Number of the version to compare it with (default: the one before)."`
}

func (c *jobDiffCmd) Run(inv *invocation, parent *jobCmd) error {
	path := c.path(fmt.Sprintf("/versions/%d", c.Version))
	if c.Against != 0 {
		path += fmt.Sprintf("?against=%d", c.Against)
	}
	var raw json.RawMessage
	if err := parent.api().call(inv.ctx, "GET", path, nil, &raw); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printRaw(inv.stdout, raw)
	}
	var v versionView
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	t := table{out: inv.stdout}
	rows := [][]string{{"FIELD", "BEFORE", "AFTER"}}
	for _, change := range v.Changes {
		rows = append(rows, []string{change.Field, string(change.Before), string(change.After)})
	}
	t.print(rows)
	return nil
}

type jobRestoreCmd struct {
	jobID
	Version int64 `arg:"" help:"Number of the version, as job versions prints it."`
}

func (c *jobRestoreCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path(fmt.Sprintf("/versions/%d/restore", c.Version)), nil, nil)
}
