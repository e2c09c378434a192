package jobs

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// glueCmd groups the commands for jobs that run a script instead of a handler.
type glueCmd struct {
	List    glueListCmd    `cmd:"" help:"List the versions of a job's script, newest first."`
	Show    glueShowCmd    `cmd:"" help:"Print a job's script."`
	Diff    glueDiffCmd    `cmd:"" help:"Print the lines that differ between two versions of a job's script."`
	Save    glueSaveCmd    `cmd:"" help:"Store a new version of a job's script, and print its time, which identifies it."`
	Restore glueRestoreCmd `cmd:"" help:"Restore an earlier version of a job's script, as a new version."`
}

type glueListCmd struct{ jobID }

func (c *glueListCmd) Run(inv *command.Invocation, parent *Cmd) error {
	type version struct {
		ID     int64      `json:"id"`
		Type   string     `json:"glueType"`
		Remark string     `json:"glueRemark"`
		Added  *time.Time `json:"addTime"`
	}
	return client.Listing[version]{
		Key: "versions", Columns: []string{"VERSION", "TYPE", "ADDED", "REMARK"},
		Row: func(v *version) []string { return []string{fmt.Sprint(v.ID), v.Type, printing.Time(v.Added), v.Remark} },
	}.Print(inv, &parent.Flags, c.path("/glue"), nil)
}

type glueShowCmd struct {
	jobID
	Version int64 `arg:"" optional:"" help:"Id of the version, as job glue list prints it (default: the one in use)."`
	Raw     bool  `help:"Print the script unfiltered, including terminal control sequences."`
}

func (c *glueShowCmd) Run(inv *command.Invocation, parent *Cmd) error {
	path := c.path("")
	if c.Version != 0 {
		path = c.path(fmt.Sprintf("/glue/%d", c.Version))
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "GET", path, nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var script struct {
		Source string `json:"glueSource"`
	}
	if err := json.Unmarshal(raw, &script); err != nil {
		return err
	}
	if !c.Raw {
		script.Source = printing.Plain(script.Source)
	}
	_, err := io.WriteString(inv.Stdout, script.Source)
	return err
}

type glueRestoreCmd struct {
	jobID
	Version int64 `arg:"" help:"Id of the version, as job glue list prints it."`
}

func (c *glueRestoreCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return parent.API().Call(inv.Context, "POST", c.path(fmt.Sprintf("/glue/%d/restore", c.Version)), nil, nil)
}
