package maintenance

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestChunksFollowWhatTheyHold(t *testing.T) {
	for _, c := range []struct {
		size int
		held time.Duration
		want int
	}{
		{100, 0, 200},
		{100, purgeTarget/2 - 1, 200},
		{100, purgeTarget / 2, 100},
		{100, purgeTarget, 100},
		{100, purgeTarget + 1, 99},
		{100, 2 * purgeTarget, 50},
		{1000, 10 * purgeTarget, 100},
		{mostChunk, time.Hour, leastChunk},
		{leastChunk, time.Second, leastChunk},
		{mostChunk, 0, mostChunk},
		{mostChunk - 1, 0, mostChunk},
	} {
		require.Equal(t, c.want, nextChunk(c.size, c.held), "%+v", c)
	}
}

func TestNightsAreAtLeastAnHourAway(t *testing.T) {
	zone := time.FixedZone("east", 8*3600)
	for _, c := range []struct{ now, want string }{
		{"2026-03-01 00:00", "2026-03-01 03:40"},
		{"2026-03-01 02:40", "2026-03-01 03:40"},
		{"2026-03-01 02:41", "2026-03-02 03:40"},
		{"2026-12-31 12:00", "2027-01-01 03:40"},
	} {
		now, err := time.ParseInLocation("2006-01-02 15:04", c.now, zone)
		require.NoError(t, err)
		require.Equal(t, c.want, nextNight(now.UTC(), zone).Format("2006-01-02 15:04"))
	}
}

// A logbook is a store with a job, with methods that fill the log.
type logbook struct {
	*memstore.Store
	t    *testing.T
	term xxladapter.Term
	job  int64
}

func newLogbook(t *testing.T, settings xxladapter.Settings) *logbook {
	t.Helper()
	store := memstore.New(time.Now)
	group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(t.Context(), store, &xxladapter.Job{GroupID: group, Name: "j", Handler: "h", Settings: settings})
	require.NoError(t, err)
	lease, err := store.Lease(t.Context(), "n", 10_000*time.Hour)
	require.NoError(t, err)
	return &logbook{store, t, lease.Term, job}
}

// miss records misfires of now.
func (b *logbook) miss(n int) {
	b.t.Helper()
	ctx := context.Background()
	j, err := b.Job(ctx, b.job)
	require.NoError(b.t, err)
	_, err = xxladapter.StartJob(ctx, b, b.job, j.Updated, func(now time.Time) time.Time { return now })
	require.NoError(b.t, err)
	_, _, err = b.ClaimDue(ctx, b.term, 0, 1, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		d := xxladapter.Decision{JobID: b.job, Last: due[0].TriggerNext}
		for range n {
			d.Misfires = append(d.Misfires, xxladapter.Misfire{Due: now, Until: now, At: now})
		}
		return []xxladapter.Decision{d}
	})
	require.NoError(b.t, err)
}

// run adds a run that ended with a code at once; 0 means that it has not ended.
func (b *logbook) run(code int) (logID int64) {
	b.t.Helper()
	ctx := context.Background()
	fires, err := b.PlanFires(ctx, []xxladapter.Fire{{JobID: b.job, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(b.t, err)
	claimed, err := b.ClaimFire(ctx, b.term, fires[0].ID, []*xxladapter.Log{{JobID: b.job, Address: "http://e/", TriggerTime: time.Now()}})
	require.NoError(b.t, err)
	logID = claimed[0].LogID
	_, err = b.SettleFire(ctx, b.term, xxladapter.Settlement{FireID: fires[0].ID, LogID: logID, Code: xxladapter.ResultOK})
	require.NoError(b.t, err)
	if code != 0 {
		_, _, err = b.FinishRun(ctx, xxladapter.RunResult{LogID: logID, Code: code, WantText: true})
		require.NoError(b.t, err)
	}
	return logID
}

func (b *logbook) rows() (ids []int64) {
	logs, err := b.Logs(context.Background(), xxladapter.LogFilter{})
	require.NoError(b.t, err)
	for _, l := range logs {
		ids = append(ids, l.ID)
	}
	return ids
}

// runFor runs a service for d.
func runFor(t *testing.T, d time.Duration, run func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	require.NoError(t, run(ctx))
}

func TestOldRowsGoSoonAfterTheStartAndThenEveryNight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble starts at midnight UTC
		const day = 24 * time.Hour
		b := newLogbook(t, xxladapter.Settings{})
		b.run(200)
		open := b.run(0)
		time.Sleep(10*day + time.Second)
		young := b.run(200)
		var logged bytes.Buffer
		r := &Retention{Store: b, Keep: 10 * day, Zone: time.UTC, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		runFor(t, retentionStart-time.Second, r.Run)
		require.Len(t, b.rows(), 3)
		runFor(t, retentionStart+time.Second, r.Run)
		require.Equal(t, []int64{open, young}, b.rows())
		require.Contains(t, logged.String(), "rows=1")

		// At 03:40 of the eleventh day from here the row is ten days old.
		runFor(t, 10*day+retentionHour-time.Hour, r.Run)
		require.Equal(t, []int64{open, young}, b.rows())
		runFor(t, 2*day, r.Run)
		require.Equal(t, []int64{open}, b.rows())
		report, err := b.Reports(t.Context(), time.Time{}, time.Time{})
		require.NoError(t, err)
		require.Len(t, report, 2)
		require.EqualValues(t, 1, report[0].Success)
	})
}

func TestFailuresStayUntilTheirAlarmUnlessThereIsNone(t *testing.T) {
	for _, noAlarms := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			b := newLogbook(t, xxladapter.Settings{})
			b.run(500)
			r := &Retention{Store: b, Keep: time.Hour, NoAlarms: noAlarms, Logger: slog.New(slog.DiscardHandler)}
			runFor(t, 48*time.Hour, r.Run)
			require.Equal(t, noAlarms, len(b.rows()) == 0)
		})
	}
}

