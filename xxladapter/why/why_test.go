package why_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/why"
)

var (
	zone = time.FixedZone("CST", 8*3600)
	two  = time.Date(2026, 3, 1, 2, 0, 0, 0, zone)
)

// facts returns the facts about a job that is due at two every night and has no run. change, if not
// nil, modifies them.
func facts(t *testing.T, change func(f *why.Facts)) why.Facts {
	t.Helper()
	f := why.Facts{
		Job: &xxladapter.Job{
			ID: 1, ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?", Running: true, Route: xxladapter.RouteFailover,
			Block: xxladapter.BlockDiscardLater, Added: two.AddDate(0, -1, 0), Updated: two.AddDate(0, -1, 0), TriggerNext: two.AddDate(0, 0, 1),
		},
		From: two, To: two.Add(time.Minute), Now: two.Add(7 * time.Hour), Local: two.Add(7 * time.Hour), SkewLimit: 2 * time.Second,
		Leases: []xxladapter.Lease{{Term: xxladapter.Term{Node: "n1", Number: 3}, Until: two.Add(7*time.Hour + 4*time.Second)}},
		Group:  &xxladapter.Group{AppName: "billing", Addresses: []string{"http://a/"}},
	}
	f.Spans = []why.Span{{Schedule: why.Schedule{Running: true, Type: f.Job.ScheduleType, Conf: f.Job.ScheduleConf}, From: f.From, To: f.To}}
	if change != nil {
		change(&f)
	}
	for i := range f.Spans {
		f.Spans[i].Plan, _ = cron.ParsePlan(string(f.Spans[i].Type), f.Spans[i].Conf, zone)
	}
	return f
}

// ran adds a run to the facts.
func ran(f *why.Facts, change func(l *xxladapter.Log, h *xxladapter.RunHistory)) {
	l := &xxladapter.Log{ID: 9, JobID: 1, Address: "http://a/", TriggerTime: two, TriggerCode: 200}
	h := &xxladapter.RunHistory{LogID: 9, Due: two, Type: xxladapter.TriggerCron, Attempt: 1, Owner: f.Leases[0].Term, Claimed: two, Sent: two, Acknowledged: two}
	if change != nil {
		change(l, h)
	}
	f.Runs = append(f.Runs, why.Run{Log: l, History: h})
}

func codes(found []why.Finding) (codes []why.Code) {
	for _, f := range found {
		codes = append(codes, f.Code)
	}
	return codes
}

