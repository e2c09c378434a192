package conventions

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wholeLines are sentinels whose text is all that an operator reads, so that no package stands
// before it.
var wholeLines = []string{"ErrNoScheduleLock", "ErrShared"}

// TestSentinelsNameTheirPackage checks that the text of each exported sentinel begins with its
// package, or with one that the package belongs to: an error in a log then leads to its source.
func TestSentinelsNameTheirPackage(t *testing.T) {
	n := 0
	for _, root := range []string{"hashedwheel", "xxladapter"} {
		for _, file := range sourcesOf(t, root) {
			s := parse(t, file)
			for name, text := range sentinels(s.File) {
				n++
				from, _, _ := strings.Cut(text, ": ")
				if !slices.Contains(strings.Split(path.Dir(file), "/"), from) && !slices.Contains(wholeLines, name) {
					t.Errorf("%s: %s is %q, must begin with %q", file, name, text, s.Name.Name+": ")
				}
			}
		}
	}
	require.Greater(t, n, 20, "the test has found the sentinels")
}

// sentinels returns the texts of the exported variables of a file that errors.New makes.
func sentinels(file *ast.File) map[string]string {
	texts := map[string]string{}
	for _, d := range file.Decls {
		vars, ok := d.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		for _, spec := range vars.Specs {
			v := spec.(*ast.ValueSpec)
			for i, value := range v.Values {
				call, ok := value.(*ast.CallExpr)
				if !ok || calledName(call) != "New" || !v.Names[i].IsExported() || len(call.Args) != 1 {
					continue
				}
				if text, ok := call.Args[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
					texts[v.Names[i].Name], _ = strconv.Unquote(text.Value)
				}
			}
		}
	}
	return texts
}
