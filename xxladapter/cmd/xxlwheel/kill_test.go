package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A witness is an executor that records each run it receives: what really happened, whatever the
// scheduler believes.
type witness struct{ *checker.Recorder }

func (w witness) handle(_ context.Context, run *executor.Run) error {
	now := time.Now()
	n, err := w.Run(checker.Run{Job: run.JobID, Log: run.LogID, Due: checker.At(run.Due), At: checker.At(now), Start: checker.At(now)})
	if err != nil {
		return err
	}
	return w.End(n, time.Now(), xxladapter.ResultOK)
}

// restartLimit is how late a fire may be because the scheduler was killed and restarted: the
// window, beyond which it would be a misfire.
const restartLimit = 5 * time.Second

// TestKilledBetweenCommitAndFire kills the scheduler with SIGKILL while fires are committed and not
// yet sent, and restarts it. Every due time has to fire exactly once, not early, and with one
// result.
func TestKilledBetweenCommitAndFire(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	const rounds = 6
	dir := t.TempDir()
	file, listen := filepath.Join(dir, "x.db"), "127.0.0.1:"+testserver.FreePort(t)
	server := "http://" + listen
	serve := func() *process {
		p := start(t, "xxlwheel", "serve", "--listen", listen, "--store", "sqlite:"+file, "--zone", "UTC")
		p.line("serves on")
		return p
	}
	scheduler := serve()

	history := new(testserver.Output)
	w := witness{checker.NewRecorder(history, "witness")}
	e, err := executor.New(executor.Options{
		Admins: []string{server}, AppName: "witness", Listen: "127.0.0.1:0", DataDir: dir, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, e.Handle("note", w.handle))
	ctx, stopExecutor := context.WithCancel(context.Background())
	executorEnded := make(chan error, 1)
	go func() { executorEnded <- e.Run(ctx) }()
	<-e.Ready()

	api := client.API{Server: server}
	var ids []int64
	for _, schedule := range []struct {
		kind       xxladapter.ScheduleType
		conf, flag string
	}{
		{xxladapter.ScheduleCron, "* * * * * ?", "--cron=* * * * * ?"},
		{xxladapter.ScheduleCron, "0/2 * * * * ?", "--cron=0/2 * * * * ?"},
		{xxladapter.ScheduleFixRate, "3", "--fixed-rate=3s"},
	} {
		asked := time.Now()
		id, err := strconv.ParseInt(mustCLI(t, "job", "--server", server, "add", "--app", "witness", "--name", schedule.conf, "--handler", "note", schedule.flag), 10, 64)
		require.NoError(t, err)
		ids = append(ids, id)
		require.NoError(t, w.Change(checker.Change{
			Job: id, Op: checker.OpCreate, Asked: checker.At(asked), Acked: checker.At(time.Now()), Type: schedule.kind, Conf: schedule.conf,
		}))
	}
	// change starts or stops all jobs and records that.
	change := func(op checker.Op) {
		for _, id := range ids {
			asked := time.Now()
			var started struct{ TriggerNextTime time.Time }
			require.NoError(t, api.Call(t.Context(), "POST", fmt.Sprintf("/jobs/%d/%s", id, op), nil, &started))
			require.NoError(t, w.Change(checker.Change{
				Job: id, Op: op, Asked: checker.At(asked), Acked: checker.At(time.Now()), First: checker.At(started.TriggerNextTime),
			}))
		}
	}
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	testserver.Eventually(t, 20*time.Second, "the executor is registered", func() bool {
		var list string
		return db.QueryRow(`SELECT address_list FROM xxl_job_group WHERE app_name = 'witness'`).Scan(&list) == nil && list != ""
	})
	change(checker.OpStart)

	count := func(query string, args ...any) (n int) {
		require.NoError(t, db.QueryRow(query, args...).Scan(&n))
		return n
	}
	planned := func() int {
		return count(`SELECT count(*) FROM xxlwheel_fire WHERE state = ?`, string(xxladapter.FirePlanned))
	}
	killedWith := 0
	for round := range rounds {
		time.Sleep(time.Duration(round%4) * 730 * time.Millisecond) // varies the moment of the kill
		testserver.Eventually(t, 20*time.Second, "fires are planned", func() bool { return planned() >= 3 })
		scheduler.kill()
		killedWith += planned()
		scheduler = serve()
	}
	require.GreaterOrEqual(t, killedWith, 2*rounds, "the kills hit fires that were committed and not sent")

	// The checker requires no run of a due time within restartLimit before the stop; the due times
	// of the kills must be earlier.
	time.Sleep(restartLimit)
	change(checker.OpStop)
	testserver.Eventually(t, 20*time.Second, "every run has its result", func() bool {
		return count(`SELECT count(*) FROM xxl_job_log WHERE handle_code = 0`) == 0
	})
	require.Zero(t, scheduler.terminate())
	stopExecutor()
	require.NoError(t, <-executorEnded)
	require.Zero(t, count(`SELECT count(*) FROM xxlwheel_misfire`), "a restart within the window is no misfire")

	rows, err := db.Query(`SELECT id, job_id, trigger_code, handle_code FROM xxl_job_log`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var l checker.Log
		require.NoError(t, rows.Scan(&l.Log, &l.Job, &l.TriggerCode, &l.HandleCode))
		require.NoError(t, w.Log(l))
	}
	require.NoError(t, rows.Err())
	require.NoError(t, w.Final(time.Now()))
	h, err := checker.Read(bytes.NewReader([]byte(history.String())))
	require.NoError(t, err)
	report := checker.Check(h, checker.Options{Epsilon: restartLimit})
	require.True(t, report.Clean(), "%s", report)
	require.Greater(t, report.Matched, rounds)
	t.Logf("%d fires were committed and unsent at the %d kills\n%s", killedWith, rounds, report)
}
