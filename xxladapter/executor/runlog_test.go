package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/slogtest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestRunLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		proceed := make(chan struct{})
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("talk", func(_ context.Context, run *Run) error {
				run.Logger.Info("closing", "shop", run.Param, "n", 3)
				<-proceed
				run.Logger.WithGroup("g").With("a", 1).Warn("two\nlines", "took", time.Second)
				return nil
			}))
		})
		run := beanRun(7, 101, "talk")
		run.Params = "north west"
		e.post("/run", run)
		synctest.Wait()
		stamp := time.Now().Local().Format(lineLayout)
		begin := stamp + ` [executor] run 101 of job 7 starts: handler talk, shard 0/1, param "north west"` + "\n"
		first := stamp + ` INFO closing shop="north west" n=3` + "\n"
		require.Equal(t, wire.LogResult{FromLine: 1, ToLine: 2, Content: begin + first}, e.readLog(run, 1), "while it runs")
		require.Equal(t, wire.LogResult{FromLine: 3, ToLine: 2}, e.readLog(run, 3))

		close(proceed)
		synctest.Wait()
		second := stamp + " WARN two\nlines g.a=1 g.took=1s\n"
		end := stamp + " [executor] run ends: code 200\n"
		require.Equal(t, wire.LogResult{FromLine: 3, ToLine: 5, Content: second + end}, e.readLog(run, 3))

		path := filepath.Join(e.opts.DataDir, day(int64(run.LogTime)), "101.log")
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, begin+first+second+end, string(data))

		// An admin that stores seconds rounds half a second up, possibly past midnight.
		late := run
		late.LogTime += 500
		require.Len(t, strings.Split(e.readLog(late, 1).Content, "\n"), 6)
	})
}

// TestQuietRunLog checks that a run that wrote no line has its log in the shared file.
func TestQuietRunLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e := start(t, Options{DataDir: dir}, withEcho(t))
		var runs []wire.RunRequest
		for id := int64(1); id <= 20; id++ {
			run := beanRun(7, id, "echo")
			runs = append(runs, run)
			e.post("/run", run)
		}
		synctest.Wait()
		check := func() {
			for _, run := range runs {
				got := e.readLog(run, 1)
				require.EqualValues(t, 2, got.ToLine)
				require.False(t, got.End)
				require.Contains(t, got.Content, fmt.Sprintf("run %d of job 7 starts", run.LogID))
				require.Contains(t, got.Content, "run ends: code 200\n")
			}
		}
		check()
		time.Sleep(time.Second)
		files, err := os.ReadDir(filepath.Join(dir, day(int64(runs[0].LogTime))))
		require.NoError(t, err)
		require.Len(t, files, 1, "a file for each run that wrote nothing")
		e.stop()
		e = start(t, Options{DataDir: dir}, withEcho(t))
		check()

		failing := beanRun(7, 99, "echo")
		failing.Params = "boom"
		e.post("/run", failing)
		synctest.Wait()
		require.FileExists(t, filepath.Join(dir, day(int64(failing.LogTime)), "99.log"))
	})
}

// TestLogOfAnAcceptedRunExists checks that the log of an accepted run is found, even before its
// first line and after a crash that lost the lines. A scheduler that does not know whether a run
// started requests its log.
func TestLogOfAnAcceptedRunExists(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		first, second := beanRun(7, 1, "stage"), beanRun(7, 2, "stage")
		e.post("/run", first)
		e.post("/run", second)
		synctest.Wait()
		require.Equal(t, wire.LogResult{FromLine: 1}, e.readLog(second, 1))
		require.True(t, e.readLog(beanRun(7, 3, "stage"), 1).End)
		s.end(nil)
		require.False(t, e.readLog(second, 1).End)
		e.stop()
		require.NoError(t, os.RemoveAll(filepath.Join(e.opts.DataDir, day(int64(first.LogTime)))))
		again := start(t, Options{DataDir: e.opts.DataDir}, nil)
		require.Equal(t, wire.LogResult{FromLine: 1}, again.readLog(first, 1))
	})
}

