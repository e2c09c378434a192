package alarm

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

var quiet = slog.New(slog.DiscardHandler)

// A scene is a store with jobs whose runs end as a test wants.
type scene struct {
	t     *testing.T
	store *memstore.Store
	group int64
}

func newScene(t *testing.T) *scene {
	s := &scene{t: t, store: memstore.New(time.Now)}
	var err error
	s.group, err = s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "billing", Title: "t"})
	require.NoError(t, err)
	return s
}

func (s *scene) job(name, email string, settings xxladapter.Settings) int64 {
	s.t.Helper()
	id, err := xxladapter.CreateJob(s.t.Context(), s.store, &xxladapter.Job{
		GroupID: s.group, Name: name, Author: "author", Handler: "h", AlarmEmail: email, Settings: settings,
	})

	require.NoError(s.t, err)
	return id
}

// end gives the job a run that ends with a result.
func (s *scene) end(job int64, code int, msg string) int64 {
	s.t.Helper()
	return endRun(s.t, s.store, job, code, msg)
}

func endRun(t *testing.T, store xxladapter.Store, job int64, code int, msg string) int64 {
	t.Helper()
	ctx := t.Context()
	lease, err := store.Lease(ctx, "scheduler", time.Hour)
	require.NoError(t, err)
	fires, err := store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	claimed, err := store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{
		JobID: job, Address: "http://exec:9999/", Handler: "h", TriggerTime: time.Now(),
	}})
	require.NoError(t, err)
	_, _, err = store.FinishRun(ctx, xxladapter.RunResult{LogID: claimed[0].LogID, Code: code, Msg: msg})
	require.NoError(t, err)
	return claimed[0].LogID
}

func (s *scene) state(job int64) xxladapter.AlarmState {
	s.t.Helper()
	states, err := s.store.AlarmStates(s.t.Context(), []int64{job})
	require.NoError(s.t, err)
	for _, state := range states {
		if state.JobID == job {
			return state
		}
	}
	s.t.Fatalf("no state of job %d", job)
	return xxladapter.AlarmState{}
}

func (s *scene) status(logID int64) int {
	s.t.Helper()
	l, err := s.store.Log(s.t.Context(), logID)
	require.NoError(s.t, err)
	return l.AlarmStatus
}

// monitor starts a monitor that ends with the test, or when the returned function is called.
func (s *scene) monitor(node string, channels ...Channel) (*Monitor, func()) {
	s.t.Helper()
	return startMonitor(s.t, Options{Store: s.store, Node: node, Channels: channels, Logger: quiet})
}

func startMonitor(t *testing.T, opts Options) (*Monitor, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	m, err := NewMonitor(opts)
	require.NoError(t, err)
	go func() { ended <- m.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	t.Cleanup(stop)
	return m, stop
}

// A fakeChannel keeps what it is sent. A send function may do something else first.
type fakeChannel struct {
	name string
	send func(ctx context.Context, a *Alarm) error

	mu   sync.Mutex
	got  []*Alarm
	when []time.Time
}

func (c *fakeChannel) Name() string { return c.name }

func (c *fakeChannel) Send(ctx context.Context, a *Alarm) error {
	if c.send != nil {
		if err := c.send(ctx, a); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, a)
	c.when = append(c.when, time.Now())
	return nil
}

func (c *fakeChannel) alarms() []*Alarm {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.got)
}

func (c *fakeChannel) titles() []string {
	var titles []string
	for _, a := range c.alarms() {
		titles = append(titles, a.Title())
	}
	return titles
}

// settled waits slightly longer than the shortest pause between two polls.
func settled() {
	time.Sleep(pollPause + 100*time.Millisecond) // in a bubble
	synctest.Wait()
}

func TestAFailureIsReportedAtOnceAndByOneOfManyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("nightly", "a@example.org, b@example.org", xxladapter.Settings{})
		channel := &fakeChannel{name: "fake"}
		var monitors []*Monitor
		for i := range 3 {
			m, _ := s.monitor(fmt.Sprint("n", i), channel)
			monitors = append(monitors, m)
		}
		settled()
		ok := s.end(job, 200, "")
		failed := s.end(job, 500, "out of <b>money</b><br>line two")
		start := time.Now()
		for _, m := range monitors {
			m.Failed()
		}
		settled()
		require.Equal(t, []string{"job 1 nightly failed"}, channel.titles())
		require.LessOrEqual(t, channel.when[0].Sub(start), pollPause)
		a := channel.got[0]
		require.Equal(t, []string{"a@example.org", "b@example.org"}, a.Emails)
		require.Equal(t, fmt.Sprint("failed-", failed), a.ID)
		require.Equal(t, Job{ID: job, Name: "nightly", App: "billing", Author: "author", InARow: 1, Runs: []Run{{
			LogID: failed, At: a.Jobs[0].Runs[0].At, Address: "http://exec:9999/", Handler: "h", Code: 500, Reason: "out of money\nline two",
		}}}, a.Jobs[0])
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
		require.Equal(t, xxladapter.AlarmOpen, s.status(ok))

		time.Sleep(time.Hour)
		require.Len(t, channel.alarms(), 1)
	})
}

