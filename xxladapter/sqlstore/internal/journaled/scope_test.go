package journaled

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestEveryCallHasAScope checks that each call of the store declares what it needs. A call without
// a scope is correct but slow: it writes the whole memory to the tables, blocks all other calls
// meanwhile, and reads every open fire again.
func TestEveryCallHasAScope(t *testing.T) {
	declared := map[string]bool{"Now": true, "HoldPresence": true, "AwaitAbsence": true} // use no table
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok && star.X.(*ast.Ident).Name == "Store" {
				declared[f.Name.Name] = true
			}
		}
	}
	calls := reflect.TypeFor[xxladapter.Store]()
	var without []string
	for i := range calls.NumMethod() {
		if name := calls.Method(i).Name; !declared[name] {
			without = append(without, name)
		}
	}
	require.Empty(t, without)
}