func TestEachRecordHasItsFinding(t *testing.T) {
	type (
		F = why.Facts
		L = xxladapter.Log
		H = xxladapter.RunHistory
	)
	run := func(change func(l *L, h *H)) func(f *F) { return func(f *F) { ran(f, change) } }
	fire := func(state xxladapter.FireState, change func(f *F, fire *xxladapter.Fire)) func(f *F) {
		return func(f *F) {
			open := xxladapter.Fire{ID: 5, Due: two, State: state}
			if state != xxladapter.FirePlanned {
				open.Owner, open.Claimed = f.Leases[0].Term, two
			}
			if change != nil {
				change(f, &open)
			}
			f.Open = append(f.Open, open)
		}
	}
	used := map[why.Code]bool{}
	for _, tt := range []struct {
		name   string
		change func(f *F)
		want   []why.Code
	}{
		// No fire was planned.
		{"created later", func(f *F) { f.Job.Added = two.Add(time.Hour) }, []why.Code{why.NotCreated}},
		{"created at the end", func(f *F) { f.Job.Added = f.To }, []why.Code{why.NotCreated}},
		{"stopped", func(f *F) { f.Spans[0].Running = false }, []why.Code{why.Stopped}},
		{"stopped, and another time", func(f *F) { f.Spans[0].Running, f.Spans[0].Conf = false, "0 0 3 * * ?" }, []why.Code{why.Stopped, why.NoMatch}},
		{"another time", func(f *F) { f.Spans[0].Conf = "0 0 3 * * ?" }, []why.Code{why.NoMatch}},
		{"no schedule", func(f *F) { f.Spans[0].Type = xxladapter.ScheduleNone }, []why.Code{why.NoSchedule}},
		{"unreadable", func(f *F) { f.Spans[0].Conf = "often" }, []why.Code{why.BadSchedule}},
		{"after a run", func(f *F) { f.Spans[0].Type, f.Spans[0].Conf = xxladapter.ScheduleFixDelay, "60" }, []why.Code{why.AfterRun}},
		{"to come", func(f *F) { f.Now = two.Add(-time.Hour) }, []why.Code{why.NotYet}},
		{"misfire", func(f *F) {
			f.Misfires = []xxladapter.Misfire{{ID: 3, Due: two, Until: two, At: two.Add(time.Minute), Strategy: xxladapter.MisfireDoNothing}}
		}, []why.Code{why.Misfire}},
		{"misfire of a store that lost data", func(f *F) {
			f.Misfires = []xxladapter.Misfire{{ID: 3, Due: two, Until: two, At: two.Add(time.Minute), Strategy: xxladapter.MisfireStoreLost}}
		}, []why.Code{why.Misfire}},
		{"no scheduler", func(f *F) { f.Leases, f.Job.TriggerNext = nil, two }, []why.Code{why.NoScheduler}},
		{"no scheduler, by its clock", func(f *F) { f.Leases, f.Job.TriggerNext, f.Local = nil, two, f.Now.Add(-3*time.Second) }, []why.Code{why.NoScheduler, why.ClocksApart}},
		{"no scheduler, and clocks that may be as far apart", func(f *F) {
			f.Leases, f.Job.TriggerNext, f.Local, f.SkewLimit = nil, two, f.Now.Add(-3*time.Second), 4*time.Second
		}, []why.Code{why.NoScheduler}},
		{"no scheduler, and clocks that are not compared", func(f *F) {
			f.Leases, f.Job.TriggerNext, f.Local, f.SkewLimit = nil, two, f.Now.Add(-3*time.Second), -1
		}, []why.Code{why.NoScheduler}},
		{"overdue", func(f *F) { f.Job.TriggerNext = two }, []why.Code{why.Overdue}},
		{"paused", func(f *F) {
			f.Misfires = []xxladapter.Misfire{{ID: 3, Due: two, Until: two, At: two, PauseID: 4}}
			f.Pauses = map[int64]xxladapter.Pause{4: {ID: 4, Note: "maintenance", By: "user lin", From: two.Add(-time.Hour)}}
		}, []why.Code{why.Paused}},
		{"paused, by what is forgotten", func(f *F) {
			f.Misfires = []xxladapter.Misfire{{ID: 3, Due: two, Until: two, At: two, PauseID: 4}}
		}, []why.Code{why.Paused}},
		{"paused, and not recorded yet", func(f *F) {
			f.Now = two.Add(-time.Hour)
			f.Restrictions = &xxladapter.Restrictions{Pauses: []xxladapter.Pause{{ID: 4, From: two.Add(-2 * time.Hour)}}}
		}, []why.Code{why.Paused}},
		{"a day without work", func(f *F) {
			f.Misfires = []xxladapter.Misfire{{ID: 3, Due: two, Until: two, At: two, Calendar: "cn"}}
		}, []why.Code{why.Excluded}},
		{"a day without work to come", func(f *F) { f.Now, f.Job.Settings.Calendar = two.Add(-time.Hour), "cn" }, []why.Code{why.Excluded}},
		{"no record", nil, []why.Code{why.NoRecord}},

		// A fire is open.
		{"waits", fire(xxladapter.FirePlanned, nil), []why.Code{why.NoPlace}},
		{"waits for no scheduler", fire(xxladapter.FirePlanned, func(f *F, _ *xxladapter.Fire) { f.Leases = nil }), []why.Code{why.NoScheduler}},
		{"planned ahead", fire(xxladapter.FirePlanned, func(f *F, _ *xxladapter.Fire) { f.Now = two.Add(-time.Second) }), []why.Code{why.NotYet}},
		{"due now", fire(xxladapter.FirePlanned, func(f *F, _ *xxladapter.Fire) { f.Now = two }), []why.Code{why.BeingSent}},
		{"claimed", fire(xxladapter.FireClaimed, nil), []why.Code{why.BeingSent}},
		{"claimed by a term that is over", fire(xxladapter.FireClaimed, func(_ *F, fire *xxladapter.Fire) { fire.Owner.Number = 2 }), []why.Code{why.NodeFroze}},
		{"ambiguous", fire(xxladapter.FireAmbiguous, nil), []why.Code{why.Ambiguous}},

		// A run.
		{"ran", run(func(l *L, h *H) { l.HandleCode, h.Finished = 200, two.Add(time.Second) }), []why.Code{why.Ran}},
		{"runs", run(nil), []why.Code{why.Running}},
		{"late", run(func(l *L, h *H) { l.HandleCode, h.Claimed = 200, two.Add(time.Minute) }), []why.Code{why.RanLate, why.Ran}},
		{"taken over", run(func(l *L, h *H) { l.HandleCode, h.TakenBy, h.TakenOver = 200, "n2", two.Add(4*time.Second) }), []why.Code{why.NodeFroze, why.Ran}},
		{"of a Java admin", func(f *F) { ran(f, func(l *L, _ *H) { l.HandleCode = 200 }); f.Runs[0].History = nil }, []why.Code{why.NotTraced, why.Ran}},
		{"no executor", run(func(l *L, h *H) {
			l.TriggerCode, l.Address, h.Sent, h.Acknowledged = 500, "", time.Time{}, time.Time{}
			l.TriggerMsg = "addresses：[]<br>result：error, route: no address"
		}), []why.Code{why.NoExecutor}},
		{"all executors drained", run(func(l *L, h *H) {
			l.TriggerCode, l.Address, h.Sent, h.Acknowledged = 500, "", time.Time{}, time.Time{}
			l.TriggerMsg = "addresses：[http://a/]<br>result：error, " + xxladapter.ReasonDrained
		}), []why.Code{why.Drained}},
		{"no suitable executor", run(func(l *L, h *H) {
			l.TriggerCode, l.Address, h.Sent, h.Acknowledged = 500, "", time.Time{}, time.Time{}
			l.TriggerMsg = "addresses：[http://a/]<br>result：error, all busy"
		}), []why.Code{why.RefusedByRoute}},
		{"discarded", run(func(l *L, _ *H) {
			l.TriggerCode, l.TriggerMsg = 500, "result：error, block strategy effect：Discard Later"
		}), []why.Code{why.RefusedByBlock}},
		{"refused", run(func(l *L, _ *H) { l.TriggerCode, l.TriggerMsg = 500, "result：error, job handler [x] not found." }), []why.Code{why.Refused}},
		{"unreachable", run(func(l *L, h *H) { l.TriggerCode, h.Sent, h.Acknowledged = 500, time.Time{}, time.Time{} }), []why.Code{why.Unreachable}},
		{"unknown", run(func(l *L, _ *H) { l.TriggerCode = xxladapter.ResultUnknown }), []why.Code{why.Unanswered}},
		{"the executor never said", run(func(l *L, h *H) {
			l.TriggerCode, h.Acknowledged = 500, time.Time{}
			l.TriggerMsg = "result：error, outcome unknown, and the executor does not say: deadline exceeded"
		}), []why.Code{why.Unanswered}},
		{"failed", run(func(l *L, _ *H) { l.HandleCode, l.HandleMsg = 500, "boom" }), []why.Code{why.Failed}},
		{"timed out", run(func(l *L, _ *H) { l.HandleCode = 502 }), []why.Code{why.TimedOut}},
		{"covered", run(func(l *L, _ *H) {
			l.HandleCode, l.HandleMsg = 500, "block strategy effect：Cover Early [job running, killed]"
		}), []why.Code{why.Covered}},
		{"killed", run(func(l *L, _ *H) { l.HandleCode, l.HandleMsg = 500, "scheduling center kill job. [job running, killed]" }), []why.Code{why.Killed}},
		{"lost", run(func(l *L, _ *H) { l.HandleCode, l.HandleMsg = 500, xxladapter.LostMsg+"executor http://a/ is gone" }), []why.Code{why.ResultLost}},
		{"about to be lost", run(func(l *L, _ *H) { l.Address = "http://gone/" }), []why.Code{why.ResultLost}},
		{"a failure and its retry", func(f *F) {
			ran(f, func(l *L, _ *H) { l.HandleCode = 500 })
			ran(f, func(l *L, h *H) { l.HandleCode, h.Attempt = 200, 2 })
		}, []why.Code{why.Failed, why.Ran}},
	} {
		found := why.Decide(facts(t, tt.change))
		require.Equal(t, tt.want, codes(found), tt.name)
		for _, f := range found {
			used[f.Code] = true
			require.NotEmpty(t, f.Evidence, tt.name)
			for _, in := range why.Language("").Values() {
				said := f.Words(in)
				require.NotEmpty(t, said, "%s in %s: %v", tt.name, in, f.Params)
				require.NotContains(t, said, "{", tt.name)
			}
		}
	}
	for _, code := range why.Code("").Values() {
		require.True(t, used[code], "%s is never found", code)
	}
}

