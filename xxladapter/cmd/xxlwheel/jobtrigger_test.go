package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAnInterruptedWaitNamesTheRun cancels the command while it waits for the start or for the end.
func TestAnInterruptedWaitNamesTheRun(t *testing.T) {
	t.Parallel()
	for state, message := range map[string]string{
		"PLANNED": "xxlwheel: interrupted; order 5 was waiting to be handed over\n",
		"STARTED": "xxlwheel: interrupted; run 7 had not ended\n",
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodPost:
				_, _ = io.WriteString(w, `{"order":5}`)
			case strings.HasSuffix(r.URL.Path, "/orders/5") && state == "STARTED":
				_, _ = io.WriteString(w, `{"state":"STARTED","logIds":[7]}`)
			default:
				_, _ = io.WriteString(w, `{"id":7,"state":"PLANNED","status":"RUNNING"}`)
				interrupt()
			}
		}))
		var stdout, stderr bytes.Buffer
		code := run(ctx, []string{"job", "--server", server.URL, "trigger", "1", "--wait"}, command.Console{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
		require.Equal(t, command.ExitFail, code)
		require.Equal(t, message, stderr.String())
		server.Close()
	}
}

// TestTheWaitLimitHoldsForAFollowedLog follows a run that writes nothing and does not end.
func TestTheWaitLimitHoldsForAFollowedLog(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, `{"order":5}`)
		case strings.HasSuffix(r.URL.Path, "/orders/5"):
			_, _ = io.WriteString(w, `{"state":"STARTED","logIds":[7,8]}`)
		case strings.HasSuffix(r.URL.Path, "/log"):
			isLong := time.Since(begun) > 10*time.Second // the test fails, and ends
			fmt.Fprintf(w, `{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":%v}`, isLong)
		default:
			_, _ = io.WriteString(w, `{"id":7,"status":"RUNNING"}`)
		}
	}))
	t.Cleanup(server.Close)
	code, _, stderr := cli(t, "job", "--server", server.URL, "trigger", "1", "--follow", "--wait-limit", "1s")
	require.Less(t, time.Since(begun), 5*time.Second)
	require.Equal(t, command.ExitWaited, code)
	require.Equal(t, "xxlwheel: run 7 has not ended\n", stderr)
}

