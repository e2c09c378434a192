package executor

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const scriptEnv = "XXLWHEEL_TEST_EXECUTOR_SCRIPT"

// TestScriptDiesWithTheExecutor checks that a script does not continue after its executor was
// killed, since its run is reported as unfinished.
func TestScriptDiesWithTheExecutor(t *testing.T) {
	if dir := os.Getenv(scriptEnv); dir != "" {
		scriptChild(dir)
		return
	}
	needs(t, "bash")
	dir := t.TempDir()
	child := startChild(t, "^TestScriptDiesWithTheExecutor$", scriptEnv+"="+dir)
	pidFile := filepath.Join(dir, "pid")
	run := scriptRun(1, 1, "GLUE_SHELL", `echo $$ > "$1"; for i in {1..200}; do sleep 0.1; done`)
	run.Params = pidFile
	client := &http.Client{Transport: withToken{http.DefaultTransport}}
	reply, err := sendRun(client, child.addr, run)
	require.NoError(t, err)
	require.Equal(t, wire.OK(), reply)
	client.CloseIdleConnections()
	http.DefaultClient.CloseIdleConnections()
	pid := 0
	testserver.Eventually(t, endsWithin, "script", func() bool {
		data, _ := os.ReadFile(pidFile)
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	require.NoError(t, syscall.Kill(pid, 0))
	child.kill()
	testserver.Eventually(t, endsWithin, "the script's end", func() bool {
		return syscall.Kill(pid, 0) != nil || isZombie(pid)
	})
}

type withToken struct{ http.RoundTripper }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(wire.HeaderToken, "secret")
	return w.RoundTripper.RoundTrip(r)
}

func scriptChild(dir string) {
	e, err := New(Options{
		Listen: "127.0.0.1:0", AccessToken: "secret", Scripts: true,
		DataDir: filepath.Join(dir, "data"), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // stops the executor when the parent ends
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	go func() {
		<-e.Ready()
		fmt.Println("serving", e.Address())
	}()
	if err := e.Run(ctx); err != nil {
		panic(err)
	}
}
