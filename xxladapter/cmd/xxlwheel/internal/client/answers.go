package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// PrintRaw prints a value as the API returns it, in the format that --output names.
func (c *Flags) PrintRaw(out io.Writer, value json.RawMessage) error {
	return printing.Raw(out, c.Output, value)
}

// PrintValue prints a value as PrintRaw does.
func (c *Flags) PrintValue(out io.Writer, value any) error {
	return printing.Value(out, c.Output, value)
}

// PrintCreated prints the id of what a command has created.
func (c *Flags) PrintCreated(inv *command.Invocation, id int64) {
	if c.Structured() {
		_ = c.PrintRaw(inv.Stdout, fmt.Appendf(nil, `{"id":%d}`, id)) // the end of the command reports a write error
		return
	}
	fmt.Fprintln(inv.Stdout, id)
}

// Note prints a remark on stderr, unless --quiet is given.
func (c *Flags) Note(inv *command.Invocation, format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintln(inv.Stderr, "xxlwheel: "+printing.OneLine(fmt.Sprintf(format, args...)))
	}
}

// PrintTotal prints how many entries a list of the API has on all pages.
func (c *Flags) PrintTotal(inv *command.Invocation, path string, query url.Values) error {
	query.Set("count", "true")
	query.Set("limit", "1")
	var answer struct {
		Count int  `json:"count"`
		More  bool `json:"more"`
	}
	if err := c.API().Call(inv.Context, "GET", path+"?"+query.Encode(), nil, &answer); err != nil {
		return err
	}
	if c.Structured() {
		return c.PrintValue(inv.Stdout, answer)
	}
	total := strconv.Itoa(answer.Count)
	if answer.More {
		total += " or more"
	}
	_, err := fmt.Fprintln(inv.Stdout, total)
	return err
}
