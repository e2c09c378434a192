package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A rivalKind is a make of scheduler.
type rivalKind struct {
	path  string // of the API that executors call, below the scheduler's address
	token string // that it expects of executors
	// prepare is how long it takes to start, generously; jobs take time of their own.
	prepare time.Duration
	// command returns how it is started.
	command func(r *rivalProcess) (*exec.Cmd, error)
	// add stores the jobs through its API, after its start. Nil means that they are in the store
	// before its start, in XXL-JOB's tables.
	add func(ctx context.Context, r *rivalProcess, w window) error
}

// javaToken is the default token of the Java admin and of ratch-job. javaPath is where ratch-job
// serves, and by default a Java admin up to 3.4.0. Later ones serve at / by default, so each is
// started with javaPath.
const (
	javaToken = "default_token"
	javaPath  = "/xxl-job-admin"
)

var rivalKinds = map[string]rivalKind{
	"xxlwheel": {prepare: 3 * time.Second, command: func(r *rivalProcess) (*exec.Cmd, error) {
		return exec.Command(r.plan.program, "serve", "--zone", "UTC", "--listen", r.listen(), "--store", r.place), nil
	}},
	// The Java admin, on a store at mysql://.
	"java": {path: javaPath, token: javaToken, prepare: 40 * time.Second,
		command: func(r *rivalProcess) (*exec.Cmd, error) {
			u, err := url.Parse(r.place)
			if err != nil || u.Scheme != "mysql" {
				return nil, errors.New("-store must be at mysql:// for a Java admin")
			}
			password, _ := u.User.Password()
			return exec.Command("java", "-Duser.timezone=UTC", "-jar", r.plan.program,
				fmt.Sprint("--server.port=", r.port), "--server.servlet.context-path="+javaPath,
				"--xxl.job.accessToken="+javaToken, "--logging.level.root=error",
				"--spring.datasource.url=jdbc:mysql://"+u.Host+u.Path+
					"?useUnicode=true&characterEncoding=UTF-8&serverTimezone=UTC",
				"--spring.datasource.username="+u.User.Username(), "--spring.datasource.password="+password), nil
		}},
	"ratchjob": {path: javaPath, token: javaToken, prepare: 5 * time.Second, add: addRatchJobs,
		command: func(r *rivalProcess) (*exec.Cmd, error) {
			cmd := exec.Command(r.plan.program)
			cmd.Env = append(os.Environ(), fmt.Sprint("RATCH_HTTP_API_PORT=", r.port),
				fmt.Sprint("RATCH_HTTP_CONSOLE_PORT=", r.port+1),
				fmt.Sprint("RATCH_GRPC_CLUSTER_PORT=", r.port+2), "RATCH_DATA_DIR="+filepath.Join(r.dir, "ratch"),
				"RATCH_XXL_DEFAULT_ACCESS_TOKEN="+javaToken, "RATCH_GMT_OFFSET_HOURS=0", "RUST_LOG=error")
			return cmd, nil
		}},
}

func rivalNames() []string { return slices.Sorted(maps.Keys(rivalKinds)) }

// A rivalProcess is a scheduler under measurement. Its methods must not be called concurrently.
type rivalProcess struct {
	*opened
	kind     rivalKind
	plan     plan
	port     int
	executor *executorProcess
	cmd      *exec.Cmd
}

func (r *rivalProcess) listen() string { return fmt.Sprint("127.0.0.1:", r.port) }

// prepare stores the jobs of a kind that finds them in its store, and leaves the store to it.
func (r *rivalProcess) prepare(ctx context.Context, w window) error {
	if r.kind.add == nil {
		group, err := addGroup(ctx, r, r.executor.addr)
		if err != nil {
			return err
		}
		job := newJob(group, xxladapter.ScheduleCron, w.cron)
		if err := addJobs(ctx, r, r.plan.jobs, job, func(int) time.Time { return w.first }); err != nil {
			return err
		}
	}
	return r.Store.Close()
}

func (r *rivalProcess) start(context.Context) error {
	cmd, err := r.kind.command(r)
	if err != nil {
		return err
	}
	cmd.Dir = r.dir
	log, err := os.OpenFile(filepath.Join(r.dir, "rival.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", r.plan.rival, err)
	}
	r.cmd = cmd
	return nil
}

// ready returns when the scheduler serves and has the jobs.
func (r *rivalProcess) ready(ctx context.Context, w window) error {
	if err := r.listening(ctx); err != nil {
		return err
	}
	if r.kind.add != nil {
		if err := r.kind.add(ctx, r, w); err != nil {
			return err
		}
	}
	if late := time.Since(w.first); late > 0 {
		return fmt.Errorf("%s had its jobs %v after the window began", r.plan.rival, late)
	}
	return nil
}

// listening returns when the scheduler accepts connections.
func (r *rivalProcess) listening(ctx context.Context) (err error) {
	var dialer net.Dialer
	pollUntil(ctx, time.Minute, func() bool {
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, "tcp", r.listen()); err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	if err != nil {
		text, _ := os.ReadFile(filepath.Join(r.dir, "rival.log"))
		return fmt.Errorf("%s does not listen: %w: %s", r.plan.rival, err, bytes.TrimSpace(text))
	}
	return nil
}

// withoutResult counts the runs that reached the executor and stand without a result in XXL-JOB's
// tables. ok is false for a kind that has no such tables.
func (r *rivalProcess) withoutResult(ctx context.Context) (n int, ok bool, err error) {
	if r.kind.add != nil {
		return 0, false, nil
	}
	err = r.db.QueryRowContext(
		ctx, `SELECT count(*) FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 0`,
	).Scan(&n)
	return n, true, err
}

// addRatchJobs creates the jobs through ratch-job's open API, as its version 0.2 has it. Its cron
// knows no question mark.
func addRatchJobs(ctx context.Context, r *rivalProcess, w window) error {
	add := func(i int) error {
		return postJSON(ctx, "http://"+r.listen()+"/ratch/v1/job/create", map[string]any{
			"enable": true, "namespace": "xxl", "appName": appName, "key": fmt.Sprint("job", i),
			"description":  "load",
			"scheduleType": "CRON", "cronValue": strings.ReplaceAll(w.cron, "?", "*"), "runMode": "BEAN",
			"handleName":   "noop",
			"triggerParam": "", "routerStrategy": "FIRST", "pastDueStrategy": "EXECUTE",
			"blockingStrategy": "SERIAL_EXECUTION",
			"timeoutSecond":    0, "tryTimes": 0, "retryInterval": 0,
		})
	}
	var err error
	pollUntil(ctx, time.Minute, func() bool { err = add(0); return err == nil }) // it listens before it has a leader
	if err != nil {
		return err
	}
	var writers errgroup.Group
	writers.SetLimit(32)
	for i := 1; i < r.plan.jobs; i++ {
		writers.Go(func() error { return add(i) })
	}
	return writers.Wait()
}

// postJSON sends a request that must be answered with success in XXL-JOB's form.
func postJSON(ctx context.Context, to string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var reply struct {
		Code int `json:"code"`
	}
	if err := json.Unmarshal(answer, &reply); resp.StatusCode != http.StatusOK || err != nil || reply.Code != 200 {
		return fmt.Errorf("%s answers %s: %s", to, resp.Status, answer)
	}
	return nil
}

// freePort returns a free port; the two after it are probably free too.
func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
