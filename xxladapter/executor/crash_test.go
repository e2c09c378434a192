package executor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// crashEnv names the admin for the process that TestKill9 kills.
const crashEnv = "XXLWHEEL_TEST_EXECUTOR_ADMIN"

// TestKill9 kills an executor at random moments while runs arrive, one by one and in batches, and
// restarts it on the same data directory. In the end the admin has a result of every accepted run,
// no log id ran twice, and a result that says success belongs to a log id that ran.
func TestKill9(t *testing.T) {
	t.Parallel()
	if admin := os.Getenv(crashEnv); admin != "" {
		crashChild(admin)
		return
	}
	admin := &fakeAdmin{}
	var refusing atomic.Bool
	admin.fail = func(r *http.Request, _ []byte) *wire.Reply {
		if refusing.Load() && strings.HasSuffix(r.URL.Path, wire.OpCallback) {
			no := wire.Fail("standby")
			return &no
		}
		return nil
	}
	server := httptest.NewServer(admin)
	defer server.Close()
	client := &http.Client{Timeout: 5 * time.Second}
	defer client.CloseIdleConnections()
	dir := t.TempDir()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	const lives = 8
	accepted := map[int64]bool{}
	var sent []wire.RunRequest
	var mu sync.Mutex
	var lastID atomic.Int64
	for life := range lives {
		child := startChild(t, "^TestKill9$", crashEnv+"="+server.URL, crashEnv+"_DIR="+dir)
		refusing.Store(life%3 == 1) // results then wait in the journal for the next life
		stop := make(chan struct{})
		var senders sync.WaitGroup
		for range 4 {
			pick := rand.New(rand.NewPCG(random.Uint64(), 1))
			senders.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					runs := make([]wire.RunRequest, 1+pick.IntN(2)*pick.IntN(9))
					mu.Lock()
					for i := range runs {
						if again := len(sent) > 0 && pick.IntN(4) == 0; again { // as after a lost reply
							runs[i] = sent[pick.IntN(len(sent))]
						} else {
							runs[i] = beanRun(1+pick.Int64N(5), lastID.Add(1), "crash")
							sent = append(sent, runs[i])
						}
					}
					mu.Unlock()
					ids, err := postRuns(client, child.addr, runs)
					if err == nil {
						mu.Lock()
						for _, id := range ids {
							accepted[id] = true
						}
						mu.Unlock()
					}
				}
			})
		}
		time.Sleep(time.Duration(50+random.IntN(250)) * time.Millisecond) // random moment of the kill
		child.kill()
		close(stop)
		senders.Wait()
		client.CloseIdleConnections()
	}
	refusing.Store(false)
	last := startChild(t, "^TestKill9$", crashEnv+"="+server.URL, crashEnv+"_DIR="+dir)
	testserver.Eventually(t, endsWithin, "results", func() bool {
		missing := maps.Clone(accepted)
		for _, c := range admin.results() {
			delete(missing, int64(c.LogID))
		}
		return len(missing) == 0
	})
	last.kill()

	ran := readRan(t, dir)
	failed := 0
	for id, n := range ran {
		require.Equal(t, 1, n, "log id %d ran %d times", id, n)
	}
	first := map[wire.Int]wire.Callback{}
	for _, c := range admin.results() {
		if one, again := first[c.LogID]; again {
			require.Equal(t, one, c, "two results of one run differ")
			continue
		}
		first[c.LogID] = c
		if c.HandleCode == wire.CodeOK {
			require.Equal(t, 1, ran[int64(c.LogID)], "log id %d succeeded without running", c.LogID)
		} else {
			require.Equal(t, msgRestarted, c.HandleMsg)
			failed++
		}
	}
	require.Greater(t, len(accepted), 100, "too little was tried")
	t.Logf("%d kills, %d runs sent, %d accepted, %d without an answer, %d reported as unfinished, %d ran",
		lives, len(sent), len(accepted), len(sent)-len(accepted), failed, len(ran))
	state := readState(t, filepath.Join(dir, "data"))
	require.Empty(t, state.open)
	judge(t, dir, sent, first)
}

