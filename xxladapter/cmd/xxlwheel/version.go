package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type versionCmd struct{}

func (c *versionCmd) Run(inv *command.Invocation) error {
	fmt.Fprintln(inv.Stdout, version(debug.ReadBuildInfo()))
	return nil
}

// versionFlag is --version, as most programs have it.
type versionFlag bool

// BeforeReset prints the version and ends the program.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	fmt.Fprintln(app.Stdout, version(debug.ReadBuildInfo()))
	app.Exit(command.ExitOK)
	return nil
}

// version says from which sources and with which Go the binary was built, for reports of bugs.
func version(info *debug.BuildInfo, ok bool) string {
	text := "xxlwheel"
	if !ok {
		return text + " (unknown version), " + runtime.Version()
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	number := info.Main.Version
	if number == "" {
		number = "(devel)"
	}
	text += " " + number
	if revision := settings["vcs.revision"]; revision != "" {
		text += ", revision " + revision
		if at := settings["vcs.time"]; at != "" {
			text += " from " + at
		}
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return fmt.Sprintf("%s, %s, %s/%s", text, info.GoVersion, runtime.GOOS, runtime.GOARCH)
}
