package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// A Listing describes how a list of the API with entries of type T is printed.
type Listing[T any] struct {
	// Key is the name of the list in the API's answer.
	Key string
	// Columns are the heads of the table, and Row returns the cells of an entry. The first cell is
	// the entry's id.
	Columns []string
	Row     func(*T) []string
	// Skip leaves an entry out; nil leaves none out.
	Skip func(*T) bool
	// After returns the cursor of the page behind an entry, for a list whose answer has the field
	// "more" in place of "next"; nil means that it has "next".
	After func(*T) url.Values
	// Count limits the entries to print; 0 means no limit.
	Count int
}

// MaxPage is the largest number of entries in one answer of the API.
const MaxPage = 1000

// Print fetches one page after the other and prints each as it arrives. If the output goes to a
// file, the terminal shows how many entries have come.
func (l Listing[T]) Print(inv *command.Invocation, c *Flags, path string, query url.Values) error {
	var printed atomic.Int64
	what := func() string { return fmt.Sprintf("listing, %d entries so far", printed.Load()) }
	return command.Waiting(inv.Stderr, inv.Asks && !c.Quiet && !command.IsTerminal(inv.Stdout), what, func() error {
		return l.pages(inv, c, path, query, &printed)
	})
}

// pages prints all pages, and counts the entries.
func (l Listing[T]) pages(
	inv *command.Invocation, c *Flags, path string, query url.Values, printed *atomic.Int64,
) error {
	t := printing.Table{Out: inv.Stdout}
	rows := [][]string{l.Columns}
	if query == nil {
		query = url.Values{}
	}
	for left := l.Count; ; {
		if l.Count > 0 && left < MaxPage {
			query.Set("limit", strconv.Itoa(left))
		}
		var answer map[string]json.RawMessage
		if err := c.API().Call(inv.Context, "GET", path+"?"+query.Encode(), nil, &answer); err != nil {
			return err
		}
		if answer[l.Key] == nil {
			return fmt.Errorf("%s answers without %s, must be a scheduler's API", access.Shown(c.Server), l.Key)
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(answer[l.Key], &entries); err != nil {
			return fmt.Errorf("read %s of the answer: %w", l.Key, err)
		}
		var entry T // the last one, after the loop
		for _, raw := range entries {
			entry = *new(T)
			if err := json.Unmarshal(raw, &entry); err != nil {
				return fmt.Errorf("read %s of the answer: %w", l.Key, err)
			}
			switch {
			case l.Skip != nil && l.Skip(&entry):
				continue
			case c.Quiet:
				fmt.Fprintln(inv.Stdout, printing.OneLine(l.Row(&entry)[0]))
			case c.Structured():
				if err := c.PrintRaw(inv.Stdout, raw); err != nil {
					return err
				}
			default:
				rows = append(rows, l.Row(&entry))
			}
			printed.Add(1)
			if left--; left == 0 {
				break
			}
		}
		if !c.Quiet && !c.Structured() {
			t.Print(rows)
		}
		rows = rows[:0]
		cursor, err := l.cursor(answer, &entry)
		if err != nil || cursor == nil || l.Count > 0 && left <= 0 {
			return err
		}
		maps.Copy(query, cursor)
	}
}

// cursor returns the cursor of the next page, or nil after the last one.
func (l Listing[T]) cursor(answer map[string]json.RawMessage, last *T) (url.Values, error) {
	var next int64
	var key string
	var more bool
	for name, value := range map[string]any{"next": &next, "nextKey": &key, "more": &more} {
		if answer[name] == nil {
			continue
		}
		if err := json.Unmarshal(answer[name], value); err != nil {
			return nil, fmt.Errorf("read %s of the answer: %w", name, err)
		}
	}
	switch {
	case l.After != nil && more:
		return l.After(last), nil
	case next == 0:
		return nil, nil
	case key == "":
		return url.Values{"after": {strconv.FormatInt(next, 10)}}, nil
	}
	return url.Values{"after": {strconv.FormatInt(next, 10)}, "afterKey": {key}}, nil
}
