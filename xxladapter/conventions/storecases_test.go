package conventions

import (
	"go/ast"
	"testing"
)

// fixtureOf names, for each half of the store, the fixture of storetest that sees it.
var fixtureOf = map[string]string{"SchedulingStore": "fixture", "ManagementStore": "fullFixture"}

// TestEachMethodOfTheStoreHasACase checks that the suite of stores calls each method of each half,
// in a case or a function that sees that half.
func TestEachMethodOfTheStoreHasACase(t *testing.T) {
	called := storeCalls(t)
	parts := interfaces(t)
	for _, half := range halves {
		for _, part := range embedded(t, parts[half]) {
			for _, m := range parts[part].Methods.List {
				if method := m.Names[0].Name; !called[fixtureOf[half]][method] {
					t.Errorf("%s.%s: no case of storetest calls it", part, method)
				}
			}
		}
	}
}

// storeCalls returns the methods that storetest calls as b.store.Method, by the type of b.
func storeCalls(t *testing.T) map[string]map[string]bool {
	t.Helper()
	called := map[string]map[string]bool{}
	for _, fixture := range fixtureOf {
		called[fixture] = map[string]bool{}
	}
	for _, file := range sourcesOf(t, "xxladapter/storetest") {
		ast.Inspect(parse(t, file).File, func(n ast.Node) bool {
			var of map[string]bool
			var body *ast.BlockStmt
			switch f := n.(type) {
			case *ast.FuncDecl:
				of, body = called[fixtureIn(f.Recv)], f.Body
				if of == nil {
					of = called[fixtureIn(f.Type.Params)]
				}
			case *ast.FuncLit:
				of, body = called[fixtureIn(f.Type.Params)], f.Body
			}
			if of != nil {
				ast.Inspect(body, func(n ast.Node) bool {
					if call, ok := n.(*ast.CallExpr); ok {
						if method, ok := calledOnStore(call); ok {
							of[method] = true
						}
					}
					return true
				})
			}
			return true
		})
	}
	return called
}

// fixtureIn returns the name of the fixture type to which a parameter or receiver b points.
func fixtureIn(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	for _, field := range list.List {
		if pointer, ok := field.Type.(*ast.StarExpr); ok && len(field.Names) == 1 && field.Names[0].Name == "b" {
			if name, ok := pointer.X.(*ast.Ident); ok {
				return name.Name
			}
		}
	}
	return ""
}

// calledOnStore returns the method that is called, if that is one of b.store.
func calledOnStore(call *ast.CallExpr) (method string, ok bool) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	store, ok := f.X.(*ast.SelectorExpr)
	return f.Sel.Name, ok && store.Sel.Name == "store"
}
