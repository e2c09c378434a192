package checker

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A writeLog keeps the argument of each Write.
type writeLog struct{ writes [][]byte }

func (w *writeLog) Write(b []byte) (int, error) {
	w.writes = append(w.writes, bytes.Clone(b))
	return len(b), nil
}

func TestRecorderFromManyGoroutines(t *testing.T) {
	var w writeLog
	r := NewRecorder(&w, "executor")
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				at := ms(int64(i))
				n, err := r.Run(Run{Job: int64(g + 1), Log: int64(g*200 + i + 1), At: at})
				err = errors.Join(err, r.Start(n, at.Time()), r.End(n, at.Add(time.Second).Time(), 200+g))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Len(t, w.writes, 8*200*3)
	for _, line := range w.writes {
		require.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'), "a write is one line")
	}
	h, err := Read(bytes.NewReader(bytes.Join(w.writes, nil)))
	require.NoError(t, err)
	require.Len(t, h.Runs, 1600)
	for _, run := range h.Runs {
		i := (run.Log - 1) % 200
		require.Equal(t, Run{Job: (run.Log-1)/200 + 1, Log: run.Log, At: ms(i), Start: ms(i), End: ms(i + 1000), Code: 200 + int32(run.Job-1)}, run)
	}
}

func TestRecorderKeepsItsFirstError(t *testing.T) {
	full := errors.New("disk full")
	r := NewRecorder(failing{full}, "e")
	_, err := r.Run(Run{Job: 1, At: 1})
	require.ErrorIs(t, err, full)
	require.ErrorIs(t, r.Final(time.Now()), full)
	_, err = r.Run(Run{Job: 1, At: 1})
	require.ErrorIs(t, err, full)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOpenRecorder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "runs")
	r, err := OpenRecorder(file)
	require.NoError(t, err)
	_, err = r.Run(Run{Job: 1, At: 1})
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close(), "again")
	_, err = OpenRecorder(file)
	require.ErrorIs(t, err, os.ErrExist)
}

// TestRecorderSurvivesKill kills a process in the middle of recording, and checks that everything
// that it reported as written is there.
func TestRecorderSurvivesKill(t *testing.T) {
	const env = "CHECKER_RECORD_TO"
	if file := os.Getenv(env); file != "" {
		recordForEver(file)
	}
	file := filepath.Join(t.TempDir(), "runs")
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.Command(self, "-test.run=^TestRecorderSurvivesKill$")
	child.Env = append(os.Environ(), env+"="+file)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	told := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if told++; told == 500 {
			require.NoError(t, child.Process.Kill())
		}
	}
	_ = child.Wait()
	h, err := ReadFiles(t.Context(), []string{file})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(h.Runs), told)
	require.GreaterOrEqual(t, told, 500)
}

// recordForEver prints a line for each run that it has recorded.
func recordForEver(file string) {
	r, err := OpenRecorder(file)
	for err == nil {
		if _, err = r.Run(Run{Job: 1, At: 1}); err == nil {
			_, err = os.Stdout.WriteString("recorded\n")
		}
	}
	os.Exit(1)
}
