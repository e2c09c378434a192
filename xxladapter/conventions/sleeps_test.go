package conventions

import (
	"go/ast"
	"go/parser"
	"path"
	"testing"
)

// TestSleepsOutsideBubblesSayWhy checks that a sleep in real time has its reason on its line or on
// the line above, as has one in a function of which this file does not show in which time it runs.
// Once a function has said it, its other sleeps need not.
func TestSleepsOutsideBubblesSayWhy(t *testing.T) {
	type file struct {
		name string
		source
	}
	folders := map[string][]file{}
	bubbles := map[string]map[string]bool{} // by folder: functions that run what they are given in a bubble
	for _, name := range append(filesOf(t, ".", "_test.go"), sourcesOf(t, "xxladapter/storetest")...) {
		f, folder := file{name, parse(t, name, parser.ParseComments|parser.SkipObjectResolution)}, path.Dir(name)
		folders[folder] = append(folders[folder], f)
		if bubbles[folder] == nil {
			bubbles[folder] = map[string]bool{"Test": true}
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && callsSynctest(f) {
				bubbles[folder][f.Name.Name] = true
			}
		}
	}
	sleeps := 0
	for folder, files := range folders {
		for _, f := range files {
			explained := f.linesWithComments()
			for _, d := range f.Decls {
				said := false
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok || bubbles[folder][calledName(call)] {
						return !ok
					}
					if calls(call, "time", "Sleep") {
						sleeps++
						line := f.positions.Position(call.Pos()).Line
						if said = said || explained[line] || explained[line-1]; !said {
							t.Errorf("%v: the sleep is not in a bubble, must have its reason beside it", f.at(call))
						}
					}
					return true
				})
			}
		}
	}
	if sleeps < 20 {
		t.Errorf("found %d sleeps outside of bubbles, must find those of real processes at least", sleeps)
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

// linesWithComments returns the numbers of the lines on which a comment is or begins.
func (s source) linesWithComments() map[int]bool {
	lines := map[int]bool{}
	for _, group := range s.Comments {
		for _, c := range group.List {
			lines[s.positions.Position(c.Pos()).Line] = true
		}
	}
	return lines
}
