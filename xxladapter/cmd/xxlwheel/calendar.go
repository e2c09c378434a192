package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

// calendarCmd manages calendars of days without work.
type calendarCmd struct {
	clientFlags

	List   calendarListCmd   `cmd:"" help:"List the calendars."`
	Show   calendarShowCmd   `cmd:"" help:"Show a calendar. Its output with -o json is what calendar set reads."`
	Set    calendarSetCmd    `cmd:"" help:"Store a calendar from a JSON file, in place of the one with its name."`
	Remove calendarRemoveCmd `cmd:"" help:"Delete a stored calendar that no job names."`
}

// A calendarView is a calendar as the API returns it.
type calendarView struct {
	Name, Note string
	Weekend    []string
	Years      []struct {
		Year      int
		Source    string
		Off, Work []string
	}
	BuiltIn bool
}

func (c *calendarView) years() string {
	years := make([]string, len(c.Years))
	for i, y := range c.Years {
		years[i] = fmt.Sprint(y.Year)
	}
	return strings.Join(years, " ")
}

func (c *calendarView) origin() string {
	if c.BuiltIn {
		return "built in"
	}
	return "stored"
}

type calendarListCmd struct{}

func (c *calendarListCmd) Run(inv *invocation, parent *calendarCmd) error {
	return listing[calendarView]{
		key: "calendars", columns: []string{"NAME", "ORIGIN", "WEEKEND", "YEARS", "NOTE"},
		row: func(c *calendarView) []string {
			return []string{c.Name, c.origin(), strings.Join(c.Weekend, " "), c.years(), c.Note}
		},
	}.print(inv, &parent.clientFlags, "/calendars", nil)
}

// calendarName is the argument that the other subcommands share.
type calendarName struct {
	Name string `arg:"" help:"Name of the calendar."`
}

func (c calendarName) path() string { return "/calendars/" + url.PathEscape(c.Name) }

type calendarShowCmd struct{ calendarName }

func (c *calendarShowCmd) Run(inv *invocation, parent *calendarCmd) error {
	var raw json.RawMessage
	if err := parent.api().call(inv.ctx, "GET", c.path(), nil, &raw); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printRaw(inv.stdout, raw)
	}
	var shown calendarView
	if err := json.Unmarshal(raw, &shown); err != nil {
		return err
	}
	rows := [][]string{{"name", shown.Name}, {"origin", shown.origin()}, {"note", shown.Note}, {"weekend", strings.Join(shown.Weekend, " ")}}
	for _, y := range shown.Years {
		rows = append(rows, []string{fmt.Sprint(y.Year), y.Source}, []string{"  off", strings.Join(y.Off, " ")}, []string{"  work", strings.Join(y.Work, " ")})
	}
	t := table{out: inv.stdout}
	t.print(rows)
	return nil
}

type calendarSetCmd struct {
	calendarName
	File string `arg:"" help:"JSON file as show -o json prints it; - reads the standard input."`
}

// Run stores what the file has. It leaves out what only the answer has, so that a built-in calendar
// can be shown, changed and stored.
func (c *calendarSetCmd) Run(inv *invocation, parent *calendarCmd) error {
	text, err := c.read(inv)
	if err != nil {
		return err
	}
	var form map[string]json.RawMessage
	if err := json.Unmarshal(text, &form); err != nil {
		return usagef("%s is no JSON object: %v", c.File, err)
	}
	delete(form, "builtIn")
	delete(form, "name")
	if err := parent.api().call(inv.ctx, "PUT", c.path(), form, nil); err != nil {
		return err
	}
	parent.note(inv, "calendar %s is stored", c.Name)
	return nil
}

func (c *calendarSetCmd) read(inv *invocation) ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(inv.stdin)
	}
	return os.ReadFile(c.File)
}

type calendarRemoveCmd struct {
	calendarName
	yesFlag
}

func (c *calendarRemoveCmd) Run(inv *invocation, parent *calendarCmd) error {
	if err := c.confirm(inv, fmt.Sprintf("Delete calendar %s?", c.Name)); err != nil {
		return err
	}
	if err := parent.api().call(inv.ctx, "DELETE", c.path(), nil, nil); err != nil {
		return err
	}
	parent.note(inv, "calendar %s is deleted", c.Name)
	return nil
}
