package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// lostFixture returns a store with one run that was accepted at addr and never ended.
func lostFixture(t *testing.T, addr string) (store *memstore.Store, logID int64) {
	t.Helper()
	return lostSince(t, addr, time.Now())
}

// lostSince returns a store as lostFixture does, with a run that was accepted at an instant.
func lostSince(t *testing.T, addr string, accepted time.Time) (store *memstore.Store, logID int64) {
	t.Helper()
	ctx := t.Context()
	store = memstore.New(time.Now)
	group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "t", AccessToken: "its-own-token"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(ctx, store, &xxladapter.Job{GroupID: group, Name: "j", Handler: "h"})
	require.NoError(t, err)
	fires, err := store.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: time.Now(), Type: xxladapter.TriggerManual}})
	require.NoError(t, err)
	lease, err := store.Lease(ctx, "n", time.Hour)
	require.NoError(t, err)
	claimed, err := store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: job, GroupID: group, Address: addr, TriggerTime: accepted}})
	require.NoError(t, err)
	logID = claimed[0].LogID
	_, err = store.SettleFire(ctx, lease.Term, xxladapter.Settlement{FireID: fires[0].ID, LogID: logID, Code: xxladapter.ResultOK})
	require.NoError(t, err)
	return store, logID
}

// A lostStore has what the service needs, and takes the results that it stores.
type lostStore interface {
	LostStore
	FinishRun(context.Context, xxladapter.RunResult) (bool, []xxladapter.Fire, error)
}

// groupless is a store whose groups cannot be read for now.
type groupless struct{ *memstore.Store }

func (groupless) Group(context.Context, int64) (*xxladapter.Group, error) {
	return nil, errors.New("connection reset")
}

// runLost runs the service for d and returns the runs that it gave up.
func runLost(t *testing.T, store lostStore, beat func() error, d time.Duration) (lost []int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	l := &Lost{
		Store: store, Logger: slog.New(slog.DiscardHandler),
		Beat: func(_ context.Context, _, appName string) error {
			require.Equal(t, "some-app", appName)
			return beat()
		}, Ended: cannotTell, Complete: completesNothing(t),
		Lose: func(ctx context.Context, id int64, reason string) error {
			lost = append(lost, id)
			_, _, err := store.FinishRun(ctx, xxladapter.RunResult{LogID: id, Code: 500, Msg: reason})
			return err
		},
	}
	require.NoError(t, l.Run(ctx))
	return lost
}

// cannotTell is an executor that does not say which runs have ended.
func cannotTell(context.Context, string, string, []*xxladapter.Log) ([]wire.Callback, error) {
	return nil, errors.New("not found")
}

func completesNothing(t *testing.T) func(context.Context, []wire.Callback) error {
	return func(context.Context, []wire.Callback) error { t.Error("a result was stored"); return nil }
}

var errRefused = errors.New("connection refused")

func TestARunOfADeadExecutorIsLostWhenItStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, id := lostFixture(t, "http://gone/")
		refused := func() error { return errRefused }
		require.Empty(t, runLost(t, store, refused, lostAge+goneFor-time.Second), "the polls that find it old enough")
		require.Equal(t, []int64{id}, runLost(t, store, refused, 5*time.Minute), "and once")
		l, err := store.Log(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, 500, l.HandleCode)
		require.Contains(t, l.HandleMsg, "http://gone/")
	})
}