func TestAStopNamesWhoDidIt(t *testing.T) {
	row := &xxladapter.AuditRow{ID: 7, At: two.Add(-time.Hour), Actor: xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "lin"}, Call: "POST /api/v1/jobs/{id}/stop"}
	found := why.Decide(facts(t, func(f *why.Facts) { f.Spans[0].Running, f.Spans[0].Switch = false, row }))
	require.Equal(t, why.Stopped, found[0].Code)
	require.Equal(t, "The schedule was off: user lin switched it off at 2026-03-01T01:00:00+08:00.", found[0].Words(why.English))
	require.Equal(t, why.Record{Kind: "audit", ID: 7, Facts: map[string]string{
		"time": "2026-02-28T17:00:00Z", "actor": "user lin", "call": "POST /api/v1/jobs/{id}/stop",
	}}, found[0].Evidence[0])
}

// TestAStartIsNoStop asks about a schedule that a user switched on and another program off, without
// a row of the audit.
func TestAStartIsNoStop(t *testing.T) {
	row := xxladapter.AuditRow{
		ID: 7, At: two.Add(-2 * time.Hour), Actor: xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "lin"},
		Changes: []xxladapter.FieldChange{{Field: "running", Before: json.RawMessage("false"), After: json.RawMessage("true")}},
	}
	found := why.Decide(facts(t, func(f *why.Facts) {
		f.Job.Running, f.Job.Updated = false, two.Add(-time.Hour)
		f.Spans = why.Spans(f.Job, []xxladapter.AuditRow{row}, nil, f.From, f.To)
	}))
	require.Equal(t, []why.Code{why.Stopped}, codes(found))
	require.Equal(t, "job", found[0].Evidence[0].Kind)
	require.NotContains(t, found[0].Words(why.English), "lin")
}

