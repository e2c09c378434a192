package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/stores"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// handedOver are jobs that are due every second, every five seconds, and at a fixed rate.
const handedOver = `
INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (4, 'some-app', 'Some', 1, '%s');
INSERT INTO xxl_job_info (id, job_group, job_desc, author, schedule_type, schedule_conf, misfire_strategy, executor_route_strategy,
	executor_block_strategy, glue_type, glue_updatetime, executor_handler, trigger_status, trigger_next_time) VALUES
	(7, 4, 'each second', 'li', 'CRON', '* * * * * ?', 'DO_NOTHING', 'FIRST', 'SERIAL_EXECUTION', 'BEAN', NOW(), 'note', 1, UNIX_TIMESTAMP(NOW()) * 1000 + 30000),
	(8, 4, 'each five', 'li', 'CRON', '0/5 * * * * ?', 'FIRE_ONCE_NOW', 'FIRST', 'SERIAL_EXECUTION', 'BEAN', NOW(), 'note', 1, UNIX_TIMESTAMP(NOW()) * 1000 + 30000),
	(9, 4, 'rate', 'li', 'FIX_RATE', '5', 'DO_NOTHING', 'FIRST', 'SERIAL_EXECUTION', 'BEAN', NOW(), 'note', 1, UNIX_TIMESTAMP(NOW()) * 1000 + 30000)`

// A noted is a run that an executor got. It is ours if it came with a due time, which only our
// scheduler sends.
type noted struct {
	job  int64
	ours bool
	at   time.Time // when it was due; for the Java admin's when it was triggered, in whole seconds
}

// TestHandoverFromAJavaAdmin takes over from a real Java admin while its jobs fire, by the steps of
// the guide. No trigger comes from both sides or twice, and from the start on none of ours is
// missing.
func TestHandoverFromAJavaAdmin(t *testing.T) {
	jar := testserver.JavaAdmin(t)
	var mu sync.Mutex // guards runs
	var runs []noted
	from, file := testserver.MySQL(t), filepath.Join(t.TempDir(), "x.db")
	admin := newJavaAdmin(t)
	e, err := executor.New(executor.Options{
		Admins: []string{admin.base()}, AppName: "some-app", AccessToken: javaToken,
		Listen: "127.0.0.1:0", DataDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, e.Handle("note", func(_ context.Context, run *executor.Run) error {
		mu.Lock()
		defer mu.Unlock()
		if run.Due.IsZero() {
			runs = append(runs, noted{run.JobID, false, run.Triggered})
		} else {
			runs = append(runs, noted{run.JobID, true, run.Due})
		}
		return nil
	}))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	defer func() { cancel(); require.NoError(t, <-ended) }()
	<-e.Ready()
	count := func(ours bool) (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, r := range runs {
			if r.ours == ours {
				n++
			}
		}
		return n
	}

	mustCLI(t, "migrate", "--store", from, "--create-upstream")
	require.NoError(t, testserver.OrderMySQL(from, fmt.Sprintf(handedOver, e.Address())))
	admin.start(t, jar, from)
	testserver.Eventually(t, 2*time.Minute, "runs by the Java admin", func() bool { return count(false) >= 40 })

	args := []string{"takeover", "--from", from + "?zone=UTC", "--store", "sqlite:" + file, "--zone", "UTC"}
	mustCLI(t, args...)
	code, _, _ := cli(t, append(args, "--start")...)
	require.Equal(t, command.ExitFail, code, "the Java admin is at work")
	serveOn(t, file, "--zone", "UTC", "--access-token", javaToken)
	require.NoError(t, admin.cmd.Process.Signal(syscall.SIGTERM))
	_ = admin.cmd.Wait() // Java reports the signal
	theirs := count(false)
	require.Zero(t, count(true))
	var report stores.TakeoverReport
	testserver.Eventually(t, 3*time.Minute, "the minute in which nobody writes", func() bool {
		code, out, _ := cli(t, append(args, "--start", "-o", "json")...)
		return code == command.ExitOK && json.Unmarshal([]byte(out), &report) == nil
	})
	require.Equal(t, []int64{7, 8, 9}, report.Started)
	begun := time.Now().Truncate(time.Second)
	testserver.Eventually(t, time.Minute, "runs by ours", func() bool { return count(true) >= 40 })

	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, theirs, len(runs)-len(ours(runs)), "the Java admin has sent nothing more")
	seen := map[noted]int{}
	var last time.Time // of the Java admin's
	for _, r := range runs {
		seen[r]++
		if !r.ours && r.at.After(last) {
			last = r.at
		}
	}
	for r, n := range seen {
		require.Equal(t, 1, n, "%+v", r)
	}
	first, latest := map[int64]time.Time{}, map[int64]time.Time{}
	counts := map[int64]int{}
	for _, r := range ours(runs) {
		require.True(t, r.at.After(last), "%+v", r)
		require.False(t, r.at.Before(begun.Add(-time.Minute)), "no due time of the time between: %+v", r)
		if counts[r.job]++; counts[r.job] == 1 {
			first[r.job] = r.at
		}
		latest[r.job] = r.at
	}
	for job, period := range map[int64]time.Duration{7: time.Second, 8: 5 * time.Second, 9: 5 * time.Second} {
		want := int(latest[job].Sub(first[job])/period) + 1
		require.InDelta(t, want, counts[job], 1, "job %d: a trigger in each period", job)
	}
	t.Logf("%d runs by the Java admin until %v, %d by ours from %v on", theirs, last.UTC(), len(ours(runs)), first[7].UTC())
}

func ours(runs []noted) (found []noted) {
	for _, r := range runs {
		if r.ours {
			found = append(found, r)
		}
	}
	return found
}
