package conventions

import (
	"go/ast"
	"path"
	"testing"
)

// A testFile is a source of tests, or of what serves only tests.
type testFile struct {
	name string
	source
	bubbles map[string]bool // functions of its folder that run what they are given in a bubble
}

// testFiles returns all test files of the repository.
func testFiles(t *testing.T) (files []testFile) {
	t.Helper()
	names := filesOf(t, ".", "_test.go")
	for _, folder := range forTests {
		names = append(names, sourcesOf(t, folder)...)
	}
	bubbles := map[string]map[string]bool{} // by folder
	for _, name := range names {
		folder := path.Dir(name)
		if bubbles[folder] == nil {
			bubbles[folder] = map[string]bool{"Test": true}
		}
		f := testFile{name, parse(t, name), bubbles[folder]}
		files = append(files, f)
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && callsSynctest(f) {
				bubbles[folder][f.Name.Name] = true
			}
		}
	}
	return files
}

// outsideBubbles visits the nodes of n outside of calls that run what they are given in a bubble.
func (f testFile) outsideBubbles(n ast.Node, visit func(ast.Node)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && f.bubbles[calledName(call)] {
			return false
		}
		visit(n)
		return true
	})
}

// TestSleepsOutsideBubblesSayWhy checks that a sleep in real time has its reason on its line or on
// the line above. A sleep in a function that the file does not show to run in a bubble needs a
// reason, too. Once a function has given a reason, its later sleeps need none.
func TestSleepsOutsideBubblesSayWhy(t *testing.T) {
	sleeps := 0
	for _, f := range testFiles(t) {
		explained := f.linesWithComments()
		for _, d := range f.Decls {
			said := false
			f.outsideBubbles(d, func(n ast.Node) {
				if call, ok := n.(*ast.CallExpr); ok && calls(call, "time", "Sleep") {
					sleeps++
					line := f.positions.Position(call.Pos()).Line
					if said = said || explained[line] || explained[line-1]; !said {
						t.Errorf("%v: the sleep is not in a bubble, must have its reason beside it", f.at(call))
					}
				}
			})
		}
	}
	if sleeps < 20 {
		t.Errorf("found %d sleeps outside of bubbles, must find at least those of real processes", sleeps)
	}
}

// callsSynctest reports whether a function has a call of synctest.Test.
func callsSynctest(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && calls(call, "synctest", "Test")
		return !found
	})
	return found
}

// linesWithComments returns the numbers of the lines on which a comment begins.
func (s source) linesWithComments() map[int]bool {
	lines := map[int]bool{}
	for _, group := range s.Comments {
		for _, c := range group.List {
			lines[s.positions.Position(c.Pos()).Line] = true
		}
	}
	return lines
}
