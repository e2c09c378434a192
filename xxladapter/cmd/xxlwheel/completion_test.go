package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShellsCompleteCommandsAndFlags asks as a shell does: with the line so far in COMP_LINE.
func TestShellsCompleteCommandsAndFlags(t *testing.T) {
	for line, want := range map[string][]string{
		"xxlwheel exec":                      {"executor"},
		"xxlwheel job trig":                  {"trigger"},
		"xxlwheel serve --log-l":             {"--log-level"},
		"xxlwheel serve --log-level ":        {"debug", "info", "warn", "error"},
		"xxlwheel job list --output j":       {"json"},
		"xxlwheel config ":                   {"example", "check"},
		"xxlwheel completion f":              {"fish"},
		"xxlwheel job add --route L":         {"LAST", "LEAST_FREQUENTLY_USED", "LEAST_RECENTLY_USED"},
		"xxlwheel serve --cron-profile ":     {"quartz", "xxl34", "sane", "unix"},
		"xxlwheel serve --tls-cert chec":     {"check.go"},
		"xxlwheel schedule preview --nothin": nil,
	} {
		t.Setenv("COMP_LINE", line)
		code, stdout, stderr := cli(t)
		require.Zero(t, code)
		require.Empty(t, stderr)
		require.ElementsMatch(t, want, strings.Fields(stdout), line)
	}
}

// TestShellsAcceptTheirCode lets each shell that is installed parse what switches completion on.
func TestShellsAcceptTheirCode(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code := mustCLI(t, "completion", "--code", shell)
		require.Contains(t, code, "complete")
		if path, err := exec.LookPath(shell); err == nil {
			out, err := exec.CommandContext(t.Context(), path, "-n", "-c", code).CombinedOutput()
			require.NoError(t, err, "%s: %s", shell, out)
		}
		require.Contains(t, mustCLI(t, "completion", shell), "xxlwheel completion -c "+shell)
	}
}

// TestTheManualPageHasEveryCommand looks for each command and lets groff judge the page where it is
// installed.
func TestTheManualPageHasEveryCommand(t *testing.T) {
	page := mustCLI(t, "man")
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	for _, command := range parser.Model.Leaves(true) {
		require.Contains(t, page, command.Path())
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	check := exec.CommandContext(t.Context(), groff, "-Kutf8", "-man", "-Tutf8", "-ww", "-z")
	check.Stdin = strings.NewReader(page)
	out, err := check.CombinedOutput()
	require.NoError(t, err)
	require.Empty(t, string(out), "warnings of groff")
}
