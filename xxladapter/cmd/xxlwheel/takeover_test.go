package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/stores"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

const takenRows = `
INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (4, 'some-app', 'Some', 0);
INSERT INTO xxl_job_info (id, job_group, job_desc, author, schedule_type, schedule_conf, glue_type, executor_handler, trigger_status, trigger_last_time) VALUES
	(7, 4, 'often', 'li', 'FIX_RATE', '1', 'BEAN', 'demoJobHandler', 1, UNIX_TIMESTAMP(NOW()) * 1000),
	(8, 4, 'daily', 'li', 'CRON', '0 0 2 * * ?', 'BEAN', 'demoJobHandler', 0, 0),
	(9, 4, 'lenient', 'li', 'CRON', '0 0 2 ? * MONDAY', 'BEAN', 'demoJobHandler', 1, 0)`

// TestTakeover hands the jobs of a database of XXL-JOB over to a scheduler, which runs them.
func TestTakeover(t *testing.T) {
	t.Parallel()
	from, file := testserver.MySQL(t), filepath.Join(t.TempDir(), "x.db")
	mustCLI(t, "migrate", "--store", from, "--create-upstream")
	require.NoError(t, testserver.OrderMySQL(from, takenRows))
	args := []string{"takeover", "--from", from, "--store", "sqlite:" + file, "--zone", "UTC"}

	dry := mustCLI(t, append(args, "--dry-run")...)
	require.NoFileExists(t, file)
	require.Contains(t, dry, "nothing was taken; new jobs would get the same ids, 2 jobs are on in the database")
	require.Contains(t, dry, `advice: job 9 (lenient) scheduleConf is "0 0 2 ? * MONDAY", which XXL-JOB alone reads: write "0 0 2 ? * MON"`)

	first := strings.Join(strings.Fields(mustCLI(t, args...)), " ")
	require.Contains(t, first, "groups 1 0 0 jobs 3 0 0 versions 0 0 0")
	code, out, stderr := cli(t, append(args, "--start")...)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, out, "0 of 2 jobs")
	require.Contains(t, stderr, "no job was started: executors or triggers wrote to the database less than 1m0s ago")

	_, server := serveOn(t, file, "--zone", "UTC")
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	require.NoError(t, testserver.OrderMySQL(from, `UPDATE xxl_job_info SET trigger_last_time = trigger_last_time - 120000 WHERE id = 7`))
	mustCLI(t, "job", "update", "9", "--cron", "0 0 2 ? * MON", "--zone", "Asia/Tokyo", "--server", server) // as the report advises
	var report stores.TakeoverReport
	require.NoError(t, json.Unmarshal([]byte(mustCLI(t, append(args, "--start", "-o", "json")...)), &report))
	require.Equal(t, []int64{7, 9}, report.Started)
	require.Equal(t, 3, report.Jobs.Before)
	var lenient struct{ TriggerNextTime time.Time }
	require.NoError(t, json.Unmarshal([]byte(mustCLI(t, "job", "show", "9", "--server", server, "-o", "json")), &lenient))
	require.Equal(t, "Sun 17:00", lenient.TriggerNextTime.UTC().Format("Mon 15:04"), "Monday at 2 in the job's own zone")
	testserver.Eventually(t, 30*time.Second, "two runs", func() bool {
		return len(succeeded(listedRuns(t, server))) >= 2
	})
	require.NoError(t, json.Unmarshal([]byte(mustCLI(t, append(args, "--start", "-o", "json")...)), &report))
	require.Empty(t, report.Started, "it runs already")
	require.Contains(t, mustCLI(t, "job", "show", "8", "--server", server), "stopped")

	code, _, stderr = cli(t, append(args, "--dry-run", "--start")...)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "--start cannot be used with --dry-run")
}
