package conventions

import (
	"go/ast"
	"go/parser"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostMethods limits the methods of a part of the store, so that a caller of a part depends on
// little.
const mostMethods = 8

// TestTheStoreIsComposedOfSmallParts reads the contract: Store itself adds nothing but Close to its
// parts, no part is large, and each method has the sentences that specify it.
func TestTheStoreIsComposedOfSmallParts(t *testing.T) {
	parts := interfaces(t)
	store := parts["Store"]
	require.NotNil(t, store)
	composed := 0
	for _, m := range store.Methods.List {
		if len(m.Names) > 0 {
			require.Equal(t, "Close", m.Names[0].Name, "a method of no part")
			continue
		}
		name := m.Type.(*ast.Ident).Name
		require.Contains(t, parts, name)
		checkPart(t, name, parts[name])
		composed++
	}
	require.Equal(t, len(parts)-1, composed, "an interface of xxladapter is no part of Store")
}

func checkPart(t *testing.T, name string, part *ast.InterfaceType) {
	t.Helper()
	require.LessOrEqual(t, len(part.Methods.List), mostMethods, "%s: split it", name)
	for _, m := range part.Methods.List {
		require.Len(t, m.Names, 1, "%s embeds another part: compose in Store alone", name)
		method := m.Names[0].Name
		require.True(t, strings.HasPrefix(m.Doc.Text(), method+" "), "%s.%s has no sentence that begins with its name", name, method)
	}
}

// interfaces are those that xxladapter exports, by name.
func interfaces(t *testing.T) map[string]*ast.InterfaceType {
	t.Helper()
	found := map[string]*ast.InterfaceType{}
	for _, file := range sourcesOf(t, "xxladapter") {
		if path.Dir(file) != "xxladapter" {
			continue
		}
		ast.Inspect(parse(t, file, parser.ParseComments).File, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				if i, ok := spec.Type.(*ast.InterfaceType); ok {
					found[spec.Name.Name] = i
				}
			}
			return true
		})
	}
	return found
}
