// Package groups has the commands for groups of executors, and for single executors that are
// drained.
package groups

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// Cmd has one subcommand for each operation on a group of executors.
type Cmd struct {
	client.Flags

	Add    addCmd    `cmd:"" help:"Create a group and print its id."`
	List   listCmd   `cmd:"" help:"List the groups."`
	Show   showCmd   `cmd:"" help:"Show a group, and call each of its executors to see whether it answers."`
	Update updateCmd `cmd:"" help:"Change the given fields of a group."`
	Remove removeCmd `cmd:"" help:"Delete a group that has no jobs."`

	Drain   drainCmd   `cmd:"" help:"Send no new runs to an executor. Its runs in progress continue."`
	Undrain undrainCmd `cmd:"" help:"Send runs to a drained executor again."`
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

// fields are the flags for the fields of a group.
type fields struct {
	Title    *string       `help:"Title of the group (default: its app name)."`
	Token    *flags.Secret `name:"group-token" placeholder:"TOKEN" help:"Secret of these executors alone, with which they can act only for their own app, or @FILE that contains it. Empty means that they use the scheduler's."`
	Address  []string      `xor:"addresses" placeholder:"URL" help:"Addresses of executors that do not register themselves."`
	Register bool          `xor:"addresses" help:"The executors register themselves (default for a new group)."`
}

func (f *fields) form() map[string]any {
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

type addCmd struct {
	App string `arg:"" help:"App name under which the executors register."`
	fields
}

func (c *addCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form := c.form()
	form["appName"] = c.App
	var created struct{ ID int64 }
	if err := parent.API().Call(inv.Context, "POST", "/groups", form, &created); err != nil {
		return err
	}
	parent.PrintCreated(inv, created.ID)
	return nil
}

type listCmd struct{}

func (c *listCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return client.Listing[groupView]{
		Key: "groups", Columns: []string{"ID", "APP", "TITLE", "ADDRESSES", "TOKEN", "EXECUTORS"},
		Row: func(g *groupView) []string {
			return []string{
				fmt.Sprint(g.ID), g.AppName, g.Title, g.addresses(), g.token(), strings.Join(g.AddressList, " "),
			}
		},
	}.Print(inv, &parent.Flags, "/groups", nil)
}

// groupID is the argument that most subcommands share.
type groupID struct {
	ID int64 `arg:"" help:"Id of the group."`
}

func (id groupID) path() string { return fmt.Sprintf("/groups/%d", id.ID) }

type showCmd struct{ groupID }

func (c *showCmd) Run(inv *command.Invocation, parent *Cmd) error {
	api := parent.API()
	var raw json.RawMessage
	if err := api.Call(inv.Context, "GET", c.path(), nil, &raw); err != nil {
		return err
	}
	var list struct{ Executors, Queue json.RawMessage }
	if err := api.Call(inv.Context, "GET", c.path()+"/executors", nil, &list); err != nil {
		return err
	}
	if parent.Structured() {
		raw, err := printing.WithField(raw, "executors", list.Executors)
		if err == nil && list.Queue != nil {
			raw, err = printing.WithField(raw, "queue", list.Queue)
		}
		if err != nil {
			return err
		}
		return parent.PrintRaw(inv.Stdout, raw)
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
	details := printing.Table{Out: inv.Stdout}
	details.Print([][]string{
		{"id", fmt.Sprint(g.ID)}, {"app", g.AppName}, {"title", g.Title}, {"addresses", g.addresses()},
		{"token", g.token()},
	})
	if len(g.Drains) > 0 {
		fmt.Fprintln(inv.Stdout)
		rows := [][]string{{"DRAINED", "SINCE", "UNTIL", "BY", "NOTE"}}
		for _, d := range g.Drains {
			rows = append(rows, []string{d.Address, printing.Time(d.Since), printing.Time(d.Until), d.By, d.Note})
		}
		drained := printing.Table{Out: inv.Stdout}
		drained.Print(rows)
	}
	if list.Queue != nil {
		if err := printQueue(inv.Stdout, list.Queue); err != nil {
			return err
		}
	}
	if len(executors) == 0 {
		return nil
	}
	fmt.Fprintln(inv.Stdout)
	rows := [][]string{{"EXECUTOR", "ANSWER", "PROTOCOL", "RUNS", "BEAT"}}
	for _, e := range executors {
		answer := printing.FirstLine(e.Error)
		switch {
		case e.Alive:
			answer = fmt.Sprintf("%.1f ms", e.RoundTripMs)
		case e.Shared:
			answer = "any with room"
		}
		rows = append(rows, []string{e.Address, answer, e.Generation, strconv.Itoa(e.RunsNow), printing.Time(e.Beat)})
	}
	probed := printing.Table{Out: inv.Stdout}
	probed.Print(rows)
	return nil
}

type updateCmd struct {
	groupID
	App *string `help:"New app name."`
	fields
	IfUnchanged string `predictor:"file" placeholder:"FILE" help:"Change the group only if nobody has edited it since group show -o json (or group list) printed it into this file; - reads stdin."`
}

func (c *updateCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form := c.form()
	if c.App != nil {
		form["appName"] = *c.App
	}
	if len(form) == 0 {
		return command.Usagef("no field of group %d is given, must be at least one (try --help)", c.ID)
	}
	if c.IfUnchanged != "" {
		group, err := groupAsRead(inv, c.IfUnchanged)
		if err != nil {
			return err
		}
		form["ifUnchanged"] = group
	}
	return parent.API().Call(inv.Context, "PUT", c.path(), form, nil)
}

type removeCmd struct {
	groupID
	command.Confirmation
}

func (c *removeCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if !c.Yes {
		var g groupView
		if err := parent.API().Call(inv.Context, "GET", c.path(), nil, &g); err != nil {
			return err
		}
		if err := c.Confirm(inv, fmt.Sprintf("Delete group %d, %s, and its token?", c.ID, g.AppName)); err != nil {
			return err
		}
	}
	return parent.API().Call(inv.Context, "DELETE", c.path(), nil, nil)
}
