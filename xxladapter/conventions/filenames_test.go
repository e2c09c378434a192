package conventions

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// systems are what may follow an underscore in the name of a file: names of systems that the go
// command knows, and those of this repository for groups of them.
var systems = []string{"linux", "unix", "bsd", "windows", "other"}

// TestFilesAreNamedInOneWay checks that an underscore stands before "test" and before a system, and
// nowhere else.
func TestFilesAreNamedInOneWay(t *testing.T) {
	files := filesOf(t, ".", ".go")
	require.Greater(t, len(files), 1000, "the test has found the files")
	for _, file := range files {
		words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".go"), "_test"), "_")
		require.True(t, len(words) == 1 || len(words) == 2 && slices.Contains(systems, words[1]), file)
	}
}