// TestALineThatIsBeingWrittenIsReadWhenItIsWhole appends a part of a line to a log, as a script
// does. A last line without an end counts once the run has ended.
func TestALineThatIsBeingWrittenIsReadWhenItIsWhole(t *testing.T) {
	write, end := make(chan struct{}), make(chan struct{})
	e := start(t, Options{}, func(e *Executor) {
		require.NoError(t, e.Handle("h", func(_ context.Context, run *Run) error {
			run.Logger.Info("whole")
			close(write)
			<-end
			return nil
		}))
	})
	run := beanRun(7, 1, "h")
	e.post("/run", run)
	<-write
	before := e.readLog(run, 1) // this writes the buffered lines
	require.Contains(t, before.Content, "whole\n")
	f, err := os.OpenFile(filepath.Join(e.opts.DataDir, day(int64(run.LogTime)), "1.log"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("half a line")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, before, e.readLog(run, 1))
	close(end)
	testserver.Eventually(t, endsWithin, "the run ends", func() bool { return e.admin.result(1) != nil })
	require.Contains(t, e.readLog(run, 1).Content, "half a line")
}

// TestLogsAreForTheOwnerAndTheGroup checks permissions: logs contain parameters and results.
func TestLogsAreForTheOwnerAndTheGroup(t *testing.T) {
	e := start(t, Options{}, func(e *Executor) {
		require.NoError(t, e.Handle("loud", func(_ context.Context, run *Run) error { run.Logger.Info("a line"); return nil }))
		require.NoError(t, e.Handle("quiet", func(context.Context, *Run) error { return nil }))
	})
	e.post("/run", beanRun(7, 1, "loud"))
	e.post("/run", beanRun(8, 2, "quiet"))
	testserver.Eventually(t, endsWithin, "both runs end", func() bool {
		return e.admin.result(1) != nil && e.admin.result(2) != nil
	})
	e.stop()
	files := 0
	require.NoError(t, filepath.WalkDir(e.opts.DataDir, func(path string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		if path != e.opts.DataDir { // the test's own
			require.Zero(t, info.Mode().Perm()&0o007, "%s is %v", path, info.Mode())
		}
		if strings.HasSuffix(path, ".log") {
			files++
		}
		return nil
	}))
	require.GreaterOrEqual(t, files, 2)
}

// TestNothingIsWrittenForNoLogs checks that a day without quiet runs has no file.
func TestNothingIsWrittenForNoLogs(t *testing.T) {
	dir := t.TempDir()
	q := &quietLogs{dir: dir, logger: quietLogger()}
	q.flush()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	q.add(1, 1767225600000, []byte("a log"))
	q.flush()
	q.flush()
	entries, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the folder of the day")
}

// TestALogIsFoundOnTheDayBefore checks that a log is found although databases round the time of a
// run up to a whole second, possibly the first of the next day.
func TestALogIsFoundOnTheDayBefore(t *testing.T) {
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.Local).UnixMilli()
	require.Equal(t, []string{"2026-03-02", "2026-03-01"}, uniqueDays(midnight, midnight-1000))
	require.Equal(t, []string{"2026-03-02"}, uniqueDays(midnight+1000, midnight))
	l := newRunLogs(t.TempDir(), 1<<20, quietLogger())
	folder := filepath.Join(l.dir, "2026-03-01")
	require.NoError(t, os.MkdirAll(folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "5.log"), []byte("a line\n"), 0o640))
	nobody := func(int64, int64) bool { return false }
	for _, logTime := range []int64{midnight - 1, midnight, midnight + 999} {
		require.Equal(t, "a line\n", l.readLog(wire.LogRequest{LogID: 5, LogTime: wire.Int(logTime), FromLine: 1}, nobody).Content)
	}
	require.True(t, l.readLog(wire.LogRequest{LogID: 5, LogTime: wire.Int(midnight + 1000), FromLine: 1}, nobody).End)
}

