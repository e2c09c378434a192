package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"sync/atomic"
)

// A listing describes how a list of the API with entries of type T is printed.
type listing[T any] struct {
	// key is the name of the list in the API's answer.
	key string
	// columns are the heads of the table, row returns the cells of an entry. The first cell is the
	// entry's id.
	columns []string
	row     func(*T) []string
	// skip leaves an entry out; nil leaves none out.
	skip func(*T) bool
	// after returns the cursor of the page behind an entry, for a list whose answer has more in
	// place of next; nil means that it has next.
	after func(*T) url.Values
	// count limits the entries to print; 0 means no limit.
	count int
}

// maxPage is the largest number of entries in one answer of the API.
const maxPage = 1000

// print fetches one page after the other and prints each as it arrives. If they go to a file, the
// terminal shows how many have come.
func (l listing[T]) print(inv *invocation, c *clientFlags, path string, query url.Values) error {
	var printed atomic.Int64
	what := func() string { return fmt.Sprintf("listing, %d entries so far", printed.Load()) }
	return waiting(inv.stderr, inv.asks && !c.Quiet && !isTerminal(inv.stdout), what, func() error {
		return l.pages(inv, c, path, query, &printed)
	})
}

// pages prints all pages, and counts the entries.
func (l listing[T]) pages(inv *invocation, c *clientFlags, path string, query url.Values, printed *atomic.Int64) error {
	t := table{out: inv.stdout}
	rows := [][]string{l.columns}
	if query == nil {
		query = url.Values{}
	}
	for left := l.count; ; {
		if l.count > 0 && left < maxPage {
			query.Set("limit", strconv.Itoa(left))
		}
		var answer map[string]json.RawMessage
		if err := c.api().call(inv.ctx, "GET", path+"?"+query.Encode(), nil, &answer); err != nil {
			return err
		}
		var entries []json.RawMessage
		if err := json.Unmarshal(answer[l.key], &entries); err != nil {
			return fmt.Errorf("read %s of the answer: %w", l.key, err)
		}
		var entry T // the last one, after the loop
		for _, raw := range entries {
			entry = *new(T)
			if err := json.Unmarshal(raw, &entry); err != nil {
				return fmt.Errorf("read %s of the answer: %w", l.key, err)
			}
			switch {
			case l.skip != nil && l.skip(&entry):
				continue
			case c.Quiet:
				fmt.Fprintln(inv.stdout, oneLine(l.row(&entry)[0]))
			case c.structured():
				if err := c.printRaw(inv.stdout, raw); err != nil {
					return err
				}
			default:
				rows = append(rows, l.row(&entry))
			}
			printed.Add(1)
			if left--; left == 0 {
				break
			}
		}
		if !c.Quiet && !c.structured() {
			t.print(rows)
		}
		rows = rows[:0]
		cursor, err := l.cursor(answer, &entry)
		if err != nil || cursor == nil || l.count > 0 && left <= 0 {
			return err
		}
		maps.Copy(query, cursor)
	}
}

// cursor returns the cursor of the next page, or nil after the last one.
func (l listing[T]) cursor(answer map[string]json.RawMessage, last *T) (url.Values, error) {
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
	case l.after != nil && more:
		return l.after(last), nil
	case next == 0:
		return nil, nil
	case key == "":
		return url.Values{"after": {strconv.FormatInt(next, 10)}}, nil
	}
	return url.Values{"after": {strconv.FormatInt(next, 10)}, "afterKey": {key}}, nil
}
