package queuetest

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// between returns a random duration, for a moment at which something breaks.
func between(from, to time.Duration) time.Duration { return from + rand.N(to-from) }

// pause lets the load run.
func pause(d time.Duration) { time.Sleep(d) }

// again is how late a run may be if it has to be delivered or published again: both happen after 30
// s, and an executor may die with the run once more.
const again = 75 * time.Second

// TestExecutorsKilledAtAnyMoment kills executors while runs are taken, written down, asked for,
// begun and reported.
func TestExecutorsKilledAtAnyMoment(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		names := []string{"e1", "e2", "e3"}
		require.NoError(t, os.MkdirAll(s.records(), 0o700))
		var all []*child
		for _, name := range names {
			all = append(all, s.startExecutor(name))
		}
		s.executors(len(names))
		l := newLoad(s)
		for range pick(*manyRounds, 8, 200) {
			i := rand.IntN(len(all))
			pause(between(200*time.Millisecond, 2*time.Second))
			all[i].kill()
			pause(between(0, time.Second))
			all[i] = s.startExecutor(names[i])
		}
		unbegun, missed := l.judge(again)
		t.Logf("%d runs failed with their executor before they began", unbegun)
		require.Zero(t, missed)
	})
}

// TestExecutorsKilledWhileTheyAsk kills executors that have written runs down and wait for an
// answer, which a frozen scheduler does not give.
func TestExecutorsKilledWhileTheyAsk(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		require.NoError(t, os.MkdirAll(s.records(), 0o700))
		e := s.startExecutor("e1")
		s.executors(1)
		l := newLoad(s)
		for range pick(*manyRounds, 4, 200) {
			pause(between(time.Second, 3*time.Second))
			s.scheduler.freeze()
			pause(between(0, time.Second)) // taken, and not answered
			e.kill()
			s.scheduler.thaw()
			e = s.startExecutor("e1")
		}
		_, missed := l.judge(again)
		require.Zero(t, missed)
	})
}

// TestExecutorsKilledWhileNobodyAnswers kills executors that have written runs down and ask for
// them while there is no scheduler. Runs that no scheduler had given to an executor begin later.
func TestExecutorsKilledWhileNobodyAnswers(t *testing.T) {
	testserver.Long(t)
	const store = "sqlite:DIR/x.db"
	overEach(t, store, func(t *testing.T, s *site) {
		require.NoError(t, os.MkdirAll(s.records(), 0o700))
		e := s.startExecutor("e1")
		s.executors(1)
		l := newLoad(s)
		given := map[int64]bool{}
		for range pick(*manyRounds, 4, 200) {
			pause(between(time.Second, 3*time.Second))
			e.freeze()
			pause(time.Second) // runs wait in the queue
			s.scheduler.kill()
			e.thaw()
			testserver.Eventually(t, 20*time.Second, "the executor asks in vain", func() bool {
				return strings.Contains(e.err.String(), "no scheduler says whether runs may begin")
			})
			e.kill()
			s.startScheduler(store)
			for _, r := range s.running() {
				given[r.ID] = given[r.ID] || r.TriggerCode == 200
			}
			e = s.startExecutor("e1")
		}
		unbegun, missed := l.judge(again)
		t.Logf("%d runs failed with their executor before they began; %d due times were missed, and recorded", unbegun, missed)
		for _, run := range l.unbegun {
			require.True(t, given[run], "run %d had not been given to an executor that was killed", run)
		}
	})
}

// running returns the runs without a result.
func (s *site) running() []row {
	s.t.Helper()
	var page struct{ Runs []row }
	require.NoError(s.t, s.call(http.MethodGet, "/runs?status=RUNNING&limit=1000", nil, &page))
	require.Less(s.t, len(page.Runs), 1000)
	return page.Runs
}

