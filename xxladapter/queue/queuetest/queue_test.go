package queuetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// ended waits until a job has n rows that all have a result, and returns them.
func (s *site) ended(job int64, n int, limit time.Duration) (list []row) {
	s.t.Helper()
	testserver.Eventually(s.t, limit, fmt.Sprintf("job %d has %d runs that have ended", job, n), func() bool {
		list = s.rows(job)
		for _, r := range list {
			if r.HandleCode == 0 {
				return false
			}
		}
		return len(list) == n
	})
	return list
}

// TestARunGoesThroughTheQueueAndBack runs jobs of every kind on executors without an open port.
func TestARunGoesThroughTheQueueAndBack(t *testing.T) {
	for _, store := range []string{"sqlite:DIR/x.db", "sqlite:DIR/x.db?journal=on"} {
		t.Run(strings.ReplaceAll(store, "/", "_"), func(t *testing.T) {
			overEach(t, store, func(t *testing.T, s *site) {
				s.startExecutor("e1")
				s.startExecutor("e2")
				addresses := s.executors(2)

				job := s.job("any", nil)
				for range 20 {
					s.trigger(job)
				}
				for _, r := range s.ended(job, 20, 30*time.Second) {
					require.Equal(t, []int{200, 200}, []int{r.TriggerCode, r.HandleCode}, "%+v", r)
					require.Contains(t, addresses, r.Address)
					require.Equal(t, 1, s.counts()[r.ID])
				}

				first := s.job("first", map[string]any{"executorRouteStrategy": "FIRST"})
				s.trigger(first)
				require.Equal(t, addresses[0], s.ended(first, 1, 20*time.Second)[0].Address)

				broadcast := s.job("broadcast", map[string]any{"executorRouteStrategy": "SHARDING_BROADCAST"})
				s.trigger(broadcast)
				shards := s.ended(broadcast, 2, 20*time.Second)
				require.ElementsMatch(t, addresses, []string{shards[0].Address, shards[1].Address})

				unknown := s.job("unknown", map[string]any{"executorHandler": "nobody"})
				s.trigger(unknown)
				r := s.ended(unknown, 1, 20*time.Second)[0]
				require.Equal(t, 500, r.HandleCode)
				require.Contains(t, r.HandleMsg, "job handler [nobody] not found")

				late := s.job("late", map[string]any{"executorParam": "1m", "executorTimeout": 1})
				s.trigger(late)
				require.Equal(t, 502, s.ended(late, 1, 20*time.Second)[0].HandleCode)

				long := s.job("long", map[string]any{"executorParam": "1m"})
				s.trigger(long)
				testserver.Eventually(s.t, 20*time.Second, "the run has begun", func() bool {
					rows := s.rows(long)
					return len(rows) == 1 && s.counts()[rows[0].ID] == 1
				})
				var text struct {
					Content string `json:"logContent"`
				}
				id := s.rows(long)[0].ID
				require.NoError(t, s.call(http.MethodGet, fmt.Sprintf("/runs/%d/log", id), nil, &text))
				require.Contains(t, text.Content, "handler count")
				require.NoError(t, s.call(http.MethodPost, fmt.Sprintf("/runs/%d/kill", id), nil, nil))
				r = s.ended(long, 1, 20*time.Second)[0]
				require.Equal(t, 500, r.HandleCode)
				require.Contains(t, r.HandleMsg, "kill")
			})
		})
	}
}

// TestAKilledExecutorsRunsBeginOnce kills an executor that has much to do, and starts it again.
func TestAKilledExecutorsRunsBeginOnce(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		e := s.startExecutor("e1")
		s.executors(1)
		s.broker.redeliverSoon(app)
		var jobs []int64
		for i := range 10 {
			jobs = append(jobs, s.job(fmt.Sprint("job ", i), map[string]any{"executorParam": "20ms"}))
		}
		const each = 30
		go func() {
			for range each {
				for _, job := range jobs {
					s.trigger(job)
				}
			}
		}()
		for range 5 {
			time.Sleep(300 * time.Millisecond) // wherever the runs are then
			e.kill()
			e = s.startExecutor("e1")
		}
		for _, job := range jobs {
			for _, r := range s.ended(job, each, 120*time.Second) {
				began := s.counts()[r.ID]
				require.LessOrEqual(t, began, 1, "%+v", r)
				if r.HandleCode == 200 {
					require.Equal(t, 1, began, "%+v", r)
				} else {
					require.Contains(t, r.HandleMsg, "restarted", "%+v", r)
				}
			}
		}
	})
}

