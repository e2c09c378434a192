package main

import (
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/settings"
)

// newParser returns a parser that fills cli from the command line.
//
// REQUIRES: cli points to commands, or to a part of them.
func newParser(cli any, more ...kong.Option) (*kong.Kong, error) {
	return kong.New(cli, append(more,
		kong.Name("xxlwheel"),
		kong.Description("An XXL-JOB compatible scheduler on a hashed wheel timer.\n\n"+
			"serve, executor and demo also read each flag from an environment variable XXLWHEEL_<FLAG>, "+
			"for example --access-token from XXLWHEEL_ACCESS_TOKEN. Commands that call a running scheduler read only "+
			"XXLWHEEL_SERVER, XXLWHEEL_ACCESS_TOKEN, XXLWHEEL_TLS_CA and XXLWHEEL_OUTPUT; the other commands read none. Flags for tokens, passwords and stores also take @FILE, "+
			"a file whose only line is the value.\n\n"+exitHelp),
		kong.UsageOnError(),
		kong.PostBuild(settings.Variables))...)
}

// parserOf returns a parser for a command line. It fills cli or, if the line names a command, what
// onlyCommand returns for it: to build all commands takes longer than most of them run.
func parserOf(cli *commands, args []string, more ...kong.Option) (*kong.Kong, error) {
	if len(args) > 0 && os.Getenv("COMP_LINE") == "" { // without a shell that asks for completions
		if part := onlyCommand(args[0]); part != nil {
			return newParser(part, more...)
		}
	}
	return newParser(cli, more...)
}

// onlyCommand returns a pointer to a struct like commands, without the commands that have other
// names. It returns nil if no command has the name, and for commands that read a file of settings,
// which may speak of other commands too.
func onlyCommand(name string) any {
	all := reflect.TypeFor[commands]()
	var kept []reflect.StructField
	found := false
	for i := range all.NumField() {
		field := all.Field(i)
		if _, isCommand := field.Tag.Lookup("cmd"); isCommand {
			if commandName(field) != name {
				continue
			}
			found = true
		}
		kept = append(kept, reflect.StructField{Name: field.Name, Type: field.Type, Tag: field.Tag})
	}
	if !found || slices.Contains(settings.Serving, name) {
		return nil
	}
	return reflect.New(reflect.StructOf(kept)).Interface()
}

// commandName returns the name by which kong calls a command whose field is one word.
func commandName(field reflect.StructField) string {
	if name := field.Tag.Get("name"); name != "" {
		return name
	}
	return strings.ToLower(field.Name)
}
