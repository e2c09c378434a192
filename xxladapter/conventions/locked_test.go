package conventions

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMethodsThatNeedALockSaySo looks at each struct with a mutex that "guards the fields below". A
// method that uses one of them without locking the mutex is called with the mutex held, and says so
// by REQUIRES in its comment, or by the end Locked of its name.
func TestMethodsThatNeedALockSaySo(t *testing.T) {
	needy := 0
	for _, folder := range []string{"xxladapter", "hashedwheel", "bench"} {
		packages := map[string][]source{}
		for _, file := range sourcesOf(t, folder) {
			dir := filepath.Dir(file)
			packages[dir] = append(packages[dir], parse(t, file))
		}
		for _, files := range packages {
			guarded := map[string]guardedFields{}
			for _, s := range files {
				s.guardedFields(guarded)
			}
			for _, s := range files {
				needy += s.checkMethods(t, guarded)
			}
		}
	}
	require.Greater(t, needy, 40, "the test has found those that say so")
}

// guardedFields are the fields below the last mutex of a struct, which that mutex guards.
type guardedFields struct {
	mutex  string
	fields []string
}

// guardedFields adds the structs of a file by their names.
func (s source) guardedFields(to map[string]guardedFields) {
	comments := s.commentsByLine()
	ast.Inspect(s.File, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		var g guardedFields
		for _, field := range body.Fields.List {
			switch {
			case isMutex(field.Type) && len(field.Names) == 1:
				g = guardedFields{}
				if says := comments[s.at(field).Line]; strings.HasPrefix(says, "guards the field") && strings.Contains(says, "below") {
					g.mutex = field.Names[0].Name
				}
			case g.mutex != "" && !synchronized(field.Type):
				for _, name := range field.Names {
					g.fields = append(g.fields, name.Name)
				}
			}
		}
		if len(g.fields) > 0 {
			to[spec.Name.Name] = g
		}
		return true
	})
}

// synchronized reports whether a type comes from sync or atomic, and so needs no mutex.
func synchronized(typ ast.Expr) bool {
	if index, generic := typ.(*ast.IndexExpr); generic {
		typ = index.X
	}
	sel, ok := typ.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && (pkg.Name == "sync" || pkg.Name == "atomic")
}

// checkMethods reports the methods of a file that use a guarded field, and neither lock its mutex
// nor say that they need it. It returns how many say so.
func (s source) checkMethods(t *testing.T, guarded map[string]guardedFields) (needy int) {
	t.Helper()
	for _, decl := range s.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Body == nil || len(f.Recv.List[0].Names) == 0 {
			continue
		}
		g, known := guarded[receiverType(f.Recv.List[0].Type)]
		if !known {
			continue
		}
		says := strings.HasSuffix(f.Name.Name, "Locked") || strings.Contains(f.Doc.Text(), "REQUIRES:")
		used, locks := usesOf(f, g)
		switch {
		case says:
			needy++
		case used != "" && !locks:
			t.Errorf("%s: %s uses %s, which %s guards, and neither locks it nor says REQUIRES", s.at(f.Name), f.Name.Name, used, g.mutex)
		}
	}
	return needy
}

func receiverType(typ ast.Expr) string {
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	name, _ := typ.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// usesOf returns a guarded field of its receiver that a method uses, and whether the method locks
// the mutex.
func usesOf(f *ast.FuncDecl, g guardedFields) (used string, locks bool) {
	receiver := f.Recv.List[0].Names[0].Name
	ast.Inspect(f.Body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on, ok := sel.X.(*ast.Ident)
		if !ok || on.Name != receiver {
			return true
		}
		switch {
		case sel.Sel.Name == g.mutex:
			locks = true
		case slices.Contains(g.fields, sel.Sel.Name):
			used = sel.Sel.Name
		}
		return true
	})
	return used, locks
}
