package main

import (
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/settings"
)

type configCmd struct {
	Example configExampleCmd `cmd:"" help:"Print a settings file with all settings as comments, each with its default."`
	Check   configCheckCmd   `cmd:"" help:"Check a settings file, the environment and what they name, without starting anything."`
}

type configExampleCmd struct{}

func (*configExampleCmd) Run(inv *command.Invocation) error {
	parser, err := newParser(new(commands))
	if err != nil {
		return err
	}
	_, err = inv.Stdout.Write(settings.Example(parser.Model.Node))
	return err
}

type configCheckCmd struct {
	File string `arg:"" placeholder:"FILE" help:"The settings file."`
}

// Run parses the command line that --config would be on, and makes the checks that the commands
// make before they open anything.
func (c *configCheckCmd) Run(inv *command.Invocation) error {
	for _, name := range settings.Serving {
		var cli commands
		parser, err := newParser(&cli)
		if err != nil {
			return err
		}
		if err := settings.CheckFile(parser.Model.Node, c.File); err != nil {
			return err // of any section
		}
		if _, err := parser.Parse([]string{name, "--config", c.File}); err != nil {
			return command.Usagef("%s: %v", name, err)
		}
		switch name {
		case "serve":
			_, err = cli.Serve.Check()
		case "executor":
			err = cli.Executor.Check()
		case "demo":
			err = cli.Demo.Check()
		}
		if err != nil {
			return command.Usagef("%s: %v", name, err)
		}
	}
	fmt.Fprintf(inv.Stdout, "%s is valid\n", c.File)
	return nil
}
