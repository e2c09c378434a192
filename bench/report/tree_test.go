package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestATreeWithChangesIsNotMeasured changes files of a repository of its own.
func TestATreeWithChangesIsNotMeasured(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "bench", "report")
	write := func(file, text string) {
		file = filepath.Join(root, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	refuses := func(what string) {
		t.Helper()
		tree := readTree(folder)
		require.True(t, strings.HasSuffix(tree.String(), " with changes"), what)
		require.ErrorContains(t, plan{}.permits(tree), "give -changed", what)
		require.NoError(t, plan{changed: true}.permits(tree), what)
		require.NoError(t, plan{short: true}.permits(tree), what)
	}
	for _, file := range []string{"go.mod", "go.sum", "hashedwheel/timer.go", "bench/report/main.go", "bench/results/raw.txt", "xxladapter/doc.go"} {
		write(file, "first")
	}
	require.Equal(t, "unknown", readTree(folder).String())
	require.NoError(t, plan{}.permits(readTree(folder)))
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	require.NoError(t, plan{}.permits(readTree(folder)))
	require.NotContains(t, readTree(folder).String(), "changes")

	write("bench/results/raw.txt", "second")
	write("xxladapter/doc.go", "second")
	require.NoError(t, plan{}.permits(readTree(folder)), "what is not measured may differ")
	for _, file := range []string{"go.mod", "hashedwheel/timer.go", "hashedwheel/new.go", "bench/cases/new.go"} {
		write(file, "second")
		refuses(file)
		git("stash", "-q", "-u")
	}
}