// TestExecutorsThatFallSilentTogetherDelayNoOther loses a whole network of executors. Each call to
// one of them lasts until its time-out, and all their runs are lost within the time that
// docs/differences.md states.
func TestExecutorsThatFallSilentTogetherDelayNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		store, _ := lostFixture(t, "http://first/")
		lease, err := store.Lease(ctx, "n", time.Hour)
		require.NoError(t, err)
		for i := 1; i < askLimit; i++ {
			fires, err := store.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)
			claimed, err := store.ClaimFire(ctx, lease.Term, fires[0].ID, []*xxladapter.Log{
				{JobID: 1, GroupID: 1, Address: fmt.Sprintf("http://silent%d/", i), TriggerTime: time.Now()},
			})
			require.NoError(t, err)
			_, err = store.SettleFire(ctx, lease.Term, xxladapter.Settlement{
				FireID: fires[0].ID, LogID: claimed[0].LogID, Code: xxladapter.ResultOK,
			})
			require.NoError(t, err)
		}
		time.Sleep(xxladapter.RegistrationLife)
		ended := time.Now()
		expired := make(chan struct{}, 1)
		expired <- struct{}{}
		silence := func() error { time.Sleep(3 * time.Second); return errRefused }
		running, stop := context.WithTimeout(ctx, 5*time.Minute)
		defer stop()
		var asked atomic.Int32
		lost, last := 0, time.Duration(0)
		l := &Lost{
			Store: store, Logger: slog.New(slog.DiscardHandler), Expired: expired,
			Beat: func(context.Context, string, string) error { return silence() },
			Ended: func(context.Context, string, string, []*xxladapter.Log) ([]wire.Callback, error) {
				asked.Add(1)
				return nil, silence()
			},
			Complete: completesNothing(t),
			Lose: func(ctx context.Context, id int64, reason string) error {
				lost, last = lost+1, time.Since(ended)
				_, _, err := store.FinishRun(ctx, xxladapter.RunResult{LogID: id, Code: 500, Msg: reason})
				return err
			},
		}
		require.NoError(t, l.Run(running))
		require.Equal(t, askLimit, lost)
		require.LessOrEqual(t, last, 30*time.Second)
		require.EqualValues(t, askLimit, asked.Load(), "the dead are not asked for results again")
	})
}

// TestARunIsNotLostWhileItsGroupCannotBeRead checks that no run is lost while nobody knows whether
// its executor is given the longer time of manual addresses, which the group says.
func TestARunIsNotLostWhileItsGroupCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := lostFixture(t, "http://gone/")
		refused := func() error { return errRefused }
		require.Empty(t, runLost(t, groupless{store}, refused, lostAge+5*time.Minute))
	})
}

// TestAnExecutorThatHasLeftIsAskedWithItsOwnToken has an executor with a token of its own that has
// ended its registration, while a run is in progress there. It answers to that token alone, and
// must not learn that of all executors.
func TestAnExecutorThatHasLeftIsAskedWithItsOwnToken(t *testing.T) {
	seen := map[[2]string]bool{}
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app, token := r.Header.Get(wire.HeaderAppName), r.Header.Get(wire.HeaderToken)
		seen[[2]string{app, token}] = true
		if token != "its-own-token" {
			_, _ = w.Write([]byte(`{"code":500,"msg":"` + wire.MsgWrongToken + `"}`))
			return
		}
		_, _ = w.Write([]byte(`{"code":200}`))
	}))
	defer exec.Close()
	store, id := lostSince(t, exec.URL, time.Now().Add(-lostAge))
	tokens := access.NewExecutors("for-all-of-them", store.Groups)
	client, err := trigger.NewClient(trigger.ClientOptions{Sent: tokens.Sent})
	require.NoError(t, err)
	defer client.Close()
	l := &Lost{
		Store: store, Logger: slog.New(slog.DiscardHandler), suspects: map[int64]time.Time{id: time.Now().Add(-time.Hour)},
		Beat: client.Alive, Ended: client.Ended, Complete: completesNothing(t),
		Lose: func(context.Context, int64, string) error { t.Error("a run in progress was given up"); return nil },
	}
	require.NoError(t, l.poll(t.Context()))
	require.Equal(t, map[[2]string]bool{{"some-app", "its-own-token"}: true}, seen)
}

func TestARunOfAnExecutorThatAnswersIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := lostFixture(t, "http://manual/")
		require.Empty(t, runLost(t, store, func() error { return nil }, time.Hour))
	})
}

func TestARunOfAnExecutorThatWasAwayForAMomentIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, _ := lostFixture(t, "http://restarted/")
		n := 0
		every := func() error { // away at every other poll
			if n++; n%2 == 0 {
				return nil
			}
			return errRefused
		}
		require.Empty(t, runLost(t, store, every, time.Hour))
	})
}

func TestALookThatWasCutOffLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, id := lostFixture(t, "http://alive/")
		time.Sleep(lostAge)
		ctx, cancel := context.WithCancel(t.Context())
		l := &Lost{
			Store: store, Logger: slog.New(slog.DiscardHandler), suspects: map[int64]time.Time{id: time.Now().Add(-time.Hour)},
			Beat: func(context.Context, string, string) error { cancel(); return context.Canceled }, Ended: cannotTell, Complete: completesNothing(t),
			Lose: func(context.Context, int64, string) error { t.Error("lost"); return nil },
		}
		require.ErrorIs(t, l.poll(ctx), context.Canceled)
	})
}

// A stoppingExecutor has left its app and has a run in progress. It answers unless it is cut off.
type stoppingExecutor struct {
	cutOff atomic.Bool
	lost   atomic.Bool
}

func (e *stoppingExecutor) service(t *testing.T, store LostStore) *Lost {
	return &Lost{
		Store: store, Logger: slog.New(slog.DiscardHandler), Ended: cannotTell, Complete: completesNothing(t),
		Beat: func(context.Context, string, string) error {
			if e.cutOff.Load() {
				return errRefused
			}
			return nil
		},
		Lose: func(context.Context, int64, string) error { e.lost.Store(true); return nil },
	}
}

// TestARunIsNotLostWithTheBroker keeps the broker away for minutes. The run is lost when the
// executor does not answer after that.
func TestARunIsNotLostWithTheBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		store, _ := lostFixture(t, "nats://some-app/a")
		var e stoppingExecutor
		var connected atomic.Pointer[time.Time]
		connected.Store(new(time.Now()))
		l := e.service(t, store)
		l.Connected = func() time.Time { return *connected.Load() }
		go func() { _ = l.Run(ctx) }()          // it ends without an error when ctx does
		time.Sleep(5*time.Minute - suspectPace) // the next poll comes soon
		e.cutOff.Store(true)
		time.Sleep(lostPace) // until the loss of the broker is noticed
		connected.Store(&time.Time{})
		time.Sleep(5 * time.Minute)
		connected.Store(new(time.Now()))
		time.Sleep(xxladapter.HearingTime)
		synctest.Wait()
		require.False(t, e.lost.Load())
		time.Sleep(lostPace + goneForQueued + suspectPace)
		synctest.Wait()
		require.True(t, e.lost.Load())
	})
}

// A pausedStore fails on demand.
type pausedStore struct {
	LostStore
	fails bool
}

func (s *pausedStore) Logs(ctx context.Context, f xxladapter.LogFilter) ([]*xxladapter.Log, error) {
	if s.fails {
		return nil, errRefused
	}
	return s.LostStore.Logs(ctx, f)
}

// TestSilenceBeginsAnewAfterAnOutage looks for lost runs before an outage of the store or of the
// process, in which nobody asks the executor, and after it.
func TestSilenceBeginsAnewAfterAnOutage(t *testing.T) {
	for name, outage := range map[string]func(l *Lost, s *pausedStore){
		"the store fails": func(l *Lost, s *pausedStore) {
			s.fails = true
			for range 12 {
				time.Sleep(suspectPace) // in a bubble
				l.turn(t.Context())
			}
			s.fails = false
		},
		"the process stands still": func(*Lost, *pausedStore) { time.Sleep(time.Minute) }, // in a bubble
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, _ := lostFixture(t, "http://stops/")
				time.Sleep(lostAge)
				var e stoppingExecutor
				s := &pausedStore{LostStore: store}
				l := e.service(t, s)
				e.cutOff.Store(true)
				l.turn(t.Context())
				outage(l, s)
				for range goneFor / suspectPace {
					time.Sleep(suspectPace)
					l.turn(t.Context())
					require.False(t, e.lost.Load())
				}
				time.Sleep(suspectPace)
				l.turn(t.Context())
				require.True(t, e.lost.Load())
			})
		})
	}
}
