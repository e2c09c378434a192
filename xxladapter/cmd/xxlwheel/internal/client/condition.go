package client

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// IfUpdated adds updated, an RFC 3339 instant, to the form, so that the change is made only if
// nobody else has changed the object since. An empty updated adds nothing.
func IfUpdated(form map[string]any, updated string) error {
	if updated == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, updated)
	if err != nil {
		return command.Usagef("--if-updated is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z", updated)
	}
	form["ifUpdated"] = at
	return nil
}
