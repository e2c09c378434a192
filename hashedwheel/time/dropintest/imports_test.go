package dropintest

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// timers are the names of package time that the wheel implements itself.
var timers = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Sleep", "Tick", "Ticker", "Timer"}

// changeImports changes the import of time in the suite's files of a copy. It returns how many
// files it has changed and in how many places they use a timer.
func (s suite) changeImports(t *testing.T, dir string) (files, uses int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, s.pkg, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") && !s.tests {
			continue
		}
		if n, changed := changeImport(t, name); changed {
			files++
			uses += n
		}
	}
	return files, uses
}

// changeImport changes the import of time in one file, if it has one.
func changeImport(t *testing.T, name string) (uses int, changed bool) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
	require.NoError(t, err)
	as := ""
	for _, imp := range file.Imports {
		if imp.Path.Value != `"time"` {
			continue
		}
		imp.Path.Value = strconv.Quote(ours)
		as = "time"
		if imp.Name != nil {
			as = imp.Name.Name
		}
	}
	if as == "" {
		return 0, false
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == as && slices.Contains(timers, sel.Sel.Name) {
				uses++
			}
		}
		return true
	})
	var text bytes.Buffer
	require.NoError(t, format.Node(&text, fset, file))
	require.NoError(t, os.WriteFile(name, text.Bytes(), 0o644))
	return uses, true
}