func TestRowsStayForEver(t *testing.T) {
	for _, keep := range []time.Duration{0, -1} {
		synctest.Test(t, func(t *testing.T) {
			b := newLogbook(t, xxladapter.Settings{})
			b.run(200)
			r := &Retention{Store: b, Keep: keep, Logger: slog.New(slog.DiscardHandler)}
			runFor(t, 20*24*time.Hour, r.Run)
			require.Len(t, b.rows(), 1)
		})
	}
}

func TestOldRowsOfTheAuditGoAtNightAndTheChainStaysWhole(t *testing.T) {
	for keep, left := range map[time.Duration]int{0: 1502, -1: 1502, 24 * time.Hour: 2} {
		synctest.Test(t, func(t *testing.T) {
			b := newLogbook(t, xxladapter.Settings{})
			ctx := xxladapter.WithCall(t.Context(), "call")
			add := func() {
				require.NoError(t, b.AppendAudit(ctx, xxladapter.AuditObject{Kind: "run"}, xxladapter.Fields{{Name: "x", Value: 1}}))
			}
			for range auditChunk + 500 {
				add()
			}
			time.Sleep(25 * time.Hour)
			add()
			add()
			r := &Retention{Store: b, KeepAudit: keep, Logger: slog.New(slog.DiscardHandler)}
			runFor(t, retentionStart+time.Second, r.Run)
			rows, err := b.AuditRows(t.Context(), xxladapter.AuditFilter{})
			require.NoError(t, err)
			require.Equal(t, left, len(rows))
			ends, err := b.AuditEnds(t.Context())
			require.NoError(t, err)
			mark, err := xxladapter.FollowChain(ends.Anchor, rows)
			require.NoError(t, err)
			require.NoError(t, xxladapter.EndChain(mark, ends.Last))
		})
	}
}

// A call that purges many chunks writes one row to the audit.
func TestAPurgeOfManyChunksIsAuditedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		for range 3 * firstChunk {
			b.run(200)
		}
		p := &Purger{Store: b, Logger: slog.New(slog.DiscardHandler)}
		rows, done, err := p.Purge(xxladapter.WithCall(t.Context(), "clear"), xxladapter.LogPurge{}, 0)
		require.NoError(t, err)
		require.True(t, done)
		require.EqualValues(t, 3*firstChunk, rows)
		audit, err := b.AuditRows(t.Context(), xxladapter.AuditFilter{})
		require.NoError(t, err)
		require.Len(t, audit, 1)
	})
}

func TestSuccessesGoSoonIfTheirJobKeepsFailures(t *testing.T) {
	for _, c := range []struct {
		keep xxladapter.LogPolicy
		want int
	}{{xxladapter.KeepFailures, 2}, {xxladapter.KeepAll, 4}, {"", 4}} {
		synctest.Test(t, func(t *testing.T) {
			b := newLogbook(t, xxladapter.Settings{KeepLogs: c.keep})
			for _, code := range []int{200, 500, 200, 0} {
				b.run(code)
			}
			r := &Retention{Store: b, Logger: slog.New(slog.DiscardHandler)}
			runFor(t, SuccessAge-time.Second, r.Run)
			require.Len(t, b.rows(), 4, "they are kept for a while")
			runFor(t, 3*successPace, r.Run)
			require.Len(t, b.rows(), c.want)
		})
	}
}

