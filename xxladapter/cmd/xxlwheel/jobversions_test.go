package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestVersionCommands(t *testing.T) {
	server := apiServer(t, admin.Options{Store: memstore.New(time.Now)})
	job := func(args ...string) []string { return append([]string{"job", "--server", server.URL}, args...) }
	must := func(args ...string) string { return mustCLI(t, job(args...)...) }
	fails := func(code int, line string, args ...string) {
		t.Helper()
		got, _, stderr := cli(t, job(args...)...)
		require.Equal(t, code, got, stderr)
		require.Contains(t, stderr, line)
	}
	script := filepath.Join(t.TempDir(), "script.sh")
	write := func(text string) { require.NoError(t, os.WriteFile(script, []byte(text), 0o600)) }
	write("echo one\n")
	id := must("add", "--name=n", "--app=some-app", "--glue-type=GLUE_SHELL", "--glue-file="+script, "--cron=0 0 2 * * ?")
	must("update", id, "--cron=0 30 2 * * ?", "--author=later")

	lines := strings.Split(must("versions", id), "\n")
	require.Regexp(t, `^VERSION +TIME +WHO +FROM +CALL +CHANGES$`, lines[0])
	require.Regexp(t, `^2 +\S+ +open +127\.0\.0\.1 +PUT /api/v1/jobs/\{id\} +author: "xxlwheel" -> "later"$`, lines[1])
	require.Regexp(t, `^ +scheduleConf: "0 0 2 \* \* \?" -> "0 30 2 \* \* \?"$`, lines[2])
	require.Equal(t, "2", must("-q", "versions", id, "-n", "1"))
	diff := "FIELD         BEFORE         AFTER\nauthor        \"xxlwheel\"     \"later\"\nscheduleConf  \"0 0 2 * * ?\"  \"0 30 2 * * ?\""
	require.Equal(t, diff, must("diff", id, "2"))
	require.Equal(t, diff, must("diff", id, "2", "1"))
	require.Contains(t, must("-o", "json", "diff", id, "1", "2"), `"changes":[{"field":"author","before":"later","after":"xxlwheel"}`)
	must("restore", id, "1")
	require.Equal(t, "FIELD  BEFORE  AFTER", must("diff", id, "3", "1"))
	fails(command.ExitFail, "job 1 has no version 7", "diff", id, "7")
	fails(command.ExitFail, "job 1 has no version 7", "restore", id, "7")
	fails(command.ExitUsage, "-n is -1", "versions", id, "--count=-1")

	updated := func() string {
		var shown struct{ UpdateTime string }
		require.NoError(t, json.Unmarshal([]byte(must("show", id, "-o", "json")), &shown))
		return shown.UpdateTime
	}
	read := updated()
	must("update", id, "--author=first", "--if-updated", read)
	fails(command.ExitFail, "job 1 was changed meanwhile, must have the updateTime "+read+" to be changed by this call; these fields differ: name, author",
		"update", id, "--name=second", "--if-updated", read)
	fails(command.ExitUsage, `--if-updated is "noon"`, "update", id, "--name=second", "--if-updated", "noon")
	fails(command.ExitUsage, "no field of job 1 is given", "update", id, "--if-updated", read)
	must("update", id, "--name=second", "--if-updated", updated())

	write("echo two\n")
	at := must("glue", "save", id, "--file", script, "--remark", "second")
	_, err := time.Parse(time.RFC3339, at)
	require.NoError(t, err)
	write("echo three\n")
	require.Contains(t, must("-o", "json", "glue", "save", id, "--file", script, "--remark", "third", "--if-updated", at), `{"glueUpdated":`)
	require.Equal(t, "echo three", must("glue", "show", id))
	fails(command.ExitFail, "source of job 1 was changed meanwhile", "glue", "save", id, "--file", script, "--remark", "fourth", "--if-updated", at)
	fails(command.ExitFail, "glueRemark has 3 characters", "glue", "save", id, "--file", script, "--remark", "abc")
	fails(command.ExitUsage, "--if-updated is \"noon\"", "glue", "save", id, "--file", script, "--remark", "fourth", "--if-updated", "noon")
	fails(command.ExitFail, "no such file", "glue", "save", id, "--file", script+"x", "--remark", "fourth")
}

func TestAGroupIsUpdatedOnlyAsItWasRead(t *testing.T) {
	_, run := newAPI(t)
	must := func(args ...string) string {
		code, stdout, stderr := run(args...)
		require.Zero(t, code, "%s: %s", args, stderr)
		return strings.TrimSpace(stdout)
	}
	fails := func(code int, line string, args ...string) {
		t.Helper()
		got, _, stderr := run(args...)
		require.Equal(t, code, got, stderr)
		require.Contains(t, stderr, line)
	}
	must("group", "add", "if-app", "--title=before")
	id := strings.Split(must("group", "list", "-q"), "\n")[0]
	read := filepath.Join(t.TempDir(), "group.json")
	require.NoError(t, os.WriteFile(read, []byte(must("group", "list", "-o", "json")), 0o600))
	must("group", "update", id, "--title=first", "--if-unchanged", read)
	fails(command.ExitFail, "group 1 was changed meanwhile, must be as in ifUnchanged to be changed by this call; these fields differ: title\n",
		"group", "update", id, "--title=second", "--if-unchanged", read)
	require.NoError(t, os.WriteFile(read, []byte("[]"), 0o600))
	fails(command.ExitFail, "must be a group as group show -o json prints it", "group", "update", id, "--title=x", "--if-unchanged", read)
	fails(command.ExitFail, "no such file", "group", "update", id, "--title=x", "--if-unchanged", read+"x")
	fails(command.ExitUsage, "no field of group 1 is given", "group", "update", id, "--if-unchanged", read)
}
