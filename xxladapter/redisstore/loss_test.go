//go:build unix

package redisstore

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// clientOf returns a client of the test's own.
func clientOf(t testing.TB, url string) *redis.Client {
	t.Helper()
	opts, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(opts)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

// A scene is a store with a node that has a lease, and jobs that are due.
type scene struct {
	compared
	t     testing.TB
	term  xxladapter.Term
	group int64
}

func newScene(t testing.TB, redis, behind string) *scene {
	t.Helper()
	return newSceneWith(t, redis, behind, Options{})
}

func newSceneWith(t testing.TB, redis, behind string, opts Options) *scene {
	t.Helper()
	opts.SQL.Logger = quiet
	store, err := Open(t.Context(), redis, behind, opts)
	require.NoError(t, err)
	s := &scene{compared: compared{store, t}, t: t}
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	lease, err := s.Lease(t.Context(), "node", time.Minute)
	require.NoError(t, err)
	s.term = lease.Term
	s.group, err = s.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "some"})
	require.NoError(t, err)
	return s
}

// job creates and starts a job that is due now.
func (s *scene) job(settings xxladapter.Settings) int64 {
	s.t.Helper()
	id, err := xxladapter.CreateJob(s.t.Context(), s, s.newJob(settings))
	require.NoError(s.t, err)
	j, err := s.Job(s.t.Context(), id)
	require.NoError(s.t, err)
	_, err = xxladapter.StartJob(s.t.Context(), s, id, j.Updated, func(now time.Time) time.Time { return now })
	require.NoError(s.t, err)
	return id
}

func (s *scene) newJob(settings xxladapter.Settings) *xxladapter.Job {
	return &xxladapter.Job{
		GroupID: s.group, Name: "job", Author: "a", ScheduleType: xxladapter.ScheduleFixRate, ScheduleConf: "3600", Misfire: xxladapter.MisfireDoNothing,
		Route: xxladapter.RouteFirst, Block: xxladapter.BlockSerial, GlueType: xxladapter.GlueBean, Handler: "h", Settings: settings,
	}
}

// claim plans what is due, an hour apart.
func (s *scene) claim() []xxladapter.Fire { s.t.Helper(); return s.claimUpTo(100) }

func (s *scene) claimUpTo(jobs int) []xxladapter.Fire {
	s.t.Helper()
	fires, _, err := s.ClaimDue(s.t.Context(), s.term, 0, jobs, func(now time.Time, due []*xxladapter.Job) (decisions []xxladapter.Decision) {
		for _, j := range due {
			decisions = append(decisions, xxladapter.Decision{
				JobID: j.ID, Last: j.TriggerNext, Next: j.TriggerNext.Add(time.Hour),
				Fires: []xxladapter.Fire{{Type: xxladapter.TriggerCron, Due: j.TriggerNext, RetryCount: -1}},
			})
		}
		return decisions
	})
	require.NoError(s.t, err)
	return fires
}

// send claims a fire, and returns the id of its log row.
func (s *scene) send(f xxladapter.Fire) int64 {
	s.t.Helper()
	claimed, err := s.ClaimFire(s.t.Context(), s.term, f.ID, []*xxladapter.Log{
		{JobID: f.JobID, GroupID: s.group, TriggerTime: time.Now(), Address: "nats://some-app"},
	})
	require.NoError(s.t, err)
	return claimed[0].LogID
}

// noticeLoss makes calls, as a scheduler does, until the log was begun anew.
func (s *scene) noticeLoss(client *redis.Client) {
	s.t.Helper()
	begun := time.Now()
	require.Eventually(s.t, func() bool {
		_, err := s.OpenFires(s.t.Context(), xxladapter.FireFilter{})
		return err == nil && generation(client) > 1
	}, 30*time.Second, 20*time.Millisecond)
	s.t.Logf("noticed after %v", time.Since(begun))
}

// hasLost checks that one due time of a job became a misfire, which another process sees too, and
// that it does not fire again.
func (s *scene) hasLost(job int64, other xxladapter.Store) {
	s.t.Helper()
	require.Empty(s.t, s.claim())
	misfires, err := other.Misfires(s.t.Context(), xxladapter.MisfireFilter{})
	require.NoError(s.t, err)
	require.Len(s.t, misfires, 1)
	require.Equal(s.t, job, misfires[0].JobID)
	require.Equal(s.t, xxladapter.MisfireLost, misfires[0].Kind())
}

