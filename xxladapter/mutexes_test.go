package xxladapter_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryMutexSaysWhatItGuards in a comment on its line that begins with "guards".
func TestEveryMutexSaysWhatItGuards(t *testing.T) {
	found := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		check := func(n ast.Node, typ ast.Expr, comment *ast.CommentGroup) {
			if !isMutex(typ) {
				return
			}
			found++
			if !strings.HasPrefix(comment.Text(), "guards ") {
				t.Errorf("%s: the mutex does not say what it guards", files.Position(n.Pos()))
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				check(n, n.Type, n.Comment)
			case *ast.ValueSpec:
				check(n, n.Type, n.Comment)
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, found, 30, "the test has found them")
}

func isMutex(typ ast.Expr) bool {
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "sync" && (sel.Sel.Name == "Mutex" || sel.Sel.Name == "RWMutex")
}
