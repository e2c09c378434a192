package groups

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// A drainView is a drained address as the API returns it.
type drainView struct {
	Address, Note, By string
	Since, Until      *time.Time
}

type drainCmd struct {
	groupID
	Address string         `arg:"" help:"Address of the executor, as group show prints it."`
	Note    string         `placeholder:"TEXT" help:"The reason, shown with the drain."`
	For     *time.Duration `placeholder:"TIME" help:"End the drain after this long, for example 2h (default: until undrain)."`
}

func (c *drainCmd) Run(inv *command.Invocation, parent *Cmd) error {
	form := map[string]any{"address": c.Address, "note": c.Note}
	if c.For != nil {
		if *c.For <= 0 {
			return command.Usagef("--for is %v, must be more than 0", *c.For)
		}
		form["until"] = time.Now().Add(*c.For)
	}
	return parent.API().Call(inv.Context, "POST", c.path()+"/drain", form, nil)
}

type undrainCmd struct {
	groupID
	Address string `arg:"" help:"Address of the executor, as group show prints it."`
}

func (c *undrainCmd) Run(inv *command.Invocation, parent *Cmd) error {
	return parent.API().Call(inv.Context, "POST", c.path()+"/undrain", map[string]any{"address": c.Address}, nil)
}
