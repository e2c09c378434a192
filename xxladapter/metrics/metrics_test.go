package metrics

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// watched returns metrics with all sources.
func watched(store xxladapter.Store) *Metrics {
	m := New()
	m.Watch(Sources{
		Scheduler: func() scheduler.Stats {
			return scheduler.Stats{
				Holds: true, Term: xxladapter.Term{Node: "n", Number: 7}, Role: xxladapter.NodeLeads,
				Partitions: xxladapter.PartitionSet(0).With(3).With(63),
				Mode:       xxladapter.SchedulingLeader, Held: 12, Terms: 2, PresencesEnded: 3, Dropped: 4, Spread: xxladapter.SpreadReport{Sent: 8, Kept: 1}, Skew: -250 * time.Millisecond,
			}
		},
		Wheel: func() hashedwheel.Stats { return hashedwheel.Stats{Pending: 5, Fired: 6} },
		Loads: func() []trigger.Load {
			return []trigger.Load{{Pool: "fast", GroupID: 1, Waiting: 3, InFlight: 2}, {Pool: "fast", GroupID: 2, Waiting: 1}}
		},
		Groups: store.Groups, Reports: store.Reports, PartitionMoves: store.PartitionMoves,
		Elector: "etcd://h1:2379/a", Election: func() xxladapter.Election { return xxladapter.ElectionAway },
	})
	return m
}

// read returns the values of all series, by name and labels.
func read(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	families, err := m.registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, f := range families {
		for _, one := range f.GetMetric() {
			name := f.GetName()
			for _, l := range one.GetLabel() {
				name += " " + l.GetName() + "=" + l.GetValue()
			}
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				values[name] = one.GetCounter().GetValue()
			case dto.MetricType_GAUGE:
				values[name] = one.GetGauge().GetValue()
			case dto.MetricType_HISTOGRAM:
				values[name+" count"] = float64(one.GetHistogram().GetSampleCount())
				values[name+" sum"] = one.GetHistogram().GetSampleSum()
			}
		}
	}
	return values
}

func TestPromlintHasNothingToSay(t *testing.T) {
	store := memstore.New(time.Now)
	_, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	m := watched(store)
	measured := m.Store(store)
	_, _ = measured.Now(t.Context())
	m.Event(trigger.Event{Kind: trigger.EventSent})
	m.Alarm("mail", "sent")
	problems, err := testutil.GatherAndLint(m.registry)
	require.NoError(t, err)
	var ours []promlint.Problem
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, namespace+"_") {
			ours = append(ours, p)
		}
	}
	require.Empty(t, ours)
	require.NotEmpty(t, read(t, m)["xxlwheel_store_op_duration_seconds op=now count"])
}

func TestNoLabelWithoutABound(t *testing.T) {
	m := watched(memstore.New(time.Now))
	m.Event(trigger.Event{Kind: trigger.EventFailed, JobID: 4711, LogID: 4712, Address: "http://10.0.0.7:9999/", Job: "secret name", Msg: "text"})
	m.Alarm("mail", "sent")
	for name := range read(t, m) {
		for _, text := range []string{"4711", "4712", "10.0.0.7", "secret", "text"} {
			require.NotContains(t, name, text)
		}
	}
}

