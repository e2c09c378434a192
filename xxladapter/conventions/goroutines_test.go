package conventions

import (
	"go/ast"
	"go/parser"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waits is what the comment of a go statement has to speak of.
var waits = regexp.MustCompile(`\bwait(s|ed|ing)?\b`)

// TestEveryGoroutineSaysWhoWaitsForIt in a comment on the line of the go statement or above it, or
// why nobody waits. The Go methods of sync.WaitGroup and errgroup.Group need none: whoever calls
// Wait is found by the name. The files of the interleaving tests are left out.
func TestEveryGoroutineSaysWhoWaitsForIt(t *testing.T) {
	found := 0
	for _, file := range sourcesOf(t, ".") {
		if strings.HasSuffix(file, "interleave.go") {
			continue
		}
		s := parse(t, file, parser.ParseComments)
		ast.Inspect(s.File, func(n ast.Node) bool {
			statement, ok := n.(*ast.GoStmt)
			if !ok {
				return true
			}
			found++
			if !waits.MatchString(s.commentOn(statement)) {
				t.Errorf("%s: the goroutine does not say who waits for it", s.at(statement))
			}
			return true
		})
	}
	require.Greater(t, found, 20, "the test has found the statements")
}

// commentOn returns what is said on the line where a node begins, and in the comment that ends on
// the line above.
func (s source) commentOn(n ast.Node) (text string) {
	line := s.at(n).Line
	for _, c := range s.Comments {
		if s.at(c).Line == line || s.positions.Position(c.End()).Line == line-1 {
			text += c.Text()
		}
	}
	return text
}