// TestAnEmptiedRedisLosesNoDueTimeSilently empties Redis, so that what it alone had is lost. Each
// due time that may have been sent is then a misfire, or a fire whose outcome is asked for; it
// fires again only where the job asks for it. No id of a log row comes back.
func TestAnEmptiedRedisLosesNoDueTimeSilently(t *testing.T) {
	t.Parallel()
	for name, tables := range map[string]struct{ written, deferred bool }{
		"before the tables have it": {}, "after": {written: true}, "while planned fires are deferred": {deferred: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, file := testserver.StartRedis(t), emptySQLite(t)
			newStore, behind := newScene, emptyPostgres(t)
			if tables.deferred {
				newStore, behind = newDeferring, "sqlite:"+file
			}
			s, client := newStore(t, server.URL("0"), behind), clientOf(t, server.URL("0"))
			sent, planned, again := s.job(xxladapter.Settings{}), s.job(xxladapter.Settings{}), s.job(xxladapter.Settings{Ambiguous: xxladapter.AmbiguousResend})
			fires := s.claim()
			require.Len(t, fires, 3)
			var last int64
			for _, f := range fires {
				if f.JobID == sent {
					last = s.send(f)
				}
			}
			if tables.written {
				_, err := s.Compare(t.Context())
				require.NoError(t, err)
			}
			if tables.deferred {
				s.defers(file, 2)
			}
			require.NoError(t, client.FlushAll(t.Context()).Err())
			s.noticeLoss(client)

			accounted := map[int64]int{}
			for _, f := range s.claim() {
				require.Equal(t, again, f.JobID)
			}
			open, err := s.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			for _, f := range open {
				accounted[f.JobID]++
				if f.JobID == again {
					require.Greater(t, s.send(f), last+100_000)
				} else {
					require.Equal(t, sent, f.JobID)
					require.Zero(t, f.Owner.Number, "the fire has no owner that could settle it")
					require.Equal(t, xxladapter.FireAmbiguous, f.State)
				}
			}
			misfires, err := s.Misfires(t.Context(), xxladapter.MisfireFilter{})
			require.NoError(t, err)
			for _, m := range misfires {
				require.Equal(t, xxladapter.MisfireLost, m.Kind())
				accounted[m.JobID]++
			}
			require.Equal(t, map[int64]int{sent: 1, planned: 1, again: 1}, accounted)
		})
	}
}

// TestTheNextCallThatWritesNoticesALoss checks that the first call after a loss begins the log anew
// before it returns, so that nothing is stored that counts as lost later.
func TestTheNextCallThatWritesNoticesALoss(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	s, client := newScene(t, server.URL("0"), emptyPostgres(t)), clientOf(t, server.URL("0"))
	id := s.job(xxladapter.Settings{})
	for n := range 3 {
		before := generation(client)
		require.Positive(t, before)
		if n > 0 {
			time.Sleep(100 * time.Millisecond) // the pen is given back after 25 ms without a call
		}
		require.NoError(t, client.FlushAll(t.Context()).Err())
		planned, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: id, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(t, err)
		require.Len(t, planned, 1)
		require.Greater(t, generation(client), before)
		s.send(planned[0])
	}
}

// TestAnOldStateOfRedisIsNoticed checks that a Redis that has an old state, as after the promotion
// of a replica that stood still, is noticed by a process that has seen a later one.
func TestAnOldStateOfRedisIsNoticed(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	s, client := newScene(t, server.URL("0"), emptyPostgres(t)), clientOf(t, server.URL("0"))
	s.job(xxladapter.Settings{})
	heads, err := client.Keys(t.Context(), "*:head").Result()
	require.NoError(t, err)
	old, err := client.HGetAll(t.Context(), heads[0]).Result()
	require.NoError(t, err)
	require.Len(t, s.claim(), 1)
	require.NoError(t, client.HSet(t.Context(), heads[0], old).Err())
	s.noticeLoss(client)
	require.Empty(t, s.claim())
}

