package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// byHand has jobs that only a person triggers, and that person's accounts. Releases before 3.2 keep
// MD5 of a password, later ones SHA-256.
const byHand = `
INSERT INTO xxl_job_user (username, password, role) VALUES
	('md5', MD5('a password'), 1),
	('sha256', SHA2('a password', 256), 1);
INSERT INTO xxl_job_group (id, app_name, title, address_type, address_list) VALUES (4, 'some-app', 'Some', 1, '%s');
INSERT INTO xxl_job_info (id, job_group, job_desc, author, executor_handler,
	executor_route_strategy, executor_block_strategy, glue_type, glue_updatetime) VALUES
	(7, 4, 'first', 'li', 'note', 'FIRST', 'SERIAL_EXECUTION', 'BEAN', NOW()),
	(8, 4, 'unknown handler', 'li', 'nosuch', 'FIRST', 'SERIAL_EXECUTION', 'BEAN', NOW()),
	(9, 4, 'failover', 'li', 'note', 'FAILOVER', 'SERIAL_EXECUTION', 'BEAN', NOW()),
	(10, 4, 'busyover', 'li', 'hold', 'BUSYOVER', 'SERIAL_EXECUTION', 'BEAN', NOW()),
	(11, 4, 'discard', 'li', 'hold', 'FIRST', 'DISCARD_LATER', 'BEAN', NOW())`

// TestJavaAdminAtWork registers our executor with a whole Java admin, which probes it, runs and
// kills jobs on it, reads their logs and takes their results. Then the test sends the admin the
// requests of executors, and wrong ones. With -record, exchanges are recorded for the release of
// the jar.
func TestJavaAdminAtWork(t *testing.T) {
	jar := testserver.JavaAdmin(t)
	release := regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(filepath.Base(jar))
	require.NotEmpty(t, release, "the name of the jar has the release")
	store, admin, port := testserver.MySQL(t), newJavaAdmin(t), testserver.FreePort(t)
	address := record(t, release, "admin-to-executor", "http://127.0.0.1:"+port+"/")
	mustCLI(t, "migrate", "--store", store, "--create-upstream")
	require.NoError(t, testserver.OrderMySQL(store, fmt.Sprintf(byHand, address)))
	admin.start(t, jar, store)
	testserver.Eventually(t, 5*time.Minute, "the Java admin serves", func() bool {
		conn, err := net.Dial("tcp", admin.address)
		return err == nil && conn.Close() == nil
	})

	e, err := executor.New(executor.Options{
		Admins:  []string{record(t, release, "executor-to-admin", "http://"+admin.address) + adminPath},
		AppName: "some-app", AccessToken: javaToken,
		Listen: "127.0.0.1:" + port, Address: address, DataDir: t.TempDir(),
		AdminTimeout: time.Minute, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	require.NoError(t, err)
	noted, held, ended := make(chan int64, 10), make(chan int64, 10), make(chan error, 10)
	require.NoError(t, e.Handle("note", func(_ context.Context, run *executor.Run) error {
		run.Logger.Info("hello " + run.Param)
		noted <- run.LogID
		if run.Param == "fail" {
			return fmt.Errorf("failed as asked")
		}
		return nil
	}))
	require.NoError(t, e.Handle("hold", func(ctx context.Context, run *executor.Run) error {
		held <- run.LogID
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	}))
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- e.Run(ctx) }()
	defer cancel() // also if the test fails: its recording ends with the last connection
	<-e.Ready()

	person := signIn(t, admin, release)
	rows := rowsOf(t, store)
	const param = "a <b> & 'c'"
	person.post("/jobinfo/trigger", "id=7", "executorParam="+url.QueryEscape(param), "addressList=")
	first := <-noted
	rows.until("handle_code = 200 AND id = ?", first)
	person.post("/jobinfo/trigger", "id=7", "executorParam=fail", "addressList=")
	rows.until("handle_code = 500 AND id = ?", <-noted)
	person.post("/jobinfo/trigger", "id=8", "executorParam=", "addressList=")
	rows.until("trigger_code = 500 AND job_id = ?", 8)
	person.post("/jobinfo/trigger", "id=9", "executorParam=", "addressList=")
	rows.until("handle_code = 200 AND id = ?", <-noted)

	person.post("/jobinfo/trigger", "id=10", "executorParam=", "addressList=")
	long := <-held
	rows.until("trigger_code = 200 AND id = ?", long)
	person.post("/jobinfo/trigger", "id=10", "executorParam=", "addressList=")
	rows.until("trigger_code = 500 AND job_id = ?", 10)
	person.post("/jobinfo/trigger", "id=11", "executorParam=", "addressList=")
	other := <-held
	rows.until("trigger_code = 200 AND id = ?", other)
	person.post("/jobinfo/trigger", "id=11", "executorParam=", "addressList=")
	rows.until("trigger_code = 500 AND job_id = ?", 11)

	require.Contains(t, person.post("/joblog/logDetailCat", fmt.Sprint("logId=", first), "fromLineNum=1"), "hello a")
	for _, id := range []int64{long, other} {
		person.post("/joblog/logKill", fmt.Sprint("id=", id))
		require.Error(t, <-ended)
	}
	cancel()
	require.NoError(t, <-stopped)

	for _, q := range adminQuestions {
		exchange := q.ask(t, admin.address)
		if *recordTo != "" {
			folder := filepath.Join(*recordTo, release, "questions-to-admin")
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, q.name+".http"), exchange, 0o644))
		}
	}
}
