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

// TestEveryMutexSaysWhatItGuards in a comment on its line that begins with "guards". A mutex that is
// embedded in a struct says so where the struct begins; it may also say what it orders, or when it is
// held. The files of the interleaving tests are left out.
func TestEveryMutexSaysWhatItGuards(t *testing.T) {
	for root, atLeast := range map[string]int{".": 30, "../hashedwheel": 10, "../bench": 4} {
		found := 0
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			if strings.HasSuffix(file, "interleave.go") {
				return nil
			}
			n, err := checkMutexes(t, file)
			found += n
			return err
		})
		require.NoError(t, err)
		require.GreaterOrEqual(t, found, atLeast, "the test has found those of %s", root)
	}
}

// checkMutexes returns how many mutexes the file declares.
func checkMutexes(t *testing.T, file string) (found int, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, parser.ParseComments)
	if err != nil {
		return 0, err
	}
	comments := map[int]string{} // by line, those at its end and those that are it
	for _, c := range parsed.Comments {
		comments[files.Position(c.Pos()).Line] = c.Text()
	}
	check := func(typ ast.Expr, at token.Pos) {
		if !isMutex(typ) {
			return
		}
		found++
		says := comments[files.Position(at).Line]
		for _, verb := range []string{"guards ", "orders ", "held "} {
			if strings.HasPrefix(says, verb) {
				return
			}
		}
		t.Errorf("%s: the mutex does not say what it guards", files.Position(typ.Pos()))
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			for _, field := range n.Fields.List {
				at := field.Pos()
				if len(field.Names) == 0 {
					at = n.Pos()
				}
				check(field.Type, at)
			}
		case *ast.ValueSpec:
			check(n.Type, n.Pos())
		}
		return true
	})
	return found, nil
}

func isMutex(typ ast.Expr) bool {
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "sync" && (sel.Sel.Name == "Mutex" || sel.Sel.Name == "RWMutex")
}
