package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// newAPI serves the API alone on a store in memory, and returns a command line for it.
func newAPI(t *testing.T) (store *memstore.Store, run func(args ...string) (code int, stdout, stderr string)) {
	t.Helper()
	store = memstore.New(time.Now)
	server := apiServer(t, admin.Options{Store: store})
	return store, func(args ...string) (int, string, string) {
		return cli(t, append(slices.Clone(args), "--server", server.URL)...)
	}
}

// TestTheWholeOfAJob creates a job with every flag, changes and resets several fields, and copies
// the job.
func TestTheWholeOfAJob(t *testing.T) {
	_, run := newAPI(t)
	must := func(args ...string) string {
		code, stdout, stderr := run(args...)
		require.Zero(t, code, "%s: %s", args, stderr)
		return strings.TrimSpace(stdout)
	}
	shown := func(id string) (job map[string]any) {
		require.NoError(t, json.Unmarshal([]byte(must("job", "show", id, "-o", "json")), &job))
		return job
	}
	script := filepath.Join(t.TempDir(), "script.sh")
	require.NoError(t, os.WriteFile(script, []byte("echo hello\necho 世界\n"), 0o600))
	for range 2 {
		must("job", "add", "--app", "some-app", "--name", "child", "--handler", "h")
	}
	flags := []string{
		"--name", "日终", "--app", "some-app", "--author", "me", "--handler", "h", "--param", "p", "--once", "2999-01-02T03:04:05Z",
		"--route", "ROUND", "--block", "COVER_EARLY", "--timeout", "90s", "--retry", "3", "--children", "1,2",
		"--glue-type", "GLUE_SHELL", "--glue-file", script, "--glue-remark", "first", "--alarm-email", "a@example.org",
		"--misfire", "ALL", "--misfire-window", "1m", "--misfire-limit", "7", "--misfire-spacing", "1500ms", "--zone", "Asia/Shanghai",
		"--ambiguous", "SKIP", "--retry-backoff", "2s", "--retry-backoff-limit", "1h", "--alarm-on", "IN_A_ROW", "--alarm-after", "4",
		"--alarm-recovered", "--keep-logs", "FAILURES", "--tag", "night,money", "--calendar", "cn",
	}
	require.Len(t, flags, 2*(fieldFlags(t)+1)-1, "every flag is here, one of which has no value")
	id := must(append([]string{"job", "add"}, flags...)...)
	settings := map[string]any{
		"zone": "Asia/Shanghai", "misfireWindowMs": 60000.0, "misfireLimit": 7.0, "misfireSpacingMs": 1500.0, "ambiguous": "SKIP",
		"retryBackoffMs": 2000.0, "retryBackoffLimitMs": 3600000.0, "alarmOn": "IN_A_ROW", "alarmAfter": 4.0, "alarmRecovered": true,
		"keepLogs": "FAILURES", "calendar": "cn",
	}
	want := map[string]any{
		"id": 3.0, "jobGroup": 1.0, "name": "日终", "author": "me", "executorHandler": "h", "executorParam": "p",
		"scheduleType": "ONCE", "scheduleConf": "2999-01-02T03:04:05Z", "executorRouteStrategy": "ROUND", "executorBlockStrategy": "COVER_EARLY",
		"executorTimeout": 90.0, "executorFailRetryCount": 3.0, "childJobIds": []any{1.0, 2.0}, "glueType": "GLUE_SHELL",
		"glueSource": "echo hello\necho 世界\n", "glueRemark": "first", "alarmEmail": "a@example.org", "misfireStrategy": "ALL",
		"settings": settings, "running": false, "runs": []any{}, "tags": []any{"money", "night"},
	}
	equal := func(want map[string]any, id string) {
		t.Helper()
		job := shown(id)
		for name := range maps.Keys(job) {
			if strings.HasSuffix(name, "Time") {
				delete(job, name)
			}
		}
		require.Equal(t, want, job)
	}
	equal(want, id)
	for _, line := range []string{
		`children +1, 2`, `alarm e-mail +a@example.org`, `glue type +GLUE_SHELL`, `glue source +23 bytes`, `zone +Asia/Shanghai`,
		`misfire window +1m0s`, `retry backoff +2s`, `alarm after +4`, `alarm recovered +true`, `keep logs +FAILURES`, `group +1 some-app`,
		`schedule +ONCE 2999-01-02T03:04:05Z`, `ambiguous +SKIP`,
	} {
		require.Regexp(t, line, must("job", "show", id))
	}

	// A change leaves the other fields as they are, including other settings.
	must("job", "update", id, "--fixed-delay", "300h", "--zone=", "--no-alarm-recovered", "--children=2", "--alarm-email=")
	delete(settings, "zone")
	delete(settings, "alarmRecovered")
	want["scheduleType"], want["scheduleConf"], want["childJobIds"], want["alarmEmail"] = "FIX_DELAY", "1080000", []any{2.0}, ""
	equal(want, id)
	must("job", "update", id, "--children=", "--timeout=0s", "--retry-backoff=0s", "--no-schedule")
	delete(settings, "retryBackoffMs")
	want["scheduleType"], want["scheduleConf"], want["childJobIds"], want["executorTimeout"] = "NONE", "", []any{}, 0.0
	equal(want, id)

	want["id"], want["name"], want["scheduleType"], want["scheduleConf"] = 4.0, "copy", "FIX_RATE", "90"
	settings["keepLogs"] = "ALL"
	require.Equal(t, "4", must("job", "copy", id, "--name", "copy", "--fixed-rate", "90s", "--keep-logs", "ALL"))
	equal(want, "4")

	plain := must("job", "show", "1")
	for _, word := range []string{"children", "alarm", "glue", "zone", "backoff"} {
		require.NotContains(t, plain, word, "what is as usual is not shown")
	}
	for wrong, says := range map[string]string{
		"--timeout 1.5s":               `--timeout: is "1.5s", must be a duration of whole seconds`,
		"--retry-backoff 1us":          `must be a duration of whole milliseconds`,
		"--children 1,x":               `has "x", must be ids of jobs`,
		"--glue-file /no/such":         `file "/no/such" cannot be read: no such file or directory`,
		"--fixed-rate 1s --cron x":     "can't be used together",
		"--fixed-rate 0s":              `period of FIX_RATE is "0", must be 0.1 to`,
		"--fixed-delay 0s":             `period of FIX_DELAY is "0", must be 0.1 to`,
		"--once 2999-01-02T03:04:05Z0": "2999-01-02T03:04:05Z0",
	} {
		code, _, stderr := run(append([]string{"job", "update", id}, strings.Fields(wrong)...)...)
		require.NotZero(t, code)
		require.Contains(t, stderr, says)
	}
}

