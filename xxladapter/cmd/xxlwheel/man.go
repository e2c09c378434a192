package main

import (
	"fmt"

	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type manCmd struct{}

func (*manCmd) Run(inv *command.Invocation) error {
	parser, err := newParser(new(commands))
	if err != nil {
		return err
	}
	fmt.Fprintln(inv.Stdout, mangokong.NewManPage(1, parser.Model).Build(roff.NewDocument()))
	return nil
}