func TestTheRowsOfARemovedJobGoAtOnceOrWithinAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		for _, code := range []int{200, 500, 0} {
			b.run(code)
		}
		require.NoError(t, xxladapter.RemoveJob(t.Context(), b, b.job))
		removed := make(chan struct{}, 1)
		r := &Retention{Store: b, Removed: removed, Logger: slog.New(slog.DiscardHandler)}
		runFor(t, successPace-time.Second, r.Run)
		require.Len(t, b.rows(), 3, "Removed has not been signalled")
		removed <- struct{}{}
		runFor(t, time.Second, r.Run)
		require.Empty(t, b.rows())
	})
	synctest.Test(t, func(t *testing.T) { // another node removed it, or this one has crashed since
		b := newLogbook(t, xxladapter.Settings{})
		b.run(200)
		require.NoError(t, xxladapter.RemoveJob(t.Context(), b, b.job))
		r := &Retention{Store: b, Logger: slog.New(slog.DiscardHandler)}
		runFor(t, successPace+time.Second, r.Run)
		require.Empty(t, b.rows())
	})
}

// A fullLog takes long to delete old rows, and has successes without end.
type fullLog struct{ *logbook }

func (s fullLog) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	if p.Orders() && !wait(ctx, 3*time.Hour) {
		return xxladapter.Purged{}, ctx.Err()
	}
	if p.Successes {
		return xxladapter.Purged{Rows: limit, Held: time.Second, Next: p}, nil
	}
	return s.logbook.PurgeLogs(ctx, p, limit)
}

func TestTheRowsOfARemovedJobDoNotWaitForTheNightsPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		b.run(200)
		r := &Retention{Store: fullLog{b}, Keep: 24 * time.Hour, Logger: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.Run(ctx) }()
		time.Sleep(retentionStart + time.Second)
		require.NoError(t, xxladapter.RemoveJob(t.Context(), b, b.job))
		time.Sleep(successPace)
		require.Empty(t, b.rows())
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestTheRowsOfARemovedJobDoNotWaitForThoseOfManySuccesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{KeepLogs: xxladapter.KeepFailures})
		b.run(500)
		j, err := b.Job(t.Context(), b.job)
		require.NoError(t, err)
		for range 10 {
			j.ID = 0
			_, err := xxladapter.CreateJob(t.Context(), b, j)
			require.NoError(t, err)
		}
		require.NoError(t, xxladapter.RemoveJob(t.Context(), b, b.job))
		r := &Retention{Store: fullLog{b}, Logger: slog.New(slog.DiscardHandler)}
		runFor(t, 3*successPace, r.Run)
		require.Empty(t, b.rows())
	})
}

// A flakyPurge fails at every other call.
type flakyPurge struct {
	*logbook
	calls int
}

func (s *flakyPurge) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	if s.calls++; s.calls%2 == 0 {
		return xxladapter.Purged{}, errors.New("no connection")
	}
	return s.logbook.PurgeLogs(ctx, p, 2)
}

func TestAPurgeThatWasCutOffContinuesWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		for range 5 {
			b.run(200)
		}
		p := &Purger{Store: &flakyPurge{logbook: b}, Logger: slog.New(slog.DiscardHandler)}
		left := 5
		for range 2 {
			rows, done, err := p.Purge(t.Context(), xxladapter.LogPurge{}, 0)
			require.ErrorContains(t, err, "no connection")
			require.False(t, done)
			require.EqualValues(t, 2, rows)
			left -= 2
			require.Len(t, b.rows(), left)
		}
		rows, done, err := p.Purge(t.Context(), xxladapter.LogPurge{}, 0)
		require.NoError(t, err)
		require.True(t, done)
		require.EqualValues(t, 1, rows)
	})
}

func TestAPurgeStopsAtItsLimitAndWhenItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		for range 1000 {
			b.run(200)
		}
		p := &Purger{Store: b, Logger: slog.New(slog.DiscardHandler)}
		rows, done, err := p.Purge(t.Context(), xxladapter.LogPurge{}, purgeRest)
		require.NoError(t, err)
		require.False(t, done)
		require.EqualValues(t, firstChunk+nextChunk(firstChunk, 0), rows)

		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(purgeRest/2, cancel)
		_, done, err = p.Purge(ctx, xxladapter.LogPurge{}, 0)
		require.ErrorIs(t, err, context.Canceled)
		require.False(t, done)
	})
}

// A foldCounter counts folds, the first of which fails.
type foldCounter struct{ calls int }

func (c *foldCounter) FoldReports(context.Context) error {
	if c.calls++; c.calls == 1 {
		return errors.New("no connection")
	}
	return nil
}

func TestReportsAreFoldedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		store := new(foldCounter)
		r := &Reports{Store: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		runFor(t, 3*reportPace+time.Second, r.Run)
		require.Equal(t, 3, store.calls)
		require.Contains(t, logged.String(), "no connection")
	})
}
