package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
)

// A witness is an executor that notes each run it is given: what really
// happened, whatever the scheduler believes.
type witness struct {
	mu   sync.Mutex
	runs map[int64][]witnessed // by job id
}

type witnessed struct {
	due, at time.Time
	logID   int64
}

func (w *witness) handle(_ context.Context, run *executor.Run) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs[run.JobID] = append(w.runs[run.JobID], witnessed{run.Due, time.Now(), run.LogID})
	return nil
}

func (w *witness) of(jobID int64) []witnessed {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := slices.Clone(w.runs[jobID])
	slices.SortFunc(runs, func(a, b witnessed) int { return a.due.Compare(b.due) })
	return runs
}

// TestKilledBetweenCommitAndFire kills the scheduler with SIGKILL at moments
// when fires are committed and not yet sent, and starts it again. Every due
// time has to fire once: none lost with the process, none twice, none early.
func TestKilledBetweenCommitAndFire(t *testing.T) {
	t.Parallel()
	const rounds = 6
	dir := t.TempDir()
	file, listen := filepath.Join(dir, "x.db"), "127.0.0.1:"+freePort(t)
	server := "http://" + listen
	serve := func() *process {
		p := start(t, "xxlwheel", "serve", "--listen", listen, "--store", "sqlite:"+file, "--zone", "UTC")
		p.line("serves on")
		return p
	}
	scheduler := serve()

	w := &witness{runs: make(map[int64][]witnessed)}
	e, err := executor.New(executor.Options{
		Admins: []string{server}, AppName: "witness", Listen: "127.0.0.1:0", DataDir: dir, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, e.Handle("note", w.handle))
	ctx, stopExecutor := context.WithCancel(context.Background())
	executorEnded := make(chan error, 1)
	go func() { executorEnded <- e.Run(ctx) }()
	<-e.Ready()

	plans := map[int64]cron.Plan{}
	var ids []int64
	for _, schedule := range [][2]string{{"CRON", "* * * * * ?"}, {"CRON", "0/2 * * * * ?"}, {"FIX_RATE", "3"}} {
		flag := "--cron=" + schedule[1]
		if schedule[0] == "FIX_RATE" {
			flag = "--fixed-rate=" + schedule[1] + "s"
		}
		text := mustCLI(t, "job", "--server", server, "add", "--app", "witness", "--name", schedule[1], "--handler", "note", flag)
		id, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		plans[id], err = cron.ParsePlan(schedule[0], schedule[1], time.UTC)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	eventually(t, 20*time.Second, "the executor is registered", func() bool {
		var list string
		return db.QueryRow(`SELECT address_list FROM xxl_job_group WHERE app_name = 'witness'`).Scan(&list) == nil && list != ""
	})
	api := apiClient{server: server}
	first := map[int64]time.Time{} // the due time that each schedule starts with
	for _, id := range ids {
		var started struct{ TriggerNextTime time.Time }
		require.NoError(t, api.call(t.Context(), "POST", fmt.Sprintf("/jobs/%d/start", id), nil, &started))
		first[id] = started.TriggerNextTime
	}

	// planned are the due times that are committed and not handed over.
	planned := func() (dues []int64) {
		rows, err := db.Query(`SELECT due_ms FROM xxlwheel_fire WHERE state = ?`, string(xxladapter.FirePlanned))
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var due int64
			require.NoError(t, rows.Scan(&due))
			dues = append(dues, due)
		}
		require.NoError(t, rows.Err())
		return dues
	}
	killedWith := 0
	for round := range rounds {
		// Each round lets more of the first window pass.
		time.Sleep(time.Duration(round%4) * 730 * time.Millisecond) // the moment of the kill is what varies
		eventually(t, 20*time.Second, "fires are planned", func() bool { return len(planned()) >= 3 })
		scheduler.kill()
		killedWith += len(planned())
		scheduler = serve()
	}
	require.GreaterOrEqual(t, killedWith, 2*rounds, "the kills hit fires that were committed and not sent")

	time.Sleep(3 * time.Second) // lets the last scheduler work on after it has caught up
	stopped := time.Now()
	for _, id := range ids {
		mustCLI(t, "job", "--server", server, "stop", fmt.Sprint(id))
	}
	eventually(t, 20*time.Second, "every run has its result", func() bool {
		var open int
		require.NoError(t, db.QueryRow(`SELECT count(*) FROM xxl_job_log WHERE handle_code = 0`).Scan(&open))
		return open == 0
	})
	require.Zero(t, scheduler.terminate())
	stopExecutor()
	require.NoError(t, <-executorEnded)

	var misfires int
	require.NoError(t, db.QueryRow(`SELECT count(*) FROM xxlwheel_misfire`).Scan(&misfires))
	require.Zero(t, misfires, "a restart within the window is no misfire")
	for _, id := range ids {
		runs := w.of(id)
		require.NotEmpty(t, runs)
		require.True(t, first[id].Equal(runs[0].due), "job %d started with %v, must be %v", id, runs[0].due, first[id])
		require.False(t, plans[id].Next(runs[len(runs)-1].due).Before(stopped.Add(-time.Second)), "job %d ended too soon", id)
		for i, r := range runs {
			require.False(t, r.at.Before(r.due), "job %d due %v ran early", id, r.due)
			if i > 0 {
				require.True(t, plans[id].Next(runs[i-1].due).Equal(r.due),
					"job %d: after %v comes %v, not %v", id, runs[i-1].due, plans[id].Next(runs[i-1].due), r.due)
			}
		}
		var logs int
		require.NoError(t, db.QueryRow(`SELECT count(*) FROM xxl_job_log WHERE job_id = ? AND trigger_code = 200 AND handle_code = 200`, id).Scan(&logs))
		require.Equal(t, len(runs), logs, "one log row with a result for each run")
	}
	t.Logf("%d runs; %d fires were committed and unsent at the %d kills", len(w.of(ids[0]))+len(w.of(ids[1]))+len(w.of(ids[2])), killedWith, rounds)
}
