package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

var errDeclined = errors.New("not confirmed, nothing was done")

// yesFlag belongs to commands whose deletions cannot be undone.
type yesFlag struct {
	Yes bool `short:"y" help:"Do not ask for confirmation. Required without a terminal."`
}

// confirm asks the question on a terminal. Without a terminal it refuses: a script that deletes has
// to say so.
func (y yesFlag) confirm(inv *invocation, question string) error {
	if y.Yes {
		return nil
	}
	if !inv.asks {
		return usagef("--yes is missing, must be given without a terminal: %s", oneLine(question))
	}
	fmt.Fprintf(inv.stderr, "%s [y/N] ", oneLine(question))
	answer, _ := bufio.NewReader(inv.stdin).ReadString('\n') // the end of the input means no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}
