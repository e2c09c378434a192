package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/console"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A site is a scheduler with a store and executors of its own, all real.
type site struct {
	t     testing.TB
	url   string // without a slash at its end
	token string
	store xxladapter.Store
	file  string // of the store
	setup string // the one-time link of a site without users, if others can reach it
	stop  func()
}

const (
	siteApp  = "orders-service"
	loopback = "127.0.0.1:0"
)

// newSite starts a scheduler and one executor. With an empty token, calls need no sign-in while
// there is no user.
func newSite(t testing.TB, token string, channels ...alarm.Channel) *site {
	t.Helper()
	return startSite(t, token, loopback, func(o *node.Options, _ string) { o.Alarms = channels })
}

// newReachableSite starts a scheduler that other machines could reach.
func newReachableSite(t testing.TB, token string) *site {
	t.Helper()
	return startSite(t, token, "0.0.0.0:0", nil)
}

// startSite starts a scheduler and one executor. change, if not nil, gets the scheduler's options
// and its address.
func startSite(t testing.TB, token, listen string, change func(o *node.Options, url string)) *site {
	t.Helper()
	needBrowser(t)
	dir := t.TempDir()
	logger := slog.New(slog.DiscardHandler)
	file := filepath.Join(dir, "site.db")
	store, err := sqlstore.OpenSQLite(t.Context(), file, sqlstore.Options{Logger: logger})
	require.NoError(t, err)
	pages, err := console.New(console.Options{})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", listen)
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	s := &site{t: t, url: "http://127.0.0.1:" + port, token: token, store: store, file: file}
	links := make(chan string, 1)
	options := node.Options{Store: store, AccessToken: token, Console: pages, Logger: logger, OnSetup: func(link string) { links <- link }}
	if change != nil {
		change(&options, s.url)
	}
	n, err := node.New(options)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx, ln) }()
	s.stop = func() {
		cancel()
		require.NoError(t, <-ended)
		require.NoError(t, store.Close())
		s.stop = func() {}
	}
	t.Cleanup(func() { s.stop() })
	s.executor(filepath.Join(dir, "executor"))
	if listen != loopback {
		s.setup = <-links
	}
	return s
}

// executor runs an executor until the test ends or stop is called, and returns once it serves
// requests.
func (s *site) executor(dir string) (stop func()) {
	s.t.Helper()
	e, err := executor.New(executor.Options{
		Admins: []string{s.url}, AppName: siteApp, AccessToken: s.token, Listen: "127.0.0.1:0", DataDir: dir,
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(s.t, err)
	for name, handle := range handlers {
		require.NoError(s.t, e.Handle(name, handle))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(s.t, <-ended)
	})
	s.t.Cleanup(stop)
	select {
	case <-e.Ready():
	case err := <-ended:
		s.t.Fatalf("executor: %v", err)
	}
	return stop
}

// handlers are what the jobs of the tests run.
var handlers = map[string]func(context.Context, *executor.Run) error{
	"greet": func(_ context.Context, run *executor.Run) error {
		run.Logger.Info("hello", "param", run.Param)
		return nil
	},
	"count": func(ctx context.Context, run *executor.Run) error {
		for i := range 1200 { // a minute, on a busy machine too
			run.Logger.Info("step", "number", i)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond): // a run that people watch
			}
		}
		return nil
	},
	"fail": func(_ context.Context, run *executor.Run) error {
		run.Logger.Error("payment gateway refused", "order", 4711)
		return errors.New(stackTrace)
	},
	// flood writes as many lines as its parameter says.
	"flood": func(_ context.Context, run *executor.Run) error {
		count, err := strconv.Atoi(run.Param)
		for i := range count {
			run.Logger.Info(fmt.Sprintf("\x1b[32mline %d\x1b[0m", i))
		}
		return err
	},
	// pour writes a thousand lines a second, for as many seconds as its parameter says.
	"pour": func(ctx context.Context, run *executor.Run) error {
		seconds, err := strconv.Atoi(run.Param)
		pace := time.NewTicker(10 * time.Millisecond)
		defer pace.Stop()
		for i := range 100 * seconds {
			for n := range 10 {
				run.Logger.Info("line", "number", 10*i+n)
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-pace.C:
			}
		}
		return err
	},
	"echo": func(_ context.Context, run *executor.Run) error {
		run.Logger.Info(run.Param)
		return errors.New(run.Param)
	},
}

// stackTrace is what a failed Java handler reports.
var stackTrace = "java.lang.IllegalStateException: payment gateway refused the settlement of order 4711\n" +
	strings.Repeat("\tat com.example.orders.settlement.SettlementService.settleOutstandingOrdersOfMerchant(SettlementService.java:218)\n", 6) +
	"Caused by: java.net.SocketTimeoutException: Read timed out after 30000 ms\n\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)"

// call makes a call of the API that has to succeed.
func (s *site) call(method, path string, body, answer any) {
	s.t.Helper()
	status, text := s.try(method, path, body)
	require.Equal(s.t, http.StatusOK, status, "%s %s: %s", method, path, text)
	if answer != nil {
		require.NoError(s.t, json.Unmarshal([]byte(text), answer))
	}
}

func (s *site) try(method, path string, body any) (int, string) {
	s.t.Helper()
	var data io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		require.NoError(s.t, err)
		data = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v1"+path, data)
	require.NoError(s.t, err)
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return answer.StatusCode, string(text)
}

// group creates the group of the executor and waits until its address is registered.
func (s *site) group(title string) int64 {
	s.t.Helper()
	var created struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": siteApp, "title": title}, &created)
	testserver.Eventually(s.t, 30*time.Second, "the executor is registered", func() bool {
		var g struct{ AddressList []string }
		s.call("GET", fmt.Sprintf("/groups/%d", created.ID), nil, &g)
		return len(g.AddressList) > 0
	})
	return created.ID
}

// job creates a job; fields replace the defaults.
func (s *site) job(group int64, name string, fields map[string]any) int64 {
	s.t.Helper()
	form := map[string]any{"jobGroup": group, "name": name, "author": "wang.fang", "executorHandler": "greet", "scheduleType": "NONE"}
	for key, value := range fields {
		form[key] = value
	}
	var created struct{ ID int64 }
	s.call("POST", "/jobs", form, &created)
	return created.ID
}

// startAt switches the schedule of a job on, with a due time of the test's choice.
func (s *site) startAt(job int64, due time.Time) {
	s.t.Helper()
	_, err := xxladapter.StartJob(s.t.Context(), s.store, job, time.Time{}, func(time.Time) time.Time { return due })
	require.NoError(s.t, err)
}

// run triggers a job and returns the id of its run.
func (s *site) run(job int64, param string) int64 {
	s.t.Helper()
	var planned struct{ Order int64 }
	s.call("POST", fmt.Sprintf("/jobs/%d/trigger", job), map[string]any{"executorParam": param}, &planned)
	var order struct{ LogIDs []int64 }
	testserver.Eventually(s.t, 30*time.Second, "the run has begun", func() bool {
		s.call("GET", fmt.Sprintf("/orders/%d", planned.Order), nil, &order)
		return len(order.LogIDs) > 0
	})
	return order.LogIDs[0]
}

// ended waits for the result of a run.
func (s *site) ended(run int64) {
	s.t.Helper()
	testserver.Eventually(s.t, 30*time.Second, "the run has ended", func() bool {
		var l struct{ Status string }
		s.call("GET", fmt.Sprintf("/runs/%d", run), nil, &l)
		return l.Status != "RUNNING"
	})
}
