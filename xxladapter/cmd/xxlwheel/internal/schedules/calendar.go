package schedules

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// CalendarCmd manages calendars of days without work.
type CalendarCmd struct {
	client.Flags

	List   calendarListCmd   `cmd:"" help:"List the calendars."`
	Show   calendarShowCmd   `cmd:"" help:"Show a calendar. Its output with -o json is what calendar set reads."`
	Set    calendarSetCmd    `cmd:"" help:"Store a calendar from a JSON file, in place of the one with its name."`
	Remove calendarRemoveCmd `cmd:"" help:"Delete a stored calendar. It is refused while jobs name the calendar, unless a built-in one takes its place."`
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

func (c *calendarListCmd) Run(inv *command.Invocation, parent *CalendarCmd) error {
	return client.Listing[calendarView]{
		Key: "calendars", Columns: []string{"NAME", "ORIGIN", "WEEKEND", "YEARS", "NOTE"},
		Row: func(c *calendarView) []string {
			return []string{c.Name, c.origin(), strings.Join(c.Weekend, " "), c.years(), c.Note}
		},
	}.Print(inv, &parent.Flags, "/calendars", nil)
}

// calendarName is the argument that the other subcommands share.
type calendarName struct {
	Name string `arg:"" help:"Name of the calendar."`
}

func (c calendarName) path() string { return "/calendars/" + url.PathEscape(c.Name) }

type calendarShowCmd struct{ calendarName }

func (c *calendarShowCmd) Run(inv *command.Invocation, parent *CalendarCmd) error {
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "GET", c.path(), nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var shown calendarView
	if err := json.Unmarshal(raw, &shown); err != nil {
		return err
	}
	rows := [][]string{
		{"name", shown.Name}, {"origin", shown.origin()}, {"note", shown.Note},
		{"weekend", strings.Join(shown.Weekend, " ")},
	}
	for _, y := range shown.Years {
		rows = append(
			rows, []string{fmt.Sprint(y.Year), y.Source}, []string{"  off", strings.Join(y.Off, " ")},
			[]string{"  work", strings.Join(y.Work, " ")},
		)
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	return nil
}

type calendarSetCmd struct {
	calendarName
	File string `arg:"" help:"JSON file as show -o json prints it; - reads the standard input."`
}

// Run stores the object in the file without its fields "builtIn", which only answers have, and
// "name", which the argument gives. So a built-in calendar can be shown, changed and stored.
func (c *calendarSetCmd) Run(inv *command.Invocation, parent *CalendarCmd) error {
	text, err := c.read(inv)
	if err != nil {
		return err
	}
	var form map[string]json.RawMessage
	if err := json.Unmarshal(text, &form); err != nil {
		return command.Usagef("%s is no JSON object: %v", c.File, err)
	}
	delete(form, "builtIn")
	delete(form, "name")
	if err := parent.API().Call(inv.Context, "PUT", c.path(), form, nil); err != nil {
		return err
	}
	parent.Note(inv, "calendar %s is stored", c.Name)
	return nil
}

func (c *calendarSetCmd) read(inv *command.Invocation) ([]byte, error) {
	if c.File == "-" {
		return command.ReadInput(inv)
	}
	return os.ReadFile(c.File)
}

type calendarRemoveCmd struct {
	calendarName
	command.Confirmation
}

func (c *calendarRemoveCmd) Run(inv *command.Invocation, parent *CalendarCmd) error {
	if err := c.Confirm(inv, fmt.Sprintf("Delete calendar %s?", c.Name)); err != nil {
		return err
	}
	if err := parent.API().Call(inv.Context, "DELETE", c.path(), nil, nil); err != nil {
		return err
	}
	parent.Note(inv, "calendar %s is deleted", c.Name)
	return nil
}
