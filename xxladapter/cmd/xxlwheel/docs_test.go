package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

var (
	codeBlock  = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	// word is one argument of a command line: quoted, or without spaces.
	word           = regexp.MustCompile(`'[^']*'|[^\s']+`)
	documentedFlag = regexp.MustCompile(`(?:^|[\s(])--([a-z][a-z0-9-]*)`)
)

// TestDocumentedCommandLines checks that the command lines in the documents can be parsed, and that
// the flags that the text names exist.
func TestDocumentedCommandLines(t *testing.T) {
	documents, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	known := knownFlags(t)
	lines := 0
	for _, file := range append(documents, "../../../README.md", "../../../CONTRIBUTING.md", "../../../SECURITY.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				if args, ok := ourCommand(line); ok {
					lines++
					parser, err := parserOf(new(commands), args, kong.Exit(func(int) {}))
					require.NoError(t, err)
					_, err = parser.Parse(args)
					require.NoError(t, err, "%s: %s", file, line)
				}
			}
		}
		for _, code := range inlineCode.FindAllStringSubmatch(string(text), -1) {
			for _, m := range documentedFlag.FindAllStringSubmatch(code[1], -1) {
				if !known[m[1]] && !strings.HasPrefix(code[1], "mysqldump") {
					t.Errorf("%s names --%s, which no command has", file, m[1])
				}
			}
		}
	}
	require.Greater(t, lines, 20, "the documents are read")
}

// ourCommand returns the arguments that a line of a shell gives to this command.
func ourCommand(line string) (args []string, ok bool) {
	words := word.FindAllString(strings.TrimPrefix(line, "$ "), -1)
	for _, start := range []string{"xxlwheel", "go run ./xxladapter/cmd/xxlwheel"} {
		if n := len(strings.Fields(start)); len(words) > n && strings.Join(words[:n], " ") == start {
			for _, w := range words[n:] {
				if w == "&" || w == ">" || strings.HasPrefix(w, "#") {
					break
				}
				args = append(args, strings.Trim(w, "'"))
			}
			return args, true
		}
	}
	return nil, false
}

// knownFlags returns the names of all flags of all commands.
func knownFlags(t *testing.T) map[string]bool {
	t.Helper()
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	known := map[string]bool{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			known[f.Name] = true
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(parser.Model.Node)
	return known
}
