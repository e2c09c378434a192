package queuetest

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var (
	manyRounds = flag.Int("rounds", 0, "faults: `number` of rounds of each; 0 means few, and 200 in a soak")
	manyJobs   = flag.Int("jobs", 0, "faults: `number` of jobs; 0 means few, and 2,000 in a soak")
)

// pick returns given, the value of a flag, if it is positive. Otherwise it returns many in a soak,
// and few outside of one.
func pick(given, few, many int) int {
	switch {
	case given > 0:
		return given
	case testserver.Soak():
		return many
	}
	return few
}

// A load is many jobs that fire while a test breaks something, and the history of what happened.
type load struct {
	*site
	rec     *checker.Recorder
	jobs    []int64
	unbegun []int64 // runs that judge found failed and not begun
}

// newLoad starts jobs that fire every ten seconds. Their due times are spread over the ten seconds.
func newLoad(s *site) *load {
	s.t.Helper()
	require.NoError(s.t, os.MkdirAll(s.records(), 0o700))
	rec, err := checker.OpenRecorder(filepath.Join(s.records(), "test"))
	require.NoError(s.t, err)
	l := &load{site: s, rec: rec, jobs: make([]int64, pick(*manyJobs, 200, 2000))}
	var calls errgroup.Group
	calls.SetLimit(16)
	for i := range l.jobs {
		calls.Go(func() error {
			kind, conf := xxladapter.ScheduleCron, fmt.Sprintf("%d/10 * * * * ?", i%10)
			asked := time.Now()
			var made struct{ ID int64 }
			err := s.call(http.MethodPost, "/jobs", map[string]any{
				"jobGroup": s.group, "name": fmt.Sprint("job ", i), "author": "tests", "executorHandler": "note", "glueType": "BEAN",
				"scheduleType": kind, "scheduleConf": conf, "executorRouteStrategy": []string{"ROUND", "FIRST"}[i%2],
			}, &made)
			if err != nil {
				return err
			}
			l.jobs[i] = made.ID
			return rec.Change(checker.Change{Job: made.ID, Op: checker.OpCreate, Asked: checker.At(asked), Acked: checker.At(time.Now()), Type: kind, Conf: conf})
		})
	}
	require.NoError(s.t, calls.Wait())
	l.changeAll(checker.OpStart)
	return l
}

// records returns the folder of what test and executors record.
func (s *site) records() string { return filepath.Join(s.dir, "records") }

// catchesUp waits until only few runs have no result: about as many as have just become due.
func (s *site) catchesUp(limit time.Duration) {
	s.t.Helper()
	const few = 20
	testserver.Eventually(s.t, limit, "what waited has ended", func() bool {
		var page struct{ Runs []row }
		err := s.call(http.MethodGet, fmt.Sprintf("/runs?status=RUNNING&limit=%d", few+1), nil, &page)
		return err == nil && len(page.Runs) <= few
	})
}

// allEnd waits until every run has a result.
func (s *site) allEnd(limit time.Duration) {
	s.t.Helper()
	testserver.Eventually(s.t, limit, "all runs have ended", func() bool {
		var page struct{ Runs []row }
		err := s.call(http.MethodGet, "/runs?status=RUNNING&limit=1", nil, &page)
		return err == nil && len(page.Runs) == 0
	})
}

func (l *load) changeAll(op checker.Op) {
	l.t.Helper()
	var calls errgroup.Group
	calls.SetLimit(16)
	for _, id := range l.jobs {
		calls.Go(func() error {
			asked := time.Now()
			var started struct{ TriggerNextTime time.Time }
			if err := l.call(http.MethodPost, fmt.Sprintf("/jobs/%d/%s", id, op), nil, &started); err != nil {
				return err
			}
			return l.rec.Change(checker.Change{Job: id, Op: op, Asked: checker.At(asked), Acked: checker.At(time.Now()), First: checker.At(started.TriggerNextTime)})
		})
	}
	require.NoError(l.t, calls.Wait())
}

