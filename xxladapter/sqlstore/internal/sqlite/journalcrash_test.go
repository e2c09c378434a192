//go:build unix

package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// crashSegment is a size in bytes that makes journals continue in new files every few dozen fires.
const crashSegment = 8 << 10

// told is what the killed processes have reported as durable.
type told struct {
	planned, claimed, finished map[int64]bool // by fire id
	logOf                      map[int64]int64
	lastID                     int64 // the highest fire id of all processes before
}

func (d *told) line(t *testing.T, line string) {
	var fireID, logID int64
	act, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	_, err := fmt.Sscan(rest, &fireID)
	require.NoError(t, err)
	if act == "planned" {
		require.Greater(t, fireID, d.lastID, "an id came back")
		d.planned[fireID] = true
		return
	}
	_, err = fmt.Sscan(rest, &fireID, &logID)
	require.NoError(t, err)
	d.logOf[fireID] = logID
	if act == "claimed" {
		d.claimed[fireID] = true
	} else {
		d.finished[fireID] = true
	}
}

// requireKept checks that a store has what the processes have reported as durable.
func (d *told) requireKept(t *testing.T, s xxladapter.Store) {
	t.Helper()
	fires, err := s.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	rows, err := s.Logs(t.Context(), xxladapter.LogFilter{})
	require.NoError(t, err)
	requireRecount(t, s, rows)
	open, logs := map[int64]xxladapter.Fire{}, map[int64]*xxladapter.Log{}
	for _, l := range rows {
		logs[l.ID] = l
	}
	for _, f := range fires {
		open[f.ID] = f
		d.lastID = max(d.lastID, f.ID)
		if f.LogID != 0 {
			require.Contains(t, logs, f.LogID, "a claimed fire has its log row")
		}
	}
	for id := range d.planned {
		d.lastID = max(d.lastID, id)
		f, isOpen := open[id]
		switch {
		case d.finished[id]:
			require.False(t, isOpen)
			require.Equal(t, 200, logs[d.logOf[id]].HandleCode)
		case d.claimed[id]:
			require.Contains(t, logs, d.logOf[id])
			require.True(t, isOpen && f.State == xxladapter.FireClaimed || logs[d.logOf[id]].HandleCode == 200)
		case !isOpen:
			require.GreaterOrEqual(t, len(logs), len(d.logOf)+1, "fire %d is lost", id)
		}
	}
}

// TestAKilledJournalKeepsWhatItAcknowledged kills one process after the other at random moments, on
// one file. After each, it opens the file, in turn with a journal and without one.
func TestAKilledJournalKeepsWhatItAcknowledged(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "xxl.db")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	d := &told{planned: map[int64]bool{}, claimed: map[int64]bool{}, finished: map[int64]bool{}, logOf: map[int64]int64{}}
	for round := range 6 {
		child := command(t, "journal", file)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		said, enough := 0, 1+r.IntN(600)
		for lines := bufio.NewReader(out); ; said++ {
			line, err := lines.ReadString('\n')
			if err != nil { // what is cut off was not acknowledged
				require.ErrorIs(t, err, io.EOF)
				break
			}
			d.line(t, line)
			if said == enough {
				require.NoError(t, child.Process.Kill())
			}
		}
		require.Error(t, child.Wait(), "it was killed")
		require.GreaterOrEqual(t, said, enough)
		require.True(t, hasJournal(file))
		if round%2 == 0 {
			s := openJournaled(t, file, time.Now, JournalOptions{SegmentSize: crashSegment})
			d.requireKept(t, s)
			require.NoError(t, s.Close())
			continue
		}
		s := openFile(t, file, time.Now)
		require.False(t, hasJournal(file), "the tables have everything")
		d.requireKept(t, s)
		require.NoError(t, s.Close())
	}
}

