package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strconv"
)

// printRaw prints a value as the API returns it, in the format that --output names.
func (c *clientFlags) printRaw(out io.Writer, value json.RawMessage) error {
	if c.Output == "yaml" {
		return printYAML(out, value)
	}
	return printJSON(out, value)
}

// printValue prints a value as printRaw does.
func (c *clientFlags) printValue(out io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.printRaw(out, text)
}

// printCreated prints the id of what a command has created.
func (c *clientFlags) printCreated(inv *invocation, id int64) {
	if c.structured() {
		_ = c.printRaw(inv.stdout, fmt.Appendf(nil, `{"id":%d}`, id)) // a terminal's write error has nowhere to be reported
		return
	}
	fmt.Fprintln(inv.stdout, id)
}

// note prints a remark on stderr, unless --quiet is given.
func (c *clientFlags) note(inv *invocation, format string, args ...any) {
	if !c.Quiet {
		fmt.Fprintln(inv.stderr, "xxlwheel: "+oneLine(fmt.Sprintf(format, args...)))
	}
}

// printTotal prints how many entries a list of the API has on all pages.
func (c *clientFlags) printTotal(inv *invocation, path string, query url.Values) error {
	query.Set("count", "true")
	query.Set("limit", "1")
	var answer struct {
		Count int  `json:"count"`
		More  bool `json:"more"`
	}
	if err := c.api().call(inv.ctx, "GET", path+"?"+query.Encode(), nil, &answer); err != nil {
		return err
	}
	if c.structured() {
		return c.printValue(inv.stdout, answer)
	}
	total := strconv.Itoa(answer.Count)
	if answer.More {
		total += " or more"
	}
	_, err := fmt.Fprintln(inv.stdout, total)
	return err
}
