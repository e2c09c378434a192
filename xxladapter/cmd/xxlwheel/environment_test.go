package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// TestWhatServesReadsTheEnvironment checks that the flags of serving commands are settings that a
// unit file or a container can give as variables.
func TestWhatServesReadsTheEnvironment(t *testing.T) {
	t.Setenv("XXLWHEEL_LISTEN", "0.0.0.0:0")
	t.Setenv("XXLWHEEL_ACCESS_TOKEN", "default_token")
	for _, command := range []string{"serve", "executor"} {
		code, _, stderr := cli(t, command)
		require.Equal(t, 2, code)
		require.Contains(t, stderr, "default_token")
		require.Contains(t, stderr, "0.0.0.0:0")
	}
	t.Setenv("XXLWHEEL_ACCESS_TOKEN", "")
	t.Setenv("XXLWHEEL_STORE", "nonsense")
	_, _, stderr := cli(t, "serve", "--listen", "127.0.0.1:0")
	require.Contains(t, stderr, `--store is "nonsense"`)
	t.Setenv("XXLWHEEL_FOR", "-1s")
	_, _, stderr = cli(t, "demo")
	require.Contains(t, stderr, "--for is -1s")
}

// TestASettingChangesNoJob checks that variables for serve do not reach the commands that change
// jobs, groups and logs.
func TestASettingChangesNoJob(t *testing.T) {
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db", "--access-token", "s3cret")
	for name, value := range map[string]string{
		"SERVER": strings.TrimSuffix(strings.Fields(serve.line("serves on"))[3], ","), "ACCESS_TOKEN": "s3cret",
		"ZONE": "Asia/Shanghai", "KEEP_LOGS": "60d", "PARAM": "of another job", "APP": "other-app", "NAME": "other", "TITLE": "other",
		"START": "true", "ALL": "true", "CRON": "* * * * * ?", "TIMEOUT": "7s", "RETRY": "7", "DUE_INDEX": "true", "STORE": "nonsense", "COUNT": "1",
	} {
		t.Setenv("XXLWHEEL_"+name, value)
	}
	require.Equal(t, "1", mustCLI(t, "job", "add", "--app", "some-app", "--name", "n", "--handler", "h", "--cron", "0 0 2 * * ?"))
	before := mustCLI(t, "job", "show", "1")
	require.Regexp(t, `(?s)CRON 0 0 2 .*param\n.*stopped`, before)
	require.Contains(t, mustCLI(t, "job", "next", "1", "-n", "1"), "T02:00:00")
	mustCLI(t, "job", "update", "1", "--author", "me")
	require.NotContains(t, mustCLI(t, "job", "next", "1", "-n", "1"), "+08:00")
	require.Contains(t, mustCLI(t, "group", "list"), "some-app  some-app")

	code, _, stderr := cli(t, "run", "clear")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "--older-than, --keep or --all must be given")
	code, _, stderr = cli(t, "migrate")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "missing flags: --store")
	require.Zero(t, serve.terminate())
}

// TestEachCommandsVariables visits the whole command line, so that a new command that does not
// serve reads no more than it may.
func TestEachCommandsVariables(t *testing.T) {
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	client := map[string]string{"server": "XXLWHEEL_SERVER", "access-token": "XXLWHEEL_ACCESS_TOKEN", "tls-ca": "XXLWHEEL_TLS_CA", "output": "XXLWHEEL_OUTPUT"}
	seen := map[string]bool{}
	var walk func(command string, node *kong.Node)
	walk = func(command string, node *kong.Node) {
		for _, flag := range node.Flags {
			var want []string
			switch command {
			case "serve", "executor", "demo":
				if flag.Name != "help" {
					want = []string{"XXLWHEEL_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))}
				}
			default:
				if name := client[flag.Name]; name != "" {
					want, seen[flag.Name] = []string{name}, true
				}
			}
			require.Equal(t, want, flag.Envs, "%s --%s", node.FullPath(), flag.Name)
		}
		for _, child := range node.Children {
			walk(command, child)
		}
	}
	require.Nil(t, parser.Model.Node.Flags[0].Envs, "--help")
	for _, child := range parser.Model.Node.Children {
		walk(child.Name, child)
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(client)), slices.Collect(maps.Keys(seen)))
}
