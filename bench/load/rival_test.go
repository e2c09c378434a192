package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestWindowOf(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		now, err := time.Parse(time.DateTime, "2026-05-04 "+clock)
		require.NoError(t, err)
		return now
	}
	for _, c := range []struct {
		now               string
		prepare, duration time.Duration
		first, cron       string
	}{
		{"10:20:05", 4 * time.Second, 20 * time.Second, "10:20:10", "10-29 20 10 * * ?"},
		{"10:20:35", 4 * time.Second, 20 * time.Second, "10:20:40", "40-59 20 10 * * ?"},
		{"10:20:36", 4 * time.Second, 20 * time.Second, "10:21:00", "0-19 21 10 * * ?"},
		{"10:20:05", 4 * time.Second, 2 * time.Minute, "10:21:00", "* 21-22 10 * * ?"},
		{"10:57:58", time.Second, 2 * time.Minute, "10:58:00", "* 58-59 10 * * ?"},
		{"10:58:05", 4 * time.Second, 2 * time.Minute, "11:00:00", "* 0-1 11 * * ?"},
	} {
		w, err := windowOf(at(c.now), c.prepare, c.duration)
		require.NoError(t, err)
		require.Equal(t, at(c.first), w.first, c)
		require.Equal(t, c.cron, w.cron)
	}
	_, err := windowOf(time.Now(), 0, 90*time.Second)
	require.EqualError(t, err, "-for is 1m30s, must be below a minute, or whole minutes up to an hour")
}

// The k-th run of a job is matched to the k-th due time of the job. Due times that are left over
// were missed, and runs that are left over are doubled.
func TestRunsAreMatchedToDueTimes(t *testing.T) {
	t.Parallel()
	w := window{first: time.UnixMicro(1e12), seconds: 3}
	run := func(job int64, late ...time.Duration) (runs []receipt) {
		for _, l := range late {
			runs = append(runs, receipt{job, w.first.Add(l).UnixMicro()})
		}
		return runs
	}
	ms := time.Millisecond
	all := append(run(1, 1100*ms, 20*ms, 2005*ms), run(2, -ms, 1500*ms, 2000*ms, 2600*ms)...)
	all = append(all, run(3, 2900*ms)...)
	seen := w.match(all, 4)
	require.Equal(t, sight{run: 7, missed: 5, doubled: 1, early: 1, late: seen.late}, seen)
	require.ElementsMatch(t, []time.Duration{20 * ms, 100 * ms, 5 * ms, -ms, 500 * ms, 0, 2900 * ms}, seen.late)
}

// TestARival measures this repository's scheduler in the way in which a rival is measured.
func TestARival(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	program := filepath.Join(t.TempDir(), "xxlwheel")
	text, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../xxladapter/cmd/xxlwheel").CombinedOutput()
	require.NoError(t, err, "%s", text)
	out := new(strings.Builder)
	require.NoError(t, run(t.Context(), out, []string{"rival", "-program", program, "-jobs", "5", "-for", "20s", "-kills", "1"}))
	require.Contains(t, out.String(), "BenchmarkRival/xxlwheel/kills=1/store=sqlite/jobs=5\t1\t100 %-run\t0 missed\t0 doubled\t0 early\t0 results-not-acknowledged\t0 rows-without-result\t")
	require.ErrorContains(t, run(t.Context(), out, []string{"rival", "-rival", "cron"}), `-rival is "cron", must be one of java, ratchjob, xxlwheel`)
}

// TestAJavaAdminServesWhereItsExecutorsCall checks that every release is started with the path that
// executors call: since 3.4.1, the default is /.
func TestAJavaAdminServesWhereItsExecutorsCall(t *testing.T) {
	t.Parallel()
	r := &rivalProcess{
		opened: &opened{place: "mysql://root:secret@127.0.0.1:3306/xxl_job"},
		plan:   plan{program: "xxl-job-admin-3.4.2.jar"}, port: 8080,
	}
	cmd, err := rivalKinds["java"].command(r)
	require.NoError(t, err)
	require.Contains(t, cmd.Args, "--server.servlet.context-path="+rivalKinds["java"].path)
	require.Contains(t, cmd.Args, "--server.port=8080")
	r.place = "sqlite:xxlwheel.db"
	_, err = rivalKinds["java"].command(r)
	require.EqualError(t, err, "-store must be at mysql:// for a Java admin")
}
