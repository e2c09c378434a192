package main

import (
	"fmt"

	mangokong "github.com/alecthomas/mango-kong"
	"github.com/muesli/roff"
)

type manCmd struct{}

func (*manCmd) Run(inv *invocation) error {
	parser, err := newParser(new(commands))
	if err != nil {
		return err
	}
	fmt.Fprintln(inv.stdout, mangokong.NewManPage(1, parser.Model).Build(roff.NewDocument()))
	return nil
}