// TestATriggerIsWaitedFor checks that the command says which run it started and how it ended, and
// that its exit code says whether it succeeded.
func TestATriggerIsWaitedFor(t *testing.T) {
	t.Parallel()
	file, listen := t.TempDir()+"/x.db", "127.0.0.1:"+testserver.FreePort(t)
	serve := func() *process {
		p := start(t, "xxlwheel", "serve", "--listen", listen, "--store", "sqlite:"+file)
		p.line("serves on")
		return p
	}
	scheduler, server := serve(), "http://"+listen
	try := func(words string, more ...string) (int, string, string) {
		return cli(t, slices.Concat(strings.Fields(words), more, []string{"--server", server})...)
	}
	run := func(words string, more ...string) string {
		return mustCLI(t, slices.Concat(strings.Fields(words), more, []string{"--server", server})...)
	}
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	run("job add --app some-app --name good --handler demoJobHandler")
	run("job add --app some-app --name bad --handler failJobHandler --param", "as\x1b asked")
	run("job add --app some-app --name slow --handler sleepJobHandler --param 1h")
	run("job add --app some-app --name refused --handler nope")
	run("job add --app some-app --name shards --handler shardingJobHandler --route SHARDING_BROADCAST")
	testserver.Eventually(t, 20*time.Second, "the executor is known", func() bool {
		return strings.Contains(run("group list"), "http://")
	})

	require.Equal(t, "1", run("job trigger 1"), "the id of the run")
	var order struct {
		State  string
		LogIDs []int64
	}
	require.NoError(t, json.Unmarshal([]byte(run("job trigger 1 -o json")), &order))
	require.Equal(t, "STARTED", order.State)
	require.Equal(t, []int64{2}, order.LogIDs)
	require.Regexp(t, `^RUN +STATUS +MESSAGE\n3 +SUCCESS$`, run("job trigger 1 --wait"))
	require.Equal(t, "4", run("job trigger 1 --wait --quiet"))
	out := run("job trigger 1 --follow --param", "followed")
	require.Regexp(t, `(?s)hello from xxlwheel.*followed.*\n5 +SUCCESS$`, out)

	code, stdout, stderr := try("job trigger 2 --wait")
	require.Equal(t, command.ExitRunFailed, code)
	require.Regexp(t, `\n6 +FAIL +as\\x1b asked\n$`, stdout)
	require.Equal(t, "xxlwheel: 1 of 1 runs failed\n", stderr)
	code, stdout, _ = try("job trigger 2 --wait -o json")
	require.Equal(t, command.ExitRunFailed, code)
	require.Contains(t, stdout, `"status":"FAIL"`)
	for _, words := range []string{"job trigger 4 --wait", "job trigger 4 --follow"} {
		code, stdout, _ = try(words)
		require.Equal(t, command.ExitRunFailed, code)
		require.Contains(t, stdout, "job handler [nope] not found.")
	}
	code, _, stderr = try("job trigger 3 --wait --wait-limit 3s")
	require.Equal(t, command.ExitWaited, code)
	require.Regexp(t, `^xxlwheel: run \d+ has not ended\n$`, stderr)
	require.Regexp(t, `\d+ +SUCCESS$`, run("job trigger 5 --wait"))

	again := run("run rerun 1")
	var repeated struct{ History struct{ ParentLogID int64 } }
	require.NoError(t, json.Unmarshal([]byte(run("run show "+again+" -o json")), &repeated))
	require.Equal(t, int64(1), repeated.History.ParentLogID, "the run that it repeats")

	require.Equal(t, `{"total":5}`, run("job bulk trigger --all --dry-run"))
	require.Equal(t, "2 jobs, 0 failed", run("job bulk stop 1 2 --yes"))
	code, stdout, stderr = try("job bulk start --name good")
	require.Equal(t, command.ExitFail, code)
	require.Regexp(t, `^job 1: scheduleType is NONE.*\nxxlwheel: 1 of 1 jobs failed\n$`, stderr)
	require.Equal(t, "1 jobs, 1 failed\n", stdout)
	require.Equal(t, "5 jobs, 0 failed", run("job bulk change --type none --yes --set author=Li --set executorTimeout=90 --set", `tags=["nightly"]`))
	require.Regexp(t, `(?m)^author +Li$`, run("job show 1"))
	require.Empty(t, run(`job bulk change 1 2 --yes -q --set author="12"`))
	require.Equal(t, "2", run("job list --author 12 --total"))
	require.Equal(t, `{"count":2,"more":false}`, run("job list --author 12 --total -o json"))
	require.Regexp(t, `^[1-9]\d*$`, run("run list --total --status success"))
	code, _, stderr = try("job bulk change 1 --yes --set nosuch=1")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "nosuch")
	for _, words := range []string{
		"job bulk stop", "job bulk stop 1 --all", "job bulk remove 1", "job bulk explode 1", "job bulk change 1 --yes", "job bulk stop 1 --yes --set author=Li",
	} {
		code, _, _ = try(words)
		require.Equal(t, command.ExitUsage, code, words)
	}

	first := run("job trigger 1 --key deploy-7")
	code, stdout, stderr = try("job trigger 1 --key deploy-7")
	require.Zero(t, code)
	require.Equal(t, first+"\n", stdout)
	require.Contains(t, stderr, "already started order")
	for _, words := range []string{"job trigger 1 --key=", "run rerun 1 --key="} { // an empty key is not the same as none
		code, _, stderr = try(words)
		require.Equal(t, command.ExitFail, code, words)
		require.Contains(t, stderr, "Idempotency-Key has 0 bytes, must have 1 to 128", words)
	}

	// The scheduler is restarted during the wait.
	ended := make(chan string, 1)
	long := run("job copy 3 --name short --param 3s")
	go func() {
		_, stdout, stderr := try("job trigger " + long + " --wait")
		ended <- stdout + stderr
	}()
	testserver.Eventually(t, 20*time.Second, "it runs", func() bool {
		return strings.Contains(run("run list --job "+long), "RUNNING")
	})
	require.Zero(t, scheduler.terminate())
	scheduler = serve()
	require.Regexp(t, ` +SUCCESS\n$`, <-ended)
	run("run kill", strings.Fields(run("run list --job 3 -q"))[0])
	require.Zero(t, theirs.terminate())
	require.Zero(t, scheduler.terminate())
}
