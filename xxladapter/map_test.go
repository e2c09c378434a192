package xxladapter_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheMapNamesEveryFolder compares the package comment with the folders beside it.
func TestTheMapNamesEveryFolder(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if e.IsDir() {
			named := regexp.MustCompile(`(?m)^//\t` + e.Name() + `[ /]`).Match(text)
			require.True(t, named, "doc.go has no line for the folder %s", e.Name())
		}
	}
}
