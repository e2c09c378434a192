package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// TestOverloadSets checks that the jobs that are due in a phase add up to its load, and that with
// -same the number of due jobs is the same in each phase from the full load on.
func TestOverloadSets(t *testing.T) {
	t.Parallel()
	for _, same := range []bool{false, true} {
		for _, ph := range overloadPhases(2) {
			due, jobs := 0.0, 0
			for _, s := range overloadSets(1002, same) {
				if s.group == 0 && s.dueIn(ph) {
					due += float64(s.jobs) / float64(s.every)
					jobs += s.jobs
				}
			}
			require.InDelta(t, 1002*ph.load/100, due, 1e-9, ph.name)
			if same && ph.load >= 100 {
				require.Equal(t, 4*1002, jobs, ph.name)
			}
		}
	}
}

// added stores a set of jobs for three phases of a minute, and returns what is expected of them.
func added(t *testing.T, set jobSet, phases []phase) (window, *dueTimes, []*xxladapter.Job) {
	t.Helper()
	w := window{first: time.Date(2026, 5, 4, 10, 20, 0, 0, time.UTC), seconds: 180}
	o := &opened{Store: memstore.New(time.Now)}
	d := &dueTimes{first: w.first, seconds: w.seconds}
	group, err := addGroup(t.Context(), o, nowhere)
	require.NoError(t, err)
	require.NoError(t, set.add(t.Context(), o, [2]int64{group, group}, w, phases, d))
	jobs, err := o.Jobs(t.Context(), xxladapter.JobFilter{})
	require.NoError(t, err)
	return w, d, jobs
}

// TestAnOverloadSetIsDueEvenly checks that the jobs of a set are due evenly over the seconds of its
// phase, and in no other phase.
func TestAnOverloadSetIsDueEvenly(t *testing.T) {
	t.Parallel()
	phases := []phase{{"half", 50, 1}, {"twice", 200, 1}, {"four-times", 400, 1}}
	w, d, jobs := added(t, jobSet{from: 200, to: 200, jobs: 8, every: 4}, phases)
	require.Len(t, jobs, 8)
	var all [180]int
	for _, j := range jobs {
		s, err := cron.Parse(j.ScheduleConf)
		require.NoError(t, err)
		at, first := w.first.Add(-time.Second), -1
		for i := range w.seconds {
			if d.letter(j.ID, i) != nil {
				if first < 0 {
					first = i
				}
				all[i]++
				at = s.Next(at)
				require.Equal(t, w.first.Add(time.Duration(i)*time.Second), at, j.ScheduleConf)
			}
		}
		require.Equal(t, d.second(j.TriggerNext), first)
	}
	for i, n := range all {
		want := 0
		if i >= 60 && i < 120 {
			want = 2
		}
		require.Equal(t, want, n, i)
	}
}

// TestOverloadAccountsForEveryDueTime reports due times that were sent, failed, misfired, sent
// twice or not due at all, and leaves out one that was due.
func TestOverloadAccountsForEveryDueTime(t *testing.T) {
	t.Parallel()
	phases := []phase{{"half", 50, 1}, {"full", 100, 1}, {"after", 50, 1}}
	w, d, jobs := added(t, jobSet{from: 100, to: 100, jobs: 1, every: 1}, phases)
	require.Equal(t, "* 21 10 * * ?", jobs[0].ScheduleConf)
	id, at := jobs[0].ID, func(s int) time.Time { return w.first.Add(time.Duration(s) * time.Second) }
	require.Equal(t, at(60), jobs[0].TriggerNext)

	sent := func(s int, kind trigger.EventKind) {
		d.event(trigger.Event{Kind: kind, JobID: id, Fire: xxladapter.Fire{Due: at(s)}, At: at(s).Add(30 * time.Millisecond)})
	}
	d.misfire(xxladapter.Misfire{JobID: id, Due: at(60), Until: at(69)})
	for s := 70; s < 118; s++ {
		sent(s, trigger.EventSent)
	}
	sent(118, trigger.EventAmbiguous) // its outcome follows
	sent(118, trigger.EventFailed)
	sent(117, trigger.EventSent) // twice
	sent(3, trigger.EventSent)   // not due
	d.others += 123_456          // a count is printed exactly
	var out strings.Builder
	d.report(&out, plan{store: "memory", jobs: 1}, phases, make([]int64, 3))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "BenchmarkOverload/whole/store=memory/jobs=1\t1\t60 due\t47 sent\t10 misfired\t1 failed\t1 unaccounted\t1 doubled\t123457 not-due", lines[3])
	require.Contains(t, lines[1], "\t10 misfired\t30 late-p50-ms\t30 late-p99-ms\t30 late-max-ms\t")
}

func TestLatenessQuantiles(t *testing.T) {
	t.Parallel()
	var l lateness
	for i := range 1000 {
		l.add(time.Duration(i) * time.Millisecond)
	}
	l.add(-time.Second)
	l.add(time.Hour)
	require.InEpsilon(t, 500, l.quantile(0.5), 0.1)
	require.InEpsilon(t, 990, l.quantile(0.99), 0.1)
	require.InEpsilon(t, 3_600_000, l.quantile(1), 1e-9)
}
