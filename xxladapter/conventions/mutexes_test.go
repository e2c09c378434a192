package conventions

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryMutexSaysWhatItGuards looks for a comment on the line of each mutex that begins with
// "guards", "orders" or "held". For a mutex that is embedded in a struct, that is the line on which
// the struct begins. A struct with two mutexes has a comment with the words "lock order", which may
// be that they are never held together. The files of the interleaving tests are left out.
func TestEveryMutexSaysWhatItGuards(t *testing.T) {
	for folder, atLeast := range map[string]int{"xxladapter": 30, "hashedwheel": 10, "bench": 4} {
		found := 0
		for _, file := range sourcesOf(t, folder) {
			if !strings.HasSuffix(file, "interleave.go") {
				found += checkMutexes(t, parse(t, file))
			}
		}
		require.GreaterOrEqual(t, found, atLeast, "the test has found those of %s", folder)
	}
}

// checkMutexes reports the mutexes of a file that do not say what they guard, and the structs with
// several that do not say their lock order. It returns how many mutexes the file declares.
func checkMutexes(t *testing.T, s source) (found int) {
	comments := s.commentsByLine()
	check := func(typ ast.Expr, at ast.Node) (mutex bool) {
		if !isMutex(typ) {
			return false
		}
		found++
		says := comments[s.at(at).Line]
		for _, verb := range []string{"guards ", "orders ", "held "} {
			if strings.HasPrefix(says, verb) {
				return true
			}
		}
		t.Errorf("%s: the mutex does not say what it guards", s.at(typ))
		return true
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			mutexes := 0
			for _, field := range n.Fields.List {
				var at ast.Node = field
				if len(field.Names) == 0 {
					at = n
				}
				if check(field.Type, at) {
					mutexes++
				}
			}
			if mutexes > 1 && !s.saysWithin(n, "lock order") {
				t.Errorf("%s: the struct has %d mutexes and says nothing about their lock order", s.at(n), mutexes)
			}
		case *ast.ValueSpec:
			check(n.Type, n)
		}
		return true
	})
	return found
}

// saysWithin reports whether a comment inside a node contains words, in whatever case.
func (s source) saysWithin(n ast.Node, words string) bool {
	for _, c := range s.Comments {
		if n.Pos() < c.Pos() && c.End() < n.End() && strings.Contains(strings.ToLower(c.Text()), words) {
			return true
		}
	}
	return false
}

// isMutex reports whether a type is a mutex, or the latch of the timer's stripes, which is one.
func isMutex(typ ast.Expr) bool {
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name == "latch"
	}
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "sync" && (sel.Sel.Name == "Mutex" || sel.Sel.Name == "RWMutex")
}