// A still is the state of a store at one moment.
type still struct {
	fires   []xxladapter.Fire
	logs    []*xxladapter.Log
	jobs    []*xxladapter.Job
	misses  []xxladapter.Misfire
	reports []xxladapter.DailyReport
	runs    map[int64]xxladapter.RunHistory
	audit   []xxladapter.AuditRow
}

func stillOf(t *testing.T, s xxladapter.Store) (st still) {
	t.Helper()
	ctx := t.Context()
	var errs [7]error
	st.fires, errs[0] = s.OpenFires(ctx, xxladapter.FireFilter{})
	st.logs, errs[1] = s.Logs(ctx, xxladapter.LogFilter{})
	st.jobs, errs[2] = s.Jobs(ctx, xxladapter.JobFilter{})
	st.misses, errs[3] = s.Misfires(ctx, xxladapter.MisfireFilter{})
	st.reports, errs[4] = s.Reports(ctx, time.Time{}, time.Time{})
	var ids []int64
	for _, l := range st.logs {
		ids = append(ids, l.ID)
	}
	st.runs, errs[5] = s.RunHistories(ctx, ids)
	st.audit, errs[6] = s.AuditRows(ctx, xxladapter.AuditFilter{})
	require.NoError(t, errors.Join(errs[:]...))
	requireRecount(t, s, st.logs)
	return st
}

// A movedClock stands still until the test moves it. The goroutine that writes to the tables reads
// it too.
type movedClock struct{ since atomic.Int64 } // in ns

func (c *movedClock) Now() time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(c.since.Load()))
}

func (c *movedClock) advance(d time.Duration) { c.since.Add(int64(d)) }

// TestTablesAndJournalOfAnyMomentsMakeOneState lets a store work, copies its tables and its journal
// at many moments, and opens the tables of each moment with its own journal and that of each later
// one, as after a crash between two writes. Whatever the tables have of the journal, each record
// takes effect once.
func TestTablesAndJournalOfAnyMomentsMakeOneState(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	file := filepath.Join(dir, "xxl.db")
	clock := new(movedClock)
	s := openJournaled(t, file, clock.Now, JournalOptions{SegmentSize: 2 << 10})
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "app", Title: "app"})
	require.NoError(t, err)
	for range 3 {
		id, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "job", ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "1"})
		require.NoError(t, err)
		_, err = xxladapter.StartJob(ctx, s, id, time.Time{}, func(after time.Time) time.Time { return after.Add(time.Second) })
		require.NoError(t, err)
	}
	lease, err := s.Lease(ctx, "n", time.Hour)
	require.NoError(t, err)

	w := &worker{t: t, s: s, term: lease.Term, clock: clock, rand: rand.New(rand.NewPCG(1, 2))}
	moments := testserver.Count(9, 16)
	var states []still
	for k := range moments {
		for range 3 {
			w.step()
		}
		if k%5 == 2 {
			time.Sleep(300 * time.Millisecond) // the tables follow by themselves
		}
		at := filepath.Join(dir, fmt.Sprint("at", k))
		require.NoError(t, os.Mkdir(at, 0o700))
		to := filepath.Join(at, "xxl.db")
		require.NoError(t, journal.Copy(file+journalSuffix, to+journalSuffix, func() error { return vacuumInto(ctx, file, to) }))
		states = append(states, still{})
		if k%3 == 1 { // and otherwise nobody asks, so that the tables may lag
			states[k] = stillOf(t, s)
		}
	}
	require.NoError(t, s.Close())
	for k := range states {
		if states[k].jobs == nil {
			at := filepath.Join(dir, fmt.Sprint("at", k), "xxl.db")
			file, _ := w.together(at, at)
			states[k] = w.opened(file, k)
		}
	}
	tried := 0
	for k := range moments {
		for j := k; j < moments; j++ {
			journalOf := filepath.Join(dir, fmt.Sprint("at", j), "xxl.db")
			tables := filepath.Join(dir, fmt.Sprint("at", k), "xxl.db")
			if file, possible := w.together(tables, journalOf); possible {
				require.Equal(t, states[j], w.opened(file, k), "tables of %d, journal of %d", k, j)
				tried++
			}
		}
	}
	require.Greater(t, tried, 2*moments)
}