func TestWhatEventsCount(t *testing.T) {
	m := New()
	now := time.Now()
	// The store's clock is an hour behind this machine's.
	sent := now.Add(-time.Hour)
	cron := xxladapter.Fire{ID: 1, Type: xxladapter.TriggerCron, State: xxladapter.FireClaimed, Due: sent.Add(-2 * time.Second)}
	later := cron
	later.State = xxladapter.FireAmbiguous
	manual := xxladapter.Fire{ID: 2, Type: xxladapter.TriggerManual, Due: sent.Add(-time.Hour)}
	m.Event(trigger.Event{Kind: trigger.EventSent, Fire: cron, At: now, Sent: sent})
	m.Event(trigger.Event{Kind: trigger.EventAmbiguous, Fire: cron, At: now, Sent: sent})
	m.Event(trigger.Event{Kind: trigger.EventAmbiguous, Fire: later, At: now, Sent: sent}) // still not known
	m.Event(trigger.Event{Kind: trigger.EventFailed, Fire: later, At: now, Sent: sent})
	m.Event(trigger.Event{Kind: trigger.EventFailed, Fire: cron, At: now}) // no request was sent
	m.Event(trigger.Event{Kind: trigger.EventFailed, At: now})             // the store wrote it off
	m.Event(trigger.Event{Kind: trigger.EventSent, Fire: manual, At: now, Sent: sent})
	m.Event(trigger.Event{Kind: trigger.EventResult, At: now, Began: now.Add(-time.Minute), Code: 200})
	m.Misfire(xxladapter.Misfire{Strategy: xxladapter.MisfireDoNothing})
	m.Misfire(xxladapter.Misfire{Strategy: xxladapter.MisfireAll})
	m.Misfire(xxladapter.Misfire{Strategy: xxladapter.MisfireDoNothing, PauseID: 1})
	m.Misfire(xxladapter.Misfire{Strategy: xxladapter.MisfireDoNothing, Calendar: xxladapter.ChinaCalendar})
	m.Callback(trigger.CallbackLate)
	got := read(t, m)
	for name, want := range map[string]float64{
		"xxlwheel_fires_total result=sent":                         2,
		"xxlwheel_fires_total result=failed":                       3,
		"xxlwheel_fires_total result=ambiguous":                    2,
		"xxlwheel_ambiguous_total resolution=failed":               2,
		"xxlwheel_ambiguous_total resolution=sent":                 0,
		"xxlwheel_fire_lateness_seconds count":                     2,
		"xxlwheel_fire_lateness_seconds sum":                       4,
		"xxlwheel_run_duration_seconds sum":                        60,
		"xxlwheel_misfires_total strategy=DO_NOTHING":              1,
		"xxlwheel_misfires_total strategy=ALL":                     1,
		"xxlwheel_callbacks_total outcome=late":                    1,
		"xxlwheel_callbacks_total outcome=unknown":                 0,
		"xxlwheel_hand_over_duration_seconds outcome=failed count": 2,
	} {
		require.Contains(t, got, name)
		require.InDelta(t, want, got[name], 1e-6, name)
	}
}

func TestWhatIsReadWhenAsked(t *testing.T) {
	store := memstore.New(time.Now)
	_, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	require.NoError(t, store.Register(t.Context(), "some-app", "http://10.0.0.7:9999/"))
	lease, err := store.Lease(t.Context(), "n1", time.Minute)
	require.NoError(t, err)
	require.NoError(t, store.Resign(t.Context(), lease.Term))
	moves, err := store.PartitionMoves(t.Context(), 2)
	require.NoError(t, err)
	got := read(t, watched(store))
	stopped := got["xxlwheel_last_partition_move_timestamp_seconds cause=stopped"]
	require.InDelta(t, float64(moves[0].At.UnixMilli())/1000, stopped, 1e-3)
	require.Contains(t, got, "xxlwheel_last_partition_move_timestamp_seconds cause=joined")
	require.NotContains(t, got, "xxlwheel_last_partition_move_timestamp_seconds cause=died")
	for name, want := range map[string]float64{
		"xxlwheel_ring_fires":                                        12,
		"xxlwheel_wheel_pending":                                     5,
		"xxlwheel_wheel_fired_total":                                 6,
		"xxlwheel_wheel_dropped_total":                               4,
		"xxlwheel_pool_waiting pool=fast":                            4,
		"xxlwheel_pool_in_flight pool=fast":                          2,
		"xxlwheel_pool_waiting pool=slow":                            0,
		"xxlwheel_partition_planned partition=3":                     1,
		"xxlwheel_partition_planned partition=63":                    1,
		"xxlwheel_leads":                                             1,
		"xxlwheel_term":                                              7,
		"xxlwheel_elector_state elector=etcd://h1:2379/a state=away": 1,
		"xxlwheel_spread_fires_total way=sent":                       8,
		"xxlwheel_spread_fires_total way=received":                   0,
		"xxlwheel_spread_fires_total way=kept":                       1,
		"xxlwheel_terms_total":                                       2,
		"xxlwheel_presences_ended_total":                             3,
		"xxlwheel_clock_skew_seconds":                                -0.25,
		"xxlwheel_executors_online app=some-app":                     1,
		"xxlwheel_runs_open":                                         0,
		"xxlwheel_store_up":                                          1,
	} {
		require.Contains(t, got, name)
		require.InDelta(t, want, got[name], 1e-9, name)
	}
	require.NotContains(t, got, "xxlwheel_partition_planned partition=0")
}

