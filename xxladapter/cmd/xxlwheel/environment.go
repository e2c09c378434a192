package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A variable is named after its flag: --store is XXLWHEEL_STORE. Which flags have one depends on
// the command. Commands that serve read all settings from the environment, where unit files and
// containers put them. The other commands read only whom to call and how to print. A setting of the
// scheduler, such as XXLWHEEL_ZONE, must not change a job because a flag of job has the same name.
var (
	serving        = []string{"serve", "executor", "demo"}
	clientSettings = []string{"server", "access-token", "tls-ca", "output"}
)

// variables gives flags their environment variables.
func variables(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		serves := slices.Contains(serving, command.Name)
		_ = kong.Visit(command, func(node kong.Visitable, next kong.Next) error {
			if flag, ok := node.(*kong.Flag); ok && flag.Name != "help" && (serves || slices.Contains(clientSettings, flag.Name)) {
				name := "XXLWHEEL_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				flag.Envs, flag.Tag.Envs = []string{name}, []string{name}
			}
			return next(nil)
		})
	}
	return nil
}
