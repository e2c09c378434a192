package conventions

import (
	"fmt"
	"go/ast"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostMethods limits the methods of a part of the store, so that a caller of a part depends on
// little.
const mostMethods = 8

// halves are the two interfaces that Store embeds.
var halves = []string{"SchedulingStore", "ManagementStore"}

// TestTheStoreIsComposedOfSmallParts reads the contract: Store is its two halves, which add nothing
// but Close to their parts, each part is in one of them, no part is large, and each method has the
// sentences that specify it.
func TestTheStoreIsComposedOfSmallParts(t *testing.T) {
	parts := interfaces(t)
	require.Contains(t, parts, "Store")
	require.Equal(t, halves, embedded(t, parts["Store"]))
	var composed []string
	for _, half := range halves {
		require.Contains(t, parts, half)
		composed = append(composed, embedded(t, parts[half])...)
	}
	for _, name := range composed {
		require.Contains(t, parts, name)
		checkPart(t, name, parts[name])
		delete(parts, name) // a part that is in both halves is missing the second time
	}
	require.Len(t, parts, 1+len(halves), "an interface of xxladapter is no part of Store")
}

// TestTheContractSaysHowLargeItIs counts the methods of Store and its halves, and compares the
// numbers with those in the comment of Store.
func TestTheContractSaysHowLargeItIs(t *testing.T) {
	parts := interfaces(t)
	says := strings.Join(strings.Fields(strings.ReplaceAll(readFile(t, "xxladapter/store.go"), "\n//", " ")), " ")
	all := 0
	for _, half := range halves {
		n := len(parts[half].Methods.List) - len(embedded(t, parts[half])) // Close
		for _, part := range embedded(t, parts[half]) {
			n += len(parts[part].Methods.List)
		}
		require.Contains(t, says, fmt.Sprintf("[%s] has %d methods", half, n))
		all += n
	}
	require.Contains(t, says, fmt.Sprintf("The %d methods of Store", all))
}

// embedded returns the names of the interfaces of which one is composed.
func embedded(t *testing.T, of *ast.InterfaceType) (names []string) {
	t.Helper()
	for _, m := range of.Methods.List {
		if len(m.Names) > 0 {
			require.Equal(t, "Close", m.Names[0].Name, "a method of no part")
			continue
		}
		names = append(names, m.Type.(*ast.Ident).Name)
	}
	return names
}

func checkPart(t *testing.T, name string, part *ast.InterfaceType) {
	t.Helper()
	require.LessOrEqual(t, len(part.Methods.List), mostMethods, "%s: split it", name)
	for _, m := range part.Methods.List {
		require.Len(t, m.Names, 1, "%s embeds another part: compose in the halves alone", name)
		method := m.Names[0].Name
		require.True(t, strings.HasPrefix(m.Doc.Text(), method+" "), "%s.%s has no sentence that begins with its name", name, method)
	}
}

// interfaces returns the exported interfaces of package xxladapter, by name.
func interfaces(t *testing.T) map[string]*ast.InterfaceType {
	t.Helper()
	found := map[string]*ast.InterfaceType{}
	for _, file := range sourcesOf(t, "xxladapter") {
		if path.Dir(file) != "xxladapter" {
			continue
		}
		ast.Inspect(parse(t, file).File, func(n ast.Node) bool {
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
