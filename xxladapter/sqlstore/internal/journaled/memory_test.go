package journaled

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A replay removes a fire before it reads the history of its run, which then says the attempt.
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

// Ended runs leave the memory also while some call reads the tables at any time, but not before every
// call that may have read them earlier.
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
