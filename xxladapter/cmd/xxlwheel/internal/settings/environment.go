// Package settings gives flags their values from the environment and from a settings file. Package
// main registers Variables with the parser; the commands serve, executor and demo embed Flags.
package settings

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A variable is named after its flag: --store is XXLWHEEL_STORE. Which flags have one depends on
// the command. The commands in Serving read all settings from the environment, where unit files and
// containers put them. The other commands read only clientSettings: whom to call and how to print.
// Otherwise a setting of the scheduler, such as XXLWHEEL_ZONE, would change a job: the command job
// has a flag of the same name.
var (
	Serving        = []string{"serve", "executor", "demo"}
	clientSettings = []string{"server", "access-token", "tls-ca", "output"}
)

// Variables gives flags their environment variables.
func Variables(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		serves := slices.Contains(Serving, command.Name)
		_ = kong.Visit(command, func(node kong.Visitable, next kong.Next) error {
			if flag, ok := node.(*kong.Flag); ok && flag.Name != "help" && (serves ||
				slices.Contains(clientSettings, flag.Name)) {
				name := "XXLWHEEL_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
				flag.Envs, flag.Tag.Envs = []string{name}, []string{name}
			}
			return next(nil)
		})
	}
	return nil
}
