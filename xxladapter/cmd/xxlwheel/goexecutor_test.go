package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	xxl "github.com/xxl-job/xxl-job-executor-go"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func taskTest(_ context.Context, param *xxl.RunReq) string {
	return "done: " + param.ExecutorParams
}

func taskPanic(context.Context, *xxl.RunReq) string { panic("as asked") }

// TestThirdPartyExecutor lets github.com/xxl-job/xxl-job-executor-go v1.2.0 run our jobs: an
// independent implementation of the protocol.
func TestThirdPartyExecutor(t *testing.T) {
	t.Parallel()
	const token = "shared with both"
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db", "--access-token", token)
	var server string
	_, err := fmt.Sscanf(serve.line("serves on"), "xxlwheel serves on %s", &server)
	require.NoError(t, err)
	server = server[:len(server)-1] // the comma
	api := client.API{Server: server, Token: token}
	job := func(args ...string) string {
		return mustCLI(t, append([]string{"job", "--server", server, "--access-token", token}, args...)...)
	}

	good := job("add", "--name", "good", "--app", "golang-jobs", "--handler", "task.test", "--cron", "* * * * * ?", "--param", "p=1")
	bad := job("add", "--name", "bad", "--app", "golang-jobs", "--handler", "task.panic", "--cron", "* * * * * ?")
	unknown := job("add", "--name", "unknown", "--app", "golang-jobs", "--handler", "task.nosuch", "--cron", "* * * * * ?")

	// The context path is the one in that executor's own example.
	port := testserver.FreePort(t)
	theirs := start(t, "go-executor", server+"/xxl-job-admin", port, token)
	addresses := func() []string {
		var list struct {
			Groups []struct{ AddressList []string }
		}
		require.NoError(t, api.Call(t.Context(), "GET", "/groups", nil, &list))
		return list.Groups[0].AddressList
	}
	testserver.Eventually(t, 15*time.Second, "it registers", func() bool { return len(addresses()) == 1 })
	require.Equal(t, []string{"http://127.0.0.1:" + port}, addresses())

	for _, id := range []string{good, bad, unknown} {
		job("start", id)
	}
	type logRow struct {
		TriggerCode, HandleCode int
		HandleMsg, TriggerMsg   string
	}
	logs := func(id string) []logRow {
		var list struct{ Runs []json.RawMessage }
		require.NoError(t, api.Call(t.Context(), "GET", "/runs?job="+id, nil, &list))
		rows := make([]logRow, len(list.Runs))
		for i, raw := range list.Runs {
			require.NoError(t, json.Unmarshal(raw, &rows[i]))
		}
		return rows
	}
	ended := func(id string) (rows []logRow) {
		for _, l := range logs(id) {
			if l.HandleCode != 0 || l.TriggerCode == 500 {
				rows = append(rows, l)
			}
		}
		return rows
	}
	testserver.Eventually(t, 15*time.Second, "three runs of each job have ended", func() bool {
		return len(ended(good)) >= 3 && len(ended(bad)) >= 3 && len(ended(unknown)) >= 3
	})
	for _, id := range []string{good, bad, unknown} {
		job("stop", id)
	}
	for _, l := range ended(good) {
		require.Equal(t, 200, l.TriggerCode)
		require.Equal(t, 200, l.HandleCode)
		require.Contains(t, l.HandleMsg, "done: p=1")
	}
	for _, l := range ended(bad) {
		require.Equal(t, 200, l.TriggerCode)
		require.Equal(t, 500, l.HandleCode)
		require.Contains(t, l.HandleMsg, "as asked")
	}
	for _, l := range ended(unknown) {
		require.Equal(t, 500, l.TriggerCode, "it refuses with a list in place of an object")
		require.Contains(t, l.TriggerMsg, "Task not registered")
	}

	theirs.terminate()
	require.Empty(t, addresses(), "it deregisters at its end")
	require.Zero(t, serve.terminate())
}
