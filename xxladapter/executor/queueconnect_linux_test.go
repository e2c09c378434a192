package executor

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestANameIsOnDiskBeforeItIsUsed writes the name of an executor to a device that takes what is
// written and cannot be synced.
func TestANameIsOnDiskBeforeItIsUsed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink(os.DevNull, filepath.Join(dir, "instance.new")))
	_, err := instanceName(dir)
	require.ErrorIs(t, err, syscall.EINVAL)
	require.NoFileExists(t, filepath.Join(dir, "instance"))
}
