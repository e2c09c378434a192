//go:build unix

package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// childAct is the environment variable that names what a child process of the test does with
// childFile instead of running tests.
const (
	childAct  = "XXLWHEEL_SQLSTORE_TEST_ACT"
	childFile = "XXLWHEEL_SQLSTORE_TEST_FILE"
)

// runChild carries out act on the file, which is all that a child process does.
func runChild(act, file string) error {
	opts := database.Options{Logger: fixture.Quiet}
	if act == "journal" {
		s, err := OpenJournaled(context.Background(), file, opts, JournalOptions{SegmentSize: crashSegment})
		if err != nil {
			return err
		}
		return writeAndAcknowledge(s)
	}
	s, err := Open(context.Background(), file, opts)
	if err != nil || act == "open" {
		return err
	}
	if act == "purge" {
		return purgeAndTell(s)
	}
	if act == "fold" {
		return foldAndTell(s)
	}
	return writeAndAcknowledge(s)
}

// writeAndAcknowledge plans, claims and finishes fires, and prints each step once it is durable,
// until the process is killed.
func writeAndAcknowledge(s xxladapter.Store) error {
	ctx := context.Background()
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: fmt.Sprint("crash-app-", os.Getpid()), Title: "crash"})
	if err != nil {
		return err
	}
	job, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "crash"})
	if err != nil {
		return err
	}
	lease, err := s.Lease(ctx, "n1", time.Hour)
	if err != nil {
		return err
	}
	failed := make(chan error)
	for range 8 {
		go func() {
			for {
				planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now().Add(-time.Minute), Type: xxladapter.TriggerManual}})
				if err != nil {
					failed <- err
					return
				}
				fmt.Printf("planned %d\n", planned[0].ID)
				claimed, err := s.ClaimFire(ctx, lease.Term, planned[0].ID, []*xxladapter.Log{{JobID: job, TriggerTime: time.Now()}})
				if err != nil {
					failed <- err
					return
				}
				fmt.Printf("claimed %d %d\n", planned[0].ID, claimed[0].LogID)
				if claimed[0].LogID%2 == 0 {
					continue
				}
				if _, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: 200}); err != nil {
					failed <- err
					return
				}
				fmt.Printf("finished %d %d\n", planned[0].ID, claimed[0].LogID)
			}
		}()
	}
	return <-failed
}

// TestAKilledProcessKeepsWhatItAcknowledged kills a child with SIGKILL in the middle of its writes.
func TestAKilledProcessKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "xxl.db")
	const enough = 500
	var said []string
	child := command(t, "write", file)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // a line that is cut off acknowledges nothing
			require.ErrorIs(t, err, io.EOF)
			break
		}
		if said = append(said, line); len(said) == enough {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait(), "it was killed")
	require.GreaterOrEqual(t, len(said), enough)

	s := openFile(t, file, time.Now)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Query(t.Context(), `PRAGMA integrity_check`, nil, func(r database.Row) error {
		var verdict string
		err := r.Scan(&verdict)
		require.Equal(t, "ok", verdict)
		return err
	}))
	fires, err := s.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	open := map[int64]xxladapter.Fire{}
	for _, f := range fires {
		open[f.ID] = f
		if f.LogID != 0 {
			_, err := s.Log(t.Context(), f.LogID)
			require.NoError(t, err, "a claimed fire has its log row")
		}
	}
	logs := map[int64]*xxladapter.Log{}
	all, err := s.Logs(t.Context(), xxladapter.LogFilter{})
	require.NoError(t, err)
	for _, l := range all {
		logs[l.ID] = l
	}
	requireRecount(t, s, all)
	// The last line about a fire counts, and the fire may have gone one step further.
	claims := map[int64]bool{}
	for _, line := range said {
		var fireID, logID int64
		switch act, rest, _ := strings.Cut(strings.TrimSpace(line), " "); act {
		case "claimed":
			_, err := fmt.Sscan(rest, &fireID, &logID)
			require.NoError(t, err)
			claims[fireID] = true
			require.Contains(t, logs, logID)
		case "finished":
			_, err := fmt.Sscan(rest, &fireID, &logID)
			require.NoError(t, err)
			require.Equal(t, 200, logs[logID].HandleCode)
			require.NotContains(t, open, fireID)
		}
	}
	for _, line := range said {
		var fireID int64
		if n, _ := fmt.Sscanf(line, "planned %d\n", &fireID); n == 1 && !claims[fireID] {
			// The fire may have been claimed and finished without a line about either.
			_, isOpen := open[fireID]
			require.True(t, isOpen || len(logs) > len(claims), "fire %d is lost", fireID)
		}
	}
}

// command returns this test binary as a child process.
func command(t *testing.T, act, file string) *exec.Cmd {
	t.Helper()
	testserver.Short(t)
	child := exec.CommandContext(t.Context(), "/proc/self/exe")
	child.Env = append(os.Environ(), childAct+"="+act, childFile+"="+file)
	return child
}

// openAsNobody opens the file in a child without the rights of root, for whom no file is read-only,
// and returns the child's output.
func openAsNobody(t *testing.T, file string) string {
	t.Helper()
	child := command(t, "open", file)
	if os.Geteuid() == 0 {
		const nobody = 65534
		child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		for dir := filepath.Dir(file); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			require.NoError(t, os.Chmod(dir, 0o777))
		}
	}
	said, err := child.CombinedOutput()
	require.Error(t, err, "%s", said)
	return string(said)
}
