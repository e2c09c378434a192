package conventions

import (
	"go/ast"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImportsStandInThreeGroups checks that a file imports first from the standard library, then
// from others, then from this repository, with an empty line between the groups and none within.
func TestImportsStandInThreeGroups(t *testing.T) {
	n := 0
	for _, file := range filesOf(t, ".", ".go") {
		s := parse(t, file)
		for i, spec := range s.Imports[min(1, len(s.Imports)):] {
			n++
			before := s.Imports[i]
			group, empty := groupOf(t, spec), s.at(spec).Line-s.at(before).Line > 1
			switch was := groupOf(t, before); {
			case group < was:
				t.Errorf("%v: %s must stand above %s", s.at(spec), spec.Path.Value, before.Path.Value)
			case group > was && !empty:
				t.Errorf("%v: there must be an empty line between %s and %s", s.at(spec), before.Path.Value, spec.Path.Value)
			case group == was && empty:
				t.Errorf("%v: there must be no empty line between %s and %s", s.at(spec), before.Path.Value, spec.Path.Value)
			}
		}
	}
	require.Greater(t, n, 1000, "the test has found the imports")
}

// groupOf returns the place of an import's group.
func groupOf(t *testing.T, spec *ast.ImportSpec) int {
	t.Helper()
	path, err := strconv.Unquote(spec.Path.Value)
	require.NoError(t, err)
	host, _, _ := strings.Cut(path, "/")
	switch {
	case !strings.Contains(host, "."):
		return 1
	case !strings.HasPrefix(path, "github.com/xxlwheel/"):
		return 2
	}
	return 3
}