// TestAKilledBrokerLosesNoRun kills a broker that keeps its files and, in the long tests, one that
// loses them. The sweep finds lost runs after 30 s.
func TestAKilledBrokerLosesNoRun(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("files lost %v", lost), func(t *testing.T) {
			if lost {
				testserver.Long(t)
			}
			overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
				e := s.startExecutor("e1")
				s.executors(1)
				jobs := []int64{s.job("one", nil), s.job("two", nil)}
				e.kill() // so that queued runs wait
				const each = 10
				for i := range each {
					if i == each/2 {
						s.broker.kill()
					}
					for _, job := range jobs {
						s.trigger(job)
					}
					time.Sleep(100 * time.Millisecond) // some are published before the kill
				}
				if lost {
					s.broker.lose()
				} else {
					s.broker.start()
				}
				s.startExecutor("e1")
				for _, job := range jobs {
					for _, r := range s.ended(job, each, 100*time.Second) {
						require.Equal(t, 200, r.HandleCode, "%+v", r)
						require.Equal(t, 1, s.counts()[r.ID], "%+v", r)
					}
				}
			})
		})
	}
}

// TestARestartedSchedulerSettlesWhatIsQueued has runs in the queue that the killed scheduler
// published.
func TestARestartedSchedulerSettlesWhatIsQueued(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		e := s.startExecutor("e1")
		s.executors(1)
		job := s.job("job", nil)
		e.kill()
		const runs = 50
		for range runs {
			s.trigger(job)
		}
		testserver.Eventually(s.t, 20*time.Second, "all were handed over", func() bool {
			return len(s.rows(job)) == runs
		})
		require.Contains(t, s.metrics(), `xxlwheel_queued_runs{app="orders"} 50`)
		s.scheduler.kill()
		s.startsInVain("e1")
		s.startScheduler("sqlite:DIR/x.db")
		for _, r := range s.ended(job, runs, 60*time.Second) {
			require.Equal(t, 200, r.HandleCode, "%+v", r)
			require.Equal(t, 1, s.counts()[r.ID])
		}
	})
}

// TestAnAcceptedRunOutlivesItsScheduler kills the scheduler while an executor runs what it has
// accepted.
func TestAnAcceptedRunOutlivesItsScheduler(t *testing.T) {
	const store = "sqlite:DIR/x.db?journal=on"
	overEach(t, store, func(t *testing.T, s *site) {
		s.startExecutor("e1")
		addr := s.executors(1)[0]
		job := s.job("job", map[string]any{"executorParam": "4s"})
		s.trigger(job)
		testserver.Eventually(s.t, 20*time.Second, "the run has begun", func() bool { return len(s.counts()) == 1 })
		s.scheduler.kill()
		s.startScheduler(store)
		r := s.rows(job)[0]
		require.Equal(t, []any{addr, 200, 0}, []any{r.Address, r.TriggerCode, r.HandleCode})
		require.Equal(t, 200, s.ended(job, 1, 30*time.Second)[0].HandleCode)
		require.Len(t, s.counts(), 1)
	})
}

// TestManyQueuedRunsBeginOnce kills one of two executors while both work off a full queue; in a
// soak it has 100,000 runs.
func TestManyQueuedRunsBeginOnce(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		e := s.startExecutor("e1")
		s.executors(1)
		s.broker.redeliverSoon(app)
		e.kill()
		jobs, each := pick(0, 100, 1000), pick(0, 20, 100)
		var ids []int64
		for i := range jobs {
			ids = append(ids, s.job(fmt.Sprint("job ", i), nil))
		}
		for range each {
			require.NoError(t, s.call(http.MethodPost, "/jobs/bulk", map[string]any{"action": "trigger", "ids": ids}, nil))
		}
		testserver.Eventually(s.t, 10*time.Minute, "all are queued", func() bool {
			return s.queue().Runs == int64(jobs*each)
		})
		begin := time.Now()
		e = s.startExecutor("e1")
		s.startExecutor("e2")
		testserver.Eventually(s.t, 60*time.Second, "the first have begun", func() bool {
			return len(s.counts()) > jobs*each/4
		})
		e.kill()
		s.startExecutor("e1")
		s.allEnd(10 * time.Minute)
		counts, failed := s.counts(), 0
		for _, id := range ids {
			rows := s.rows(id)
			require.Len(t, rows, each)
			for _, r := range rows {
				require.LessOrEqual(t, counts[r.ID], 1, "%+v", r)
				if r.HandleCode != 200 {
					require.Contains(t, r.HandleMsg, "restarted", "%+v", r)
					failed++
					continue
				}
				require.Equal(t, 1, counts[r.ID], "%+v", r)
			}
		}
		require.LessOrEqual(t, failed, 64, "more than the killed executor had places")
		t.Logf("%d runs ended within %v, %d of them with their executor", jobs*each, time.Since(begin).Round(10*time.Millisecond), failed)
	})
}