// fieldFlags counts the flags of job add that fill a field of the API's job.
func fieldFlags(t *testing.T) (n int) {
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	for _, command := range parser.Model.Leaves(true) {
		if command.FullPath() != "xxlwheel job add" {
			continue
		}
		for _, flag := range command.Flags {
			if flag.Tag.Has("api") {
				n++
			}
		}
	}
	return n
}

// TestAScriptIsChangedFromAFile changes a script from a file and restores the old version.
func TestAScriptIsChangedFromAFile(t *testing.T) {
	_, run := newAPI(t)
	must := func(args ...string) string {
		code, stdout, stderr := run(args...)
		require.Zero(t, code, "%s: %s", args, stderr)
		return stdout
	}
	script := func(text string) string { return writeFile(t, text) }
	const first, second = "echo first\n", "echo second\n\x1b[2J"
	must("job", "add", "--app", "some-app", "--name", "n", "--glue-type", "GLUE_SHELL", "--glue-file", script(first), "--glue-remark", "as it began")
	must("job", "update", "1", "--glue-file", script(second), "--glue-remark", "as it is now")
	require.Equal(t, second, must("job", "glue", "show", "1", "--raw"))
	require.Equal(t, "echo second\n\\x1b[2J", must("job", "glue", "show", "1"))
	versions := strings.Split(must("job", "glue", "list", "1", "-q"), "\n")
	require.Len(t, versions, 3, "two, and the end of the last line")
	require.Regexp(t, `(?s)GLUE_SHELL +\S+ +as it is now\n.*as it began\n$`, must("job", "glue", "list", "1"))
	require.Equal(t, first, must("job", "glue", "show", "1", versions[1]))
	diff := fmt.Sprintf("--- version %[2]s GLUE_SHELL\n+++ version %[1]s GLUE_SHELL\n@@ -1 +1,2 @@\n-echo first\n+echo second\n+\\x1b[2J\n\\ No newline at end of file\n", versions[0], versions[1])
	require.Equal(t, diff, must("job", "glue", "diff", "1", versions[0]))
	require.Equal(t, diff, must("job", "glue", "diff", "1", versions[0], versions[1]))
	require.Contains(t, must("job", "glue", "diff", "1", versions[1], versions[0], "-o", "json"), `"diff":"--- version `+versions[0])
	require.Empty(t, must("job", "glue", "diff", "1", versions[1], versions[1]))
	for version, line := range map[string]string{"999": "job 1 has no glue version 999", versions[1]: "is the oldest one"} {
		code, _, stderr := run("job", "glue", "diff", "1", version)
		require.NotZero(t, code)
		require.Contains(t, stderr, line)
	}
	must("job", "glue", "restore", "1", versions[1])
	require.Equal(t, first, must("job", "glue", "show", "1"))
	code, _, stderr := run("job", "glue", "show", "1", "999")
	require.Equal(t, command.ExitFail, code)
	require.Equal(t, "xxlwheel: job 1 has no glue version 999\n", stderr)
}

