package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
)

// call makes a management call and returns the answer.
func (r *running) call(token, method, path, body string) string {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, http.StatusOK, resp.StatusCode, "%s %s: %s", method, path, answer)
	return string(answer)
}

// An executor that has run a script runs the new version after a change, and the first one after it
// is restored.
func TestExecutorsReloadAChangedSource(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	const token = "a token of executors"
	r := runNode(t, Options{AccessToken: token})
	e, err := executor.New(executor.Options{
		Admins: []string{r.url}, AppName: "scripts-app", AccessToken: token, Scripts: true, Listen: "127.0.0.1:0",
		DataDir: t.TempDir(), NoSync: true, StopGrace: -1, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	<-e.Ready()
	job := r.job(r.group("scripts-app", e.Address()), func(j *xxladapter.Job) {
		j.GlueType, j.GlueSource, j.Handler = xxladapter.GlueShell, "echo this is one", ""
	})
	path := fmt.Sprintf("/api/v1/jobs/%d", job)
	runs := 0
	run := func() (text string) {
		r.call(token, "POST", path+"/trigger", "")
		runs++
		within(t, "the result of the run", func() bool {
			logs, err := r.store.Logs(t.Context(), xxladapter.LogFilter{JobID: job})
			return err == nil && len(logs) == runs && logs[runs-1].HandleCode == xxladapter.ResultOK
		})
		return r.call(token, "GET", fmt.Sprintf("/api/v1/runs/%d/log", runs), "")
	}
	require.Contains(t, run(), "this is one")
	r.call(token, "PUT", path, `{"glueSource":"echo this is two","glueRemark":"second"}`)
	require.Contains(t, run(), "this is two")
	versions, err := r.store.GlueVersions(t.Context(), job)
	require.NoError(t, err)
	require.Len(t, versions, 2)
	r.call(token, "POST", fmt.Sprintf("%s/glue/%d/restore", path, versions[1].ID), "")
	require.Contains(t, run(), "this is one")
}
