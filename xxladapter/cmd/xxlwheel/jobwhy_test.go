//go:build unix

package main

import (
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestWhyNamesWhatHappened lets real schedulers and executors produce what a finding says, and asks
// for it.
func TestWhyNamesWhatHappened(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/x.db"
	serve, server := serveOn(t, file, "--fast-pool", "2", "--pool-per-app", "1")
	run := func(words string) string {
		return mustCLI(t, append(strings.Fields(words), "--server", server)...)
	}
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	add := func(words string) string { return run("job add --name j " + words) }
	ok := add("--app some-app --handler demoJobHandler")
	testserver.Eventually(t, 20*time.Second, "the executor is known", func() bool {
		return strings.Contains(run("group list"), "http://")
	})

	// triggered triggers a job, waits until the run is claimed, and returns a function that asks
	// why about the time when the run was due.
	triggered := func(job string) func() string {
		run("job trigger " + job)
		var due time.Time
		testserver.Eventually(t, 20*time.Second, "the run is claimed", func() bool {
			var l struct{ History *struct{ Due time.Time } }
			text := run("run list -n 1 -o json --job " + job)
			if text == "" {
				return false
			}
			require.NoError(t, json.Unmarshal([]byte(text), &l))
			if l.History != nil {
				due = l.History.Due
			}
			return l.History != nil
		})
		return func() string {
			return run("job why " + job + " --quiet --at " + due.Format(time.RFC3339))
		}
	}
	becomes(t, "ran", triggered(ok))
	becomes(t, "failed", triggered(add("--app some-app --handler failJobHandler --param boom")))
	becomes(t, "refused", triggered(add("--app some-app --handler nope")))
	becomes(t, "no_executor", triggered(add("--app empty-app --handler demoJobHandler")))
	becomes(t, "timed_out", triggered(add("--app some-app --handler sleepJobHandler --param 1m --timeout 1s")))
	long := add("--app some-app --handler sleepJobHandler --param 1m --block DISCARD_LATER")
	becomes(t, "running", triggered(long))
	becomes(t, "refused_by_block", triggered(long))
	run("run kill " + strings.Fields(run("run list --quiet --status RUNNING -n 1 --job " + long))[0])
	becomes(t, "killed", func() string { return run("job why " + long + " --quiet --at " + firstDue(t, run, long)) })
	cover := add("--app some-app --handler sleepJobHandler --param 1m --block COVER_EARLY")
	triggered(cover)
	triggered(cover)
	becomes(t, "covered", func() string { return run("job why " + cover + " --quiet --at " + firstDue(t, run, cover)) })

	// An executor that is gone without a goodbye: nobody listens at its address.
	gone := start(t, "xxlwheel", "executor", "--admin", server, "--app", "gone-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	gone.line("accepts runs at")
	direct, over := add("--app gone-app --handler demoJobHandler"), add("--app gone-app --handler demoJobHandler --route FAILOVER")
	testserver.Eventually(t, 20*time.Second, "it is known", func() bool {
		return strings.Count(run("group list"), "http://") == 2
	})
	gone.kill()
	becomes(t, "unreachable", triggered(direct))
	becomes(t, "refused_by_route", triggered(over))

	// Schedules.
	none := run("job why " + ok + " --at 2030-01-01T02:00:00Z")
	require.Regexp(t, `(?m)^stopped  The schedule was off`, none)
	require.Regexp(t, `(?m)^no_schedule  The job has no schedule`, none)
	require.Contains(t, run("job why "+ok+" --at 2030-01-01T02:00:00Z --lang zh"), "任务没有调度配置")
	nightly := mustCLI(t, "job", "add", "--name", "nightly", "--app", "some-app", "--handler", "demoJobHandler", "--cron", "0 0 2 * * ?", "--zone", "Asia/Shanghai", "--start", "--server", server)
	require.Regexp(t, `^no_match  The schedule CRON 0 0 2 \* \* \? does not name this time. The nearest ones are \S+T02:00:00\+08:00 and \S+T02:00:00\+08:00\.`,
		run("job why "+nightly+" --at 2030-01-01T03:00:00+08:00"))
	require.Equal(t, "not_yet", run("job why "+nightly+" --quiet --at 2030-01-01T02:00:00+08:00"))
	require.Equal(t, "not_created", run("job why "+nightly+" --quiet --at 2020-01-01T02:00:00+08:00"))
	run("job stop " + nightly)
	require.Regexp(t, `(?m)^stopped  The schedule was off: open switched it off at .*\n    audit \d+: actor open, call POST /api/v1/jobs/\{id\}/stop`,
		run("job why "+nightly+" --at 2030-01-01T02:00:00+08:00"))
	require.Regexp(t, `(?m)^\S+ +OFF .*\n\S+ +ON CRON 0 0 2 \* \* \? .*\n\S+ +OFF `, run("job timeline "+nightly))

	// A frozen executor answers nothing: the app's one place is taken, and the next fires wait. Ten
	// are triggered, because each has the place for three seconds only.
	require.NoError(t, theirs.cmd.Process.Signal(syscall.SIGSTOP))
	run("job trigger " + ok)
	testserver.Eventually(t, 20*time.Second, "the call hangs", func() bool {
		return strings.Contains(run("run list -n 1 --job "+ok), "RUNNING")
	})
	asked := time.Now()
	var triggering sync.WaitGroup
	for range 10 {
		triggering.Go(func() { // the command waits until the fire is claimed
			cli(t, "job", "trigger", ok, "--server", server)
		})
	}
	// A busy machine is slow to trigger them, so several seconds are asked about.
	since := func() string {
		var said []string
		for at := asked; !at.After(time.Now()) && at.Before(asked.Add(5*time.Second)); at = at.Add(time.Second) {
			said = append(said, run("job why "+ok+" --quiet --at "+at.Format(time.RFC3339)))
		}
		return strings.Join(said, "\n")
	}
	becomes(t, "no_place", since)

	// The scheduler freezes with a call in progress, and another one on the same store finds out.
	freezeUnlocked(t, serve, file)
	_, server = serveOn(t, file)
	becomes(t, "node_froze", func() string { // of whichever run was in progress
		var said []string
		for _, due := range duesOf(t, run, ok) {
			said = append(said, run("job why "+ok+" --quiet --at "+due))
		}
		return strings.Join(said, "\n")
	})
	require.NoError(t, theirs.cmd.Process.Signal(syscall.SIGCONT))
	require.NoError(t, serve.cmd.Process.Signal(syscall.SIGCONT))
	triggering.Wait()
	require.Contains(t, run("job timeline "+ok), "MANUAL")
}

// becomes waits until the answers of why contain a code.
func becomes(t *testing.T, code string, ask func() string) {
	t.Helper()
	said := ""
	defer func() {
		if t.Failed() {
			t.Logf("want %s, the last answer is %s", code, said)
		}
	}()
	testserver.Eventually(t, 60*time.Second, "why says "+code, func() bool {
		said = ask()
		return slices.Contains(strings.Fields(said), code)
	})
}

// freezeUnlocked suspends a process at a moment when it holds no lock of its SQLite file. A lock
// that a frozen process holds keeps every other one out of the file until it wakes.
func freezeUnlocked(t *testing.T, p *process, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)&_txlock=immediate") // waits up to 10 s for a write of the process
	require.NoError(t, err)
	defer db.Close()
	tx, err := db.BeginTx(t.Context(), nil) // no other process has the lock now
	require.NoError(t, err)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err = syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil) // the signal takes its time
	require.NoError(t, err)
	require.True(t, status.Stopped())
	require.NoError(t, tx.Rollback())
}

// firstDue returns when the first run of a job was due.
func firstDue(t *testing.T, run func(string) string, job string) string {
	t.Helper()
	dues := duesOf(t, run, job)
	return dues[len(dues)-1]
}

// duesOf returns when the runs of a job were due, the newest run first.
func duesOf(t *testing.T, run func(string) string, job string) (dues []string) {
	t.Helper()
	for line := range strings.SplitSeq(run("run list -n 0 -o json --job "+job), "\n") {
		var l struct{ History struct{ Due time.Time } }
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		dues = append(dues, l.History.Due.Format(time.RFC3339Nano))
	}
	return dues
}
