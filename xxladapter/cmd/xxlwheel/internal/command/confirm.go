package command

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

var errDeclined = errors.New("not confirmed, nothing was done")

// Confirmation belongs to commands that delete what cannot be restored, or that change many jobs at
// once.
type Confirmation struct {
	Yes bool `short:"y" help:"Do not ask for confirmation. Required without a terminal."`
}

// Confirm asks the question on a terminal. Without a terminal it refuses: a script has to give
// --yes. An interrupt means no.
func (y Confirmation) Confirm(inv *Invocation, question string) error {
	if y.Yes {
		return nil
	}
	if !inv.Asks {
		return Usagef("--yes is missing, must be given without a terminal: %s", printing.OneLine(question))
	}
	fmt.Fprintf(inv.Stderr, "%s [y/N] ", printing.OneLine(question))
	answer, err := await(inv.Context, func() ([]byte, error) {
		line, _ := bufio.NewReader(inv.Stdin).ReadString('\n') // the end of the input means no
		return []byte(line), nil
	})
	if err != nil {
		fmt.Fprintln(inv.Stderr) // nobody has typed the line break
		return errDeclined
	}
	switch strings.ToLower(strings.TrimSpace(string(answer))) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}
