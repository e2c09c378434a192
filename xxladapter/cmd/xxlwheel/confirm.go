package main

import (
	"bufio"
	"fmt"
	"strings"
)

// yesFlag is for commands that delete what cannot be brought back.
type yesFlag struct {
	Yes bool `short:"y" help:"Do not ask. Must be given where there is no terminal to ask on."`
}

// confirm asks on a terminal whether to do what question says. Without one it
// refuses: a script that deletes has to say that it means to.
func (y yesFlag) confirm(inv *invocation, question string) error {
	if y.Yes {
		return nil
	}
	if !inv.asks {
		return usagef("--yes is missing, must be given where nobody can be asked: %s", oneLine(question))
	}
	fmt.Fprintf(inv.stderr, "%s [y/N] ", oneLine(question))
	answer, _ := bufio.NewReader(inv.stdin).ReadString('\n') // the end of the input is a no
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}
