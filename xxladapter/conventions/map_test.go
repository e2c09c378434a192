package conventions

import (
	"io/fs"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheMapNamesEveryFolder compares the package comment of xxladapter with the folders beside it.
func TestTheMapNamesEveryFolder(t *testing.T) {
	text := readFile(t, "xxladapter/doc.go")
	entries, err := fs.ReadDir(repository, "xxladapter")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			named := regexp.MustCompile(`(?m)^//\t` + e.Name() + `[ /]`).MatchString(text)
			require.True(t, named, "doc.go has no line for the folder %s", e.Name())
		}
	}
}
