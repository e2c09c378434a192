package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// pauseCmd holds up schedules for a time.
type pauseCmd struct {
	clientFlags

	Begin pauseBeginCmd `cmd:"" help:"Pause the schedules of a group, or of all groups. Nothing fires by schedule once it has returned."`
	List  pauseListCmd  `cmd:"" help:"List pauses, newest first."`
	End   pauseEndCmd   `cmd:"" help:"End a pause. Due times within it are not run later."`
}

// A pauseView is a pause as the API returns it.
type pauseView struct {
	ID, JobGroup      int64
	Note, By, EndedBy string
	From              time.Time
	Until             *time.Time
	Open              bool
}

// state says when the pause ends or how it has ended.
func (p *pauseView) state() string {
	switch {
	case p.Until == nil:
		return "until it is ended"
	case p.Open:
		return "until " + instantOf(*p.Until)
	case p.EndedBy != "":
		return "ended " + instantOf(*p.Until) + " by " + p.EndedBy
	}
	return "ended " + instantOf(*p.Until)
}

type pauseBeginCmd struct {
	All   bool          `xor:"what" required:"" help:"Pause the schedules of all groups."`
	App   string        `xor:"what" required:"" placeholder:"NAME" help:"Pause the schedules of the group with this app name."`
	Note  string        `help:"The reason, shown with the pause."`
	For   time.Duration `xor:"end" placeholder:"SPAN" help:"End it after this time, for example 2h (default: it lasts until it is ended)."`
	Until string        `xor:"end" placeholder:"TIME" help:"End it at this RFC 3339 instant."`
}

func (c *pauseBeginCmd) Run(inv *invocation, parent *pauseCmd) error {
	form := map[string]any{"note": c.Note}
	if c.All {
		form["all"] = true
	} else {
		form["appName"] = c.App
	}
	switch {
	case c.For < 0:
		return usagef("--for is %v, must be positive", c.For)
	case c.For > 0:
		form["until"] = time.Now().Add(c.For)
	case c.Until != "":
		until, err := time.Parse(time.RFC3339, c.Until)
		if err != nil {
			return usagef("--until is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", c.Until)
		}
		form["until"] = until
	}
	var made struct{ ID int64 }
	if err := parent.api().call(inv.ctx, "POST", "/pauses", form, &made); err != nil {
		return err
	}
	parent.printCreated(inv, made.ID)
	return nil
}

type pauseListCmd struct {
	Open bool `help:"Only pauses that have not ended."`
}

func (c *pauseListCmd) Run(inv *invocation, parent *pauseCmd) error {
	apps, err := parent.apps(inv)
	if err != nil {
		return err
	}
	query := url.Values{}
	if c.Open {
		query.Set("open", "true")
	}
	return listing[pauseView]{
		key: "pauses", columns: []string{"ID", "SCHEDULES", "BY", "FROM", "STATE", "NOTE"},
		row: func(p *pauseView) []string {
			scope := "all"
			if p.JobGroup != 0 {
				scope = apps[p.JobGroup]
			}
			return []string{fmt.Sprint(p.ID), scope, p.By, instantOf(p.From), p.state(), p.Note}
		},
	}.print(inv, &parent.clientFlags, "/pauses", query)
}

type pauseEndCmd struct {
	ID int64 `arg:"" help:"Id of the pause."`
}

func (c *pauseEndCmd) Run(inv *invocation, parent *pauseCmd) error {
	var raw json.RawMessage
	if err := parent.api().call(inv.ctx, "POST", fmt.Sprintf("/pauses/%d/end", c.ID), nil, &raw); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printRaw(inv.stdout, raw)
	}
	var p pauseView
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	parent.note(inv, "pause %d: %s", p.ID, p.state())
	return nil
}