// judge checks the same lives with package checker: what each process recorded, what it was sent,
// and which results an admin would have applied.
func judge(t *testing.T, dir string, sent []wire.RunRequest, applied map[wire.Int]wire.Callback) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "history-*"))
	require.NoError(t, err)
	h, err := checker.ReadFiles(t.Context(), files)
	require.NoError(t, err)
	for _, run := range sent {
		h.Triggers = append(h.Triggers, checker.Trigger{Job: int64(run.JobID), Type: xxladapter.TriggerAPI, Log: int64(run.LogID)})
	}
	for id, c := range applied {
		h.Results = append(h.Results, checker.Result{Log: int64(id), Code: int32(c.HandleCode), At: checker.At(time.Now())})
	}
	report := checker.Check(h, checker.Options{})
	require.True(t, report.Clean(), "%s", report)
	require.Greater(t, report.Runs, 100)
}

// crashChild is the process that is killed: an executor whose handler first records each of its
// runs in a file.
func crashChild(admin string) {
	dir := os.Getenv(crashEnv + "_DIR")
	ran, err := os.OpenFile(filepath.Join(dir, "ran"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	history, err := checker.OpenRecorder(filepath.Join(dir, fmt.Sprintf("history-%d", os.Getpid())))
	if err != nil {
		panic(err)
	}
	e, err := New(Options{
		Admins: []string{admin}, AppName: "crash", Listen: "127.0.0.1:0", DataDir: filepath.Join(dir, "data"),
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	err = e.Handle("crash", func(_ context.Context, run *Run) error {
		now := checker.At(time.Now())
		// The record has no end: a kill could come between such a record and the executor's own.
		_, err := history.Run(checker.Run{Job: run.JobID, Log: run.LogID, At: now, Start: now})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(ran, "%d\n", run.LogID)
		// Some are still in progress when the process dies.
		time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
		return err
	})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // stops the executor when the parent ends
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	go func() {
		<-e.Ready()
		fmt.Println("serving", e.Address())
	}()
	if err := e.Run(ctx); err != nil {
		panic(err)
	}
}

type childProcess struct {
	cmd  *exec.Cmd
	addr string
}

// startChild runs a test of this binary in another process, which prints a line when it serves.
func startChild(t *testing.T, test string, env ...string) *childProcess {
	t.Helper()
	testserver.Short(t)
	cmd := exec.Command(os.Args[0], "-test.run="+test)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &childProcess{cmd: cmd}
	t.Cleanup(p.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if addr, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			p.addr = addr
			return p
		}
	}
	t.Fatal("the executor process did not start")
	return nil
}

func (p *childProcess) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// postRuns sends several runs as a batch, and returns the log ids of those that were accepted.
func postRuns(client *http.Client, addr string, runs []wire.RunRequest) ([]int64, error) {
	if len(runs) == 1 {
		reply, err := sendRun(client, addr, runs[0])
		if err != nil || reply.Code != wire.CodeOK {
			return nil, err
		}
		return []int64{int64(runs[0].LogID)}, nil
	}
	answer, err := postJSON(client, addr, wire.PathRuns, runs)
	if err != nil {
		return nil, err
	}
	replies, err := wire.DecodeRunReplies(answer)
	if err == nil && len(replies.Runs) != len(runs) {
		err = fmt.Errorf("%d replies to %d runs", len(replies.Runs), len(runs))
	}
	var accepted []int64
	for _, r := range replies.Runs {
		if r.Code == wire.CodeOK {
			accepted = append(accepted, int64(r.LogID))
		}
	}
	return accepted, err
}

func sendRun(client *http.Client, addr string, run wire.RunRequest) (wire.Reply, error) {
	answer, err := postJSON(client, addr, wire.PathRun, run)
	if err != nil {
		return wire.Reply{}, err
	}
	return wire.DecodeReply(answer)
}

func postJSON(client *http.Client, addr, path string, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	resp, err := client.Post(strings.TrimSuffix(addr, "/")+path, wire.ContentType, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// readRan counts how often each log id ran.
func readRan(t *testing.T, dir string) map[int64]int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "ran"))
	require.NoError(t, err)
	ran := map[int64]int{}
	for line := range strings.Lines(string(data)) {
		id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		require.NoError(t, err)
		ran[id]++
	}
	return ran
}
