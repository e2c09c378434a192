package queuetest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// role is the environment variable that names the part a child process plays.
const role = "QUEUETEST_ROLE"

var xxlwheel string // the built command

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "broker":
		playBroker(os.Args[1], os.Args[2], os.Args[3])
		return
	case "executor":
		playExecutor(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6])
		return
	}
	dir, err := os.MkdirTemp("", "queuetest")
	if err != nil {
		panic(err)
	}
	xxlwheel = filepath.Join(dir, "xxlwheel")
	build := exec.Command("go", "build", "-o", xxlwheel, "./xxladapter/cmd/xxlwheel")
	build.Dir, build.Stderr = filepath.Join("..", "..", ".."), os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	flag.Parse()
	// The tests wait for the broker far more than they work.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// passwordOf returns a user's password.
func passwordOf(user string) string { return "t0p-secret-of-" + user }

// playExecutor runs jobs until SIGTERM, or until stdin is closed. Each run of the handler count
// adds a line to the file began when it begins. ca and credentials are empty without TLS and
// without a file of credentials.
func playExecutor(app, url, dir, began, ca, credentials string) {
	e, err := executor.New(executor.Options{
		Queue: queue.At(url, credentials), AppName: app, DataDir: dir, AccessToken: accessToken, QueuePlaces: places,
		TLSCA: ca,
	})
	if err != nil {
		panic(err)
	}
	if err := e.Handle("note", note(filepath.Join(filepath.Dir(began), "records"))); err != nil {
		panic(err)
	}
	if err := e.Handle("count", func(ctx context.Context, run *executor.Run) error {
		f, err := os.OpenFile(began, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err = fmt.Fprintf(f, "%d %d/%d\n", run.LogID, run.ShardIndex, run.ShardTotal); err != nil || run.Param == "" {
			return err
		}
		pause, err := time.ParseDuration(run.Param)
		if err != nil {
			return err
		}
		select {
		case <-time.After(pause):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}); err != nil {
		panic(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		<-e.Ready()
		fmt.Println("executor ready at", e.Address())
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := e.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// note returns a handler that records its runs in a new file in dir. If the file cannot be created,
// the handler fails.
func note(dir string) func(context.Context, *executor.Run) error {
	rec, err := checker.OpenRecorder(filepath.Join(dir, fmt.Sprint("executor-", time.Now().UnixNano())))
	if err != nil {
		return func(context.Context, *executor.Run) error { return err }
	}
	return func(_ context.Context, run *executor.Run) error {
		now := checker.At(time.Now())
		_, err := rec.Run(checker.Run{
			Job: run.JobID, Log: run.LogID, Due: checker.At(run.Due), At: now, Start: now, End: now, Code: 200,
			Shard: int32(run.ShardIndex), Shards: int32(run.ShardTotal),
		})
		return err
	}
}

// The apps are those of docs/queue.md.
const (
	places      = 64 // of an executor
	app         = "orders"
	otherApp    = "payments"
	accessToken = "a-token-of-tests"
)

// A child is a process that ends with its test.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	err   testserver.Output
}

func start(t *testing.T, env, program string, args ...string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(program, args...), lines: make(chan string, 1000)}
	c.cmd.Env = append(os.Environ(), role+"="+env)
	c.cmd.Stderr = &c.err
	_, err := c.cmd.StdinPipe() // closed when this process ends
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	go func() {
		defer close(c.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		c.kill()
		if t.Failed() {
			t.Logf("stderr of %s %v:\n%s", filepath.Base(program), args, c.err.String())
		}
	})
	return c
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // an error comes from the kill itself
}

// stop ends the process as a service manager does.
func (c *child) stop() {
	c.t.Helper()
	require.NoError(c.t, c.cmd.Process.Signal(syscall.SIGTERM))
	_ = c.cmd.Wait() // how it ended does not matter
}

func (c *child) freeze() { require.NoError(c.t, c.cmd.Process.Signal(syscall.SIGSTOP)) }
func (c *child) thaw()   { require.NoError(c.t, c.cmd.Process.Signal(syscall.SIGCONT)) }

// line waits for a line of stdout that contains text.
func (c *child) line(text string) string {
	c.t.Helper()
	limit := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				_ = c.cmd.Wait()
				c.t.Fatalf("no line with %q before the end; stderr:\n%s", text, c.err.String())
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			c.t.Fatalf("no line with %q within 30 s", text)
		}
	}
}

// A site is a broker, a scheduler and what executors have begun.
type site struct {
	t          *testing.T
	dir        string
	api, began string
	broker     broker
	scheduler  *child
	schedPort  string
	group      int64
	store      string   // of the scheduler
	flags      []string // of the scheduler, besides those that every test has
	// ca is a file with the authority of the broker's certificate; empty means no TLS.
	ca string
	// credentials returns the file of a user; nil means that users have passwords.
	credentials func(user string) string
}

func newSite(t *testing.T, kind func(*testing.T, string) broker, store string) *site {
	t.Helper()
	s := emptySite(t)
	s.broker = kind(t, s.dir)
	s.begin(store)
	return s
}

// emptySite returns a site that has no broker yet.
func emptySite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), schedPort: testserver.FreePort(t)}
	s.began = filepath.Join(s.dir, "began")
	return s
}

// begin starts broker and scheduler.
func (s *site) begin(store string) {
	s.t.Helper()
	s.broker.start()
	s.startScheduler(store)
	s.group = s.addGroup(app)
}