// A worker makes calls at random.
type worker struct {
	t     *testing.T
	s     xxladapter.Store
	term  xxladapter.Term
	clock *movedClock
	rand  *rand.Rand
}

// together copies tables with the journal of a later moment. possible is false if that journal no
// longer has what the tables lack: its owner has removed it because later tables have it.
func (w *worker) together(tables, of string) (file string, possible bool) {
	file = filepath.Join(w.t.TempDir(), "xxl.db")
	data, err := os.ReadFile(tables)
	require.NoError(w.t, err)
	require.NoError(w.t, os.WriteFile(file, data, 0o600))
	for _, prefix := range []string{tables, of} { // later files replace older ones
		require.NoError(w.t, journal.Copy(prefix+journalSuffix, file+journalSuffix, func() error { return nil }))
	}
	s, err := OpenJournaled(w.t.Context(), file, database.Options{Logger: fixture.Quiet}, JournalOptions{})
	if err != nil {
		require.ErrorContains(w.t, err, "its journal is incomplete")
		return "", false
	}
	require.NoError(w.t, s.Close())
	return file, true
}

// opened returns the state of a store.
func (w *worker) opened(file string, k int) still {
	s := openJournaled(w.t, file, w.clock.Now, JournalOptions{})
	st := stillOf(w.t, s)
	require.NoError(w.t, s.Close())
	direct := openFile(w.t, file, w.clock.Now)
	require.Equal(w.t, st, stillOf(w.t, direct), "the tables have everything, at %d", k)
	require.NoError(w.t, direct.Close())
	return st
}

func (w *worker) step() {
	ctx, t := w.t.Context(), w.t
	w.clock.advance(200 * time.Millisecond)
	fires, err := w.s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	var f *xxladapter.Fire
	if len(fires) > 0 {
		f = &fires[w.rand.IntN(len(fires))]
	}
	switch kind := w.rand.IntN(6); {
	case kind == 0 || f == nil:
		_, _, err = w.s.ClaimDue(ctx, w.term, time.Second, 10, func(now time.Time, due []*xxladapter.Job) (all []xxladapter.Decision) {
			for _, j := range due {
				d := xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Next: j.TriggerNext.Add(time.Second)}
				if w.rand.IntN(4) == 0 {
					d.Misfires = []xxladapter.Misfire{{Due: j.TriggerNext, Until: j.TriggerNext, Strategy: xxladapter.MisfireDoNothing, At: now}}
				} else {
					d.Fires = []xxladapter.Fire{{JobID: j.ID, Due: j.TriggerNext, Type: xxladapter.TriggerCron, RetryCount: -1}}
				}
				d.Stop, d.Reason = w.rand.IntN(20) == 0, "ended"
				all = append(all, d)
			}
			return all
		})
	case f.State == xxladapter.FirePlanned:
		logs := make([]*xxladapter.Log, 1+w.rand.IntN(2))
		for i := range logs {
			logs[i] = &xxladapter.Log{JobID: f.JobID, GroupID: 1, TriggerTime: w.clock.Now(), Handler: "h", TriggerMsg: "sent"}
		}
		_, err = w.s.ClaimFire(ctx, w.term, f.ID, logs)
		if errors.Is(err, xxladapter.ErrEarly) {
			err = nil
		}
	case kind == 1:
		_, err = w.s.SettleFire(ctx, w.term, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, State: xxladapter.FireAmbiguous})
	case kind == 2:
		_, err = w.s.SettleFire(ctx, w.term, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 500, Msg: "refused",
			Next: []xxladapter.Fire{{JobID: f.JobID, Due: w.clock.Now(), Type: xxladapter.TriggerRetry}}})
	case kind == 3:
		_, err = w.s.SettleFire(ctx, w.term, xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 200, Msg: "ok", Sent: w.clock.Now(), Acknowledged: w.clock.Now()})
	default:
		_, _, err = w.s.FinishRun(ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200, Msg: "done", WantText: w.rand.IntN(2) == 0})
	}
	require.NoError(t, err)
}

