package command

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

var errDeclined = errors.New("not confirmed, nothing was done")

// Confirmation belongs to commands whose deletions cannot be undone.
type Confirmation struct {
	Yes bool `short:"y" help:"Do not ask for confirmation. Required without a terminal."`
}

// Confirm asks the question on a terminal. Without a terminal it refuses: a script that deletes has
// to say so.
func (y Confirmation) Confirm(inv *Invocation, question string) error {
	if y.Yes {
		return nil
	}
	if !inv.Asks {
		return Usagef("--yes is missing, must be given without a terminal: %s", printing.OneLine(question))
	}
	fmt.Fprintf(inv.Stderr, "%s [y/N] ", printing.OneLine(question))
	answer, _ := bufio.NewReader(inv.Stdin).ReadString('\n') // the end of the input means no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}
