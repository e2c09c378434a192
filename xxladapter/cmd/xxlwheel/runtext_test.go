package main

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestWhatARunWroteOutlivesItsExecutor kills the executor, and then also restarts the scheduler.
func TestWhatARunWroteOutlivesItsExecutor(t *testing.T) {
	t.Parallel()
	file, listen := t.TempDir()+"/x.db", "127.0.0.1:"+testserver.FreePort(t)
	server := "http://" + listen
	serve := func() *process {
		p := start(t, "xxlwheel", "serve", "--listen", listen, "--store", "sqlite:"+file)
		p.line("serves on")
		return p
	}
	scheduler := serve()
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	job := func(args ...string) string {
		return mustCLI(t, append([]string{"job", "--server", server}, args...)...)
	}
	failing := job("add", "--name=failing", "--app=some-app", "--handler=failJobHandler", "--param=as asked")
	good := job("add", "--name=good", "--app=some-app", "--handler=demoJobHandler")
	logOf := func(id, codes string) (log string) {
		testserver.Eventually(t, 20*time.Second, "job "+id+" has a run with the codes "+codes, func() bool {
			if row := regexp.MustCompile(`(?m)^(\d+) .* ` + codes).FindStringSubmatch(job("show", id)); row != nil {
				log = row[1]
				return true
			}
			job("trigger", id) // until the executor is known
			return false
		})
		return log
	}
	failed, ended := logOf(failing, "200 +500"), logOf(good, "200 +200")
	text := func(id string) (int, string, string) { return cli(t, "run", "--server", server, "log", id) }
	_, want, _ := text(failed)
	require.Contains(t, want, "as asked")
	testserver.Eventually(t, 20*time.Second, "the text of the failed run is stored", func() bool {
		var form struct {
			Stored     bool   `json:"stored"`
			LogContent string `json:"logContent"`
		}
		api := client.API{Server: server}
		require.NoError(t, api.Call(t.Context(), "GET", "/runs/"+failed+"/log", nil, &form))
		want = form.LogContent
		return form.Stored
	})
	require.Contains(t, want, "as asked")
	theirs.kill()
	for range 2 {
		code, stdout, stderr := text(failed)
		require.Zero(t, code, stderr)
		require.Equal(t, want, stdout)
		require.Empty(t, strings.TrimSpace(stderr), "nothing is missing")
		code, _, stderr = text(ended)
		require.Equal(t, command.ExitFail, code, "texts of good runs are not stored unless asked for")
		require.Contains(t, stderr, "executor ")
		require.Zero(t, scheduler.terminate())
		scheduler = serve()
	}
	require.Zero(t, scheduler.terminate())
}
