package dropintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// download returns the folder of the suite's module, in the release that go.mod names. Without the
// module it skips the test or, where servers and downloads are required, fails it.
func (s suite) download(t *testing.T) string {
	t.Helper()
	if out, err := exec.Command("go", "mod", "download", s.module).CombinedOutput(); err != nil {
		if os.Getenv("XXLWHEEL_REQUIRE_SERVERS") == "1" || os.Getenv("CI") != "" {
			t.Fatalf("%s cannot be downloaded: %v\n%s", s.module, err, out)
		}
		t.Skipf("%s cannot be downloaded: %v\n%s", s.module, err, out)
	}
	return command(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", s.module)
}

// copy returns a new copy of a module that can be changed. Its go.mod asks for the Go version that
// the wheel needs, so that a changed and an unchanged copy are built alike.
func (s suite) copy(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "module")
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	command(t, to, "chmod", "-R", "u+w", ".")
	command(t, to, "go", "mod", "edit", "-go="+goVersion(t))
	return to
}

// goVersion returns the Go version in this module's go.mod.
func goVersion(t *testing.T) string {
	t.Helper()
	return command(t, ".", "go", "list", "-m", "-f", "{{.GoVersion}}")
}

// root returns the folder of the wheel's module.
func root(t *testing.T) string {
	t.Helper()
	return command(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", ourModule)
}

// command runs a command in dir and returns its output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoError(t, err, "%v: %s", cmd, problems.String())
	return strings.TrimSpace(string(out))
}
