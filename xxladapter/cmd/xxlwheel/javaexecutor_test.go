package main

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestJavaExecutors runs jobs on the Java library of three generations of the protocol: the
// executors that people already have. It needs a JDK, Maven and a repository to fetch from, and
// runs only on request.
func TestJavaExecutors(t *testing.T) {
	testserver.Java(t)
	t.Parallel()
	const token = "shared with Java"
	_, server := serveOn(t, t.TempDir()+"/x.db", "--access-token", token)
	for _, tt := range []struct{ generation, release string }{
		{"G1", "2.3.0"}, {"G1", "2.3.1"}, {"G1", "2.4.2"},
		{"G2", "3.2.0"},
		{"G3", "3.3.2"}, {"G3", "3.4.2"},
	} {
		t.Run(tt.generation+" "+tt.release, func(t *testing.T) {
			s := executorSite{t, client.API{Server: server, Token: token}, token, "java-" + tt.release}
			defer s.startExecutor(tt.release)()
			s.checkRuns()
			s.checkLog()
			s.checkKill()
		})
	}
}

// unpublished are releases that not every repository of artefacts has. Their tests run where the
// library can be fetched, or somebody has built it from XXL-JOB's sources and installed it.
var unpublished = []string{"3.4.2"}

// compileJava fetches a release of the library, compiles a source of testdata against it and
// returns the class path. A library that cannot be fetched is [testserver.Missing], unless it is
// unpublished.
func compileJava(t *testing.T, release, source string) (classPath string) {
	t.Helper()
	dir := t.TempDir()
	lib := filepath.Join(dir, "lib")
	fetch := exec.Command("mvn", "-q", "-B", "-f", "testdata/java/pom.xml", "-Dcore="+release,
		"dependency:copy-dependencies", "-DoutputDirectory="+lib, "-DincludeScope=runtime")
	if out, err := fetch.CombinedOutput(); err != nil {
		if slices.Contains(unpublished, release) {
			t.Skipf("xxl-job-core %s is neither published nor installed here", release)
		}
		testserver.Missing(t, fmt.Sprintf("xxl-job-core %s cannot be fetched: %v\n%s", release, err, out))
	}
	classPath = dir + string(filepath.ListSeparator) + filepath.Join(lib, "*")
	out, err := exec.Command("javac", "-cp", classPath, "-d", dir, filepath.Join("testdata", "java", source)).CombinedOutput()
	require.NoError(t, err, string(out))
	return classPath
}

// startExecutor builds and starts the sample, and returns a function that stops it.
func (s executorSite) startExecutor(release string) (stop func()) {
	s.t.Helper()
	classPath := compileJava(s.t, release, "Sample.java")

	// Each group is created with its first job, before the executor registers.
	s.job("add", "--name", "group", "--app", s.app, "--handler", "greet")
	output := new(testserver.Output)
	port := testserver.FreePort(s.t)
	java := exec.Command("java", "-cp", classPath, "Sample",
		record(s.t, release, "executor-to-scheduler", s.api.Server)+"/xxl-job-admin", s.token, s.app, port, s.t.TempDir(),
		record(s.t, release, "scheduler-to-executor", "http://127.0.0.1:"+port)+"/")
	java.Stdout, java.Stderr = output, output
	stdin, err := java.StdinPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, java.Start())
	testserver.Eventually(s.t, 60*time.Second, "it registers", func() bool { return len(s.addresses()) == 1 })
	return func() {
		_, err := io.WriteString(stdin, "\n")
		require.NoError(s.t, err)
		require.NoError(s.t, java.Wait(), output.String())
		require.Empty(s.t, s.addresses(), "it deregisters at its end")
	}
}

// checkLog reads a run's log from the executor, which finds the file by the day and the id in the
// log row.
func (s executorSite) checkLog() {
	s.t.Helper()
	id := s.job("add", "--name", "logged", "--app", s.app, "--handler", "greet", "--param", "there")
	s.job("trigger", id)
	l := s.ended(id, 1)[0]
	client, err := trigger.NewClient(trigger.ClientOptions{AccessToken: s.token})
	require.NoError(s.t, err)
	defer client.Close()
	addr := s.addresses()[0]
	require.NoError(s.t, client.Beat(s.t.Context(), addr))
	result, err := client.Log(s.t.Context(), addr, s.app, wire.LogRequest{
		LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: 1,
	})
	require.NoError(s.t, err)
	require.Contains(s.t, result.Content, "hello there")

	result, err = client.Log(s.t.Context(), addr, s.app, wire.LogRequest{LogID: 999_999, LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: 1})
	require.NoError(s.t, err)
	require.True(s.t, result.End)
	require.Contains(s.t, result.Content, wire.MsgNoLogFile, "the answer by which a run that never began is known")
}

func (s executorSite) checkKill() {
	s.t.Helper()
	id := s.job("add", "--name", "long", "--app", s.app, "--handler", "sleep")
	s.job("trigger", id)
	client, err := trigger.NewClient(trigger.ClientOptions{AccessToken: s.token})
	require.NoError(s.t, err)
	defer client.Close()
	addr := s.addresses()[0]
	var jobID int64
	_, err = fmt.Sscan(id, &jobID)
	require.NoError(s.t, err)
	testserver.Eventually(s.t, 15*time.Second, "the job runs", func() bool {
		err := client.IdleBeat(s.t.Context(), addr, jobID)
		return err != nil && strings.Contains(err.Error(), wire.MsgBusy)
	})
	require.NoError(s.t, client.Kill(s.t.Context(), addr, s.app, jobID))
	l := s.ended(id, 1)[0]
	require.Equal(s.t, 500, l.HandleCode)
	require.Contains(s.t, l.HandleMsg, wire.MsgKilledByAdmin)
}