// TestATornRecordIsDropped opens a journal whose last record is torn, at each byte in turn. The
// records before it are kept.
func TestATornRecordIsDropped(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	copied := filepath.Join(t.TempDir(), "xxl.db")
	var before, after still
	require.NoError(t, journal.Copy(file+journalSuffix, copied+journalSuffix, func() error { return vacuumInto(ctx, file, copied) }))
	plan := func() {
		_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
	}
	plan()
	before = still{}
	before.fires, _ = s.OpenFires(ctx, xxladapter.FireFilter{})
	whole, err := os.ReadFile(file + journalSuffix + "1")
	require.NoError(t, err)
	plan()
	after.fires, _ = s.OpenFires(ctx, xxladapter.FireFilter{})
	all, err := os.ReadFile(file + journalSuffix + "1")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for size := len(whole); size <= len(all); size++ {
		dir := t.TempDir()
		tables, err := os.ReadFile(copied)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "xxl.db"), tables, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "xxl.db")+journalSuffix+"1", all[:size], 0o600))
		s := openJournaled(t, filepath.Join(dir, "xxl.db"), time.Now, JournalOptions{})
		fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
		require.NoError(t, err)
		if size < len(all) {
			require.Equal(t, before.fires, fires, "%d bytes", size)
		} else {
			require.Equal(t, after.fires, fires)
		}
		_, err = s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err, "it continues")
		require.NoError(t, s.Close())
	}
}

// TestMarksCoverWhatTheTablesHave checks that neither what the tables have nor what an edit has
// undone is done again after a crash.
func TestMarksCoverWhatTheTablesHave(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	clock := new(movedClock)
	s := openJournaled(t, file, clock.Now, JournalOptions{})
	group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "app", Title: "app"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: "job", ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "1"})
	require.NoError(t, err)
	first, err := s.Lease(ctx, "first", 10*time.Second)
	require.NoError(t, err)
	begin := func() xxladapter.Fire {
		f, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: clock.Now().Add(-time.Second), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		claimed, err := s.ClaimFire(ctx, first.Term, f[0].ID, []*xxladapter.Log{{JobID: job, GroupID: group, TriggerTime: clock.Now()}})
		require.NoError(t, err)
		return claimed[0]
	}
	open, ended := begin(), begin() // one stays young, so the tables get only the other one
	_, _, err = s.FinishRun(ctx, xxladapter.RunResult{LogID: ended.LogID, Code: 200, WantText: true})
	require.NoError(t, err)
	waitForTables(t, file, `SELECT count(*) FROM xxl_job_log WHERE handle_code = 200`, 1)
	followed := abandonOpen(t, file)

	_, err = s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: clock.Now().Add(time.Second), Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	require.NoError(t, xxladapter.StopJob(ctx, s, job, time.Time{}))
	clock.advance(11 * time.Second)
	second, err := s.Lease(ctx, "second", time.Hour)
	require.NoError(t, err)
	require.NoError(t, s.TakeFire(ctx, second.Term, open.ID, first.Term))
	last, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: clock.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	_, err = s.SettleFire(ctx, second.Term, xxladapter.Settlement{FireID: last[0].ID})
	require.NoError(t, err)
	edited := abandonOpen(t, file)
	require.NoError(t, s.Close())

	for copied, owner := range map[string]xxladapter.Term{followed: first.Term, edited: second.Term} {
		s := openJournaled(t, copied, clock.Now, JournalOptions{})
		st := stillOf(t, s)
		require.Len(t, st.logs, 2)
		require.Len(t, st.fires, 1, "what an edit has dropped stays dropped")
		require.Equal(t, open.ID, st.fires[0].ID)
		require.Equal(t, owner, st.fires[0].Owner)
		clock.advance(time.Minute)
		texts, err := s.ClaimTexts(ctx, 10, func(int) time.Duration { return time.Hour })
		require.NoError(t, err)
		require.Len(t, texts, 1)
		require.NoError(t, s.Close())
		if copied == edited {
			s = openJournaled(t, copied, clock.Now, JournalOptions{})
			f, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: clock.Now(), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)
			require.Greater(t, f[0].ID, last[0].ID, "an id came back")
			require.NoError(t, s.Close())
		}
	}
}

