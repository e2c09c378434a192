package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// condition adds updated, an RFC 3339 instant, to the form, so that the change is made only if
// nobody else has changed the object since. An empty updated adds nothing.
func condition(form map[string]any, updated string) error {
	if updated == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, updated)
	if err != nil {
		return usagef("--if-updated is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", updated)
	}
	form["ifUpdated"] = at
	return nil
}

// groupAsRead reads a group that group show -o json has printed, from file, or from stdin if file
// is "-". It drops executors and queue, which only group show adds.
func groupAsRead(inv *invocation, file string) (map[string]json.RawMessage, error) {
	var text []byte
	var err error
	if file == "-" {
		text, err = io.ReadAll(inv.stdin)
	} else {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	var group map[string]json.RawMessage
	if err := json.Unmarshal(text, &group); err != nil {
		return nil, fmt.Errorf("read --if-unchanged %s, must be a group as group show -o json prints it: %w", file, err)
	}
	delete(group, "executors")
	delete(group, "queue")
	return group, nil
}