// TestAScrapeShowsOneMoment lets one scrape continue after another one has asked the store again.
func TestAScrapeShowsOneMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		w := &watcher{sources: Sources{
			Scheduler: func() scheduler.Stats { return scheduler.Stats{} },
			Loads:     func() []trigger.Load { return nil },
			Wheel:     func() hashedwheel.Stats { return hashedwheel.Stats{} },
			Groups: func(context.Context) ([]*xxladapter.Group, error) {
				asked++
				return []*xxladapter.Group{{AppName: "app", Addresses: make([]string, asked)}}, nil
			},
			Reports:        func(context.Context, time.Time, time.Time) ([]xxladapter.DailyReport, error) { return nil, nil },
			PartitionMoves: func(context.Context, int) ([]xxladapter.PartitionMove, error) { return nil, nil },
		}}
		first := make(chan prometheus.Metric)
		go func() { // the loop below waits for its end
			defer close(first)
			w.Collect(first)
		}()
		var last dto.Metric
		for m := range first {
			if m.Desc() == storeUp { // the store was asked, and its figures follow
				time.Sleep(storeEvery)
				w.Collect(make(chan prometheus.Metric, 100))
			}
			if m.Desc() == online {
				require.NoError(t, m.Write(&last))
			}
		}
		require.Equal(t, 2, asked)
		require.InDelta(t, 1, last.GetGauge().GetValue(), 0, "what the first scrape has found")
	})
}

// TestAQueueWithoutARunHasNoOldest has a queue run empty while it is asked: its length was read
// before, and its first run is gone.
func TestAQueueWithoutARunHasNoOldest(t *testing.T) {
	store, m := memstore.New(time.Now), New()
	m.Watch(Sources{
		Scheduler: func() scheduler.Stats { return scheduler.Stats{} },
		Loads:     func() []trigger.Load { return nil },
		Wheel:     func() hashedwheel.Stats { return hashedwheel.Stats{} },
		Groups:    store.Groups, Reports: store.Reports, PartitionMoves: store.PartitionMoves,
		Queued: func(context.Context) (map[string]xxladapter.QueueState, error) {
			return map[string]xxladapter.QueueState{"full": {Runs: 2, Oldest: time.Unix(1700000000, 0)}, "emptied": {Runs: 1}}, nil
		},
	})
	got := read(t, m)
	require.Equal(t, 2.0, got["xxlwheel_queued_runs app=full"])
	require.Equal(t, 1.7e9, got["xxlwheel_queued_oldest_timestamp_seconds app=full"])
	require.Equal(t, 1.0, got["xxlwheel_queued_runs app=emptied"])
	require.NotContains(t, got, "xxlwheel_queued_oldest_timestamp_seconds app=emptied")
}

func TestAStoreThatIsAwayLeavesTheOtherNumbers(t *testing.T) {
	store := memstore.New(time.Now)
	require.NoError(t, store.Close())
	got := read(t, watched(store))
	require.Zero(t, got["xxlwheel_store_up"])
	require.Contains(t, got, "xxlwheel_store_up")
	require.NotContains(t, got, "xxlwheel_runs_open")
	require.Equal(t, 12.0, got["xxlwheel_ring_fires"])
}

