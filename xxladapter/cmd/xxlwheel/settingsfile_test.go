package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "xxlwheel.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// parsed returns what a command line means.
func parsed(t *testing.T, args ...string) *commands {
	t.Helper()
	cli := new(commands)
	parser, err := newParser(cli)
	require.NoError(t, err)
	_, err = parser.Parse(args)
	require.NoError(t, err)
	return cli
}

// TestSettingsComeFromAFile checks which of command line, environment and file wins.
func TestSettingsComeFromAFile(t *testing.T) {
	token := settingsFile(t, "of-a-file\n")
	file := settingsFile(t, `
defaults: &zone Asia/Shanghai
`)
	code, _, stderr := cli(t, "serve", "--config", file)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, `xxlwheel.yaml:2: "defaults" is not a section, must be one of serve, executor, demo`)

	file = settingsFile(t, `
serve:
  listen: 127.0.0.1:1
  zone: &zone Asia/Shanghai
  access-token: "@`+token+`"
  operator-token: [one, two]
  read-token: three
  fast-pool: 7
  drain: 3s
  keep-logs: 60d
  hsts: true
executor:
  listen: 127.0.0.1:2
  admin:
    - http://127.0.0.1:1
    - http://127.0.0.1:3
demo:
`)
	c := parsed(t, "serve", "--config", file).Serve
	require.Equal(t, "127.0.0.1:1", c.Listen)
	require.Equal(t, "Asia/Shanghai", c.Zone)
	require.Equal(t, flags.Secret("of-a-file"), c.AccessToken)
	require.Equal(t, []flags.Secret{"one", "two"}, c.OperatorToken)
	require.Equal(t, []flags.Secret{"three"}, c.ReadToken)
	require.Equal(t, 7, c.Limits.FastPool)
	require.Equal(t, 100, c.Limits.SlowPool, "the default")
	require.True(t, c.HSTS)
	e := parsed(t, "executor", "--config", file).Executor
	require.Equal(t, "127.0.0.1:2", e.Listen)
	require.Equal(t, []string{"http://127.0.0.1:1", "http://127.0.0.1:3"}, e.Admin)
	require.Equal(t, "error", parsed(t, "demo", "--config", file).Demo.LogLevel)

	t.Setenv("XXLWHEEL_FAST_POOL", "8")
	t.Setenv("XXLWHEEL_SLOW_POOL", "9")
	t.Setenv("XXLWHEEL_CONFIG", file)
	c = parsed(t, "serve", "--fast-pool", "10", "--operator-token", "alone").Serve
	require.Equal(t, 10, c.Limits.FastPool, "the command line wins over the environment")
	require.Equal(t, []flags.Secret{"alone"}, c.OperatorToken, "the command line wins over the file")
	require.Equal(t, 9, c.Limits.SlowPool)
	require.Equal(t, "127.0.0.1:1", c.Listen, "the environment names the file")
	require.Equal(t, 8, parsed(t, "serve").Serve.Limits.FastPool, "the environment wins over the file")
}

