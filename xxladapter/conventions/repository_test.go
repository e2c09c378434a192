package conventions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository is the root of the module. Names of files in these tests are relative to it.
var repository = os.DirFS("../..")

// leftOut are folders that hold no sources of ours: what git keeps, packages of the console's
// build, inputs of tests.
var leftOut = []string{".git", "node_modules", "testdata"}

// filesOf returns the files below a folder whose names end in suffix.
func filesOf(t *testing.T, folder, suffix string) (files []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(repository, folder, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(leftOut, d.Name()):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(file, suffix):
			files = append(files, file)
		}
		return nil
	}))
	return files
}

// sourcesOf returns the Go files below a folder that are no tests.
func sourcesOf(t *testing.T, folder string) []string {
	t.Helper()
	return slices.DeleteFunc(filesOf(t, folder, ".go"), func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := fs.ReadFile(repository, file)
	require.NoError(t, err)
	return string(text)
}

// exists reports whether a file or a folder is there.
func exists(file string) bool {
	_, err := fs.Stat(repository, file)
	return err == nil
}

// A source is a Go file with its syntax.
type source struct {
	*ast.File
	positions *token.FileSet
}

// sources has the files that parse has read. It needs no lock, because the tests of this package
// run one after the other.
var sources = map[string]source{}

// parse reads a file with its comments, once for all tests, which do not change it. Its names are
// not resolved.
func parse(t *testing.T, file string) source {
	t.Helper()
	s, known := sources[file]
	if !known {
		s.positions = token.NewFileSet()
		var err error
		s.File, err = parser.ParseFile(
			s.positions, file, readFile(t, file), parser.ParseComments|parser.SkipObjectResolution,
		)
		require.NoError(t, err)
		sources[file] = s
	}
	return s
}

// at returns the position of a node.
func (s source) at(n ast.Node) token.Position { return s.positions.Position(n.Pos()) }

// commentsByLine returns the comments by the line on which they begin.
func (s source) commentsByLine() map[int]string {
	comments := map[int]string{}
	for _, c := range s.Comments {
		comments[s.at(c).Line] = c.Text()
	}
	return comments
}