// TestABrokerThatComesAndGoes kills the broker, deletes its files, and freezes it for a minute.
func TestABrokerThatComesAndGoes(t *testing.T) {
	testserver.Long(t)
	for _, fault := range []struct {
		name        string
		few, many   int
		late        time.Duration // how late a run may be
		breakBroker func(s *site)
	}{
		{"killed", 4, 200, again, func(s *site) {
			s.broker.kill()
			pause(between(0, 2*time.Second))
			s.broker.start()
		}},
		// With 150,000 runs and 200 losses, some runs are lost three times in a row.
		{"data lost", 3, 200, again * time.Duration(pick(0, 1, 2)), func(s *site) { s.broker.lose() }},
		{"frozen", 1, 20, time.Minute + again, func(s *site) {
			s.broker.freeze()
			pause(time.Minute)
			s.broker.thaw()
			s.catchesUp(again)
		}},
	} {
		t.Run(fault.name, func(t *testing.T) {
			overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
				require.NoError(t, os.MkdirAll(s.records(), 0o700))
				s.startExecutor("e1")
				s.startExecutor("e2")
				s.executors(2)
				l := newLoad(s)
				for range pick(*manyRounds, fault.few, fault.many) {
					pause(between(2*time.Second, 5*time.Second))
					fault.breakBroker(s)
				}
				_, missed := l.judge(fault.late)
				t.Logf("%d due times were missed, and recorded", missed)
			})
		})
	}
}

// TestAnExecutorThatWakesLate freezes an executor for longer than the broker waits for it. What it
// had taken begins elsewhere, and not again when it wakes.
func TestAnExecutorThatWakesLate(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		require.NoError(t, os.MkdirAll(s.records(), 0o700))
		late := s.startExecutor("e1")
		s.startExecutor("e2")
		s.executors(2)
		l := newLoad(s)
		for range pick(*manyRounds, 2, 200) {
			pause(between(2*time.Second, 4*time.Second))
			late.freeze()
			pause(35 * time.Second)
			late.thaw()
		}
		unbegun, missed := l.judge(again)
		require.Zero(t, unbegun)
		require.Zero(t, missed)
	})
}

// TestRunsWhoseTakersTheStoreLoses empties the Redis in front of the store when executors have just
// taken the runs that waited for them. What they have taken does not begin at another executor.
func TestRunsWhoseTakersTheStoreLoses(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	for _, kind := range brokers {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			log := testserver.StartRedis(t)
			u, err := url.Parse(log.URL("0"))
			require.NoError(t, err)
			client := redis.NewClient(&redis.Options{Addr: u.Host})
			t.Cleanup(func() { require.NoError(t, client.Close()) })
			s := emptySite(t)
			s.broker, s.flags = kind.make(t, s.dir), []string{"--redis", log.URL("0")}
			s.begin(testserver.StartPostgres(t).Database(t))
			require.NoError(t, os.MkdirAll(s.records(), 0o700))
			executors := []*child{s.startExecutor("e1"), s.startExecutor("e2")}
			s.executors(len(executors))
			l := newLoad(s)
			found := func() int {
				return strings.Count(s.scheduler.err.String(), "executors have taken runs, and the store has lost that")
			}
			for range pick(*manyRounds, 10, 200) {
				if found() > 0 && !testserver.Soak() {
					break
				}
				for _, e := range executors {
					e.freeze()
				}
				pause(1200 * time.Millisecond) // the tables have the runs that wait
				before, begun := len(s.losses()), s.recorded()
				for _, e := range executors {
					e.thaw()
				}
				// The tables get what was taken within a quarter of a second.
				for limit := time.Now().Add(time.Second); s.recorded() == begun && time.Now().Before(limit); {
					pause(time.Millisecond)
				}
				pause(between(0, 50*time.Millisecond))
				require.NoError(t, client.FlushAll(t.Context()).Err())
				testserver.Eventually(s.t, 20*time.Second, "the loss is noticed", func() bool {
					return len(s.losses()) > before
				})
				pause(1500 * time.Millisecond) // executors are asked
			}
			// What was delivered to an executor that was frozen may come again after 30 s, and by
			// then a scheduler has looked whether the queue still has its runs.
			_, missed := l.judge(36 * time.Second)
			require.NotZero(t, found(), "the store has lost who has taken runs")
			t.Logf("%d due times were missed, and recorded", missed)
		})
	}
}
