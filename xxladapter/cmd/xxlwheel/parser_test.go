package main

import (
	"io"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/settings"
)

// TestACommandAloneIsParsedAsAmongAll compares each command's help and flags from the parser of all
// commands with those from the parser of this one.
func TestACommandAloneIsParsedAsAmongAll(t *testing.T) {
	all, err := newParser(new(commands))
	require.NoError(t, err)
	for _, command := range all.Model.Children {
		if command.Hidden {
			continue
		}
		part := onlyCommand(command.Name)
		if slices.Contains(settings.Serving, command.Name) {
			require.Nil(t, part, command.Name)
			continue
		}
		require.NotNil(t, part, command.Name)
		alone, err := newParser(part)
		require.NoError(t, err, command.Name)
		require.Len(t, alone.Model.Children, 1)
		require.Equal(t, described(command), described(alone.Model.Children[0]))
		require.Equal(t, flagsOf(all.Model.Node), flagsOf(alone.Model.Node))
	}
	require.Nil(t, onlyCommand("jobs"))
	require.Nil(t, onlyCommand("--help"))
}

// described lists a command, its subcommands, arguments and flags, with what they read and accept.
func described(node *kong.Node) (all []string) {
	all = append(all, node.Path()+": "+node.Help+node.Detail)
	for _, arg := range node.Positional {
		all = append(all, arg.Summary()+" "+arg.Help)
	}
	all = append(all, flagsOf(node)...)
	for _, child := range node.Children {
		all = append(all, described(child)...)
	}
	return all
}

func flagsOf(node *kong.Node) (all []string) {
	for _, flag := range node.Flags {
		all = append(all, flag.String()+" "+flag.Help+" "+flag.Default+" "+flag.Enum)
		all = append(all, flag.Envs...)
	}
	return all
}

// BenchmarkParser builds the parser of a command line: most of the work of a command that answers
// at once.
func BenchmarkParser(b *testing.B) {
	for _, line := range [][]string{{"version"}, {"job", "list"}, {"serve"}} {
		b.Run(line[0], func(b *testing.B) {
			for b.Loop() {
				_, err := parserOf(new(commands), line, kong.Writers(io.Discard, io.Discard))
				require.NoError(b, err)
			}
		})
	}
}