func TestReadLines(t *testing.T) {
	long := strings.Repeat("x", maxLogReply+5)
	page := strings.Repeat(strings.Repeat("y", 1023)+"\n", 300) // more than a reply holds
	for _, c := range []struct {
		name     string
		text     string
		from     wire.Int
		complete bool
		to       wire.Int
		content  string
	}{
		{"empty", "", 1, true, 0, ""},
		{"one line", "a\n", 1, true, 1, "a\n"},
		{"from the second", "a\nb\nc\n", 2, true, 3, "b\nc\n"},
		{"from below the first", "a\nb\n", -3, true, 2, "a\nb\n"},
		{"past the end", "a\nb\n", 3, true, 2, ""},
		{"far past the end", "a\nb\n", 4711, true, 2, ""},
		{"empty lines", "\n\na\n", 1, true, 3, "\n\na\n"},
		{"windows line ends", "a\r\nb\r\n", 1, true, 2, "a\nb\n"},
		{"no line end, complete", "a\nb", 1, true, 2, "a\nb\n"},
		{"no line end, going on", "a\nb", 1, false, 1, "a\n"},
		{"only half a line, going on", "b", 1, false, 0, ""},
		{"line as long as a reply", long[:maxLogReply] + "\nb\n", 1, true, 1, long[:maxLogReply] + "\n"},
		{"line longer than a reply", long + "\nb\n", 1, true, 1, long[:maxLogReply] + "...\n"},
		{"line cut inside a character", long[3:maxLogReply] + "a汉\nb\n", 1, true, 1, long[3:maxLogReply] + "a...\n"},
		{"line cut inside a character, at the end of a buffer", long[:maxLogReply-1] + "汉汉\nb\n", 1, true, 1, long[:maxLogReply-1] + "...\n"},
		{"line cut behind a character", long[3:maxLogReply] + "汉汉\nb\n", 1, true, 1, long[3:maxLogReply] + "汉...\n"},
		{"after a line longer than a reply", long + "\nb\n", 2, true, 2, "b\n"},
		{"more than a reply", page, 1, true, 256, page[:256*1024]},
		{"the rest", page, 257, true, 300, page[256*1024:]},
	} {
		got := readLines(strings.NewReader(c.text), c.from, c.complete)
		require.Equal(t, wire.LogResult{FromLine: c.from, ToLine: c.to, Content: c.content}, got, c.name)
	}
}

// FuzzReadLines checks that reading a log page by page returns each line once, wherever the pages
// end.
func FuzzReadLines(f *testing.F) {
	f.Add("a\nb\r\n\nc")
	f.Add(strings.Repeat("line\n", 60_000))
	f.Fuzz(func(t *testing.T, text string) {
		var got strings.Builder
		for from := wire.Int(1); ; {
			page := readLines(strings.NewReader(text), from, true)
			if page.ToLine < from {
				break
			}
			got.WriteString(page.Content)
			require.EqualValues(t, page.ToLine-from+1, strings.Count(page.Content, "\n"))
			from = page.ToLine + 1
		}
		want := strings.ReplaceAll(text, "\r\n", "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if len(text) < maxLogReply && encodedLen(text) < maxPayload { // longer lines are truncated
			require.Equal(t, want, got.String())
		}
	})
}

// TestAReplyWithALogFitsTheBroker reads logs that are several times longer in JSON. A reply has the
// lines twice, and NATS carries no more than 1 MiB by default.
func TestAReplyWithALogFitsTheBroker(t *testing.T) {
	for name, line := range map[string]string{
		"no text": "", "short lines": strings.Repeat("<a></a>", 20), "one line": strings.Repeat("<a></a>", maxLogReply),
		"control characters": strings.Repeat("\x01", maxLogReply), "invalid": strings.Repeat("\xff", maxLogReply),
		"longer at its end": strings.Repeat("x", maxLogReply/2) + strings.Repeat("<", maxLogReply/2),
	} {
		text := strings.Repeat(line+"\n", 1+2*maxLogReply/(len(line)+1))
		page := readLines(strings.NewReader(text), 1, true)
		reply, err := json.Marshal(wire.OK().WithPayload(page))
		require.NoError(t, err)
		require.Less(t, len(reply), 1<<20, name)
		require.Greater(t, len(page.Content), 75<<10, name)
		require.EqualValues(t, page.ToLine, strings.Count(page.Content, "\n"), name)
	}
}

func TestRunLogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{MaxRunLog: 1000}, func(e *Executor) {
			require.NoError(t, e.Handle("chatter", func(_ context.Context, run *Run) error {
				for range 1000 {
					run.Logger.Info("on and on")
				}
				return nil
			}))
		})
		run := beanRun(7, 1, "chatter")
		e.post("/run", run)
		synctest.Wait()
		text := e.readLog(run, 1).Content
		require.Less(t, len(text), 1300)
		require.Contains(t, text, "the log has reached 1000 bytes; the rest is dropped\n")
		require.Contains(t, text, "run ends: code 200\n")
	})
}