// TestWrongSettingsAreRefused checks that each error names the setting and the rule, and what is
// wrong with the file itself by its line.
func TestWrongSettingsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"serve:\n  listn: x\n":                     "xxlwheel.yaml:2: serve.listn is not a setting of serve",
		"serve:\n  help: true\n":                   "xxlwheel.yaml:2: serve.help is not a setting of serve",
		"serve:\n  config: x\n":                    "xxlwheel.yaml:2: serve.config is not a setting of serve",
		"job:\n  zone: x\n":                        `xxlwheel.yaml:1: "job" is not a section`,
		"serve:\n  zone: UTC\n  zone: UTC\n":       `"zone" is given twice in serve`,
		"serve: {}\nserve: {}\n":                   `"serve" is given twice in the document`,
		"serve:\n  zone:\n":                        "xxlwheel.yaml:2: serve.zone has no value",
		"serve:\n  zone: [UTC]\n":                  "serve.zone is a list or a mapping, must be a single value",
		"serve:\n  read-token: {a: b}\n":           "serve.read-token is a mapping, must be a list or a single value",
		"serve:\n  read-token: [a, [b]]\n":         "serve.read-token has an item in line 2 that is not a text or number",
		"serve:\n  fast-pool: many\n":              "xxlwheel.yaml:2: serve.fast-pool is refused:",
		"executor:\n  listn: x\n":                  "xxlwheel.yaml:2: executor.listn is not a setting of executor",
		"executor:\n  listen: x\nserve: 5\n":       "xxlwheel.yaml:3: serve is not a mapping",
		"serve:\n  keep-logs: sometimes\n":         "xxlwheel.yaml:2: serve.keep-logs is refused:",
		"serve:\n  access-token: '@/no/such'\n":    `serve.access-token is refused: file "/no/such" cannot be read`,
		"[]":                                       "xxlwheel.yaml:1: the document is not a mapping",
		"serve: {}\n---\nserve: {}\n":              "a second document begins",
		"serve:\n  zone: 'UTC\n":                   "xxlwheel.yaml: not YAML:",
		"serve:\n  log-level: loud\n":              "log-level",
		"serve:\n  slow-pool: 0\n":                 "--slow-pool is 0, must be 1 to 10000",
		"serve:\n  listen: 0.0.0.0:0\n":            "0.0.0.0:0",
		"serve:\n  listen: localhost\n":            `--listen is "localhost", must be host:port`,
		"executor:\n  listen: localhost\n":         `--listen is "localhost", must be host:port`,
		"serve:\n  zone: Mars\n":                   `--zone is "Mars"`,
		"serve:\n  store: x.db\n":                  `--store is "x.db", must be sqlite:FILE or`,
		"serve:\n  store: sqlite:x?journal=no\n":   "its journal must be on, off or lost",
		"serve:\n  store: 'sqlite::memory:'\n":     `--store is ":memory:", must be a file`,
		"serve:\n  store: mysql://u:p@h\n":         "must name a database",
		"serve:\n  store: mysql://h/d?zone=Mars\n": `--store's zone is "Mars"`,
		"serve:\n  store: 'postgres://u:%r@h/d'\n": "must be postgres://USER:PASSWORD@HOST:PORT/DATABASE",
		"executor:\n  tls-cert: /no/such/cert\n":   "--tls-cert",
		"executor:\n  app: x\n":                    `executor: --app is "x", must have 4 to 64 characters`,
		"demo:\n  for: -5s\n":                      "demo: --for is -5s, must be more than 0",
		"serve:\n  cron-profile: sundial\n":        "serve.cron-profile is refused:",
		"serve:\n  alarm-webhook: '@/no/such'\n":   "/no/such",
		"serve:\n  allow-address: [10.0.0.0/99]\n": "--allow-address",
	} {
		code, stdout, stderr := cli(t, "config", "check", settingsFile(t, text))
		require.Equal(t, command.ExitUsage, code, text)
		require.Contains(t, stderr, want, text)
		if strings.HasPrefix(want, "xxlwheel.yaml:") {
			require.Regexp(t, `^xxlwheel: \S*xxlwheel\.yaml:`, stderr, "no section that has no fault")
		}
		require.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
		require.Empty(t, stdout)
	}
	code, _, stderr := cli(t, "serve", "--config", "/no/such")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, `--config: file "/no/such" cannot be read`)
	for _, text := range []string{"", "# nothing yet\n", "serve:\n", "serve: {zone: UTC}"} {
		require.Regexp(t, "xxlwheel.yaml is valid$", mustCLI(t, "config", "check", settingsFile(t, text)), text)
	}
}

// TestTheExampleHasEverySetting switches each default of the example on: it has to be what the
// command has without a file.
func TestTheExampleHasEverySetting(t *testing.T) {
	example := mustCLI(t, "config", "example")
	mustCLI(t, "config", "check", settingsFile(t, example))
	line := regexp.MustCompile(`(?m)^  # ([a-z-]+): (.*)$`)
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	found := map[string]string{}
	for _, section := range strings.Split(example, "\n\n")[1:] {
		name, _, _ := strings.Cut(section, ":")
		for _, m := range line.FindAllStringSubmatch(section, -1) {
			found[name+" "+m[1]] = m[2]
		}
	}
	var text strings.Builder
	for _, command := range parser.Model.Children {
		if command.Name != "serve" && command.Name != "executor" && command.Name != "demo" {
			continue
		}
		text.WriteString(command.Name + ":\n")
		for _, flag := range command.Flags {
			if flag.Name == "help" || flag.Name == "config" {
				continue
			}
			value, ok := found[command.Name+" "+flag.Name]
			require.True(t, ok, "%s.%s", command.Name, flag.Name)
			if flag.HasDefault || flag.IsBool() {
				text.WriteString("  " + flag.Name + ": " + value + "\n")
			}
		}
	}
	file := settingsFile(t, text.String())
	for _, command := range []string{"serve", "executor", "demo"} {
		with, without := parsed(t, command, "--config", file), parsed(t, command)
		with.Serve.Config, with.Executor.Config, with.Demo.Config = "", "", ""
		require.Equal(t, without, with)
	}
}
