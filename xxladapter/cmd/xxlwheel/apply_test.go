package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/declared"
)

// TestTheExampleIsApplied applies the folder that the documents show to a server in another
// process.
func TestTheExampleIsApplied(t *testing.T) {
	serve, server := serveOn(t, t.TempDir()+"/x.db", "--access-token", "s3cret", "--operator-token", "0perator", "--read-token", "r3ader")
	as := func(token string, words ...string) []string {
		return append(words, "--server", server, "--access-token", token)
	}
	const example = "../../docs/declared"

	code, stdout, stderr := cli(t, as("0perator", "apply", "-f", example, "--dry-run")...)
	require.Equal(t, declared.ExitDiffers, code)
	require.Equal(t, "create calendar billing-days\ncreate group billing-app\ncreate job billing-app/invoices\ncreate job billing-app/archive\n4 changed, 0 unchanged\n", stdout)
	require.Equal(t, "xxlwheel: 4 calendars, groups and jobs differ, nothing was changed\n", stderr)
	require.Contains(t, mustCLI(t, as("0perator", "apply", "-f", example)...), "4 changed, 0 unchanged")
	for _, again := range [][]string{{"--dry-run"}, {"--prune"}} {
		require.Equal(t, "0 changed, 4 unchanged", mustCLI(t, as("0perator", append([]string{"apply", "-f", example}, again...)...)...))
	}
	require.Contains(t, mustCLI(t, as("0perator", "job", "show", "1")...), "Nightly invoices")

	// What is exported is as declared, from a file and from standard input.
	file := filepath.Join(t.TempDir(), "billing.yaml")
	mustCLI(t, as("0perator", "export", "--owner", "billing-team", "-f", file)...)
	require.Equal(t, "0 changed, 4 unchanged", mustCLI(t, as("0perator", "apply", "-f", file, "--dry-run")...))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), `echo "archived`, "the script from the file beside it")
	var out, notes strings.Builder
	changed := strings.Replace(string(text), "executorTimeout: 600", "executorTimeout: 700", 1)
	code = run(t.Context(), as("0perator", "apply", "-f", "-"), command.Console{Stdin: strings.NewReader(changed), Stdout: &out, Stderr: &notes})
	require.Zero(t, code, notes.String())
	require.Equal(t, "change job billing-app/invoices\n    executorTimeout: 600 -> 700\n1 changed, 3 unchanged\n", out.String())

	theirs := filepath.Join(t.TempDir(), "theirs.yaml")
	require.Contains(t, string(text), "owner: billing-team")
	require.NoError(t, os.WriteFile(theirs, []byte(strings.Replace(changed, "owner: billing-team", "owner: others", 1)), 0o600))
	code, _, stderr = cli(t, as("0perator", "apply", "-f", theirs, "--dry-run")...)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, `must not be that of a job whose owner is "billing-team"`)
	mustCLI(t, as("0perator", "apply", "-f", theirs, "--adopt")...)
	mustCLI(t, as("0perator", "apply", "-f", theirs)...)

	code, _, stderr = cli(t, as("0perator", "export", "-f", file)...)
	require.Equal(t, command.ExitFail, code, "an existing file is not replaced")
	require.Contains(t, stderr, "file exists")

	// A reader may look, and a note says what that means for keys.
	code, stdout, stderr = cli(t, as("r3ader", "export")...)
	require.Zero(t, code)
	require.Contains(t, stdout, "key: invoices")
	require.Contains(t, stderr, "you may not store keys")
	code, _, _ = cli(t, as("r3ader", "apply", "-f", example, "--dry-run")...)
	require.Equal(t, command.ExitFail, code)

	bad := filepath.Join(t.TempDir(), "bad.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("jobs:\n- appName: billing-app\n  key: bad key\n  author: a\n  executorHandler: h\n  scheduleConf: x\n  scheduleType: CRON\n"), 0o600))
	code, _, stderr = cli(t, as("0perator", "apply", "-f", bad)...)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, bad+`:3: jobs[0].key: key is "bad key"`)
	require.Contains(t, stderr, bad+":6: jobs[0].scheduleConf: ")
	for _, wrong := range []string{t.TempDir(), "jobs.txt", "/no/such/file.yaml"} {
		code, _, _ = cli(t, as("0perator", "apply", "-f", wrong)...)
		require.NotZero(t, code, wrong)
	}
	require.Zero(t, serve.terminate())
}

// TestAnExportThatFailsLeavesNoFile cuts the answer off: what has come looks like a whole file.
func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, "{}")
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "groups: []\n")
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "jobs.yaml")
	for range 2 { // the first one does not keep the second from writing
		code, _, stderr := cli(t, "export", "-f", file, "--server", server.URL)
		require.Equal(t, command.ExitFail, code)
		require.Contains(t, stderr, "which is incomplete")
	}
	require.NoFileExists(t, file)
}