func TestWithoutAHintAFailureIsFoundWithinAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{})
		channel := &fakeChannel{name: "fake"}
		s.monitor("n", channel)
		settled()
		s.end(job, 502, "")
		time.Sleep(idlePace)
		synctest.Wait()
		require.Len(t, channel.alarms(), 1)
	})
}

func TestRulesDecideWhatIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		never := s.job("never", "", xxladapter.Settings{AlarmOn: xxladapter.AlarmNever})
		row := s.job("row", "", xxladapter.Settings{AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 2, AlarmRecovered: true})
		channel := &fakeChannel{name: "fake"}
		m, _ := s.monitor("n", channel)
		end := func(job int64, code int) int64 {
			id := s.end(job, code, "why")
			if code == 200 {
				m.Succeeded(job)
			} else {
				m.Failed()
			}
			settled()
			return id
		}
		require.Equal(t, xxladapter.AlarmNotNeeded, s.status(end(never, 500)))
		one, two := end(row, 500), end(row, 500)
		require.Equal(t, xxladapter.AlarmNotNeeded, s.status(one))
		require.Equal(t, xxladapter.AlarmSent, s.status(two))
		require.Equal(t, []string{"job 2 row failed"}, channel.titles())
		require.Equal(t, 2, channel.got[0].Jobs[0].InARow)
		require.Equal(t, xxladapter.AlarmNotNeeded, s.status(end(row, 500)))

		time.Sleep(window)
		end(row, 200)
		require.Equal(t, []string{"job 2 row failed", "job 2 row has recovered"}, channel.titles())
		end(row, 200)
		end(row, 500)
		time.Sleep(time.Hour)
		require.Len(t, channel.alarms(), 2)
		claims, err := s.store.StaleAlarms(t.Context(), 0, 10)
		require.NoError(t, err)
		require.Empty(t, claims)
	})
}

func TestWhatFailedLongAgoIsNoNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{})
		old := s.end(job, 500, "")
		time.Sleep(maxAge + time.Second)
		fresh := s.end(job, 500, "")
		channel := &fakeChannel{name: "fake"}
		s.monitor("n", channel)
		settled()
		require.Equal(t, xxladapter.AlarmNotNeeded, s.status(old))
		require.Equal(t, xxladapter.AlarmSent, s.status(fresh))
		require.Equal(t, 1, channel.got[0].runs())
	})
}

// TestAStormOfOneJob turns ten thousand failures in a minute into at most three messages.
func TestAStormOfOneJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("busy", "", xxladapter.Settings{})
		channel := &fakeChannel{name: "fake"}
		m, _ := s.monitor("n", channel)
		const failures = 10_000
		for range failures {
			s.end(job, 500, "again")
			m.Failed()
			time.Sleep(time.Minute / failures)
		}
		time.Sleep(2 * window)
		synctest.Wait()
		total := 0
		for _, a := range channel.alarms() {
			total += a.runs()
			require.LessOrEqual(t, len(a.Jobs[0].Runs), runsShown)
		}
		require.Equal(t, failures, total)
		require.LessOrEqual(t, len(channel.alarms()), 3)
		require.Contains(t, plainForm.write(channel.got[1]), "\n\nand ")
		left, err := s.store.FailedRuns(t.Context(), 0, 10)
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

// TestAStormOfManyJobs lets a whole group of executors go down.
func TestAStormOfManyJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		channel := &fakeChannel{name: "fake"}
		m, _ := s.monitor("n", channel)
		const jobs = 500
		for i := range jobs {
			s.end(s.job(fmt.Sprint("job ", i), fmt.Sprintf("team%d@example.org", i%2), xxladapter.Settings{}), 500, "nobody there")
			m.Failed()
			time.Sleep(time.Minute / jobs)
		}
		time.Sleep(2 * window)
		synctest.Wait()
		told := 0
		for _, a := range channel.alarms() {
			told += len(a.Jobs) + a.MoreJobs
			require.Equal(t, a.runs(), len(a.Jobs)+a.MoreJobs)
			require.LessOrEqual(t, len(a.Jobs), jobsShown)
			require.Len(t, a.Emails, 1, "each team reads of its own jobs")
		}
		require.Equal(t, jobs, told)
		require.LessOrEqual(t, len(channel.alarms()), 2*(burst+1))
	})
}