// abandonOpen copies a store that stays open, as a crash would leave it.
func abandonOpen(t *testing.T, file string) (copied string) {
	t.Helper()
	copied = filepath.Join(t.TempDir(), "xxl.db")
	require.NoError(t, journal.Copy(file+journalSuffix, copied+journalSuffix, func() error { return vacuumInto(t.Context(), file, copied) }))
	return copied
}

func TestAJournalNeedsTheFileAlone(t *testing.T) {
	t.Parallel()
	ctx, opts, file := t.Context(), database.Options{Logger: fixture.Quiet}, filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	_, err := OpenJournaled(ctx, file, opts, JournalOptions{})
	require.ErrorContains(t, err, "another process has the file open, and a journal needs it alone")
	_, err = openDirect(ctx, file, opts, 10*time.Millisecond)
	require.ErrorContains(t, err, "another process has the file for itself, with a journal")
	require.NoError(t, s.Close())

	a, b := openFile(t, file, time.Now), openFile(t, file, time.Now)
	_, err = OpenJournaled(ctx, file, opts, JournalOptions{})
	require.ErrorContains(t, err, "another process has the file open, and a journal needs it alone")
	require.NoError(t, errors.Join(a.Close(), b.Close()))
	require.NoError(t, openJournaled(t, file, time.Now, JournalOptions{}).Close())
}

// TestProcessesThatFindAJournalOpenTheFileTogether opens a file without a journal several times at
// once, after a crash of a process that had one: one of them applies the journal, and all wait.
func TestProcessesThatFindAJournalOpenTheFileTogether(t *testing.T) {
	t.Parallel()
	ctx, opts := t.Context(), database.Options{Clock: time.Now, Logger: fixture.Quiet}.WithDefaults()
	file := filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{})
	_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	copied := abandonOpen(t, file)
	require.NoError(t, s.Close())

	var opening errgroup.Group
	var stores [3]xxladapter.Store
	for i := range stores {
		opening.Go(func() error {
			s, err := openNamed(ctx, driverName, copied, opts, time.Minute) // on a busy machine
			stores[i] = s
			return err
		})
	}
	require.NoError(t, opening.Wait())
	for _, s := range stores {
		fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
		require.NoError(t, err)
		require.Len(t, fires, 1)
		require.NoError(t, s.Close())
	}
}