// TestALongResultIsCutInTheLog checks that a long result is truncated in the run's log as it is for
// the scheduler.
func TestALongResultIsCutInTheLog(t *testing.T) {
	const long = 1 << 20
	for name, do := range map[string]HandlerFunc{
		"error":  func(context.Context, *Run) error { return errors.New(strings.Repeat("x", long)) },
		"panic":  func(context.Context, *Run) error { panic(strings.Repeat("x", long)) },
		"result": func(_ context.Context, r *Run) error { r.SetResult(200, strings.Repeat("x", long)); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, Options{}, func(e *Executor) { require.NoError(t, e.Handle("h", do)) })
				run := beanRun(7, 1, "h")
				e.post("/run", run)
				synctest.Wait()
				text := e.readLog(run, 1).Content
				require.Contains(t, text, "run ends: code ")
				require.Less(t, len(text), 3*maxMsg)
			})
		})
	}
}

func TestRunLogReachesTheFileSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logs := newRunLogs(t.TempDir(), 1<<20, quietLogger())
		rl := logs.begin(1, 0)
		rl.mark("one")
		path := logs.path(0, 1)
		time.Sleep(runLogDelay - time.Nanosecond)
		synctest.Wait()
		require.NoFileExists(t, path)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.FileExists(t, path)
		rl.end(true)
		logs.close()
	})
}

// TestRetention checks that the logs of a day are deleted as a whole once they are older than
// LogRetentionDays, and that nothing else in the directory is deleted (XXL-JOB 2.4.2,
// JobLogFileCleanThread.java).
func TestRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		now := time.Now().Local()
		name := func(daysAgo int) string { return now.AddDate(0, 0, -daysAgo).Format(dayLayout) }
		for _, d := range []string{name(0), name(4), name(5), name(6), name(400), "2000-13-01", "backup", "gluesource"} {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, d), 0o750))
			require.NoError(t, os.WriteFile(filepath.Join(dir, d, "1.log"), nil, 0o600))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "1999-01-01"), nil, 0o600)) // not a directory
		left := func() (names []string) {
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		}
		start(t, Options{DataDir: dir, LogRetentionDays: 5}, nil)
		synctest.Wait()
		require.Subset(t, left(), []string{name(0), name(4), name(5), "2000-13-01", "backup", "gluesource", "1999-01-01", "journal"})
		require.NotContains(t, left(), name(6))
		require.NotContains(t, left(), name(400))
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		require.NotContains(t, left(), name(5))
		require.Contains(t, left(), name(4))
	})
}

// TestRetentionSparesRunsInProgress checks that a run that lasts longer than logs are kept does not
// lose its own.
func TestRetentionSparesRunsInProgress(t *testing.T) {
	bubble(t, Options{LogRetentionDays: 3, Admins: []string{}}, func(t *testing.T, e *running, s *stage) {
		run := beanRun(7, 1, "stage")
		e.post("/run", run)
		time.Sleep(5 * 24 * time.Hour)
		synctest.Wait()
		require.Contains(t, e.readLog(run, 1).Content, "run 1 of job 7 starts")
		s.end(nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		require.NoDirExists(t, filepath.Join(e.opts.DataDir, day(int64(run.LogTime))))
	})
}

func TestRunHandlerIsASlogHandler(t *testing.T) {
	var out bytes.Buffer
	logs := newRunLogs(t.TempDir(), 1<<20, quietLogger())
	logger := func() slog.Handler { return &runHandler{log: logs.begin(1, 0)} }
	err := slogtest.TestHandler(logger(), func() []map[string]any {
		rl := logs.active[1]
		rl.flush()
		f, err := os.Open(logs.path(0, 1))
		require.NoError(t, err)
		defer f.Close()
		_, err = io.Copy(&out, f)
		require.NoError(t, err)
		return parseLines(out.String())
	})
	require.NoError(t, err)
	logs.active[1].end(true)
	logs.close()
}

// parseLines turns lines without quotes back into what slogtest expects.
func parseLines(text string) []map[string]any {
	var all []map[string]any
	for line := range strings.Lines(text) {
		record := map[string]any{}
		words := strings.Fields(line)
		if strings.HasPrefix(words[0], "20") {
			record["time"] = words[0] + " " + words[1]
			words = words[2:]
		}
		record["level"], record["msg"] = words[0], words[1]
		for _, word := range words[1:] {
			key, value, ok := strings.Cut(word, "=")
			if !ok {
				continue
			}
			to := record
			parts := strings.Split(key, ".")
			for _, group := range parts[:len(parts)-1] {
				inner, _ := to[group].(map[string]any)
				if inner == nil {
					inner = map[string]any{}
					to[group] = inner
				}
				to = inner
			}
			to[parts[len(parts)-1]] = value
		}
		all = append(all, record)
	}
	return all
}
