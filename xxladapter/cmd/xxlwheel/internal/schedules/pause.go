package schedules

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// PauseCmd begins, lists and ends pauses of schedules.
type PauseCmd struct {
	client.Flags

	Begin pauseBeginCmd `cmd:"" help:"Pause the schedules of a group, or of all groups. Nothing fires by schedule once it has returned."`
	List  pauseListCmd  `cmd:"" help:"List pauses, newest first."`
	End   pauseEndCmd   `cmd:"" help:"End a pause. Due times within it are not run later."`
}

// A Pause is a pause as the API returns it.
type Pause struct {
	ID, JobGroup      int64
	Note, By, EndedBy string
	From              time.Time
	Until             *time.Time
	Open              bool
}

// State says when the pause ends or how it has ended.
func (p *Pause) State() string {
	switch {
	case p.Until == nil:
		return "until it is ended"
	case p.Open:
		return "until " + printing.Instant(*p.Until)
	case p.EndedBy != "":
		return "ended " + printing.Instant(*p.Until) + " by " + p.EndedBy
	}
	return "ended " + printing.Instant(*p.Until)
}

type pauseBeginCmd struct {
	All   bool           `xor:"what" required:"" help:"Pause the schedules of all groups."`
	App   string         `xor:"what" required:"" placeholder:"NAME" help:"Pause the schedules of the group with this app name."`
	Note  string         `help:"The reason, shown with the pause."`
	For   *time.Duration `xor:"end" placeholder:"SPAN" help:"End it after this time, for example 2h (default: it lasts until it is ended)."`
	Until string         `xor:"end" placeholder:"TIME" help:"End it at this RFC 3339 instant."`
}

func (c *pauseBeginCmd) Run(inv *command.Invocation, parent *PauseCmd) error {
	form := map[string]any{"note": c.Note}
	if c.All {
		form["all"] = true
	} else {
		form["appName"] = c.App
	}
	switch {
	case c.For != nil && *c.For <= 0:
		return command.Usagef("--for is %v, must be more than 0", *c.For)
	case c.For != nil:
		form["until"] = time.Now().Add(*c.For)
	case c.Until != "":
		until, err := time.Parse(time.RFC3339, c.Until)
		if err != nil {
			return command.Usagef("--until is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", c.Until)
		}
		form["until"] = until
	}
	var made struct{ ID int64 }
	if err := parent.API().Call(inv.Context, "POST", "/pauses", form, &made); err != nil {
		return err
	}
	parent.PrintCreated(inv, made.ID)
	return nil
}

type pauseListCmd struct {
	Open bool `help:"Only pauses that have not ended."`
}

func (c *pauseListCmd) Run(inv *command.Invocation, parent *PauseCmd) error {
	apps, err := parent.Apps(inv)
	if err != nil {
		return err
	}
	query := url.Values{}
	if c.Open {
		query.Set("open", "true")
	}
	return client.Listing[Pause]{
		Key: "pauses", Columns: []string{"ID", "SCHEDULES", "BY", "FROM", "STATE", "NOTE"},
		Row: func(p *Pause) []string {
			scope := "all"
			if p.JobGroup != 0 {
				scope = apps[p.JobGroup]
			}
			return []string{fmt.Sprint(p.ID), scope, p.By, printing.Instant(p.From), p.State(), p.Note}
		},
	}.Print(inv, &parent.Flags, "/pauses", query)
}

type pauseEndCmd struct {
	ID int64 `arg:"" help:"Id of the pause."`
}

func (c *pauseEndCmd) Run(inv *command.Invocation, parent *PauseCmd) error {
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "POST", fmt.Sprintf("/pauses/%d/end", c.ID), nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var p Pause
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	parent.Note(inv, "pause %d: %s", p.ID, p.State())
	return nil
}
