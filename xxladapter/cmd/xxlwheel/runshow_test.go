package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestWhyARunFailed checks that all three places that show a failure give its reason, and that
// control characters in a job's parameter never reach the operator's terminal.
func TestWhyARunFailed(t *testing.T) {
	t.Parallel()
	serve, server := serveOn(t, t.TempDir()+"/x.db")
	run := func(words string, more ...string) string {
		return mustCLI(t, slices.Concat(strings.Fields(words), more, []string{"--server", server})...)
	}
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	run("job add --app some-app --name refused --handler nope --param", `<b> & "quoted"`)
	testserver.Eventually(t, 20*time.Second, "the executor is known", func() bool {
		return strings.Contains(run("group list"), "http://")
	})
	run("job trigger 1")
	testserver.Eventually(t, 20*time.Second, "the hand-over is refused", func() bool {
		return strings.Contains(run("run list"), " FAIL ")
	})
	const reason = "job handler [nope] not found."
	require.Regexp(t, ` FAIL +\Q`+reason+`\E$`, run("run list"))
	require.Regexp(t, ` 500 +0 +\Q`+reason+`\E$`, run("job show 1"))
	whole := run("run show 1")
	require.Regexp(t, `(?m)^message +\Q`+reason+`\E$`, whole)
	require.Regexp(t, `(?m)^  result：error, \Q`+reason+`\E$`, whole)
	require.Contains(t, whole, `param：<b> & "quoted"`, "no entities")
	require.NotContains(t, whole, "<br>")
	require.Regexp(t, `(?m)^late by +[\d.µm]+s$`, whole)
	require.Regexp(t, `(?m)^trigger +MANUAL$`, whole)
	require.Regexp(t, `(?m)^claimed +\S+ by \S+ in term 1$`, whole)
	require.Regexp(t, `(?m)^answered +\S+$`, whole)
	var raw struct{ TriggerMsg string }
	require.NoError(t, json.Unmarshal([]byte(run("run show 1 -o json")), &raw))
	require.Contains(t, raw.TriggerMsg, "&#34;quoted&#34;", "JSON is the API's")

	run("job add --app some-app --name rude --handler failJobHandler --param", "\x1b]0;owned\x07\x1b[2J")
	run("job trigger 2")
	testserver.Eventually(t, 20*time.Second, "it fails", func() bool {
		return strings.Contains(run("run list --job 2"), " FAIL ")
	})
	for _, words := range []string{"job show 2", "job show 2 -o json", "run list", "run list -o json", "run show 2", "run show 2 -o json", "run log 2", "run log 2 -o json", "job list"} {
		out := run(words)
		require.NotContains(t, out, "\x1b", words)
		require.NotContains(t, out, "\x07", words)
		if !strings.HasPrefix(words, "job list") {
			require.Contains(t, out, "owned", words)
		}
	}
	require.Contains(t, run("run log 2 --raw"), "owned")
	require.Equal(t, "2", run("run list --job 2 --quiet"))
	require.Len(t, strings.Split(run("run list -n 0 --app some-app"), "\n"), 3)
	require.Zero(t, theirs.terminate())
	require.Zero(t, serve.terminate())
}

// TestATextIsFollowedToItsEnd checks that run log --follow ends with the run and has printed its
// whole log.
func TestATextIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	serve, server := serveOn(t, t.TempDir()+"/x.db")
	run := func(words string) string { return mustCLI(t, append(strings.Fields(words), "--server", server)...) }
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	run("job add --app some-app --name short --handler sleepJobHandler --param 2s")
	testserver.Eventually(t, 20*time.Second, "the executor is known", func() bool {
		return strings.Contains(run("group list"), "http://")
	})
	run("job trigger 1")
	testserver.Eventually(t, 20*time.Second, "the run begins", func() bool {
		return strings.Contains(run("run list"), " RUNNING")
	})
	text := run("run log 1 --follow")
	require.Contains(t, run("run list"), " SUCCESS", "it ended with the run")
	require.Equal(t, run("run log 1"), text)

	run("job add --app some-app --name refused --handler nope")
	run("job trigger 2")
	testserver.Eventually(t, 20*time.Second, "the hand-over is refused", func() bool {
		return strings.Contains(run("run list --job 2"), " FAIL ")
	})
	code, _, stderr := cli(t, "run", "log", "2", "-f", "--server", server)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "no executor accepted the run")
	require.Zero(t, theirs.terminate())
	require.Zero(t, serve.terminate())
}