// TestOldFilesOfRedisAreNoticedByThePen lets Redis continue with old files. They have all that the
// tables have, but lack a run that another process has begun and nobody else has seen; that process
// is away. The process that had the pen when the files were copied finds in the tables that the pen
// has passed since.
func TestOldFilesOfRedisAreNoticedByThePen(t *testing.T) {
	t.Parallel()
	server, behind := testserver.StartRedis(t), emptyPostgres(t)
	redis, tables := testserver.NewProxy(t, server.URL("0")), testserver.NewProxy(t, behind)
	a := newScene(t, server.URL("0"), behind)
	b := &scene{compared: open(t, redis.URL(), tables.URL(), nil), t: t, term: a.term, group: a.group}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	lost, again := a.job(xxladapter.Settings{}), a.job(xxladapter.Settings{Ambiguous: xxladapter.AmbiguousResend})
	fires := map[int64]xxladapter.Fire{}
	for _, f := range a.claim() {
		fires[f.JobID] = f
	}
	_, err := a.Compare(t.Context()) // the tables have both
	require.NoError(t, err)
	restore := server.Backup(t)

	_, err = b.Compare(t.Context()) // takes the pen
	require.NoError(t, err)
	cut := tables.Always(testserver.CutBefore, func(r *testserver.Request) bool { return r.Contains("UPDATE xxlwheel_redis") })
	last := b.send(fires[lost])
	redis.Refuse()
	redis.Reset()
	t.Cleanup(func() { redis.Accept(t); cut.Remove() }) // b can be closed
	server.Kill(t)
	restore()
	server.Start(t)
	require.Greater(t, a.send(fires[again]), last+100_000)
	a.hasLost(lost, a)
}

// TestAKilledRedisLosesNothing kills Redis between two calls. Redis syncs each write, so every
// answer stays true.
func TestAKilledRedisLosesNothing(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	s := newScene(t, server.URL("0"), emptyPostgres(t))
	for range 5 {
		id := s.job(xxladapter.Settings{})
		fires := s.claim()
		require.Len(t, fires, 1)
		server.Kill(t)
		server.Start(t)
		log := s.send(fires[0])
		applied, _, err := s.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK})
		require.NoError(t, err)
		require.True(t, applied)
		row, err := s.Log(t.Context(), log)
		require.NoError(t, err)
		require.Equal(t, id, row.JobID)
		require.Equal(t, xxladapter.LogSuccess, row.Status())
	}
	misfires, err := s.Misfires(t.Context(), xxladapter.MisfireFilter{})
	require.NoError(t, err)
	require.Empty(t, misfires)
}

// TestARestartOfALossyRedisIsNoticed checks that a Redis that may lose what it has confirmed counts
// as lost when it was started again, also for a process whose log has not changed.
func TestARestartOfALossyRedisIsNoticed(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t, "appendfsync everysec")
	s := newSceneWith(t, server.URL("0"), emptyPostgres(t), Options{MayLose: true})
	s.job(xxladapter.Settings{})
	require.Len(t, s.claim(), 1)
	require.NoError(t, clientOf(t, server.URL("0")).BgRewriteAOF(t.Context()).Err()) // so that nothing is lost
	time.Sleep(1500 * time.Millisecond)                                              // Redis syncs each second
	server.Kill(t)
	server.Start(t)
	s.noticeLoss(clientOf(t, server.URL("0")))
}

// TestARedisWithAReplicaIsRefused checks that a Redis with a replica is refused: the replica may be
// promoted without what was confirmed.
func TestARedisWithAReplicaIsRefused(t *testing.T) {
	t.Parallel()
	primary, replica := testserver.StartRedis(t), testserver.StartRedis(t)
	u, err := url.Parse(primary.URL("0"))
	require.NoError(t, err)
	require.NoError(t, clientOf(t, replica.URL("0")).ReplicaOf(t.Context(), u.Hostname(), u.Port()).Err())
	behind := emptyPostgres(t)
	require.Eventually(t, func() bool {
		s, err := Open(t.Context(), primary.URL("0"), behind, Options{SQL: sqlstore.Options{Logger: quiet}})
		if err == nil {
			require.NoError(t, s.Close()) // the replica has not connected yet
		}
		return err != nil && strings.Contains(err.Error(), "redis has replicas (1), must have none")
	}, 20*time.Second, 100*time.Millisecond)
}