// TestEveryStoreCallIsMeasured calls all methods of the contract on a store that is closed. Those
// that wait for a presence are not measured.
func TestEveryStoreCallIsMeasured(t *testing.T) {
	closed := memstore.New(time.Now)
	require.NoError(t, closed.Close())
	m := New()
	store := reflect.ValueOf(m.Store(closed))
	contract := reflect.TypeFor[xxladapter.Store]()
	calls := 0
	for i := range contract.NumMethod() {
		method := contract.Method(i)
		if method.Name == "Close" {
			continue
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for j := 1; j < method.Type.NumIn(); j++ {
			args = append(args, reflect.Zero(method.Type.In(j)))
		}
		results := store.MethodByName(method.Name).Call(args)
		require.False(t, results[len(results)-1].IsNil(), "%s has not reached the store", method.Name)
		calls++
		op := strings.ToLower(regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(method.Name, "${1}_${2}"))
		got := read(t, m)
		if method.Name == "HoldPresence" || method.Name == "AwaitAbsence" {
			require.NotContains(t, got, "xxlwheel_store_op_duration_seconds op="+op+" count", "it lasts as long as a term")
			continue
		}
		require.Equal(t, 1.0, got["xxlwheel_store_op_duration_seconds op="+op+" count"], method.Name)
		require.Equal(t, 1.0, got["xxlwheel_store_errors_total op="+op], method.Name)
	}
	require.Greater(t, calls, 40)
}

// TestTheMeasuredCallsAreThoseOfTheContract checks that calls.go is what go generate writes.
func TestTheMeasuredCallsAreThoseOfTheContract(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "run", "generate.go", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	want, err := os.ReadFile(filepath.Join(dir, "calls.go"))
	require.NoError(t, err)
	got, err := os.ReadFile("calls.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./xxladapter/metrics")
}

// A refusing store answers the calls below with err, which may be nil.
type refusing struct {
	xxladapter.Store
	err error
}

func (r refusing) ClaimFire(context.Context, xxladapter.Term, int64, []*xxladapter.Log) ([]xxladapter.Fire, error) {
	return nil, r.err
}

func (r refusing) PurgeLogs(context.Context, xxladapter.LogPurge, int) (xxladapter.Purged, error) {
	return xxladapter.Purged{Rows: 17}, r.err
}

func (r refusing) ClaimDue(_ context.Context, _ xxladapter.Term, _ time.Duration, limit int,
	decide func(time.Time, []*xxladapter.Job) []xxladapter.Decision,
) ([]xxladapter.Fire, int, error) {
	decide(time.Now(), nil)
	decide(time.Now(), make([]*xxladapter.Job, limit)) // the transaction was repeated
	return nil, limit + 3, r.err
}

func TestWhatTheStoreCounts(t *testing.T) {
	m := New()
	term := xxladapter.Term{}
	for _, err := range []error{xxladapter.Conflictf(errorrule.Changed, "x"), xxladapter.Fencedf(errorrule.TermOver, "x"), xxladapter.NotFoundf(errorrule.NotFound, "x"), errors.New("disk"), nil} {
		_, got := m.Store(refusing{err: err}).ClaimFire(t.Context(), term, 1, nil)
		require.Equal(t, err, got)
	}
	_, due, err := m.Store(refusing{}).ClaimDue(t.Context(), term, time.Second, 50, func(time.Time, []*xxladapter.Job) []xxladapter.Decision { return nil })
	require.NoError(t, err)
	require.Equal(t, 53, due)
	_, err = m.Store(refusing{}).PurgeLogs(t.Context(), xxladapter.LogPurge{}, 100)
	require.NoError(t, err)
	got := read(t, m)
	for name, want := range map[string]float64{
		"xxlwheel_duplicate_fire_blocked_total":                  1,
		"xxlwheel_fenced_writes_total":                           1,
		"xxlwheel_store_errors_total op=claim_fire":              1,
		"xxlwheel_store_op_duration_seconds op=claim_fire count": 5,
		"xxlwheel_store_op_duration_seconds op=claim_due count":  1,
		"xxlwheel_scan_duration_seconds count":                   1,
		"xxlwheel_scan_lock_wait_seconds count":                  1,
		"xxlwheel_scan_due_jobs sum":                             50,
		"xxlwheel_retention_rows_deleted_total":                  17,
		"xxlwheel_scan_capped_total":                             1,
		"xxlwheel_scan_locked_jobs_total":                        3,
	} {
		require.Equal(t, want, got[name], name)
	}
}

func TestTheTextFormat(t *testing.T) {
	w := httptest.NewRecorder()
	watched(memstore.New(time.Now)).Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code)
	require.Contains(t, w.Body.String(), "# TYPE xxlwheel_fires_total counter\n")
	require.Contains(t, w.Body.String(), "xxlwheel_ring_fires 12\n")
}
