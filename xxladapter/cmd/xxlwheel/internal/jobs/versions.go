package jobs

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// A versionView is a version of a job, as the API shows it.
type versionView struct {
	Version int64                    `json:"version"`
	At      time.Time                `json:"time"`
	Actor   xxladapter.Actor         `json:"actor"`
	Call    string                   `json:"call"`
	Changes []xxladapter.FieldChange `json:"changes"`
}

type versionsCmd struct {
	jobID
	Count int `short:"n" default:"20" help:"How many versions to print (default ${default}); 0 prints all."`
}

func (c *versionsCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 0 {
		return command.Usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	return client.Listing[versionView]{
		Key: "versions", Columns: []string{"VERSION", "TIME", "WHO", "FROM", "CALL", "CHANGES"}, Count: c.Count,
		Row: func(v *versionView) []string {
			return []string{
				fmt.Sprint(v.Version), printing.Time(&v.At),
				strings.TrimSpace(string(v.Actor.Kind) + " " + v.Actor.Name), v.Actor.Address, v.Call,
				printing.Changes(v.Changes),
			}
		},
	}.Print(inv, &parent.Flags, c.path("/versions"), nil)
}

type diffCmd struct {
	jobID
	Version int64 `arg:"" help:"Number of the version, as job versions prints it."`
	Against int64 `arg:"" optional:"" help:"Number of the version to compare it with (default: the one before)."`
}

func (c *diffCmd) Run(inv *command.Invocation, parent *Cmd) error {
	path := c.path(fmt.Sprintf("/versions/%d", c.Version))
	if c.Against != 0 {
		path += fmt.Sprintf("?against=%d", c.Against)
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "GET", path, nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var v versionView
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	t := printing.Table{Out: inv.Stdout}
	rows := [][]string{{"FIELD", "BEFORE", "AFTER"}}
	for _, change := range v.Changes {
		rows = append(rows, []string{change.Field, string(change.Before), string(change.After)})
	}
	t.Print(rows)
	return nil
}

type restoreCmd struct {
	jobID
	Version int64 `arg:"" help:"Number of the version, as job versions prints it."`
}

func (c *restoreCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return parent.API().Call(inv.Context, "POST", c.path(fmt.Sprintf("/versions/%d/restore", c.Version)), nil, nil)
}