// TestProcessesShareAStore checks that each of two processes sees at once what the other has done,
// and that no due time is planned twice.
func TestProcessesShareAStore(t *testing.T) {
	t.Parallel()
	url, behind := testserver.Redis(t), emptyPostgres(t)
	a := newScene(t, url, behind)
	b := &scene{compared: open(t, url, behind, nil), t: t, term: a.term, group: a.group}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for i := range 10 {
		first, second := a, b
		if i%2 == 1 {
			first, second = b, a
		}
		id := first.job(xxladapter.Settings{})
		require.NoError(t, func() error { _, err := second.Lease(t.Context(), "node", time.Minute); return err }())
		fires := second.claim()
		require.Len(t, fires, 1)
		require.Empty(t, first.claim())
		log := first.send(fires[0])
		_, err := second.ClaimFire(t.Context(), second.term, fires[0].ID, []*xxladapter.Log{{JobID: id}})
		require.ErrorIs(t, err, xxladapter.ErrConflict)
		applied, _, err := second.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK})
		require.NoError(t, err)
		require.True(t, applied)
		applied, _, err = first.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultFail})
		require.NoError(t, err)
		require.False(t, applied)
		j, err := first.Job(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, xxladapter.StopJob(t.Context(), first, id, j.Updated))
		j, err = second.Job(t.Context(), id)
		require.NoError(t, err)
		require.False(t, j.Running)
	}
}

// newHandover returns two processes with one store, and a function that lets the pen expire at
// once, as a jump of the server's clock does.
func newHandover(t *testing.T) (a, b *scene, client *redis.Client, lapse func()) {
	t.Helper()
	url, behind := testserver.StartRedis(t).URL("0"), emptyPostgres(t)
	a, client = newScene(t, url, behind), clientOf(t, url)
	b = &scene{compared: open(t, url, behind, nil), t: t, term: a.term, group: a.group}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	heads, err := client.Keys(t.Context(), "*:head").Result()
	require.NoError(t, err)
	return a, b, client, func() { require.NoError(t, client.HSet(t.Context(), heads[0], "until", 0).Err()) }
}

// TestThePenPassesUnseen lets the pen pass while its holder still relies on it. The former holder
// knows a run that another process has begun meanwhile: the result of a run that it does not know
// would be dropped.
func TestThePenPassesUnseen(t *testing.T) {
	t.Parallel()
	a, b, _, lapse := newHandover(t)
	for name, unknown := range map[string]func(t *testing.T, log int64) bool{
		"log": func(t *testing.T, log int64) bool {
			_, err := a.Log(t.Context(), log)
			return errors.Is(err, xxladapter.ErrNotFound)
		},
		"finish": func(t *testing.T, log int64) bool {
			_, _, err := a.FinishRun(t.Context(), xxladapter.RunResult{LogID: log, Code: xxladapter.ResultOK})
			return errors.Is(err, xxladapter.ErrNotFound)
		},
		"accept": func(t *testing.T, log int64) bool {
			may, err := a.AcceptRuns(t.Context(), []xxladapter.Accept{{LogID: log, Address: "nats://some-app/one"}})
			require.NoError(t, err)
			return !may[0]
		},
		"list": func(t *testing.T, log int64) bool {
			rows, err := a.Logs(t.Context(), xxladapter.LogFilter{})
			require.NoError(t, err)
			return !slices.ContainsFunc(rows, func(l *xxladapter.Log) bool { return l.ID == log })
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // the former holder may notice before it is asked
				a.job(xxladapter.Settings{})
				fires := a.claim()
				require.Len(t, fires, 1)
				_, err := a.Logs(t.Context(), xxladapter.LogFilter{})
				require.NoError(t, err) // the tables lack nothing of the former holder
				lapse()
				require.False(t, unknown(t, b.send(fires[0])))
			}
		})
	}
}