// TestAMisfireIsOfItsOwnDueTimes asks about a minute with a run, two due times that were found too
// late, and one in a pause; and about a minute that lies between two due times of a misfire.
func TestAMisfireIsOfItsOwnDueTimes(t *testing.T) {
	at := func(n int) time.Time { return two.Add(time.Duration(n) * time.Second) }
	found := why.Decide(facts(t, func(f *why.Facts) {
		f.Spans[0].Conf = "0/15 * * * * ?"
		f.Misfires = []xxladapter.Misfire{
			{ID: 3, Due: at(15), Until: at(30), At: at(42), Strategy: xxladapter.MisfireDoNothing},
			{ID: 4, Due: at(45), Until: at(600), At: at(600), PauseID: 4},
		}
		ran(f, func(l *xxladapter.Log, _ *xxladapter.RunHistory) { l.HandleCode = 200 })
	}))
	require.Equal(t, []why.Code{why.Ran, why.Misfire, why.Paused}, codes(found))
	require.Equal(t, "2026-03-01T02:00:15+08:00", found[1].Params["due"])
	require.Equal(t, "27s", found[1].Params["late"])
	require.Equal(t, "2026-03-01T02:00:45+08:00", found[2].Params["due"])

	between := func(change func(f *why.Facts)) []why.Finding {
		return why.Decide(facts(t, func(f *why.Facts) {
			f.Spans[0].Conf = "0 0 * * * ?"
			f.From, f.To = two.Add(30*time.Minute), two.Add(31*time.Minute)
			f.Spans[0].From, f.Spans[0].To = f.From, f.To
			f.Misfires = []xxladapter.Misfire{{ID: 3, Due: two, Until: two.Add(3 * time.Hour), At: two.Add(4 * time.Hour), Strategy: xxladapter.MisfireDoNothing}}
			if change != nil {
				change(f)
			}
		}))
	}
	require.Equal(t, []why.Code{why.NoMatch}, codes(between(nil)))
	found = between(func(f *why.Facts) { f.Spans[0].Present = true })
	require.Equal(t, []why.Code{why.Misfire}, codes(found), "the schedule of that time is not known")
	require.Equal(t, "2026-03-01T02:00:00+08:00", found[0].Params["due"])
}

