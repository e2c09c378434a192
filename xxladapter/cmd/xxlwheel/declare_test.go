package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
)

// lines is a writer that passes on what is written, line by line.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestAServiceDeclaresItsJob starts a service three times at a real scheduler: the first start
// creates the job, which then runs, the second one changes it, and the third one keeps an edit that
// was made by hand.
func TestAServiceDeclaresItsJob(t *testing.T) {
	t.Parallel()
	serve, server := serveOn(t, filepath.Join(t.TempDir(), "x.db"), "--access-token", "of-all", "--allow-declare")
	operate := func(words ...string) string {
		return mustCLI(t, append(words, "--server", server, "--access-token", "of-all")...)
	}
	operate("group", "add", "orders", "--group-token", "of-orders")
	ran, told := make(chan string, 100), make(chan string, 1000)
	service := func(job executor.Job) (stop func()) {
		e, err := executor.New(executor.Options{
			Admins: []string{server}, AppName: "orders", AccessToken: "of-orders", Listen: "127.0.0.1:0", DataDir: t.TempDir(),
			Logger: slog.New(slog.NewTextHandler(lines(told), nil)),
		})
		require.NoError(t, err)
		require.NoError(t, e.Handle("close", func(_ context.Context, run *executor.Run) error {
			ran <- run.Param
			return nil
		}))
		require.NoError(t, e.Declare(job))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		return func() {
			cancel()
			require.NoError(t, <-ended)
		}
	}
	shown := func() (job struct {
		Name, ExecutorParam, Author string
		Running                     bool
	}) {
		require.NoError(t, json.Unmarshal([]byte(operate("job", "show", "1", "-o", "json")), &job))
		return job
	}
	job := executor.Job{Key: "close", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?", Param: "first", Running: true}
	stop := service(job)
	require.Equal(t, "first", <-ran)
	stop()
	require.Equal(t, "orders", shown().Author)

	job.Param = "second"
	stop = service(job)
	for <-ran != "second" {
	}
	stop()
	require.Contains(t, operate("audit", "list"), "executor")

	operate("job", "update", "1", "--param", "by hand")
	job.Param = "third"
	stop = service(job)
	for <-ran != "by hand" {
	}
	for !strings.Contains(<-told, "declared job stays as it is") {
	}
	require.Equal(t, "by hand", shown().ExecutorParam)
	stop()
	require.Zero(t, serve.terminate())
}
