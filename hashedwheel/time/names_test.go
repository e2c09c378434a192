package time_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// own are the names that package time does not have.
var own = []string{"Clock", "On"}

// different are the types that look like package time's and are not the same.
var different = []string{"Timer", "Ticker"}

// TestNames compares what this package exports with package time of the Go that runs the test.
func TestNames(t *testing.T) {
	fset := token.NewFileSet()
	// The importer reads source, so that the standard package is that of this Go and not of an
	// archive.
	std := importer.ForCompiler(fset, "source", nil)
	standard, err := std.Import("time")
	require.NoError(t, err)
	here := checkHere(t, fset, std)

	for _, name := range standard.Scope().Names() {
		want, got := standard.Scope().Lookup(name), here.Scope().Lookup(name)
		switch {
		case !want.Exported():
		case got == nil:
			t.Errorf("missing: %s\nadd it to names.go; if not every Go that go.mod allows has it, to a file with a build constraint", want)
		default:
			compare(t, want, got)
		}
	}
	for _, name := range here.Scope().Names() {
		if got := here.Scope().Lookup(name); got.Exported() && standard.Scope().Lookup(name) == nil && !slices.Contains(own, name) {
			t.Errorf("%s is neither a name of package time nor in the list of our own names", got)
		}
	}
}

// checkHere returns this package with its types. All packages but time are left empty: no name of
// package time needs them, and checking everything that the wheel imports would take seconds.
func checkHere(t *testing.T, fset *token.FileSet, std types.Importer) *types.Package {
	t.Helper()
	here, err := build.ImportDir(".", 0) // leaves out what build constraints leave out
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range here.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(here.Dir, name), nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	config := types.Config{
		Importer:         onlyTime{std},
		IgnoreFuncBodies: true,
		Error:            func(error) {}, // from empty packages; the compiler checks the rest
	}
	pkg, _ := config.Check("time", fset, files, nil)
	return pkg
}

// onlyTime imports package time, and all others as empty packages.
type onlyTime struct{ types.Importer }

func (i onlyTime) Import(name string) (*types.Package, error) {
	if name == "time" {
		return i.Importer.Import(name)
	}
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// compare fails the test if a user would see a difference between want and got.
func compare(t *testing.T, want, got types.Object) {
	t.Helper()
	if !assert.IsType(t, want, got, want.Name()) {
		return
	}
	switch want := want.(type) {
	case *types.Const:
		assert.True(t, types.Identical(want.Type(), got.Type()), "%s is not %s", got, want)
		assert.Equal(t, want.Val().ExactString(), got.(*types.Const).Val().ExactString(), want.Name())
	case *types.Var:
		assert.True(t, types.Identical(want.Type(), got.Type()), "%s is not %s", got, want)
	case *types.Func:
		assert.Equal(t, spell(want.Type()), spell(got.Type()), want.Name())
	case *types.TypeName:
		if !slices.Contains(different, want.Name()) {
			assert.True(t, types.Identical(want.Type(), got.Type()), "%s is not %s", got, want)
			return
		}
		assert.Equal(t, members(want), members(got.(*types.TypeName)), want.Name())
	}
}

// members returns the exported fields and methods of a struct type.
func members(o *types.TypeName) (lines []string) {
	for f := range o.Type().Underlying().(*types.Struct).Fields() {
		if f.Exported() {
			lines = append(lines, f.Name()+" "+spell(f.Type()))
		}
	}
	for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
		if m.Obj().Exported() {
			lines = append(lines, m.Obj().Name()+spell(m.Obj().Type()))
		}
	}
	return lines
}

// spell returns t without the names of parameters and with each alias replaced.
func spell(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return "*" + spell(t.Elem())
	case *types.Chan:
		return fmt.Sprintf("chan(%d) %s", t.Dir(), spell(t.Elem()))
	case *types.Signature:
		var list []string
		for v := range t.Params().Variables() {
			list = append(list, spell(v.Type()))
		}
		list = append(list, "->")
		for v := range t.Results().Variables() {
			list = append(list, spell(v.Type()))
		}
		return fmt.Sprintf("func%q variadic: %t", list, t.Variadic())
	default:
		return t.String()
	}
}