func (s *site) addGroup(app string) int64 {
	return s.create("/groups", map[string]any{"appName": app, "title": app, "addressType": 0})
}

func (s *site) startScheduler(store string) {
	s.store = strings.ReplaceAll(store, "DIR", s.dir)
	args := append([]string{
		"serve", "--listen", "127.0.0.1:" + s.schedPort, "--store", s.store,
		"--queue", s.broker.url("schedulers"), "--access-token", accessToken, "--no-console", "--no-mcp",
	}, s.flags...)
	if s.credentials != nil {
		args = append(args, "--queue-credentials", s.credentials("schedulers"))
	}
	if s.ca != "" {
		args = append(args, "--tls-ca", s.ca)
	}
	s.scheduler = start(s.t, "", xxlwheel, args...)
	s.scheduler.line(s.broker.shown())
	s.api = "http://127.0.0.1:" + s.schedPort + "/api/v1"
	testserver.Eventually(s.t, 20*time.Second, "the scheduler answers", func() bool {
		return s.call(http.MethodGet, "/info", nil, nil) == nil
	})
}

func (s *site) startExecutor(name string) *child { return s.startExecutorOf(app, name) }

func (s *site) startExecutorOf(app, name string) *child {
	credentials := ""
	if s.credentials != nil {
		credentials = s.credentials(app)
	}
	c := start(s.t, "executor", os.Args[0], app, s.broker.url(app), filepath.Join(s.dir, name), s.began, s.ca, credentials)
	c.line("executor ready")
	return c
}

// executors waits until the group has n addresses, and returns them.
func (s *site) executors(n int) []string {
	var g struct {
		Addresses []string `json:"addressList"`
	}
	testserver.Eventually(s.t, 20*time.Second, fmt.Sprintf("%d executors are registered", n), func() bool {
		return s.call(http.MethodGet, fmt.Sprintf("/groups/%d", s.group), nil, &g) == nil && len(g.Addresses) == n
	})
	return g.Addresses
}

func (s *site) call(method, path string, body, answer any) error {
	data, err := json.Marshal(body)
	require.NoError(s.t, err)
	var in io.Reader
	if body != nil {
		in = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.api+path, in)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+accessToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	if err == nil && answer != nil {
		err = json.Unmarshal(text, answer)
	}
	return err
}

func (s *site) create(path string, body any) int64 {
	s.t.Helper()
	var made struct {
		ID int64 `json:"id"`
	}
	require.NoError(s.t, s.call(http.MethodPost, path, body, &made))
	return made.ID
}

// job creates a job of the handler count, which sleeps as long as its parameter says.
func (s *site) job(name string, fields map[string]any) int64 {
	s.t.Helper()
	all := map[string]any{
		"jobGroup": s.group, "name": name, "author": "tests", "executorHandler": "count", "glueType": "BEAN",
		"scheduleType": "NONE", "executorRouteStrategy": "ROUND", "executorBlockStrategy": "SERIAL_EXECUTION",
	}
	for k, v := range fields {
		all[k] = v
	}
	return s.create("/jobs", all)
}

func (s *site) trigger(job int64) {
	s.t.Helper()
	require.NoError(s.t, s.call(http.MethodPost, fmt.Sprintf("/jobs/%d/trigger", job), map[string]any{}, nil))
}

// A row is a log row as the API shows it.
type row struct {
	ID          int64  `json:"id"`
	Address     string `json:"executorAddress"`
	TriggerCode int    `json:"triggerCode"`
	TriggerMsg  string `json:"triggerMsg"`
	HandleCode  int    `json:"handleCode"`
	HandleMsg   string `json:"handleMsg"`
}

// rows returns the log rows of a job.
func (s *site) rows(job int64) (list []row) {
	after := ""
	for {
		var page struct {
			Runs []row  `json:"runs"`
			Next *int64 `json:"next"`
		}
		if err := s.call(http.MethodGet, fmt.Sprintf("/runs?job=%d&limit=1000%s", job, after), nil, &page); err != nil {
			return nil
		}
		list = append(list, page.Runs...)
		if page.Next == nil || *page.Next == 0 {
			return list
		}
		after = fmt.Sprintf("&after=%d", *page.Next)
	}
}

// counts returns how often each run began.
func (s *site) counts() map[int64]int {
	data, err := os.ReadFile(s.began)
	if err != nil {
		return nil
	}
	counts := map[int64]int{}
	for _, line := range strings.Fields(strings.ReplaceAll(string(data), "\n", " ")) {
		if id, err := strconv.ParseInt(line, 10, 64); err == nil {
			counts[id]++
		}
	}
	return counts
}

// executorCall posts to the operations for executors.
func (s *site) executorCall(op string, body any) error {
	data, err := json.Marshal(body)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, strings.TrimSuffix(s.api, "/v1")+"/"+op, bytes.NewReader(data))
	require.NoError(s.t, err)
	req.Header.Set("XXL-JOB-ACCESS-TOKEN", accessToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && !strings.Contains(string(text), "200") {
		err = fmt.Errorf("%s: %s", op, text)
	}
	return err
}

// metrics returns the page of the scheduler's metrics.
func (s *site) metrics() string {
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, strings.TrimSuffix(s.api, "/api/v1")+"/metrics", nil)
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+accessToken)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return string(text)
}
