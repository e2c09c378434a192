package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// jobGlueCmd groups the commands for jobs that run a script instead of a handler.
type jobGlueCmd struct {
	List    jobGlueListCmd    `cmd:"" help:"List the versions of a job's script, newest first."`
	Show    jobGlueShowCmd    `cmd:"" help:"Print a job's script."`
	Diff    jobGlueDiffCmd    `cmd:"" help:"Print the lines that differ between two versions of a job's script."`
	Save    jobGlueSaveCmd    `cmd:"" help:"Store a new version of a job's script, and print its time, which identifies it."`
	Restore jobGlueRestoreCmd `cmd:"" help:"Restore an earlier version of a job's script, as a new version."`
}

type jobGlueListCmd struct{ jobID }

func (c *jobGlueListCmd) Run(inv *invocation, parent *jobCmd) error {
	type version struct {
		ID     int64      `json:"id"`
		Type   string     `json:"glueType"`
		Remark string     `json:"glueRemark"`
		Added  *time.Time `json:"addTime"`
	}
	return listing[version]{
		key: "versions", columns: []string{"VERSION", "TYPE", "ADDED", "REMARK"},
		row: func(v *version) []string { return []string{fmt.Sprint(v.ID), v.Type, timeText(v.Added), v.Remark} },
	}.print(inv, &parent.clientFlags, c.path("/glue"), nil)
}

type jobGlueShowCmd struct {
	jobID
	Version int64 `arg:"" optional:"" help:"Id of the version, as job glue list prints it (default: the one in use)."`
	Raw     bool  `help:"Print the script unfiltered, including terminal control sequences."`
}

func (c *jobGlueShowCmd) Run(inv *invocation, parent *jobCmd) error {
	path := c.path("")
	if c.Version != 0 {
		path = c.path(fmt.Sprintf("/glue/%d", c.Version))
	}
	var raw json.RawMessage
	if err := parent.api().call(inv.ctx, "GET", path, nil, &raw); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printRaw(inv.stdout, raw)
	}
	var script struct {
		Source string `json:"glueSource"`
	}
	if err := json.Unmarshal(raw, &script); err != nil {
		return err
	}
	if !c.Raw {
		script.Source = plainText(script.Source)
	}
	_, err := io.WriteString(inv.stdout, script.Source)
	return err
}

type jobGlueRestoreCmd struct {
	jobID
	Version int64 `arg:"" help:"Id of the version, as job glue list prints it."`
}

func (c *jobGlueRestoreCmd) Run(inv *invocation, parent *jobCmd) error {
	return parent.api().call(inv.ctx, "POST", c.path(fmt.Sprintf("/glue/%d/restore", c.Version)), nil, nil)
}
