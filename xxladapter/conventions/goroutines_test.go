package conventions

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waits matches a comment that says who waits for a goroutine. nobody matches one that says that no
// one does.
var (
	waits  = regexp.MustCompile(`\bwait(s|ed|ing)?\b`)
	nobody = regexp.MustCompile(`\b[Nn]o(body| one) waits\b`)
)

// unattended are the goroutines for which nobody waits, by file, each with its reason.
var unattended = map[string]string{
	"hashedwheel/executor.go":                              "a task runs like a function of time.AfterFunc",
	"hashedwheel/wait.go":                                  "the function of an AfterFunc runs like that of context.AfterFunc",
	"hashedwheel/time/timer.go":                            "a function of package time's AfterFunc has a goroutine of its own",
	"xxladapter/cmd/xxlwheel/internal/command/password.go": "nothing interrupts a read from a terminal",
	"xxladapter/testserver/process.go":                     "the watchdog outlives the test on purpose, and ends with the process",
}

// TestEveryGoroutineSaysWhoWaitsForIt looks for a comment that says it on the line of the go
// statement or above it. The Go methods of sync.WaitGroup and errgroup.Group need none: the caller
// of Wait is found by the name. The files of the interleaving tests are left out.
func TestEveryGoroutineSaysWhoWaitsForIt(t *testing.T) {
	found, used := 0, map[string]bool{}
	for _, file := range sourcesOf(t, ".") {
		if strings.HasSuffix(file, "interleave.go") {
			continue
		}
		s := parse(t, file)
		ast.Inspect(s.File, func(n ast.Node) bool {
			statement, ok := n.(*ast.GoStmt)
			if !ok {
				return true
			}
			found++
			switch comment := s.commentOn(statement); {
			case nobody.MatchString(comment):
				if used[file] = true; unattended[file] == "" {
					t.Errorf("%s: nobody waits for the goroutine, and unattended gives no reason", s.at(statement))
				}
			case !waits.MatchString(comment):
				t.Errorf("%s: the goroutine does not say who waits for it", s.at(statement))
			}
			return true
		})
	}
	for file := range unattended {
		if !used[file] {
			t.Errorf("%s has no goroutine for which nobody waits: remove it from unattended", file)
		}
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
