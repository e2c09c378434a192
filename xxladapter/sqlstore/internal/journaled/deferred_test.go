package journaled

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

// A pile is a journal in memory.
type pile struct {
	recordLog
	records [][]byte
}

func (p *pile) Append(record []byte) journal.Position {
	p.records = append(p.records, slices.Clone(record))
	return p.Last()
}

func (p *pile) Last() journal.Position { return journal.Position{Number: int64(len(p.records))} }

func (p *pile) Failed() error { return nil }

// A deferralModel is a front with tables of maps. Each job is due at every second.
type deferralModel struct {
	f       *front
	log     *pile
	now     time.Time
	fires   map[int64]xxladapter.Fire   // that the tables have
	times   map[int64]database.MovedJob // likewise
	settled map[int64]map[int64]bool    // by job: due times, in seconds, with a run or a misfire
}

const deferralJobs = 3

func newDeferralModel() *deferralModel {
	w := &deferralModel{
		log: &pile{}, now: time.Unix(1_800_000_000, 0).UTC(), fires: map[int64]xxladapter.Fire{},
		times: map[int64]database.MovedJob{}, settled: map[int64]map[int64]bool{},
	}
	clock := func() time.Time { return w.now }
	w.f = &front{Options: Options{Clock: clock}, journal: w.log, m: newMemory(), shared: &shared{}}
	for id := range int64(deferralJobs) {
		job := &xxladapter.Job{ID: id, Running: true, TriggerNext: w.now}
		w.times[id], w.settled[id] = records.MovedJobOf(job), map[int64]bool{}
		w.f.m.addJob(job)
	}
	return w
}

// act runs a call in memory.
func (w *deferralModel) act(do func(a *act)) {
	a := &act{m: &w.f.m, now: w.now, shared: true}
	do(a)
	position := w.log.Append(a.buf)
	for _, fire := range a.added {
		fire.born = position.Number
	}
}

// decide plans the next n due times of a job, after a misfire of the first one if late is set.
func (w *deferralModel) decide(j *job, n int, late bool) {
	d := xxladapter.Decision{JobID: j.ID, Last: j.TriggerLast, Next: j.TriggerNext}
	advance := func() { d.Last, d.Next = d.Next, d.Next.Add(time.Second) }
	if late {
		d.Misfires = []xxladapter.Misfire{{JobID: j.ID, Due: d.Next, Until: d.Next, Strategy: xxladapter.MisfireDoNothing}}
		w.settled[j.ID][d.Next.Unix()] = true
		advance()
	}
	for range n {
		d.Fires = append(d.Fires, xxladapter.Fire{JobID: j.ID, Due: d.Next, Type: xxladapter.TriggerCron})
		advance()
	}
	w.act(func(a *act) { a.decided(j, d, "node", nil) })
}

func (w *deferralModel) claim(f *fire) {
	shard := copyFire(f.Fire)
	shard.State = xxladapter.FireClaimed
	w.act(func(a *act) { a.claim(f, []xxladapter.Fire{shard}, []*xxladapter.Log{{JobID: f.JobID}}) })
	w.settled[f.JobID][f.Due.Unix()] = true
}

func (w *deferralModel) remove(f *fire) {
	w.act(func(a *act) {
		a.m.remove(f)
		a.buf.kind(removed)
		a.buf.number(f.ID)
	})
	w.settled[f.JobID][f.Due.Unix()] = true
}

// write writes a cut to the tables.
func (w *deferralModel) write(t *rapid.T, l level, commits bool) {
	clean := w.f.clean(l)
	tx := &transaction{f: w.f, cut: w.f.cutOff(l)}
	require.Equal(t, tx.cut.rows() == 0, clean)
	if commits {
		c := &tx.cut
		for _, id := range append(c.replaced(), c.gone...) {
			delete(w.fires, id)
		}
		for _, row := range c.fireRows() {
			w.fires[row.ID] = row
		}
		for i := range c.jobs {
			w.times[c.jobs[i].row.ID] = c.jobs[i].row
		}
	}
	tx.end(commits)
	if commits {
		w.checkLoss(t)
	}
}

// checkLoss checks that after a loss of the log each due time is either decided again or accounted
// for by the tables.
func (w *deferralModel) checkLoss(t *rapid.T) {
	for id, j := range w.f.m.jobs {
		rows := map[int64]bool{}
		for _, f := range w.fires {
			if f.JobID == id {
				rows[f.Due.Unix()] = true
			}
		}
		again := w.times[id].Next / 1000
		for due := int64(1_800_000_000); due < j.TriggerNext.Unix(); due++ {
			accounted := rows[due] || w.settled[id][due]
			require.Equal(t, due < again, accounted, "due time %d of job %d is decided again from %d on", due, id, again)
		}
	}
}

