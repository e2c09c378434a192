package xxladapter_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// systems are what may follow an underscore in the name of a file: names of systems that the go
// command knows, and those of this repository for groups of them.
var systems = []string{"linux", "unix", "bsd", "windows", "other"}

// TestFilesAreNamedInOneWay: an underscore stands before "test" and before a system, and nowhere else.
func TestFilesAreNamedInOneWay(t *testing.T) {
	for _, dir := range []string{".", "../hashedwheel", "../bench"} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			words := strings.Split(strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".go"), "_test"), "_")
			require.True(t, len(words) == 1 || len(words) == 2 && slices.Contains(systems, words[1]), path)
			return nil
		}))
	}
}
