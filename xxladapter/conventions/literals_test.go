package conventions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// positional lists the files with long literals of structs that may leave out the names of the
// fields, each with its reason.
var positional = map[string]string{
	"bench/report/charts.go":                           "rows of a table whose columns are named just above",
	"xxladapter/cmd/xxlwheel/internal/serve/limits.go": "rows of a table whose columns are named just above",
}

// mostUnnamed is how many values a literal of any struct may have without the names of the fields.
const mostUnnamed = 4

// TestLongLiteralsNameTheirFields checks the literals of structs with more than mostUnnamed values.
// If two neighbours have the same type, the compiler does not notice when they are exchanged, so
// the fields must be named. Tests and what serves only tests are left out.
func TestLongLiteralsNameTheirFields(t *testing.T) {
	known, places := declarations{}, []place{}
	for _, file := range sourcesOf(t, ".") {
		if folder := path.Dir(file); !slices.Contains(forTests, folder) {
			places = append(places, known.add(folder, parse(t, file)))
		}
	}
	require.Greater(t, len(known), 1000, "the test has found the types")
	used := map[string]bool{}
	for _, p := range places {
		known.unnamed(p, func(lit *ast.CompositeLit) {
			at := p.at(lit)
			if used[at.Filename] = true; positional[at.Filename] == "" {
				t.Errorf("%v: the literal has %d values, two neighbours of one type, and no names of fields", at, len(lit.Elts))
			}
		})
	}
	for file := range positional {
		if !used[file] {
			t.Errorf("%s has no long literal without names, and positional allows it: remove it", file)
		}
	}
}

// TestTheSearchForLiteralsFindsThem checks lines that end in a comment with the number of literals
// that the search finds on them.
func TestTheSearchForLiteralsFindsThem(t *testing.T) {
	const other = `package other
type Row struct { A, B, C, D, E int }
type Rows []Row
`
	const text = `package sample
import "github.com/xxlwheel/xxlwheel/other"
type five struct { a, b int; c string; d bool; e error }
type four struct { a, b, c, d int }
type mixed struct { a int; b string; c int; d string; e int }
type numbers []int
type embedding struct { five; four; a, b, c int }
var (
	_ = five{1, 2, "", false, nil} // 1
	_ = &five{a: 1, b: 2, c: "", d: false, e: nil} // 0
	_ = five{} // 0
	_ = four{1, 2, 3, 4} // 0
	_ = mixed{1, "", 2, "", 3} // 0
	_ = []int{1, 2, 3, 4, 5, 6} // 0
	_ = [...]int{1, 2, 3, 4, 5, 6} // 0
	_ = numbers{1, 2, 3, 4, 5, 6} // 0
	_ = []five{{1, 2, "", false, nil}, {1, 2, "", false, nil}} // 2
	_ = []*five{{1, 2, "", false, nil}} // 1
	_ = map[string][]five{"x": {{1, 2, "", false, nil}}} // 1
	_ = map[five]bool{{1, 2, "", false, nil}: true} // 1
	_ = []struct{ a, b, c, d, e int }{{1, 2, 3, 4, 5}} // 1
	_ = other.Row{1, 2, 3, 4, 5} // 1
	_ = other.Rows{{1, 2, 3, 4, 5}} // 1
	_ = embedding{five{1, 2, "", false, nil}, four{}, 1, 2, 3} // 2
	_ = unknown.Row{1, 2, 3, 4, 5} // 0
)
func f() {
	type local struct { a, b, c, d, e string }
	_ = local{"", "", "", "", ""} // 1
}
`
	known := declarations{}
	read := func(folder, text string) place {
		s := source{positions: token.NewFileSet()}
		var err error
		s.File, err = parser.ParseFile(s.positions, folder, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		return known.add(folder, s)
	}
	read("other", other)
	sample, found := read("sample", text), map[int]int{}
	known.unnamed(sample, func(lit *ast.CompositeLit) { found[sample.at(lit).Line]++ })
	for i, line := range strings.Split(text, "\n") {
		if code, count, ok := strings.Cut(line, " // "); ok {
			require.Equal(t, count, strconv.Itoa(found[i+1]), code)
		}
	}
}

// A place is a file, and the folder to which its names belong.
type place struct {
	source
	folder  string
	imports map[string]string // folders of this repository by the names that the file has for them
}

// A typeAt is a type as a file writes it.
type typeAt struct {
	ast.Expr
	place
}

// declarations holds the types of the repository by folder and name, such as xxladapter.Job.
// Several functions of a folder may declare types of the same name.
type declarations map[string][]typeAt

// add adds the types that a file declares.
func (d declarations) add(folder string, s source) place {
	p := place{s, folder, map[string]string{}}
	for _, spec := range s.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		inside, ok := strings.CutPrefix(target, module)
		if err != nil || !ok {
			continue
		}
		name := path.Base(inside)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		p.imports[name] = inside
	}
	ast.Inspect(s.File, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			name := folder + "." + spec.Name.Name
			d[name] = append(d[name], typeAt{spec.Type, p})
		}
		return true
	})
	return p
}

