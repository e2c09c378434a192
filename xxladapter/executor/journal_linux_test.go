package executor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAJournalIsReplacedWhileNoFileOfItIsOpen checks what a replacement needs on Windows, where an
// open file can be neither renamed nor replaced.
func TestAJournalIsReplacedWhileNoFileOfItIsOpen(t *testing.T) {
	j := testJournal(t, t.TempDir())
	var open []string
	replaced := 0
	j.rename = func(from, to string) error {
		replaced++
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			return err
		}
		for _, entry := range entries {
			name, _ := os.Readlink(filepath.Join("/proc/self/fd", entry.Name()))
			if strings.HasPrefix(name, j.path) {
				open = append(open, name)
			}
		}
		return os.Rename(from, to)
	}
	require.NoError(t, j.file.Close()) // the next write fails, and the one after it replaces the file
	b, err := j.accept(1, 7, 1, time.Now())
	require.NoError(t, err)
	require.ErrorIs(t, b.wait(), os.ErrClosed)
	b, err = j.accept(2, 7, 2, time.Now())
	require.NoError(t, err)
	require.NoError(t, b.wait())
	require.Equal(t, 1, replaced)
	require.Empty(t, open)

	b, err = j.accept(3, 7, 3, time.Now()) // appended to the new file
	require.NoError(t, err)
	require.NoError(t, b.wait())
	require.NoError(t, j.close())
	require.Len(t, readState(t, filepath.Dir(j.path)).open, 2)
}