// judge ends the load: all jobs stop, all runs end, and each due time must have led to one run, at
// most epsilon late, or to a record that it was missed. A run that was given to an executor which
// then died has failed. judge returns how many such runs never began, and how many due times were
// missed.
func (l *load) judge(epsilon time.Duration) (unbegun, missed int) {
	l.t.Helper()
	pause(epsilon) // a due time may stay without a run if its job stops that soon after it
	l.changeAll(checker.OpStop)
	// Checked before all runs end: a run that begins twice may have no end that the store accepts.
	sofar := checker.Check(l.history(), checker.Options{Epsilon: epsilon, Grace: epsilon})
	require.Zero(l.t, sofar.Counts[checker.LogTwice], "%s", sofar)
	l.allEnd(3 * time.Minute)
	l.scheduler.stop()
	for _, loss := range l.losses() {
		require.NotEmpty(l.t, l.flags, "the store has lost what it had from %v to %v", loss.Since, loss.Until)
		require.NoError(l.t, l.rec.Loss(loss))
	}
	store, err := sqlstore.Open(l.t.Context(), l.store, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(l.t, err)
	defer func() { require.NoError(l.t, store.Close()) }()
	open, err := store.OpenFires(l.t.Context(), xxladapter.FireFilter{})
	require.NoError(l.t, err)
	require.Empty(l.t, open, "fires without an outcome")
	misfires, err := store.Misfires(l.t.Context(), xxladapter.MisfireFilter{})
	require.NoError(l.t, err)
	for _, m := range misfires {
		require.NoError(l.t, l.rec.Misfire(checker.Misfire{Job: m.JobID, Due: checker.At(m.Due), Until: checker.At(m.Until), Strategy: m.Strategy, At: checker.At(m.At)}))
	}

	unbegun, cut := l.recordRows(store, l.history())
	require.NoError(l.t, l.rec.Final(time.Now()))
	require.NoError(l.t, l.rec.Close())
	h := l.history()
	endUnwritten(h, cut)
	report := checker.Check(h, checker.Options{Epsilon: epsilon, Grace: epsilon})
	l.t.Logf("%s", report)
	require.True(l.t, report.Clean(), "%s", report)
	require.NotZero(l.t, report.Matched, "%s", report)
	return unbegun, report.Misfires
}

// recorded returns the size of what executors have recorded so far.
func (s *site) recorded() (bytes int64) {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.records(), "executor-*"))
	require.NoError(s.t, err)
	for _, name := range files {
		info, err := os.Stat(name)
		require.NoError(s.t, err)
		bytes += info.Size()
	}
	return bytes
}

// history reads what test and executors have recorded so far.
func (s *site) history() *checker.History {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.records(), "*"))
	require.NoError(s.t, err)
	h, err := checker.ReadFiles(s.t.Context(), files)
	require.NoError(s.t, err)
	return h
}

// lossLine is the line by which a scheduler reports that its store has lost something.
var lossLine = regexp.MustCompile(`msg="what only the shared log had is lost: .* since=(\S+) until=(\S+)`)

// losses returns the losses of the store that the scheduler has reported.
func (s *site) losses() (all []checker.Loss) {
	for _, found := range lossLine.FindAllStringSubmatch(s.scheduler.err.String(), -1) {
		since, err := time.Parse(time.RFC3339, found[1])
		require.NoError(s.t, err)
		until, err := time.Parse(time.RFC3339, found[2])
		require.NoError(s.t, err)
		all = append(all, checker.Loss{Since: checker.At(since), Until: checker.At(until)})
	}
	return all
}

// unwritten is the longest time between the end of a run's code and the executor's record of it.
const unwritten = time.Second

// endUnwritten removes the end of each cut run whose handler ended just before its executor was
// killed: the executor could not record that end, so the store has the run as failed.
func endUnwritten(h *checker.History, cut map[int64]bool) {
	last := map[int32]checker.Instant{} // by executor process
	for _, r := range h.Runs {
		last[r.By] = max(last[r.By], r.End)
	}
	for i, r := range h.Runs {
		if cut[r.Log] && last[r.By].Sub(r.End) <= unwritten {
			h.Runs[i].End, h.Runs[i].Code = 0, 0
		}
	}
}

// recordRows records the log rows, and returns the runs that failed because their executor was
// killed. A failed run that did not begin counts in unbegun, and is recorded as a run that arrived
// when it was given to the executor.
func (l *load) recordRows(store xxladapter.Store, h *checker.History) (unbegun int, cut map[int64]bool) {
	l.t.Helper()
	ctx := context.WithoutCancel(l.t.Context())
	began := map[int64]bool{}
	for _, r := range h.Runs {
		began[r.Log] = true
	}
	cut = map[int64]bool{}
	for after := int64(0); ; {
		rows, err := store.Logs(ctx, xxladapter.LogFilter{AfterID: after, Limit: 1000})
		require.NoError(l.t, err)
		if len(rows) == 0 {
			return unbegun, cut
		}
		for _, r := range rows {
			after = r.ID
			require.NoError(l.t, l.rec.Log(checker.Log{Log: r.ID, Job: r.JobID, TriggerCode: int32(r.TriggerCode), HandleCode: int32(r.HandleCode)}))
			if r.HandleCode != xxladapter.ResultFail || !strings.Contains(r.HandleMsg, "restarted") {
				continue
			}
			cut[r.ID] = true
			if began[r.ID] {
				continue
			}
			unbegun++
			l.unbegun = append(l.unbegun, r.ID)
			all, err := store.RunHistories(ctx, []int64{r.ID})
			require.NoError(l.t, err)
			_, err = l.rec.Run(checker.Run{
				Job: r.JobID, Log: r.ID, Due: checker.At(all[r.ID].Due), At: checker.At(all[r.ID].Acknowledged), Start: checker.At(all[r.ID].Acknowledged),
			})
			require.NoError(l.t, err)
		}
	}
}
