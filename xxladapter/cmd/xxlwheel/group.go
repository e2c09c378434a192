package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// groupCmd has one subcommand for each operation on a group of executors.
type groupCmd struct {
	clientFlags

	Add    groupAddCmd    `cmd:"" help:"Create a group and print its id."`
	List   groupListCmd   `cmd:"" help:"List the groups."`
	Show   groupShowCmd   `cmd:"" help:"Show a group, and call each of its executors to see whether it answers."`
	Update groupUpdateCmd `cmd:"" help:"Change the given fields of a group."`
	Remove groupRemoveCmd `cmd:"" help:"Delete a group that has no jobs."`

	Drain   groupDrainCmd   `cmd:"" help:"Send no new runs to an executor. Its runs in progress continue."`
	Undrain groupUndrainCmd `cmd:"" help:"Send runs to a drained executor again."`
}

// A groupView is a group as the API returns it.
type groupView struct {
	ID             int64    `json:"id"`
	AppName        string   `json:"appName"`
	Title          string   `json:"title"`
	AddressType    int      `json:"addressType"`
	AddressList    []string `json:"addressList"`
	HasAccessToken bool     `json:"hasAccessToken"`
	Drains         []drainView
}

func (g *groupView) addresses() string {
	if g.AddressType == 1 {
		return "typed in"
	}
	return "registered"
}

func (g *groupView) token() string {
	if g.HasAccessToken {
		return "its own"
	}
	return "the scheduler's"
}

// groupFields are the flags for the fields of a group.
type groupFields struct {
	Title    *string  `help:"Title of the group (default: its app name)."`
	Token    *secret  `name:"group-token" placeholder:"TOKEN" help:"Secret of these executors alone, with which they can act only for their own app, or @FILE that contains it. Empty means that they use the scheduler's."`
	Address  []string `xor:"addresses" placeholder:"URL" help:"Addresses of executors that do not register themselves."`
	Register bool     `xor:"addresses" help:"The executors register themselves (default for a new group)."`
}

func (f *groupFields) form() map[string]any {
	form := map[string]any{}
	if f.Title != nil {
		form["title"] = *f.Title
	}
	if f.Token != nil {
		form["accessToken"] = string(*f.Token)
	}
	switch {
	case len(f.Address) > 0:
		form["addressType"], form["addressList"] = 1, f.Address
	case f.Register:
		form["addressType"] = 0
	}
	return form
}

type groupAddCmd struct {
	App string `arg:"" help:"App name under which the executors register."`
	groupFields
}

func (c *groupAddCmd) Run(inv *invocation, parent *groupCmd) error {
	form := c.form()
	form["appName"] = c.App
	var created struct{ ID int64 }
	if err := parent.api().call(inv.ctx, "POST", "/groups", form, &created); err != nil {
		return err
	}
	parent.printCreated(inv, created.ID)
	return nil
}

type groupListCmd struct{}

func (c *groupListCmd) Run(inv *invocation, parent *groupCmd) error {
	return listing[groupView]{
		key: "groups", columns: []string{"ID", "APP", "TITLE", "ADDRESSES", "TOKEN", "EXECUTORS"},
		row: func(g *groupView) []string {
			return []string{fmt.Sprint(g.ID), g.AppName, g.Title, g.addresses(), g.token(), strings.Join(g.AddressList, " ")}
		},
	}.print(inv, &parent.clientFlags, "/groups", nil)
}

// groupID is the argument that most subcommands share.
type groupID struct {
	ID int64 `arg:"" help:"Id of the group."`
}

func (id groupID) path() string { return fmt.Sprintf("/groups/%d", id.ID) }

type groupShowCmd struct{ groupID }

func (c *groupShowCmd) Run(inv *invocation, parent *groupCmd) error {
	api := parent.api()
	var raw json.RawMessage
	if err := api.call(inv.ctx, "GET", c.path(), nil, &raw); err != nil {
		return err
	}
	var list struct{ Executors, Queue json.RawMessage }
	if err := api.call(inv.ctx, "GET", c.path()+"/executors", nil, &list); err != nil {
		return err
	}
	if parent.structured() {
		raw, err := withField(raw, "executors", list.Executors)
		if err == nil && list.Queue != nil {
			raw, err = withField(raw, "queue", list.Queue)
		}
		if err != nil {
			return err
		}
		return parent.printRaw(inv.stdout, raw)
	}
	var g groupView
	var executors []struct {
		Address, Generation, Error string
		Alive, Shared              bool
		RoundTripMs                float64
		Beat                       *time.Time
		RunsNow                    int
	}
	if err := errors.Join(json.Unmarshal(raw, &g), json.Unmarshal(list.Executors, &executors)); err != nil {
		return err
	}
	details := table{out: inv.stdout}
	details.print([][]string{
		{"id", fmt.Sprint(g.ID)}, {"app", g.AppName}, {"title", g.Title}, {"addresses", g.addresses()}, {"token", g.token()},
	})
	if len(g.Drains) > 0 {
		fmt.Fprintln(inv.stdout)
		rows := [][]string{{"DRAINED", "SINCE", "UNTIL", "BY", "NOTE"}}
		for _, d := range g.Drains {
			rows = append(rows, []string{d.Address, timeText(d.Since), timeText(d.Until), d.By, d.Note})
		}
		drained := table{out: inv.stdout}
		drained.print(rows)
	}
	if list.Queue != nil {
		if err := printQueue(inv.stdout, list.Queue); err != nil {
			return err
		}
	}
	if len(executors) == 0 {
		return nil
	}
	fmt.Fprintln(inv.stdout)
	rows := [][]string{{"EXECUTOR", "ANSWER", "PROTOCOL", "RUNS", "BEAT"}}
	for _, e := range executors {
		answer := firstLine(e.Error)
		switch {
		case e.Alive:
			answer = fmt.Sprintf("%.1f ms", e.RoundTripMs)
		case e.Shared:
			answer = "any with room"
		}
		rows = append(rows, []string{e.Address, answer, e.Generation, strconv.Itoa(e.RunsNow), timeText(e.Beat)})
	}
	probed := table{out: inv.stdout}
	probed.print(rows)
	return nil
}

type groupUpdateCmd struct {
	groupID
	App *string `help:"New app name."`
	groupFields
	IfUnchanged string `placeholder:"FILE" help:"Change the group only if nobody has edited it since group show -o json (or group list) printed it into this file; - reads stdin."`
}

func (c *groupUpdateCmd) Run(inv *invocation, parent *groupCmd) error {
	form := c.form()
	if c.App != nil {
		form["appName"] = *c.App
	}
	if len(form) == 0 {
		return usagef("no field of group %d is given, must be at least one (try --help)", c.ID)
	}
	if c.IfUnchanged != "" {
		group, err := groupAsRead(inv, c.IfUnchanged)
		if err != nil {
			return err
		}
		form["ifUnchanged"] = group
	}
	return parent.api().call(inv.ctx, "PUT", c.path(), form, nil)
}

type groupRemoveCmd struct {
	groupID
	yesFlag
}

func (c *groupRemoveCmd) Run(inv *invocation, parent *groupCmd) error {
	if !c.Yes {
		var g groupView
		if err := parent.api().call(inv.ctx, "GET", c.path(), nil, &g); err != nil {
			return err
		}
		if err := c.confirm(inv, fmt.Sprintf("Delete group %d, %s, and its token?", c.ID, g.AppName)); err != nil {
			return err
		}
	}
	return parent.api().call(inv.ctx, "DELETE", c.path(), nil, nil)
}
