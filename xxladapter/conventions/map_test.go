package conventions

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheMapsNameEveryFolder compares the package comments of xxladapter and of the binary with the
// folders beside and below them.
func TestTheMapsNameEveryFolder(t *testing.T) {
	for file, folder := range map[string]string{
		"xxladapter/doc.go":               "xxladapter",
		"xxladapter/cmd/xxlwheel/main.go": "xxladapter/cmd/xxlwheel/internal",
	} {
		text := readFile(t, file)
		entries, err := fs.ReadDir(repository, folder)
		require.NoError(t, err)
		for _, e := range entries {
			if e.IsDir() {
				named := regexp.MustCompile(`(?m)^//\t` + e.Name() + `[ /]`).MatchString(text)
				require.True(t, named, "%s has no line for the folder %s", file, e.Name())
			}
		}
	}
}

var indexed = regexp.MustCompile(`[a-z*][a-z0-9_*]*\.go`)

// TestIndexesNameEveryFile compares the indexes in the package comments of large packages with the
// files beside them.
func TestIndexesNameEveryFile(t *testing.T) {
	checkIndex(t, "xxladapter/cmd/xxlwheel", readFile(t, "xxladapter/cmd/xxlwheel/main.go"), nil)
	for _, folder := range []string{"xxladapter/admin", "xxladapter/admin/internal/api", "xxladapter/sqlstore/internal/records"} {
		checkIndex(t, folder, readFile(t, folder+"/doc.go"), []string{"doc"})
	}
	const journaled = "xxladapter/sqlstore/internal/journaled"
	checkIndex(t, journaled, readFile(t, journaled+"/store.go"), nil)
}

// checkIndex compares the index before the package clause of source with the files of folder.
func checkIndex(t *testing.T, folder, source string, prefixes []string) {
	t.Helper()
	index, _, _ := strings.Cut(source, "\npackage ")
	patterns := indexed.FindAllString(index, -1)
	require.NotEmpty(t, patterns, folder)
	used := map[string]bool{}
	for _, file := range sourcesOf(t, folder) {
		if path.Dir(file) != folder {
			continue
		}
		name := path.Base(file)
		found := slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		for _, pattern := range patterns {
			if matches, err := path.Match(pattern, name); err == nil && matches {
				found, used[pattern] = true, true
			}
		}
		require.True(t, found, "the index of %s does not name %s", folder, name)
	}
	for _, pattern := range patterns {
		require.True(t, used[pattern], "the index of %s names %s, which does not exist", folder, pattern)
	}
}
