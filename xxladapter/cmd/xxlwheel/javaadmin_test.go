package main

import (
	"context"
	"log/slog"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestJavaAdminClients calls our executor with the client code of the Java admin, in three
// generations of the protocol.
func TestJavaAdminClients(t *testing.T) {
	testserver.Java(t)
	for _, tt := range []struct{ generation, release, program string }{
		{"G1", "2.4.2", "AdminG1"},
		{"G2", "3.2.0", "AdminG1"},
		{"G3", "3.3.2", "AdminG3"}, {"G3", "3.4.2", "AdminG3"},
	} {
		t.Run(tt.generation+" "+tt.release, func(t *testing.T) {
			classPath := compileJava(t, tt.release, tt.program+".java")
			e, err := executor.New(executor.Options{
				AppName: "some-app", AccessToken: "shared with Java", Listen: "127.0.0.1:0", DataDir: t.TempDir(),
				Logger: slog.New(slog.DiscardHandler),
			})
			require.NoError(t, err)
			require.NoError(t, e.Handle("note", func(_ context.Context, run *executor.Run) error {
				run.Logger.Info("hello " + run.Param)
				return nil
			}))
			held := make(chan error, 1)
			require.NoError(t, e.Handle("hold", func(ctx context.Context, _ *executor.Run) error {
				<-ctx.Done()
				held <- context.Cause(ctx)
				return ctx.Err()
			}))
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- e.Run(ctx) }()
			<-e.Ready()

			out, err := exec.Command("java", "-cp", classPath, tt.program,
				record(t, tt.release, "adminclient-to-executor", e.Address()), "shared with Java").Output()
			require.NoError(t, err)
			replies := map[string]string{}
			for line := range strings.Lines(string(out)) {
				what, reply, ok := strings.Cut(strings.TrimSpace(line), "|")
				require.True(t, ok, line)
				replies[what] = reply
			}
			for what, want := range map[string]string{
				"beat":            "200|",
				"wrong token":     "500|The access token is wrong.",
				"run":             "200|",
				"unknown handler": "500|job handler [nosuch] not found.",
				"hold":            "200|",
				"busy":            "500|job thread is running or has trigger queue.",
				"idle":            "200|",
				"discarded":       "500|block strategy effect：Discard Later",
				"kill":            "200|",
				"log":             "200|",
				"no log":          "200|",
			} {
				require.True(t, strings.HasPrefix(replies[what], want), "%s: %q, must begin with %q", what, replies[what], want)
			}
			require.Contains(t, replies["log"], "hello a <b> & 'c'")
			require.Contains(t, replies["no log"], "readLog fail, logFile not exists")
			require.Error(t, <-held, "the killed run's context has ended")
			cancel()
			require.NoError(t, <-ended)
		})
	}
}
