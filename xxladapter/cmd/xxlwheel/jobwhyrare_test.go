//go:build unix

package main

import (
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// An asking is a scheduler with the commands that ask it why.
type asking struct {
	t      *testing.T
	serve  *process
	server string
}

// askingAt starts a scheduler on the store.
func askingAt(t *testing.T, store string, more ...string) *asking {
	t.Helper()
	serve, server := serveAt(t, store, more...)
	return &asking{t, serve, server}
}

// run runs a command on the scheduler and returns what it prints.
func (a *asking) run(words string) string {
	a.t.Helper()
	return mustCLI(a.t, append(strings.Fields(words), "--server", a.server)...)
}

// says waits until why gives this code for a time of a job.
func (a *asking) says(code, job string, at func() time.Time) {
	a.t.Helper()
	becomes(a.t, code, func() string { return a.run("job why " + job + " --quiet --at " + at().UTC().Format(time.RFC3339)) })
}

// firstDueOf returns a function that returns when the oldest run of a job was due.
func (a *asking) firstDueOf(job string) func() time.Time {
	return func() time.Time {
		due, err := time.Parse(time.RFC3339Nano, firstDue(a.t, a.run, job))
		require.NoError(a.t, err)
		return due
	}
}

// TestWhyNamesWhatAnExecutorLeftOpen lets an executor freeze before it answers, and another one die
// in the middle of a run.
func TestWhyNamesWhatAnExecutorLeftOpen(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	a := askingAt(t, "sqlite:"+t.TempDir()+"/x.db")
	executor := func(app string) (p *process, address string) {
		p = start(t, "xxlwheel", "executor", "--admin", a.server, "--app", app, "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
		line := p.line("accepts runs at")
		return p, strings.Fields(line[strings.Index(line, "http://"):])[0]
	}
	frozen, frozenAt := executor("frozen-app")
	dying, dyingAt := executor("dying-app")
	a.run("group add frozen-by-hand --quiet --address " + frozenAt)
	group := a.run("group add dying-by-hand --quiet --address " + dyingAt)
	asked := a.run("job add --name asked --app frozen-by-hand --handler demoJobHandler")
	skipped := a.run("job add --name skipped --app frozen-by-hand --handler demoJobHandler --ambiguous SKIP")
	lost := a.run("job add --name lost --app dying-by-hand --handler sleepJobHandler --param 1h")
	a.run("job trigger " + lost)
	a.says("running", lost, a.firstDueOf(lost))
	require.NoError(t, frozen.cmd.Process.Signal(syscall.SIGSTOP))
	a.run("job trigger " + asked)
	a.run("job trigger " + skipped)
	a.says("ambiguous", asked, a.firstDueOf(asked))
	a.says("unanswered", skipped, a.firstDueOf(skipped))
	require.NoError(t, frozen.cmd.Process.Signal(syscall.SIGCONT))
	a.says("ran", asked, a.firstDueOf(asked)) // what it received while it was frozen

	dying.kill()
	a.run("group update " + group + " --address http://127.0.0.1:1")
	a.says("result_lost", lost, a.firstDueOf(lost))
}

// TestWhyNamesAMisfire keeps every scheduler away for longer than the time that is planned ahead
// plus the misfire window.
func TestWhyNamesAMisfire(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	store := "sqlite:" + t.TempDir() + "/x.db"
	a := askingAt(t, store)
	every := a.run("job add --name every --app some-app --handler h --fixed-rate 1s --misfire-window 1s --start")
	testserver.Eventually(t, 20*time.Second, "it runs", func() bool {
		return a.run("run list -q -n 1 --job "+every) != ""
	})
	a.serve.kill()
	killed := time.Now()
	// Five seconds were planned ahead, and what is more than one second late is a misfire.
	time.Sleep(9 * time.Second) // real processes plan by the real clock
	b := askingAt(t, store)
	b.says("misfire", every, func() time.Time { return killed.Add(6500 * time.Millisecond) })
}

// TestWhyNamesADueTimeThatAnotherProgramHoldsUp locks what a Java admin locks while it schedules,
// as one that hangs would.
func TestWhyNamesADueTimeThatAnotherProgramHoldsUp(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	store := testserver.MySQL(t)
	mustCLI(t, "migrate", "--create-upstream", "--store", store)
	a := askingAt(t, store)
	every := a.run("job add --name every --app some-app --handler h --fixed-rate 1s --start")
	testserver.Eventually(t, 20*time.Second, "it runs", func() bool {
		return a.run("run list -q -n 1 --job "+every) != ""
	})
	db, err := testserver.OpenMySQL(store)
	require.NoError(t, err)
	defer db.Close()
	hung, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = hung.ExecContext(t.Context(), `SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE`)
	require.NoError(t, err)
	held := time.Now()
	a.says("overdue", every, func() time.Time { return held.Add(7 * time.Second) }) // what comes before is planned
	require.NoError(t, hung.Rollback())
}

// TestWhyNamesAClockThatIsOff moves the database's clock by an hour under a scheduler, which then
// schedules nothing.
func TestWhyNamesAClockThatIsOff(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	server := testserver.StartMariaDB(t, "--sysdate-is-now")
	root := server.URL("")
	require.NoError(t, testserver.OrderMySQL(root, `CREATE DATABASE plain CHARACTER SET utf8mb4`,
		`CREATE USER plain IDENTIFIED BY 'secret'`, `GRANT ALL ON plain.* TO plain`))
	place, err := url.Parse(server.URL("plain"))
	require.NoError(t, err)
	place.User = url.UserPassword("plain", "secret")
	mustCLI(t, "migrate", "--create-upstream", "--store", place.String())
	a := askingAt(t, place.String())
	every := a.run("job add --name every --app some-app --handler h --fixed-rate 1s --start")
	testserver.Eventually(t, 20*time.Second, "it runs", func() bool {
		return a.run("run list -q -n 1 --job "+every) != ""
	})
	moved := time.Now()
	require.NoError(t, testserver.OrderMySQL(root, `SET GLOBAL init_connect = 'SET timestamp = UNIX_TIMESTAMP() + 3600'`, `KILL USER plain`))
	a.says("clocks_apart", every, func() time.Time { return moved.Add(20 * time.Minute) })
	require.Contains(t, a.run("job why "+every+" --quiet --at "+moved.Add(20*time.Minute).UTC().Format(time.RFC3339)), "no_scheduler")
}

// TestWhyNamesAHandOverThatNobodyKnowsAbout freezes an executor for longer than the scheduler asks
// it whether a run began.
func TestWhyNamesAHandOverThatNobodyKnowsAbout(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	a := askingAt(t, "sqlite:"+t.TempDir()+"/x.db")
	frozen := start(t, "xxlwheel", "executor", "--admin", a.server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	_, address, _ := strings.Cut(frozen.line("accepts runs at"), " at ")
	a.run("group add by-hand --quiet --address " + address)
	asked := a.run("job add --name asked --app by-hand --handler demoJobHandler")
	require.NoError(t, frozen.cmd.Process.Signal(syscall.SIGSTOP))
	a.run("job trigger " + asked)
	a.says("unanswered", asked, a.firstDueOf(asked))
}