// TestASecondMessageOfARunBeginsNothing publishes a run again for the executor that ran it and for
// another one.
func TestASecondMessageOfARunBeginsNothing(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		s.startExecutor("e1")
		s.startExecutor("e2")
		addresses := s.executors(2)
		job := s.job("job", map[string]any{"executorRouteStrategy": "FIRST"})
		s.trigger(job)
		run := s.ended(job, 1, 20*time.Second)[0]
		require.Equal(t, addresses[0], run.Address)

		for _, addr := range addresses {
			s.publishAgain(job, run.ID, addressOf(t, addr))
		}
		testserver.Eventually(s.t, 20*time.Second, "both have taken it", func() bool { return s.queue().Runs == 0 })
		s.areIdle(addresses, job)
		require.Equal(t, map[int64]int{run.ID: 1}, s.counts())
	})
}

// TestARunForAnExecutorThatIsGoneFails deregisters the executor that a run waits for. The sweep
// looks for the run after 30 s, and once more.
func TestARunForAnExecutorThatIsGoneFails(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		e := s.startExecutor("e1")
		addr := s.executors(1)[0]
		job := s.job("job", map[string]any{"executorRouteStrategy": "FIRST"})
		e.kill()
		s.trigger(job)
		testserver.Eventually(s.t, 20*time.Second, "it was handed over", func() bool { return len(s.rows(job)) == 1 })
		require.NoError(t, s.executorCall("registryRemove", map[string]any{"registryGroup": "EXECUTOR", "registryKey": app, "registryValue": addr}))
		testserver.Eventually(s.t, 90*time.Second, "the hand-over has failed", func() bool {
			return s.rows(job)[0].TriggerCode == 500
		})
		require.Contains(t, s.rows(job)[0].TriggerMsg, "the executor is gone")
		s.startExecutor("e1")
		addresses := s.executors(1)
		testserver.Eventually(s.t, 20*time.Second, "the message is gone", func() bool { return s.queue().Runs == 0 })
		s.areIdle(addresses, job)
		require.Empty(t, s.counts())
	})
}

// TestABrokerThatCannotBeUsedIsOneLine starts commands with wrong credentials, and without a
// broker.
func TestABrokerThatCannotBeUsedIsOneLine(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		good := s.broker.url("schedulers")
		scheme, _, _ := strings.Cut(good, "://")
		for url, want := range map[string]string{
			strings.Replace(good, passwordOf("schedulers"), "wrong-one", 1):          "refuses the credentials",
			strings.Replace(good, "schedulers:"+passwordOf("schedulers")+"@", "", 1): "refuses the credentials",
			scheme + "://127.0.0.1:1":                   "cannot be used",
			scheme + "://127.0.0.1:1/0/No_Space":        "queue namespace is",
			"http://127.0.0.1:1":                        "queue URL must be nats://host:port or redis://host:port/DB",
			"redis+sentinel://u:wrong-one@a:1,b:2/name": "sentinels or a cluster",
		} {
			for _, command := range [][]string{
				{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + s.dir + "/other.db"},
				{"executor", "--data-dir", s.dir + "/other"},
			} {
				out, err := exec.Command(xxlwheel, append(command, "--queue", url)...).CombinedOutput()
				require.Error(t, err)
				require.Contains(t, string(out), want)
				require.Equal(t, 1, strings.Count(string(out), "\n"), "%s", out)
				require.NotContains(t, string(out), "wrong-one")
			}
		}
	})
}

// TestTheCommandRunsSamples runs a sample job on the executor that the command line starts.
func TestTheCommandRunsSamples(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		e := start(t, "", xxlwheel, "executor", "--queue", s.broker.url(app), "--app", app, "--access-token", accessToken, "--data-dir", s.dir+"/e")
		e.line(s.broker.shown())
		s.executors(1)
		job := s.job("sample", map[string]any{"executorHandler": "demoJobHandler"})
		s.trigger(job)
		require.Equal(t, 200, s.ended(job, 1, 20*time.Second)[0].HandleCode)
	})
}

// TestABrokerThatIsAwayHoldsNothingUp checks that Publish returns at once while the broker is away.
func TestABrokerThatIsAwayHoldsNothingUp(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		c := s.connect("schedulers")
		publish := func(key string) error {
			_, err := c.Publish(t.Context(), xxladapter.QueueAddress{App: app}, key, nil, []byte("{}"))
			return err
		}
		require.NoError(t, publish("1"))
		s.broker.kill()
		testserver.Eventually(s.t, 10*time.Second, "the loss is noticed", func() bool {
			return errors.Is(publish("2"), queue.ErrAway)
		})
		begin := time.Now()
		require.Error(t, publish("3"))
		require.Less(t, time.Since(begin), 2*time.Second, "not the five seconds of a call")
		s.broker.start()
		testserver.Eventually(s.t, 20*time.Second, "the broker is back", func() bool { return publish("4") == nil })
	})
}

