package main

import (
	"bufio"
	"cmp"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

const deployDir = "../../deploy"

// TestDeployedSettingsExist checks that the variables and command lines in the files for systemd
// and containers are those of this binary.
func TestDeployedSettingsExist(t *testing.T) {
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, command := range parser.Model.Children {
		if command.Name == "serve" {
			for _, flag := range command.Flags {
				for _, name := range flag.Envs {
					known[name] = true
				}
			}
		}
	}
	variable := regexp.MustCompile(`\bXXLWHEEL_[A-Z_]+`)
	files := 0
	require.NoError(t, filepath.WalkDir(deployDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == "deploytest" && entry.IsDir() {
			return cmp.Or(err, filepath.SkipDir) // a module of its own that has only tests
		}
		if entry.IsDir() {
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, name := range variable.FindAllString(string(text), -1) {
			require.True(t, known[name], "%s: %s is no setting of serve", path, name)
		}
		if filepath.Base(filepath.Dir(path)) == "compose" {
			var compose struct {
				Services map[string]struct{ Command []string }
			}
			require.NoError(t, yaml.Unmarshal(text, &compose), path)
			require.NotEmpty(t, compose.Services, path)
			for name, service := range compose.Services {
				if len(service.Command) > 0 {
					_, err := parser.Parse(service.Command)
					require.NoError(t, err, "%s: %s", path, name)
				}
			}
		}
		return nil
	}))
	require.GreaterOrEqual(t, files, 6)
}

// TestTheUnitIsValid lets systemd check the unit, with the binary of this test in place of
// xxlwheel.
func TestTheUnitIsValid(t *testing.T) {
	text, err := os.ReadFile(deployDir + "/systemd/xxlwheel.service")
	require.NoError(t, err)
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(string(text))
	require.NotNil(t, start)
	file := settingsFile(t, "serve: {zone: UTC}")
	require.Equal(t, "UTC", parsed(t, strings.Fields(strings.Replace(start[2], "/etc/xxlwheel/xxlwheel.yaml", file, 1))...).Serve.Zone)

	// Without this setting, systemd ends a start that still changes the tables after 90 s.
	require.Regexp(t, `(?m)^TimeoutStartSec=infinity$`, string(text))

	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		testserver.Missing(t, "systemd-analyze is not installed")
	}
	here, err := os.Executable()
	require.NoError(t, err)
	unit := filepath.Join(t.TempDir(), "xxlwheel.service")
	require.NoError(t, os.WriteFile(unit, []byte(strings.Replace(string(text), start[1], here, 1)), 0o600))
	out, err := exec.CommandContext(t.Context(), analyze, "verify", unit).CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), "xxlwheel.service:", "a warning about the unit")
	// The exposure level is 0 to 100. systemd calls 10 to 49 "OK"; this limit is stricter.
	out, err = exec.CommandContext(t.Context(), analyze, "security", "--offline=yes", "--threshold=20", unit).CombinedOutput()
	require.NoError(t, err, string(out))
}

// TestTheImageStarts builds the image's file tree with the image's own recipe, and starts the
// binary as the image does: confined to that tree, as an ordinary user.
func TestTheImageStarts(t *testing.T) {
	testserver.Short(t)
	testserver.Long(t)
	if _, err := os.Stat("/etc/ssl/certs/ca-certificates.crt"); err != nil {
		testserver.Missing(t, "ca-certificates are not installed")
	}
	tree := t.TempDir()
	require.NoError(t, os.Chmod(tree, 0o755))
	build := exec.CommandContext(t.Context(), "sh", "xxladapter/deploy/image/tree", tree)
	build.Dir = "../../.."
	build.Env = append(os.Environ(), "GOARCH="+runtime.GOARCH)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	var files []string
	require.NoError(t, fs.WalkDir(os.DirFS(tree), ".", func(path string, entry fs.DirEntry, err error) error {
		if !entry.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	require.Equal(t, []string{"etc/ssl/certs/ca-certificates.crt", "xxlwheel"}, files)
	binary, err := elf.Open(filepath.Join(tree, "xxlwheel"))
	require.NoError(t, err)
	defer binary.Close()
	require.False(t, slices.ContainsFunc(binary.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }), "the binary is static")

	if os.Geteuid() != 0 {
		t.Skip("only root may change the root directory")
	}
	const user = 65532 // as in the Dockerfile
	require.NoError(t, os.Chown(filepath.Join(tree, "data"), user, user))
	dockerfile, err := os.ReadFile(deployDir + "/image/Dockerfile")
	require.NoError(t, err)
	variables := regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(string(dockerfile))
	require.NotNil(t, variables)
	inside := func(more ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "/xxlwheel", "serve")
		cmd.Dir, cmd.Env = "/data", append(strings.Fields(strings.Replace(variables[1], ":8080", ":0", 1)), more...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: tree, Credential: &syscall.Credential{Uid: user, Gid: user}}
		return cmd
	}
	out, err = inside().CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "--access-token", "a port for all needs a secret")

	serve := inside("XXLWHEEL_ACCESS_TOKEN=a-secret-of-executors", "XXLWHEEL_ZONE=Asia/Shanghai")
	stdout, err := serve.StdoutPipe()
	require.NoError(t, err)
	serve.Stderr = t.Output()
	require.NoError(t, serve.Start())
	lines := bufio.NewScanner(stdout)
	served := false
	for lines.Scan() {
		if strings.Contains(lines.Text(), "serves on") {
			served = true
			require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
		}
	}
	require.NoError(t, serve.Wait())
	require.True(t, served)
	require.FileExists(t, filepath.Join(tree, "data", "xxlwheel.db"))
}