// checkKill checks that tables and log have what the memory has.
func (w *deferralModel) checkKill(t *rapid.T) {
	again := w.load(t)
	require.Equal(t, w.open(&w.f.m), w.open(&again))
	for id, j := range w.f.m.jobs {
		require.Equal(t, timesOf(j.Job), timesOf(again.jobs[id].Job))
	}
}

// load reads tables and log, as a process that gets the pen does.
func (w *deferralModel) load(t *rapid.T) memory {
	again := newMemory()
	again.lastFire, again.lastLog = w.f.m.lastFire, w.f.m.lastLog // as the applied positions say
	for _, row := range w.fires {
		again.add(&fire{Fire: row, stored: true})
	}
	for id, times := range w.times {
		again.addJob(&xxladapter.Job{
			ID: id, TriggerLast: time.UnixMilli(times.Last).UTC(), TriggerNext: time.UnixMilli(times.Next).UTC(),
			Running: true,
		})
	}
	r := replay{ctx: t.Context(), m: &again, applied: w.f.applied, now: w.now}
	for i := w.f.applied.oldest(); i < int64(len(w.log.records)); i++ {
		require.NoError(t, r.record(i+1, w.log.records[i]))
	}
	require.NoError(t, r.moveJobs())
	return again
}

func (w *deferralModel) open(m *memory) map[int64]xxladapter.Fire {
	fires := map[int64]xxladapter.Fire{}
	for id, f := range m.byID {
		fires[id] = copyFire(f.Fire)
	}
	return fires
}

// TestDeferredFiresAreNeverLost runs calls and cuts in any order. After each cut, a loss of the log
// must leave each due time either to be decided again or accounted for by the tables, and not both.
// At any moment, a kill must lose nothing.
func TestDeferredFiresAreNeverLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newDeferralModel()
		m := &w.f.m // its value changes when another process gets the pen
		any := func(t *rapid.T, keep func(f *fire) bool) *fire {
			var ids []int64
			for _, id := range slices.Sorted(maps.Keys(m.byID)) {
				if keep(m.byID[id]) {
					ids = append(ids, id)
				}
			}
			if len(ids) == 0 {
				t.Skip("there is none")
			}
			return m.byID[rapid.SampledFrom(ids).Draw(t, "fire")]
		}
		isPlanned := func(f *fire) bool { return f.State == xxladapter.FirePlanned }
		t.Repeat(map[string]func(*rapid.T){
			"decide": func(t *rapid.T) {
				j := m.jobs[rapid.Int64Range(0, deferralJobs-1).Draw(t, "job")]
				w.decide(j, rapid.IntRange(0, 3).Draw(t, "fires"), rapid.IntRange(0, 9).Draw(t, "late") == 0)
			},
			"claim":  func(t *rapid.T) { w.claim(any(t, isPlanned)) },
			"remove": func(t *rapid.T) { w.remove(any(t, func(*fire) bool { return true })) },
			"pass":   func(t *rapid.T) { w.f.m = w.load(t) },
			"wait":   func(*rapid.T) { w.now = w.now.Add(time.Second) },
			"write": func(t *rapid.T) {
				l := rapid.SampledFrom([]level{settled, settled, settled, all}).Draw(t, "level")
				w.write(t, l, rapid.IntRange(0, 4).Draw(t, "commits") > 0)
			},
			"": w.checkKill,
		})
	})
}

// TestWhichFiresAreDeferred checks that only a process that has had its memory for a while keeps
// fires out of the tables, and only fires that are due soon or were due just now.
func TestWhichFiresAreDeferred(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *deferralModel) level
		fires  int // that the tables get of 2
	}{
		"due now":                         {func(*deferralModel) level { return settled }, 0},
		"wait for their claim":            {func(w *deferralModel) level { w.now = w.now.Add(deferBehind + 2*time.Second); return settled }, 2},
		"one waits for its claim":         {func(w *deferralModel) level { w.now = w.now.Add(deferBehind + time.Second); return settled }, 1},
		"due late":                        {func(w *deferralModel) level { w.now = w.now.Add(-deferAhead - time.Second); return settled }, 2},
		"everything is wanted":            {func(*deferralModel) level { return all }, 2},
		"another process has had the pen": {func(w *deferralModel) level { w.f.shared.loaded = time.Now(); return settled }, 2},
	} {
		w := newDeferralModel()
		w.decide(w.f.m.jobs[0], 2, false)
		level := c.change(w)
		cut := w.f.cutOff(level)
		require.Len(t, cut.fires, c.fires, name)
		require.Len(t, cut.jobs, min(c.fires, 1), "%s: the tables have the times before the first fire", name)
		require.Equal(t, c.fires == 0, w.f.clean(level), name)
		(&transaction{f: w.f, cut: cut}).end(true)
		require.True(t, w.f.clean(level), name)
		again := w.f.cutOff(level)
		require.Zero(t, again.rows(), "%s: the tables have what they were to get", name)
	}
}