// TestAFrozenBrokerHoldsNothingUp publishes again and again while the broker is frozen. The first
// publications wait for their limit; the others fail at once, before and after the client notices
// that its connection is stale, and while it tries to connect anew.
func TestAFrozenBrokerHoldsNothingUp(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		c := s.connect("schedulers")
		publish := func(key string) (error, time.Duration) {
			begin := time.Now()
			_, err := c.Publish(t.Context(), xxladapter.QueueAddress{App: app}, key, nil, []byte("{}"))
			return err, time.Since(begin)
		}
		err, took := publish("1")
		require.NoError(t, err)
		s.broker.freeze()
		n := 2
		testserver.Eventually(t, 10*time.Second, "all threads of the broker stand still", func() bool {
			n++
			err, took = publish(fmt.Sprint(n))
			return err != nil
		})
		require.Less(t, took, 7*time.Second)
		require.True(t, c.Connected().IsZero())
		for begin := time.Now(); time.Since(begin) < 50*time.Second; n++ {
			err, took = publish(fmt.Sprint(n))
			require.ErrorIs(t, err, queue.ErrAway)
			require.Less(t, took, time.Second, "after %v", time.Since(begin))
			pause(300 * time.Millisecond)
		}
		s.broker.thaw()
		testserver.Eventually(t, 20*time.Second, "the broker is back", func() bool { err, _ = publish("last"); return err == nil })
		require.False(t, c.Connected().IsZero())
	})
}

// TestRoutesThatAskExecutorsWaitForTheBroker fires jobs whose routes ask executors before a run,
// while the broker is away.
func TestRoutesThatAskExecutorsWaitForTheBroker(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		s.startExecutor("e1")
		s.executors(1)
		s.broker.kill()
		var jobs []int64
		for _, route := range []string{"FAILOVER", "BUSYOVER"} {
			job := s.job(route, map[string]any{"executorRouteStrategy": route})
			s.trigger(job)
			jobs = append(jobs, job)
		}
		testserver.Eventually(t, 20*time.Second, "both have a row", func() bool {
			return len(s.rows(jobs[0])) == 1 && len(s.rows(jobs[1])) == 1
		})
		s.broker.start()
		for _, job := range jobs {
			r := s.ended(job, 1, time.Minute)[0]
			require.Equal(t, 200, r.HandleCode, r.TriggerMsg)
		}
	})
}

// TestALongAbsenceOfTheBrokerFailsNoRun keeps the broker away for longer than a registration lives.
// The run in progress ends well, and what was due meanwhile begins when the broker is back.
func TestALongAbsenceOfTheBrokerFailsNoRun(t *testing.T) {
	testserver.Long(t)
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		const absence = xxladapter.RegistrationLife + 50*time.Second
		s.startExecutor("e1")
		s.executors(1)
		long := s.job("long", map[string]any{"executorParam": (absence + 10*time.Second).String()})
		short := s.job("short", nil)
		s.trigger(long)
		testserver.Eventually(t, 20*time.Second, "the run has begun", func() bool { return len(s.counts()) == 1 })
		s.broker.kill()
		const due = 4
		for range due {
			pause(absence / due)
			s.trigger(short)
		}
		s.broker.start()
		for _, r := range append(s.ended(short, due, time.Minute), s.ended(long, 1, time.Minute)...) {
			require.Equal(t, 200, r.HandleCode, "run %d: %s %s", r.ID, r.TriggerMsg, r.HandleMsg)
		}
		s.executors(1)
	})
}

// TestACallEndsWithItsConnection restarts the broker while a call with a distant deadline waits for
// its reply, which would go to the lost connection.
func TestACallEndsWithItsConnection(t *testing.T) {
	overEach(t, "sqlite:DIR/x.db", func(t *testing.T, s *site) {
		to := xxladapter.QueueAddress{App: app, Instance: "e1"}
		called, wait := make(chan struct{}), make(chan struct{})
		stop, err := s.connect(app).Serve(to, func(string, http.Header, []byte) []byte {
			close(called)
			<-wait
			return nil
		})
		require.NoError(t, err)
		ended := make(chan error)
		scheduler := s.connect("schedulers")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			_, err := scheduler.Call(ctx, to, "log", nil, nil)
			ended <- err
		}()
		<-called
		s.broker.kill()
		s.broker.start()
		require.ErrorContains(t, <-ended, "connection was lost before the reply came")
		close(wait)
		stop()
	})
}
