//go:build unix

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestWhyNamesWhatOthersLeft asks about what other programs wrote into the database, and about what
// is no longer known to anybody.
func TestWhyNamesWhatOthersLeft(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	store := testserver.MySQL(t)
	mustCLI(t, "migrate", "--create-upstream", "--store", store)
	a := askingAt(t, store)
	db, err := testserver.OpenMySQL(store)
	require.NoError(t, err)
	defer db.Close()
	write := func(statement string, args ...any) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	at := func(when time.Time) func() time.Time { return func() time.Time { return when } }

	// A run that a Java admin handed over has a log row and no history.
	theirs := a.run("job add --name theirs --app some-app --handler h")
	handed := time.Now().Add(-time.Hour).Truncate(time.Second).UTC()
	write(`INSERT INTO xxl_job_log (job_group, job_id, executor_address, executor_handler, trigger_time, trigger_code, trigger_msg, handle_time, handle_code)
		SELECT job_group, id, 'http://10.0.0.7:9999/', 'h', ?, 200, 'ok', ?, 200 FROM xxl_job_info WHERE id = ?`, handed, handed.Add(time.Second), theirs)
	write(`UPDATE xxl_job_info SET add_time = ? WHERE id = ?`, handed.Add(-time.Hour), theirs)
	a.says("not_traced", theirs, at(handed))
	shown := a.run("run show " + a.run("run list -q --job "+theirs))
	require.Regexp(t, `(?m)^due +unknown: another program handed this run over$`, shown)
	require.NotRegexp(t, `(?m)^(late by|trigger|attempt|claimed)  `, shown)

	// A schedule that cannot be read was written past every check.
	broken := a.run("job add --name broken --app some-app --handler h")
	write(`UPDATE xxl_job_info SET schedule_type = 'CRON', schedule_conf = 'every now and then' WHERE id = ?`, broken)
	a.says("bad_schedule", broken, at(time.Now().Add(time.Minute)))

	delayed := a.run("job add --name delayed --app some-app --handler h --fixed-delay 1h --start")
	a.says("after_run", delayed, at(time.Now().Add(90*time.Minute)))

	every := a.run("job add --name every --app some-app --handler h --fixed-rate 1s --start")
	testserver.Eventually(t, 20*time.Second, "it runs twice", func() bool {
		return len(strings.Fields(a.run("run list -q -n 2 --job "+every))) == 2
	})
	due := a.firstDueOf(every)()
	if due.Second() == 0 { // which would ask about the whole minute, and so about later runs
		due = due.Add(time.Second)
	}
	a.run("run clear --all --yes --job " + every)
	a.says("no_record", every, at(due))
}
