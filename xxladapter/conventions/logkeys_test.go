package conventions

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestErrorsAreLoggedUnderOneKey checks that a search for err= finds every logged error.
func TestErrorsAreLoggedUnderOneKey(t *testing.T) {
	lines := 0
	for _, file := range sourcesOf(t, ".") {
		s := parse(t, file)
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isLogCall(call) {
				return true
			}
			for i, arg := range call.Args {
				key, ok := arg.(*ast.BasicLit)
				if !ok || i == 0 {
					continue
				}
				if i+1 < len(call.Args) && isError(call.Args[i+1]) {
					lines++
					if key.Value != `"err"` {
						t.Errorf("%s: an error is logged under %s, must be \"err\"", s.at(key), key.Value)
					}
				}
			}
			return true
		})
	}
	require.Greater(t, lines, 20, "the test has found the calls")
}

// isLogCall reports, by the name of the method, whether a call logs keys and values.
func isLogCall(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"debug", "info", "warn", "error", "with"}, strings.ToLower(method.Sel.Name))
}

// isError reports whether an expression is a variable or a field with an error, by its name.
func isError(e ast.Expr) bool {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	return name == "err" || strings.HasSuffix(name, "Err")
}
