package conventions

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// flag matches a flag alone, and command a whole command with a flag.
	flag    = regexp.MustCompile(`(^|[\s(])--[a-z][a-z-]+`)
	command = regexp.MustCompile(`xxlwheel( [a-z]+)+ --[a-z][a-z-]+`)
)

// mayNameFlags are the folders whose texts may name flags: of commands, or of programs that they
// start.
var mayNameFlags = []string{"xxladapter/cmd/", "xxladapter/testserver/", "xxladapter/storetest/", "xxladapter/console/build/", "xxladapter/deploy/", "bench/"}

// TestLibrariesNameOptionsAndNotFlags checks that no text of a library names a flag: a program that
// embeds a library has none, and needs the option. A text may name a whole command, as in "xxlwheel
// migrate --zone".
func TestLibrariesNameOptionsAndNotFlags(t *testing.T) {
	whole := 0
	for _, file := range sourcesOf(t, ".") {
		if slices.ContainsFunc(mayNameFlags, func(folder string) bool { return strings.HasPrefix(file, folder) }) {
			continue
		}
		s := parse(t, file)
		ast.Inspect(s.File, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			whole += len(command.FindAllString(text, -1))
			if named := flag.FindString(command.ReplaceAllString(text, "")); named != "" {
				t.Errorf("%s: the text names the flag%s without its command, must name the option", s.at(literal), named)
			}
			return true
		})
	}
	require.Greater(t, whole, 5, "the test has found the texts")
}