// unnamed reports the literals in a file that have to name their fields.
func (d declarations) unnamed(p place, report func(*ast.CompositeLit)) {
	ast.Inspect(p.File, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && lit.Type != nil {
			d.check(lit, typeAt{lit.Type, p}, report)
		}
		return true
	})
}

// check reports a literal of a type, or the literals without a type of their own inside it, if they
// have to name their fields.
func (d declarations) check(lit *ast.CompositeLit, typ typeAt, report func(*ast.CompositeLit)) {
	inside := func(e, typ ast.Expr, p place) {
		if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
			d.check(lit, typeAt{typ, p}, report)
		}
	}
	for _, typ := range d.underlying(typ) {
		switch of := typ.Expr.(type) {
		case *ast.StructType:
			if exchangeable(lit, of) {
				report(lit)
				return
			}
		case *ast.ArrayType:
			for _, e := range lit.Elts {
				if indexed, ok := e.(*ast.KeyValueExpr); ok {
					e = indexed.Value
				}
				inside(e, of.Elt, typ.place)
			}
		case *ast.MapType:
			for _, e := range lit.Elts {
				entry := e.(*ast.KeyValueExpr)
				inside(entry.Key, of.Key, typ.place)
				inside(entry.Value, of.Value, typ.place)
			}
		}
	}
}

// underlying returns what a type may stand for: itself, or what its name is declared as. It returns
// nothing for types of other modules.
func (d declarations) underlying(typ typeAt) (found []typeAt) {
	var name string
	switch e := typ.Expr.(type) {
	case *ast.StarExpr:
		return d.underlying(typeAt{e.X, typ.place})
	case *ast.IndexExpr:
		return d.underlying(typeAt{e.X, typ.place})
	case *ast.IndexListExpr:
		return d.underlying(typeAt{e.X, typ.place})
	case *ast.Ident:
		name = typ.folder + "." + e.Name
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok {
			name = typ.imports[pkg.Name] + "." + e.Sel.Name
		}
	default:
		return []typeAt{typ}
	}
	for _, declared := range d[name] {
		found = append(found, d.underlying(declared)...)
	}
	return found
}

// exchangeable reports whether a literal gives more than mostUnnamed values of a struct without
// names, of which two neighbours have the same type.
func exchangeable(lit *ast.CompositeLit, of *ast.StructType) bool {
	if len(lit.Elts) <= mostUnnamed {
		return false
	}
	if _, named := lit.Elts[0].(*ast.KeyValueExpr); named {
		return false
	}
	var fields []string // their types
	for _, f := range of.Fields.List {
		for range max(1, len(f.Names)) {
			fields = append(fields, types.ExprString(f.Type))
		}
	}
	if len(fields) != len(lit.Elts) {
		return false // of another struct with the same name
	}
	return len(slices.Compact(fields)) < len(lit.Elts)
}
