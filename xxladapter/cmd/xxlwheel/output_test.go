package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestJSONOfEveryCommand checks that each command of its table prints one object on each line for
// scripts, and nothing else.
func TestJSONOfEveryCommand(t *testing.T) {
	serve, server := serveOn(t, t.TempDir()+"/x.db")
	call := func(words string, more ...string) string {
		return mustCLI(t, slices.Concat(strings.Fields(words), more, []string{"--server", server})...)
	}
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	t.Setenv("XXLWHEEL_OUTPUT", "json")
	for _, command := range []struct {
		words  string
		fields string // of the first object
	}{
		{"job add --app some-app --name 日终 --handler demoJobHandler --fixed-rate 1s --zone Asia/Shanghai", "id"},
		{"job copy 1 --name copy", "id"},
		{"group add other-app --title 组", "id"},
		{"job list", "id name scheduleConf settings running"},
		{"job show 1", "id name runs"},
		{"job next 1", "next"},
		{"job trigger 1 --wait", "id status triggerMsg"},
		{"job misfires 1", ""},
		{"job glue list 1", ""},
		{"job glue show 1", "glueSource"},
		{"run list", "id jobId status"},
		{"run show 1", "id jobId triggerMsg handleCode"},
		{"run log 1", "logContent isEnd"},
		{"run clear --all --yes --job 2", "deleted"},
		{"group list", "id appName title"},
		{"group show 1", "id appName executors"},
		{"node list", "node term until partitions"},
		{"node moves", "at cause node term partitions"},
		{"overview", "runningJobs runsNow failed24h failing overdue noExecutor next"},
		{"forecast --hours 1", "minutes cells jobs unknownDurations"},
		{"graph", "nodes cycles"},
		{"schedule preview 30 --type fix_rate", "words times clockChanges"},
		{"stats --by job", "from to stats total"},
		{"report", "triggerDay sucCount"},
	} {
		if command.words == "job trigger 1 --wait" {
			testserver.Eventually(t, 20*time.Second, "the executor is known", func() bool {
				return strings.Contains(call("group list"), "http://")
			})
		}
		out := call(command.words)
		if command.fields == "" {
			require.Empty(t, out, command.words)
			continue
		}
		for i, line := range strings.Split(out, "\n") {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &object), "%s: %s", command.words, line)
			for field := range strings.FieldsSeq(command.fields) {
				require.Contains(t, object, field, "%s, line %d", command.words, i+1)
			}
		}
	}
	t.Setenv("XXLWHEEL_OUTPUT", "")
	require.Equal(t, "1\n2", call("job list -q"))
	require.Equal(t, "1\n2", call("group list -q"))
	require.NotContains(t, call("node list -q"), " ")
	require.Zero(t, theirs.terminate())
	require.Zero(t, serve.terminate())
}

// TestYAMLOfCommands checks lists, single values and new ids against a scheduler.
func TestYAMLOfCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.Equal(t, "---\nid: 1", d.must("group add billing -o yaml", ""))
	d.must("group add reports", "")
	require.Regexp(t, `(?s)^---\nid: 1\nappName: billing\n.*\n---\nid: 2\nappName: reports\n`, d.must("group list -o yaml", ""))
	require.Regexp(t, `(?s)^---\nid: 2\n.*executors: \[\]$`, d.must("group show 2 -o yaml", ""))
	require.Equal(t, "---\nid: 1", d.must("job add --app billing --name nightly --handler h -o yaml", ""))
	require.Regexp(t, `(?s)^---\nid: 1\n.*\nname: nightly\n`, d.must("job list -o yaml", ""))
	require.Equal(t, "---\ntotal: 1", d.must("job bulk remove --all --dry-run -o yaml", ""))
	d.must("user create root --role admin --all", "pass of root\n")
	require.Regexp(t, `^---\nid: 1\ntoken: xwt_`, d.must("token create ci --user root -o yaml", ""))
	require.Regexp(t, `^---\n`, d.must("overview -o yaml", ""))
	require.Equal(t, "1\n2", d.must("group list -q -o yaml", ""))
}