func TestAnotherTimeNamesTheNearestOnes(t *testing.T) {
	for conf, want := range map[string][2]string{
		"0 0 3 * * ?":      {"2026-02-28T03:00:00+08:00", "2026-03-01T03:00:00+08:00"},
		"0 0 0 1 1 ?":      {"2026-01-01T00:00:00+08:00", "2027-01-01T00:00:00+08:00"},
		"0 0 3 * * ? 2025": {"2025-12-31T03:00:00+08:00", ""},
		"0 0 3 * * ? 2030": {"", "2030-01-01T03:00:00+08:00"},
	} {
		found := why.Decide(facts(t, func(f *why.Facts) { f.Spans[0].Conf = conf }))
		require.Equal(t, []why.Code{why.NoMatch}, codes(found), conf)
		require.Equal(t, want, [2]string{found[0].Params["before"], found[0].Params["after"]}, conf)
		require.NotEmpty(t, found[0].Words(why.English))
	}
}

func TestTheScheduleIsThatOfTheTime(t *testing.T) {
	change := func(field, before, after string) xxladapter.FieldChange {
		return xxladapter.FieldChange{Field: field, Before: json.RawMessage(before), After: json.RawMessage(after)}
	}
	job := &xxladapter.Job{Running: true, ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 4 * * ?", Updated: two.Add(2 * time.Hour)}
	rows := []xxladapter.AuditRow{
		{ID: 1, At: two.Add(-2 * time.Hour), Changes: []xxladapter.FieldChange{change("running", "true", "false")}},
		{ID: 2, At: two.Add(time.Hour), Changes: []xxladapter.FieldChange{change("scheduleConf", `"0 0 2 * * ?"`, `"0 0 4 * * ?"`), change("settings", `{"zone":"Asia/Tokyo"}`, `{}`)}},
		{ID: 3, At: two.Add(2 * time.Hour), Changes: []xxladapter.FieldChange{change("running", "false", "true")}},
	}
	nightly := func(at string) why.Schedule {
		return why.Schedule{Running: true, Type: xxladapter.ScheduleCron, Conf: at}
	}
	off := why.Schedule{Type: xxladapter.ScheduleCron, Conf: "0 0 2 * * ?", Zone: "Asia/Tokyo", Switch: &rows[0]}
	edited := why.Schedule{Type: xxladapter.ScheduleCron, Conf: "0 0 4 * * ?", Switch: &rows[0]}
	on := nightly("0 0 4 * * ?")
	on.Switch = &rows[2]
	from, to := two.Add(-time.Hour), two.Add(3*time.Hour)
	edit, start := two.Add(time.Hour+time.Millisecond), two.Add(2*time.Hour+time.Millisecond)
	require.Equal(t, []why.Span{
		{Schedule: off, From: from, To: edit}, {Schedule: edited, From: edit, To: start}, {Schedule: on, From: start, To: to, Stands: true},
	}, why.Spans(job, rows, nil, from, to))
	require.Equal(t, []why.Span{{Schedule: off, From: two, To: two.Add(time.Minute)}}, why.Spans(job, rows, nil, two, two.Add(time.Minute)))
	require.Equal(t, []why.Span{{Schedule: on, From: to, To: to.Add(1), Stands: true}}, why.Spans(job, rows, nil, to, to.Add(1)))
	before := why.Spans(job, rows, nil, two.Add(-4*time.Hour), two.Add(-3*time.Hour))
	require.True(t, before[0].Running, "it was on before its first row switched it off")
	require.Nil(t, before[0].Switch)

	unknown := nightly("0 0 4 * * ?")
	unknown.Present = true
	require.Equal(t, []why.Span{
		{Schedule: unknown, From: two, To: job.Updated, Stands: true}, {Schedule: nightly("0 0 4 * * ?"), From: job.Updated, To: to, Stands: true},
	}, why.Spans(job, nil, nil, two, to), "nothing tells how it was")
	require.False(t, why.Spans(job, nil, nil, to, to.Add(time.Hour))[0].Present)
	backfill := xxladapter.DiffFields(nil, (&xxladapter.Backfill{ID: 1}).Fields())
	begun := []xxladapter.AuditRow{{ID: 1, At: two.Add(time.Minute), Changes: backfill}}
	require.Equal(t, why.Spans(job, nil, nil, two, to), why.Spans(job, begun, nil, two, to), "it is no edit")

	job.Running = false
	spans := why.Spans(job, nil, nil, two, two.Add(30*time.Hour))
	for i := range spans {
		spans[i].Plan, _ = cron.ParsePlan("CRON", "0 0 3,5 * * ?", zone)
	}
	planned, more := why.Planned(spans, 10)
	require.Equal(t, []time.Time{two.Add(time.Hour)}, planned, "it may have been on before the last change, and was off after it")
	require.False(t, more)
}

// TestAChangeEndsWhatWasPlanned checks that an edit within a minute moves the due times from then
// on, and that there are none in the time in which a job is off.
func TestAChangeEndsWhatWasPlanned(t *testing.T) {
	seconds := func(n float64) time.Time { return two.Add(time.Duration(n * float64(time.Second))) }
	row := func(at float64, field, before string) xxladapter.AuditRow {
		return xxladapter.AuditRow{At: seconds(at), Changes: []xxladapter.FieldChange{{Field: field, Before: json.RawMessage(before), After: json.RawMessage(`""`)}}}
	}
	planned := func(spans []why.Span, limit int) (after []float64, more bool) {
		for i := range spans {
			spans[i].Plan, _ = cron.ParsePlan(string(spans[i].Type), spans[i].Conf, zone)
		}
		ticks, more := why.Planned(spans, limit)
		for _, at := range ticks {
			after = append(after, at.Sub(two).Seconds())
		}
		return after, more
	}
	job := &xxladapter.Job{Running: true, ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "40 * * * * ?", TriggerNext: seconds(280)}
	rows := []xxladapter.AuditRow{row(10, "scheduleConf", `"0/10 * * * * ?"`), row(60, "running", "true"), row(100, "running", "false")}
	spans := why.Spans(job, rows, nil, seconds(0), seconds(200))
	all, more := planned(spans, 100)
	require.Equal(t, []float64{0, 10, 40, 160}, all, "what is due at the instant of a change is of the schedule before it; off from 60 to 100")
	require.False(t, more)
	some, more := planned(spans, 2)
	require.Equal(t, []float64{0, 10}, some)
	require.True(t, more)

	// A rate has another phase after each start: a run shows the phase of an earlier start.
	job = &xxladapter.Job{Running: true, ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "30", TriggerNext: seconds(250)}
	rows = []xxladapter.AuditRow{row(60, "running", "true"), row(100, "running", "false"), row(110, "running", "true"), row(145, "running", "false")}
	run := func(due float64, of xxladapter.TriggerType) xxladapter.DueRun {
		return xxladapter.DueRun{RunHistory: xxladapter.RunHistory{Due: seconds(due), Type: of}}
	}
	spans = why.Spans(job, rows, nil, seconds(0), seconds(200))
	why.SetAnchors(spans, job, []xxladapter.DueRun{run(35, xxladapter.TriggerCron), run(50, xxladapter.TriggerManual)}, nil)
	all, _ = planned(spans, 100)
	require.Equal(t, []float64{5, 35, 160, 190}, all, "nothing tells the phase of the start at 100")
	why.SetAnchors(spans, job, nil, []xxladapter.Fire{{Due: seconds(105), Type: xxladapter.TriggerCron}, {Due: seconds(177), Type: xxladapter.TriggerBackfill}})
	all, _ = planned(spans[1:], 100)
	require.Equal(t, []float64{105, 160, 190}, all)

	// A schedule that was replaced after the time in question does not have the phase of the
	// present one.
	spans = why.Spans(job, rows, nil, seconds(101), seconds(109))
	why.SetAnchors(spans, job, nil, nil)
	require.Zero(t, spans[0].Anchor)
}

// TestAScheduleThatEndedStaysOff checks a job that a scheduler switches off, which makes no
// version: the next version, of another program, shows it off.
func TestAScheduleThatEndedStaysOff(t *testing.T) {
	seconds := func(n int) time.Time { return two.Add(time.Duration(n) * time.Second) }
	state := func(conf string, running bool, updated int) xxladapter.Job {
		return xxladapter.Job{ID: 1, Running: running, ScheduleType: xxladapter.ScheduleCron, ScheduleConf: conf, Updated: seconds(updated)}
	}
	row := func(at int, by xxladapter.ActorKind, call string, before, after xxladapter.Job) xxladapter.AuditRow {
		return xxladapter.AuditRow{At: seconds(at), Actor: xxladapter.Actor{Kind: by}, Call: call, Changes: xxladapter.DiffFields(before.Fields(), after.Fields())}
	}
	created, started, ended := state("5 * * * * ?", false, 0), state("5 * * * * ?", true, 10), state("5 * * * * ?", false, 10)
	theirs, edited, theirsAgain := state("6 * * * * ?", false, 60), state("7 * * * * ?", false, 80), state("8 * * * * ?", false, 100)
	versions := []*xxladapter.JobVersion{
		{Number: 4, At: seconds(80), Call: "PUT", Job: edited}, {Number: 3, At: seconds(60), Job: theirs},
		{Number: 2, At: seconds(10), Call: "start", Job: started}, {Number: 1, At: seconds(0), Call: "POST", Job: created},
	}
	rows := []xxladapter.AuditRow{
		row(0, xxladapter.ActorUser, "POST", xxladapter.Job{}, created), row(10, xxladapter.ActorUser, "start", created, started),
		row(40, xxladapter.ActorScheduler, "schedule ended", started, ended), row(80, xxladapter.ActorUser, "PUT", theirs, edited),
	}
	var shown []string
	for _, span := range why.Spans(&theirsAgain, rows, versions, seconds(5), seconds(120)) {
		shown = append(shown, fmt.Sprint(span.From.Sub(two).Truncate(time.Second), " ", span.Conf[:1], " ", span.Running, " ", span.Present))
	}
	require.Equal(t, []string{"5s 5 false false", "10s 5 true false", "40s 5 false false", "1m0s 6 false false", "1m20s 7 false false", "1m40s 8 false false"}, shown)
}

// TestTheAnswerIsAboutTheScheduleThatWasOn checks the answer for a minute in which the job had
// several schedules.
func TestTheAnswerIsAboutTheScheduleThatWasOn(t *testing.T) {
	half := two.Add(30 * time.Second)
	divided := func(first, second why.Schedule) func(f *why.Facts) {
		return func(f *why.Facts) {
			f.Spans = []why.Span{{Schedule: first, From: two, To: half}, {Schedule: second, From: half, To: f.To}}
		}
	}
	at := func(conf string, running bool) why.Schedule {
		return why.Schedule{Running: running, Type: xxladapter.ScheduleCron, Conf: conf}
	}
	for name, tt := range map[string]struct {
		first, second why.Schedule
		want          []why.Code
		conf          string // of no_match
	}{
		"due before the stop":         {at("10 * * * * ?", true), at("10 * * * * ?", false), []why.Code{why.NoRecord}, ""},
		"due after the stop":          {at("40 * * * * ?", true), at("40 * * * * ?", false), []why.Code{why.Stopped}, ""},
		"due after the edit":          {at("0 0 3 * * ?", true), at("40 * * * * ?", true), []why.Code{why.NoRecord}, ""},
		"started with another time":   {at("0 0 3 * * ?", false), at("0 0 4 * * ?", true), []why.Code{why.NoMatch}, "0 0 4 * * ?"},
		"due at neither":              {at("0 0 3 * * ?", true), at("0 0 4 * * ?", true), []why.Code{why.NoMatch}, "0 0 3 * * ?"},
		"due while off, and while on": {at("10 * * * * ?", false), at("40 * * * * ?", true), []why.Code{why.NoRecord}, ""},
		"off all the time, and then":  {at("0 0 3 * * ?", false), at("40 * * * * ?", false), []why.Code{why.Stopped}, ""},
	} {
		found := why.Decide(facts(t, divided(tt.first, tt.second)))
		require.Equal(t, tt.want, codes(found), name)
		if tt.conf != "" {
			require.Equal(t, tt.conf, found[0].Params["conf"], name)
		}
	}
}

func TestTicksOfARateKeepTheirPhase(t *testing.T) {
	plan, err := cron.ParsePlan("FIX_RATE", "30", zone)
	require.NoError(t, err)
	for _, anchor := range []time.Duration{10 * time.Second, 70 * time.Second, time.Hour + 10*time.Second} {
		span := why.Span{Schedule: why.Schedule{Running: true, Type: xxladapter.ScheduleFixRate}, From: two, To: two.Add(100 * time.Second), Plan: plan, Anchor: two.Add(anchor)}
		ticks, more := why.Planned([]why.Span{span}, 3)
		require.Equal(t, []time.Time{two.Add(10 * time.Second), two.Add(40 * time.Second), two.Add(70 * time.Second)}, ticks)
		require.False(t, more)
		ticks, more = why.Planned([]why.Span{span}, 2)
		require.Len(t, ticks, 2)
		require.True(t, more)
	}
}

func TestFates(t *testing.T) {
	at := func(n int) time.Time { return two.Add(time.Duration(n) * time.Second) }
	ticks := why.Fates([]time.Time{at(0), at(1), at(2), at(3), at(4), at(9), at(10), at(11)},
		[]xxladapter.DueRun{{RunHistory: xxladapter.RunHistory{Due: at(0)}}}, []xxladapter.Fire{{Due: at(4)}},
		[]xxladapter.Misfire{{Due: at(1), Until: at(2)}, {Due: at(10), Until: at(10), PauseID: 1}, {Due: at(11), Until: at(11), Calendar: "cn"}}, at(5))
	var fates []why.Fate
	for _, tick := range ticks {
		fates = append(fates, tick.Fate)
	}
	require.Equal(t, []why.Fate{why.FateFired, why.FateMisfire, why.FateMisfire, why.FateNothing, why.FateOpen, why.FateComing, why.FatePaused, why.FateExcluded}, fates)
	require.ElementsMatch(t, why.Fate("").Values(), slices.Compact(slices.Clone(fates)))
}

func TestWordsOfNothingAreEmpty(t *testing.T) {
	require.Empty(t, why.Finding{Code: "none"}.Words(why.English))
	require.Empty(t, why.Finding{Code: why.Ran}.Words("fr"))
	require.False(t, strings.Contains(why.Finding{Code: why.Ran}.Words(why.English), "{"))
}

// BenchmarkTimeline computes a timeline of 10,000 fires: its due times and what became of each.
func BenchmarkTimeline(b *testing.B) {
	plan, err := cron.ParsePlan("CRON", "* * * * * ?", zone)
	require.NoError(b, err)
	spans := []why.Span{{
		Schedule: why.Schedule{Running: true, Type: xxladapter.ScheduleCron}, From: two, To: two.Add(10_000 * time.Second), Plan: plan,
	}}
	runs := make([]xxladapter.DueRun, 10_000)
	for i := range runs {
		runs[i].Due = two.Add(time.Duration(i) * time.Second)
	}
	for b.Loop() {
		due, _ := why.Planned(spans, 10_000)
		if ticks := why.Fates(due, runs, nil, nil, two); len(ticks) != 10_000 || ticks[9999].Fate != why.FateFired {
			b.Fatal(len(ticks))
		}
	}
}
