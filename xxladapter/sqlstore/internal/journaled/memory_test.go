package journaled

import (
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A replay removes a fire before it reads the history of the fire's run, so the attempt must come
// from the history.
func TestHistorySaysTheAttempt(t *testing.T) {
	m := newMemory()
	r := m.addRun(xxladapter.Log{ID: 1, JobID: 1}, false, time.Now())
	r.addHistory(transition.RunChange{Kind: transition.RecordRun, History: xxladapter.RunHistory{LogID: 1, Attempt: 2}})
	require.Equal(t, 2, r.attempt)
}

// A new file of the journal repeats the history of a run that the tables will not get soon.
func TestANewFileRepeatsHistory(t *testing.T) {
	opts := journal.Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
	j, err := journal.Open(opts, 1, nil)
	require.NoError(t, err)
	f := &front{Options: Options{Logger: opts.Logger, SegmentSize: 1}, journal: j, m: newMemory()}
	taken := xxladapter.RunHistory{LogID: 1, Attempt: 2, TakenBy: "second"}
	for _, kind := range []transition.RunChangeKind{transition.RecordRun, transition.ExtendRun} {
		r := f.m.addRun(xxladapter.Log{ID: int64(kind), JobID: 1}, false, time.Now())
		taken.LogID = r.ID
		r.addHistory(transition.RunChange{Kind: kind, History: taken})
	}
	f.rotate()
	require.NoError(t, j.Wait(j.Last()))
	require.NoError(t, j.Trim(f.snapshot))
	require.NoError(t, j.Close())
	again := newMemory()
	r := replay{ctx: t.Context(), m: &again}
	j, err = journal.Open(opts, 0, r.record)
	require.NoError(t, err)
	require.NoError(t, j.Close())
	require.Len(t, again.runs, 2)
	for id, run := range again.runs {
		require.Equal(t, f.m.runs[id].history, run.history)
	}
}

// While the tables cannot be written, no transaction repeats what the journal has repeated already:
// its files would grow by that much four times a second, although nothing changes.
func TestAJournalRepeatsNothingTwiceForTheTables(t *testing.T) {
	opts := journal.Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
	j, err := journal.Open(opts, 1, nil)
	require.NoError(t, err)
	f := &front{Options: Options{Logger: opts.Logger, SegmentSize: 1, Clock: time.Now}, journal: j, m: newMemory()}
	j.Append([]byte("x"))
	f.m.addRun(xxladapter.Log{ID: 1, JobID: 1}, false, time.Now())
	repeat := func() int64 {
		for j.Rotating() {
			require.NoError(t, j.Wait(j.Append([]byte("x"))))
		}
		before := j.Last().Number
		f.rotate()
		return j.Last().Number - before
	}
	require.EqualValues(t, 1, repeat())
	for range 3 {
		require.Zero(t, repeat())
	}
	c := f.cutOff(settled)
	f.written(&c) // as if the transaction had been committed
	f.m.addRun(xxladapter.Log{ID: 2, JobID: 1}, false, time.Now())
	require.EqualValues(t, 1, repeat())
	require.NoError(t, j.Close())
}

// Ended runs leave the memory even if some call is reading the tables at every moment. A run stays
// as long as a call may have read an earlier version of its row.
func TestReadersThatOverlapKeepNothingForever(t *testing.T) {
	opts := journal.Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
	j, err := journal.Open(opts, 1, nil)
	require.NoError(t, err)
	f := &front{Options: Options{Logger: opts.Logger, Clock: time.Now}, journal: j, m: newMemory()}
	end := func(id int64) {
		f.m.addRun(xxladapter.Log{ID: id, JobID: 1, HandleCode: 200}, false, time.Now())
		(&transaction{f: f, cut: f.cutOff(all)}).end(true)
	}
	earlier := f.pin()
	end(1)
	reader := f.pin()
	require.Contains(t, f.m.runs, int64(1), "the earlier one may have read the row before it had its result")
	f.unpin(earlier)
	for id := range int64(1000) {
		next := f.pin()
		f.unpin(reader)
		reader = next
		end(2 + id)
		require.LessOrEqual(t, len(f.m.runs), 2)
		require.LessOrEqual(t, len(f.evictable), 2)
	}
	f.unpin(reader)
	end(2000)
	require.Empty(t, f.m.runs)
	require.Empty(t, f.pins)
	require.NoError(t, j.Close())
}

// A job that is not due soon leaves the memory, unless it has a fire or a run there. Only some jobs
// are looked at each time.
func TestJobsThatRestLeaveTheMemory(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	m := newMemory()
	const resting = 2*lookedAt + lookedAt/2
	for id := range int64(resting) {
		m.addJob(&xxladapter.Job{ID: 100 + id, Running: true, TriggerNext: now.Add(keptAhead + time.Millisecond)})
	}
	m.addJob(&xxladapter.Job{ID: 1, Running: true, TriggerNext: now.Add(keptAhead)})
	m.addJob(&xxladapter.Job{ID: 2, Running: true, TriggerNext: now.Add(-time.Hour)})
	m.addJob(&xxladapter.Job{ID: 3}) // stopped
	m.add(&fire{Fire: xxladapter.Fire{ID: 1, JobID: 3}, stored: true})
	m.addRun(xxladapter.Log{ID: 1, JobID: 4}, true, now)
	m.addJob(&xxladapter.Job{ID: 4, Running: true, TriggerNext: xxladapter.AfterRun})
	m.addJob(&xxladapter.Job{ID: 5, Running: true, TriggerNext: now.Add(time.Second)})
	m.moveJob(m.jobs[5], now, now.Add(time.Hour), true)
	m.addJob(&xxladapter.Job{ID: 6}).clean = 8
	m.evict(nil, 7, now)
	require.GreaterOrEqual(t, len(m.jobs), resting+6-lookedAt)
	for range 100 { // the looks begin anywhere, so that they find the last ones late
		m.evict(nil, 7, now)
	}
	require.ElementsMatch(t, []int64{1, 2, 3, 4, 5, 6}, slices.Collect(maps.Keys(m.jobs)))
	m.evict(nil, 8, now)
	require.NotContains(t, m.jobs, int64(6))
}

// A call that reads the tables twice must find in the memory what it read first, although other
// calls write meanwhile, because it takes what is missing for deleted.
func TestWhatACallHasReadStaysUntilItHasDecided(t *testing.T) {
	opts := journal.Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
	j, err := journal.Open(opts, 1, nil)
	require.NoError(t, err)
	f := &front{Options: Options{Logger: opts.Logger, Clock: time.Now}, journal: j, m: newMemory()}
	write := func() { (&transaction{f: f, cut: f.cutOff(all)}).end(true) }
	write()
	since := f.pin()
	rows := tableRows{jobs: map[int64]*xxladapter.Job{5: {ID: 5}}, logs: map[int64]*xxladapter.Log{}}
	for id := range int64(keptRuns + 10) {
		rows.logs[id] = &xxladapter.Log{ID: id, JobID: 6}
	}
	f.remember(rows)
	for range 3 {
		write()
		require.Contains(t, f.m.jobs, int64(5))
		require.Len(t, f.m.runs, len(rows.logs))
	}
	f.unpin(since)
	write()
	require.Empty(t, f.m.jobs)
	require.Len(t, f.m.runs, keptRuns)
	require.NoError(t, j.Close())
}

// What is acknowledged between a cut and its transaction is not in the tables. So a loss is
// reported from the moment of the last cut with all changes, however long its transaction waited.
func TestTablesAreAsOldAsTheirLastCut(t *testing.T) {
	opts := journal.Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
	j, err := journal.Open(opts, 1, nil)
	require.NoError(t, err)
	now := time.Unix(1_800_000_000, 0)
	clock := func() time.Time { return now }
	f := &front{Options: Options{Logger: opts.Logger, Clock: clock}, journal: j, m: newMemory(), shared: &shared{}}
	taken := now
	waits := &transaction{f: f, cut: f.cutOff(settled)}
	now = now.Add(time.Minute)
	waits.end(true)
	(&transaction{f: f, cut: f.cutOff(unchanged)}).end(true)
	require.Equal(t, taken, f.shared.at)
	(&transaction{f: f, cut: f.cutOff(all)}).end(false)
	require.Equal(t, taken, f.shared.at, "the transaction has failed")
	(&transaction{f: f, cut: f.cutOff(all)}).end(true)
	require.Equal(t, now, f.shared.at)
	require.NoError(t, j.Close())
}

// Planned fires whose records are old go to the tables in parts, so that no transaction is long.
func TestOldPlannedFiresAreWrittenInParts(t *testing.T) {
	opts := journal.Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
	j, err := journal.Open(opts, 1, nil)
	require.NoError(t, err)
	f := &front{Options: Options{Logger: opts.Logger, Clock: time.Now}, journal: j, m: newMemory(), spill: 7}
	const old, young = 2*spillLimit + 10, 10
	for id := range int64(old + young) {
		born := f.spill
		if id >= old {
			born++
		}
		f.m.add(&fire{Fire: xxladapter.Fire{ID: id + 1, JobID: id, State: xxladapter.FirePlanned}, born: born})
	}
	for _, want := range []int{spillLimit, spillLimit, 10, 0} {
		c := f.cutOff(settled)
		require.Len(t, c.fires, want)
		(&transaction{f: f, cut: c}).end(true)
	}
	require.Zero(t, f.spill)
	require.Len(t, f.m.plans, young)
	require.NoError(t, j.Close())
}

// Fires are listed by due time, then id, also where many seconds have several.
func TestFiresAreListedInOrder(t *testing.T) {
	m, due := newMemory(), time.Unix(1_800_000_000, 0).UTC()
	var ids []int64 // in the order of the list
	for second := range 5 {
		for i := range 20 {
			id := int64(1000*second + i + 1)
			m.add(&fire{Fire: xxladapter.Fire{ID: id, JobID: id % 3, Due: due.Add(time.Duration(second)*time.Second + time.Duration(i/2)*time.Millisecond)}})
			ids = append(ids, id)
		}
	}
	idsOf := func(f xxladapter.FireFilter) (found []int64) {
		for _, fire := range m.list(f) {
			found = append(found, fire.ID)
		}
		return found
	}
	for _, limit := range []int{1, 2, 19, 20, 21, 99, 100, 101} {
		require.Equal(t, ids[:min(limit, len(ids))], idsOf(xxladapter.FireFilter{Limit: limit}))
		require.Equal(t, ids[30:min(30+limit, len(ids))],
			idsOf(xxladapter.FireFilter{Limit: limit, AfterDue: due.Add(time.Second + 4*time.Millisecond), AfterID: ids[29]}))
	}
	require.Equal(t, ids, idsOf(xxladapter.FireFilter{}))
	require.Equal(t, ids[:1], idsOf(xxladapter.FireFilter{JobID: 1, Limit: 1}))
	require.Nil(t, m.list(xxladapter.FireFilter{JobID: 4, Limit: 1}))
}

// BenchmarkOpenFires lists what a sweep asks for while 30,000 fires wait, 6,000 for each second.
func BenchmarkOpenFires(b *testing.B) {
	m, due := newMemory(), time.Unix(1_800_000_000, 0)
	for id := range int64(30_000) {
		m.add(&fire{Fire: xxladapter.Fire{ID: id + 1, JobID: id % 6000, Due: due.Add(time.Duration(id/6000) * time.Second), State: xxladapter.FirePlanned}})
	}
	for _, limit := range []int{1, 5000} {
		b.Run("limit="+strconv.Itoa(limit), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.list(xxladapter.FireFilter{State: xxladapter.FirePlanned, DueBefore: due.Add(time.Minute), Limit: limit})
			}
		})
	}
}