// TestAJobThatCannotBeStartedIsNotCreated checks that a command whose --start fails leaves no job,
// however often it is repeated.
func TestAJobThatCannotBeStartedIsNotCreated(t *testing.T) {
	store, run := newAPI(t)
	add := []string{"job", "add", "--app", "some-app", "--title", "Some app", "--name", "n", "--handler", "h", "--start"}
	for range 2 {
		code, stdout, stderr := run(append(add, "--cron", "0 0 0 30 2 ?")...)
		require.Equal(t, command.ExitFail, code)
		require.Empty(t, stdout)
		require.Regexp(t, `must have a due time after \S+; no job was created\n$`, stderr)
	}
	jobs, err := store.Jobs(t.Context(), xxladapter.JobFilter{})
	require.NoError(t, err)
	require.Empty(t, jobs)
	code, stdout, stderr := run(append(add, "--cron", "0 0 0 1 * ?")...)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "\n")
	groups, err := store.Groups(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Some app", groups[0].Title)
	require.Len(t, groups, 1)
}

// TestListsOfAllPages lists more jobs than fit into one answer of the API.
func TestListsOfAllPages(t *testing.T) {
	store, run := newAPI(t)
	for i := range 2 {
		_, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: fmt.Sprintf("app-%d", i), Title: "t"})
		require.NoError(t, err)
	}
	const many = 2300
	for i := range many {
		_, err := xxladapter.CreateJob(t.Context(), store, &xxladapter.Job{
			GroupID: int64(1 + i%2), Name: fmt.Sprintf("job %d", i), Author: fmt.Sprintf("author-%d", i%10), Handler: fmt.Sprintf("handler-%d", i%3),
			ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?",
		})

		require.NoError(t, err)
	}
	require.NoError(t, storetest.StartAt(t.Context(), store, 7, time.Now()))
	lines := func(args ...string) []string {
		code, stdout, stderr := run(append([]string{"job", "list"}, args...)...)
		require.Zero(t, code, stderr)
		return strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	}
	require.Len(t, lines(), many+1)
	require.Len(t, lines("-n", "1001"), 1002)
	require.Equal(t, "2300", lines("--quiet")[many-1])
	require.Len(t, lines("--app", "app-1", "-q"), many/2)
	require.Len(t, lines("--group", "2", "-q"), many/2)
	require.Equal(t, []string{"7"}, lines("--running", "-q"))
	require.Len(t, lines("--stopped", "-q"), many-1)
	require.Equal(t, []string{"1", "31"}, lines("-q", "--author", "author-0", "--handler", "handler-0", "-n", "2"))
	require.Len(t, lines("--name", "job 229", "-q"), 11)
	names := lines("--sort", "handler", "--desc", "-q") // three pages
	require.Len(t, names, many)
	slices.Sort(names)
	require.Len(t, slices.Compact(names), many)
	for i, line := range lines("-o", "json") {
		var job struct {
			ID   int
			Name string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &job))
		require.Equal(t, i+1, job.ID)
	}
	for _, command := range []string{"job list", "export"} {
		code, stdout, stderr := run(append(strings.Fields(command), "--app", "nosuch")...)
		require.Equal(t, 1, code, command)
		require.Empty(t, stdout, command)
		require.Contains(t, stderr, `--app is "nosuch", must be the app name of a group`, command)
	}
}