func TestABackupHasWhatTheJournalHas(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	s := openJournaled(t, file, time.Now, JournalOptions{SegmentSize: crashSegment})
	lease, err := s.Lease(ctx, "n", time.Hour)
	require.NoError(t, err)
	for range 200 {
		f, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now().Add(-time.Second), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		_, err = s.ClaimFire(ctx, lease.Term, f[0].ID, []*xxladapter.Log{{JobID: 1, TriggerTime: time.Now()}})
		require.NoError(t, err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, Backup(ctx, file, copied, false))
	want := stillOf(t, s)
	require.NoError(t, s.Close())
	beside, err := filepath.Glob(copied + "*")
	require.NoError(t, err)
	require.Equal(t, []string{copied}, beside, "it needs no other file")
	direct := openFile(t, copied, time.Now)
	require.Equal(t, want, stillOf(t, direct))
	require.NoError(t, direct.Close())
}

// A heldFile is a journal's file whose syncs wait for an error while hold is set.
type heldFile struct {
	journal.File
	hold   *atomic.Bool
	held   chan struct{}
	result chan error
}

func (f heldFile) Sync() error {
	if !f.hold.Load() {
		return f.File.Sync()
	}
	f.held <- struct{}{}
	return <-f.result
}

// openHeld opens a store whose journal waits with its syncs while hold is set: each then sends on
// held, and returns what it gets from result.
func openHeld(
	t *testing.T, file string,
) (s *journaled.Store, hold *atomic.Bool, held chan struct{}, result chan error) {
	t.Helper()
	hold, held, result = new(atomic.Bool), make(chan struct{}), make(chan error)
	s = openJournaled(t, file, time.Now, JournalOptions{Create: func(name string, flag int) (journal.File, error) {
		f, err := journal.Create(name, flag)
		return heldFile{f, hold, held, result}, err
	}})
	return s, hold, held, result
}

// TestARepeatedResultWaitsForTheFirst checks that a repeated result is acknowledged no earlier than
// the first one, which a failed sync may take back.
func TestARepeatedResultWaitsForTheFirst(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	s, hold, held, result := openHeld(t, file)
	lease, err := s.Lease(ctx, "node", time.Hour)
	require.NoError(t, err)
	fires, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	fires, err = s.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: 1, TriggerTime: time.Now()}})
	require.NoError(t, err)
	type answer struct {
		applied bool
		err     error
	}
	finish := func() <-chan answer {
		answers := make(chan answer, 1)
		go func() {
			applied, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: fires[0].LogID, Code: 200})
			answers <- answer{applied, err}
		}()
		return answers
	}
	hold.Store(true)
	first := finish()
	<-held
	second := finish()
	var early *answer
	select {
	case a := <-second:
		early = &a
	case <-time.After(200 * time.Millisecond): // time for a wrong answer; a late second call does no harm
	}
	hold.Store(false)
	result <- errFull
	require.ErrorIs(t, (<-first).err, errFull)
	require.Nil(t, early, "the repetition was answered")
	got := <-second
	require.True(t, got.err != nil || got.applied, "a result that was taken back was acknowledged")
	applied, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: fires[0].LogID, Code: 200})
	require.NoError(t, err)
	require.NotEqual(t, got.applied, applied)
	require.NoError(t, s.Close())
}

// A fullDisk is a journal's file that takes no more than room bytes.
type fullDisk struct {
	journal.File
	room *int
}

var errFull = errors.New("no space left on device")

func (f fullDisk) Write(p []byte) (int, error) {
	if n := *f.room; n < len(p) {
		written, _ := f.File.Write(p[:n])
		*f.room = 0
		return written, errFull
	}
	*f.room -= len(p)
	return f.File.Write(p)
}

// TestAJournalOnAFullDisk checks that what a full disk has refused has not happened, and that the
// store continues when there is room again.
func TestAJournalOnAFullDisk(t *testing.T) {
	t.Parallel()
	ctx, file := t.Context(), filepath.Join(t.TempDir(), "xxl.db")
	room := 1 << 30
	s := openJournaled(t, file, time.Now, JournalOptions{Create: func(name string, flag int) (journal.File, error) {
		f, err := journal.Create(name, flag)
		return fullDisk{f, &room}, err
	}})
	plan := func() error {
		_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		return err
	}
	require.NoError(t, plan())
	want, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	for free := range 20 {
		room = free
		require.ErrorIs(t, plan(), errFull)
		fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
		require.NoError(t, err)
		require.Equal(t, want, fires)
		logs, err := s.Logs(ctx, xxladapter.LogFilter{})
		require.NoError(t, err, "lists can be read")
		require.Empty(t, logs)
	}
	room = 1 << 30
	require.NoError(t, plan())
	fires, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Len(t, fires, 2)
	require.NoError(t, s.Close())
	direct := openFile(t, file, time.Now)
	again, err := direct.OpenFires(context.Background(), xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Equal(t, fires, again)
	require.NoError(t, direct.Close())
}