// TestNoCallFailsBecauseThePenHasPassed lets the pen pass as above. What its former holder appends
// is refused then, and so are the edits and the lists that wait for it; nothing of these calls has
// happened, so they run again.
func TestNoCallFailsBecauseThePenHasPassed(t *testing.T) {
	t.Parallel()
	a, b, client, lapse := newHandover(t)
	var jobs []int64
	for range 5 {
		jobs = append(jobs, a.job(xxladapter.Settings{}))
	}
	require.Len(t, a.claim(), len(jobs))
	plan := func(s *scene, job int64) (id int64) {
		fires, err := s.PlanFires(t.Context(), []xxladapter.Fire{
			{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual, RetryCount: -1},
		})
		if assert.NoError(t, err) && assert.Len(t, fires, 1) {
			id = fires[0].ID
		}
		return id
	}
	var mu sync.Mutex // guards planned
	planned := map[int64]bool{}
	const rounds = 10 // the former holder may notice before its calls
	for round := range rounds {
		var before []*xxladapter.Job
		for _, id := range jobs {
			j, err := a.Job(t.Context(), id)
			require.NoError(t, err)
			before = append(before, j)
		}
		a.job(xxladapter.Settings{})
		plan(a, jobs[0])
		lapse()
		var looks, calls sync.WaitGroup
		stop := make(chan struct{})
		looks.Go(func() { // a process without calls gives the pen back
			for {
				select {
				case <-stop:
					return
				default:
					_, err := a.OpenFires(t.Context(), xxladapter.FireFilter{Limit: 1})
					assert.NoError(t, err)
				}
			}
		})
		plan(b, jobs[0])
		// Edits begin while the append has no answer yet.
		require.NoError(t, client.Do(t.Context(), "CLIENT", "PAUSE", 30, "ALL").Err())
		for _, j := range before {
			calls.Go(func() {
				id := plan(a, j.ID)
				mu.Lock()
				defer mu.Unlock()
				assert.False(t, planned[id])
				planned[id] = true
			})
			calls.Go(func() {
				_, err := a.Logs(t.Context(), xxladapter.LogFilter{})
				assert.NoError(t, err)
			})
			if round%2 == 0 { // an edit locks the memory, and a claim would wait for it
				calls.Go(func() {
					j.Param += "x"
					assert.NoError(t, xxladapter.UpdateJob(t.Context(), a, j, false))
				})
			}
		}
		assert.Len(t, a.claim(), 1)
		calls.Wait()
		close(stop)
		looks.Wait()
	}
	open, err := b.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	for _, f := range open {
		delete(planned, f.ID)
	}
	require.Empty(t, planned)
	for _, id := range jobs {
		j, err := b.Job(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", rounds/2), j.Param)
	}
}

// TestTablesAloneAreRefused checks that a process without Redis cannot use tables that lack what
// Redis has.
func TestTablesAloneAreRefused(t *testing.T) {
	t.Parallel()
	url, behind := testserver.Redis(t), emptyPostgres(t)
	s := open(t, url, behind, nil)
	_, err := sqlstore.Open(t.Context(), behind, sqlstore.Options{Logger: quiet})
	require.ErrorContains(t, err, "what happened last is in a shared log")
	require.ErrorIs(t, err, sqlstore.ErrShared)
	require.NoError(t, s.Close())
	plain, err := sqlstore.Open(t.Context(), behind, sqlstore.Options{Logger: quiet})
	require.NoError(t, err, "the last process has brought everything into the tables")
	_, err = plain.Lease(t.Context(), "plain", time.Minute)
	require.NoError(t, err)
	_, err = Open(t.Context(), url, behind, Options{SQL: sqlstore.Options{Logger: quiet}})
	require.ErrorContains(t, err, "a scheduler uses the store without the shared log, must be stopped")
	require.NoError(t, plain.Close())
}

// A wrongInput is a URL of Redis and one of the database behind it, with the error for them.
type wrongInput struct{ redis, behind, want string }

// TestWrongInputsAreRefused checks that each wrong input is refused with one line that says what is
// right, and without the password.
func TestWrongInputsAreRefused(t *testing.T) {
	t.Parallel()
	slow := testserver.StartRedis(t, "appendfsync everysec")
	for _, c := range []wrongInput{
		{"http://x", "postgres://x/y", `redis is "http://x", must be redis://`},
		{"redis+sentinel://u:secret@127.0.0.1:1,b:2/", "postgres://x/y", `redis is "redis+sentinel://u:xxxxx@127.0.0.1:1,b:2/", must be redis+sentinel://USER`},
		{"redis+sentinel://u:secret@127.0.0.1:1,b/main/x", "postgres://x/y", "scheme, port, DB or an option is unknown"},
		{"redis+sentinel://u:secret@127.0.0.1:1,/main/0", "postgres://x/y", "a host is missing"},
		{"redis+sentinel://127.0.0.1:1/main/0?other=1", "postgres://x/y", "an option is unknown"},
		{"redis+sentinel://127.0.0.1:1/main/0?sentinel_password=secret&x=secret", "postgres://x/y", "an option is unknown"},
		{"redis+sentinel://u:secret@127.0.0.1:1/main/0", "postgres://x/y", "refused"},
		{"redis+cluster://u:secret@127.0.0.1:1,", "postgres://x/y", `redis is "redis+cluster://u:xxxxx@127.0.0.1:1,", must be redis+cluster://USER:PASSWORD@HOST1:PORT,HOST2:PORT, or rediss+cluster:// with TLS: a host is missing`},
		{"redis+cluster://u:secret@127.0.0.1:1,b/0", "postgres://x/y", "a cluster has no DB"},
		{"redis+cluster://u:secret@127.0.0.1:1?db=1", "postgres://x/y", "a cluster has no DB"},
		{"redis+cluster://127.0.0.1:1?password2=secret", "postgres://x/y", "an option is unknown"},
		{"redis+cluster://u:secret@127.0.0.1:x", "postgres://x/y", "must be redis"},
		{"redis+cluster://u:secret@127.0.0.1:1,127.0.0.1:2", "postgres://x/y", "refused"},
		{strings.Replace(slow.URL(""), "redis://", "redis+cluster://", 1), "postgres://x/y", "has cluster-enabled no, must have yes, or redis:// without +cluster"},
		{"redis://u:secret@127.0.0.1:1/0", "postgres://x/y", "refused"},
		{slow.URL("0"), "postgres://x/y", "redis has appendonly yes and appendfsync everysec, must have yes and always, or Options.MayLose"},
		{testserver.Redis(t), "mssql://u:secret@x/y", "must be postgres:// or mysql://"},
		{testserver.Redis(t), "sqlite:x?journal=on", "must be postgres:// or mysql://"},
	} {
		c.isRefused(t)
	}
	s, err := Open(t.Context(), slow.URL("0"), emptyPostgres(t), Options{MayLose: true, SQL: sqlstore.Options{Logger: quiet}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

func TestWrongInputsForSeveralServersAreRefused(t *testing.T) {
	t.Parallel()
	testserver.Long(t) // a cluster and sentinels take their time
	cluster, group := testserver.StartRedisCluster(t, false), testserver.StartRedisGroup(t)
	for _, c := range []wrongInput{
		{cluster.URL(), "sqlite:x?journal=on", "must be postgres://"},
		{cluster.Masters[0].URL("0"), "postgres://x/y", "redis has cluster-enabled yes, must have no, or redis+cluster://"},
		{group.URL("0") + "?sentinel_password=", "sqlite:x?journal=on", "must be postgres://"},
		{strings.Replace(group.URL("0"), "/main/", "/absent/", 1), "postgres://x/y", `redis names the primary "absent", must be one that its sentinels know`},
	} {
		c.isRefused(t)
	}
}

// isRefused checks that a store is not opened, and that the error is one line without a secret.
func (c wrongInput) isRefused(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := Open(ctx, c.redis, c.behind, Options{SQL: sqlstore.Options{Logger: quiet}})
	require.ErrorContains(t, err, c.want)
	var mistake *xxladapter.Error
	require.Equal(t, c.want != "refused", errors.As(err, &mistake), "%v", err)
	require.NotContains(t, err.Error(), "secret")
	require.NotContains(t, err.Error(), "\n")
}