// TestANodeThatDiesBetweenClaimAndSendIsReplaced tests the store's part of a crash; crash_test.go
// kills a process.
func TestANodeThatDiesBetweenClaimAndSendIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{AlarmRecovered: true})
		failed := s.end(job, 500, "")
		back := s.end(job, 200, "")
		before := s.state(job)
		_, err := s.store.DecideAlarms(t.Context(), "dead", []xxladapter.AlarmDecision{{
			Before: before, After: before, Alarm: []int64{failed}, Recovered: back,
		}})
		require.NoError(t, err)

		channel := &fakeChannel{name: "fake"}
		s.monitor("n1", channel)
		s.monitor("n2", channel)
		time.Sleep(claimLife - time.Second)
		require.Empty(t, channel.alarms(), "it may still be alive")
		time.Sleep(2 * pollPace)
		require.Equal(t, []string{"job 1 j failed", "job 1 j has recovered"}, channel.titles())
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
		time.Sleep(time.Hour)
		require.Len(t, channel.alarms(), 2)
	})
}

// TestNewFailuresOfAJobWithAnAbandonedAlarm checks that a message about both says how often the job
// has failed in a row.
func TestNewFailuresOfAJobWithAnAbandonedAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{})
		before := s.state(job)
		after := before
		after.Raised, after.InARow = true, 1
		after.SinceID = s.end(job, 500, "")
		after.LastID = after.SinceID
		_, err := s.store.DecideAlarms(t.Context(), "dead", []xxladapter.AlarmDecision{{
			Before: before, After: after, Alarm: []int64{after.LastID},
		}})
		require.NoError(t, err)
		time.Sleep(claimLife + time.Second)
		for range burst {
			s.end(s.job("other", "", xxladapter.Settings{}), 500, "")
		}
		s.end(job, 500, "")

		channel := &fakeChannel{name: "fake"}
		s.monitor("n", channel)
		settled()
		require.Len(t, channel.alarms(), 1)
		require.Len(t, channel.alarms()[0].Jobs, jobsShown)
		require.Equal(t, 2, channel.alarms()[0].Jobs[0].InARow)
	})
}

// TestAMonitorKnowsWhatAnEarlierOneRaised checks that hints about successes count after a restart.
func TestAMonitorKnowsWhatAnEarlierOneRaised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		job := s.job("j", "", xxladapter.Settings{AlarmRecovered: true})
		channel := &fakeChannel{name: "fake"}
		s.end(job, 500, "")
		_, stop := s.monitor("first", channel)
		settled()
		stop()
		time.Sleep(window)

		m, _ := s.monitor("second", channel)
		settled()
		s.end(job, 200, "")
		m.Succeeded(job)
		settled()
		require.Equal(t, []string{"job 1 j failed", "job 1 j has recovered"}, channel.titles())
	})
}

func TestWithoutChannelsOldAlarmsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newScene(t)
		job, other := s.job("j", "", xxladapter.Settings{}), s.job("k", "", xxladapter.Settings{AlarmRecovered: true})
		var old []int64
		for range maxRows + 1 {
			old = append(old, s.end(job, 500, ""))
		}
		old = append(old, s.end(other, 502, ""))
		taken := s.end(other, 500, "")
		state := s.state(other)
		_, err := s.store.DecideAlarms(ctx, "gone", []xxladapter.AlarmDecision{{Before: state, After: state, Alarm: []int64{taken}}})
		require.NoError(t, err)

		ended := make(chan error, 1)
		c := &Closer{Store: s.store, Node: "n", Logger: quiet}
		go func() { ended <- c.Run(ctx) }()
		time.Sleep(maxAge - closePace)
		fresh := s.end(job, 500, "")
		require.Equal(t, xxladapter.AlarmOpen, s.status(old[0]), "another scheduler may still report it")
		require.Equal(t, xxladapter.AlarmTaken, s.status(taken))
		time.Sleep(2*closePace + time.Second)
		synctest.Wait()
		for _, id := range old {
			require.Equal(t, xxladapter.AlarmNotNeeded, s.status(id))
		}
		require.Equal(t, xxladapter.AlarmFailed, s.status(taken))
		require.Equal(t, xxladapter.AlarmOpen, s.status(fresh))
		cancel()
		require.NoError(t, <-ended)
	})
}

func TestAMonitorRefusesMissingOptions(t *testing.T) {
	channel := &fakeChannel{name: "c"}
	store := memstore.New(time.Now)
	for message, opts := range map[string]Options{
		"alarm: Options.Store is nil, must be set":                 {Node: "n", Channels: []Channel{channel}},
		"alarm: Options.Node is empty, must be set":                {Store: store, Channels: []Channel{channel}},
		"alarm: Options.Channels is empty, must have at least one": {Store: store, Node: "n"},
	} {
		_, err := NewMonitor(opts)
		require.EqualError(t, err, message)
	}
}
