package jobs

import (
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type tagsCmd struct{}

func (c *tagsCmd) Run(inv *command.Invocation, parent *Cmd) error {
	type tag struct {
		Tag  string
		Jobs int
	}
	return client.Listing[tag]{
		Key: "tags", Columns: []string{"TAG", "JOBS"},
		Row: func(t *tag) []string { return []string{t.Tag, fmt.Sprint(t.Jobs)} },
	}.Print(inv, &parent.Flags, "/tags", nil)
}
