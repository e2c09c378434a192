package browser

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// upstreamRows are jobs of XXL-JOB: one that is on and fires each second, one that is off, and one
// that is on with an expression that only XXL-JOB reads.
const upstreamRows = `
INSERT INTO xxl_job_group (id, app_name, title, address_type) VALUES (4, 'old-orders', 'Orders of XXL-JOB', 0);
INSERT INTO xxl_job_info (id, job_group, job_desc, author, schedule_type, schedule_conf, glue_type, executor_handler, trigger_status, trigger_last_time) VALUES
	(7, 4, 'settle each second', 'li', 'FIX_RATE', '1', 'BEAN', 'greet', 1, UNIX_TIMESTAMP(NOW()) * 1000),
	(8, 4, 'close the day', 'li', 'CRON', '0 0 2 * * ?', 'BEAN', 'greet', 0, 0),
	(9, 4, 'weekly report', 'li', 'CRON', '0 0 2 ? * MONDAY', 'BEAN', 'greet', 1, 0)`

// TestTakingOverFromXXLJob takes over the jobs of a database of XXL-JOB on the page, after a dry
// run, and starts them once XXL-JOB no longer works on the database.
func TestTakingOverFromXXLJob(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	from := testserver.StartMariaDB(t).Database(t)
	quiet := sqlstore.Options{Logger: slog.New(slog.DiscardHandler)}
	require.NoError(t, sqlstore.MigrateMySQL(t.Context(), from, true, quiet))
	require.NoError(t, testserver.OrderMySQL(from, upstreamRows))
	s := startSite(t, "", loopback, func(o *node.Options, _ string) {
		store := o.Store
		o.TakeOver = func(ctx context.Context, dryRun bool) (*fromxxljob.Report, error) {
			return sqlstore.TakeOver(ctx, from, store, sqlstore.TakeOverOptions{Options: quiet, DryRun: dryRun})
		}
	})
	jobs := func() (running []bool) {
		t.Helper()
		var list struct{ Jobs []struct{ Running bool } }
		s.call("GET", "/jobs", nil, &list)
		for _, j := range list.Jobs {
			running = append(running, j.Running)
		}
		return running
	}
	const start = `[...document.querySelectorAll("main button")].find((e) => e.innerText === "Start 1 job that is on there")`

	tab := s.open("transfer")
	tab.sees("Take over from XXL-JOB")
	tab.click("Show what there is")
	tab.sees("XXL-JOB still works on this database")
	tab.until("three jobs are new", `[...document.querySelectorAll("main table tr")].some((e) => e.innerText.replace(/\s+/g, " ") === "Jobs 3 0 0")`)
	tab.sees("which XXL-JOB alone reads")
	for _, width := range []int64{1440, 390} {
		where := fmt.Sprint("takeover-", width)
		tab.look("en", "light", width)
		tab.fits(where)
		tab.accessible(where)
		tab.picture(where)
	}
	require.Empty(t, jobs())

	tab.look("en", "light", 1440)
	tab.click("Take over 3 jobs")
	tab.click("Take over from XXL-JOB")
	tab.until("jobs are not started while XXL-JOB works", start+`?.disabled`)
	require.Equal(t, []bool{false, false, false}, jobs())

	require.NoError(t, testserver.OrderMySQL(from, `UPDATE xxl_job_info SET trigger_last_time = trigger_last_time - 120000 WHERE id = 7`))
	tab.click("Show what there is")
	tab.until("they may be started now", start+`?.disabled === false`)
	tab.click("Start 1 job that is on there")
	tab.click("Start")
	tab.sees("1 job done.")
	require.Equal(t, []bool{true, false, false}, jobs())
}
