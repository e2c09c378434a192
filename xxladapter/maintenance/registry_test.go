package maintenance

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestAnExecutorIsDropped90SecondsAfterItsLastBeat checks the edge of a registration's life
// (XXL-JOB 2.4.2, JobRegistryHelper.java).
func TestAnExecutorIsDropped90SecondsAfterItsLastBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := memstore.New(time.Now)
		group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "t"})
		require.NoError(t, err)
		addresses := func() []string {
			g, err := store.Group(t.Context(), group)
			require.NoError(t, err)
			return g.Addresses
		}
		ended := make(chan error, 1)
		r := &Registry{Store: store, Logger: slog.New(slog.DiscardHandler)}
		go func() { ended <- r.Run(ctx) }()

		require.NoError(t, store.Register(ctx, "some-app", "http://a/"))
		require.NoError(t, store.Register(ctx, "some-app", "http://b/"))
		time.Sleep(60 * time.Second)
		require.NoError(t, store.Register(ctx, "some-app", "http://b/"))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.Equal(t, []string{"http://a/", "http://b/"}, addresses(), "90 s old is not older than 90 s")
		time.Sleep(registryPace)
		synctest.Wait()
		require.Equal(t, []string{"http://b/"}, addresses())
		cancel()
		require.NoError(t, <-ended)
	})
}

// TestSilenceCountsOnlyWhereBeatsCanArrive keeps the beats of two executors away for longer than a
// registration lives. The one that beats again in time stays, the other one goes.
func TestSilenceCountsOnlyWhereBeatsCanArrive(t *testing.T) {
	const dead, alive = "nats://some-app/dead", "nats://some-app/alive"
	silence := func() { time.Sleep(2 * xxladapter.RegistrationLife) } // in a bubble
	for name, deafen := range map[string]func(s *deafStore, start, hear func()){
		"no scheduler runs": func(_ *deafStore, start, _ func()) { silence(); start() },
		"the store fails": func(s *deafStore, start, hear func()) {
			start()
			hear()
			s.fails.Store(true)
			silence()
			s.fails.Store(false)
		},
		"the store hangs": func(s *deafStore, start, hear func()) {
			start()
			hear()
			s.hangs.Store(true)
			silence()
			s.hangs.Store(false)
		},
		"the process stands still": func(s *deafStore, start, hear func()) {
			start()
			hear()
			still := make(chan struct{})
			s.stands.Store(&still)
			silence()
			s.stands.Store(nil)
			close(still)
		},
		"the broker is away": func(s *deafStore, start, hear func()) {
			start()
			hear()
			s.connected.Store(&time.Time{})
			silence()
			s.connected.Store(new(time.Now()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s := &deafStore{Store: memstore.New(time.Now)}
				s.connected.Store(new(time.Now()))
				group, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "some-app", Title: "t"})
				require.NoError(t, err)
				beat := func(address string) { require.NoError(t, s.Register(ctx, "some-app", address)) }
				addresses := func() []string {
					synctest.Wait()
					g, err := s.Group(ctx, group)
					require.NoError(t, err)
					return g.Addresses
				}
				beat(dead)
				beat(alive)
				deafen(s, func() {
					r := &Registry{
						Store: s, Connected: func() time.Time { return *s.connected.Load() },
						Logger: slog.New(slog.DiscardHandler),
					}
					go func() { _ = r.Run(ctx) }() // it ends without an error when ctx does
				}, func() {
					time.Sleep(xxladapter.HearingTime + registryPace)
					beat(dead)
					beat(alive)
				})
				time.Sleep(30 * time.Second)
				require.Equal(t, []string{alive, dead}, addresses())
				beat(alive)
				time.Sleep(xxladapter.HearingTime - 30*time.Second + 2*registryPace)
				require.Equal(t, []string{alive}, addresses())
			})
		})
	}
}

// TestAClockThatIsSetBackKeepsNoDeadExecutor has the wall clock set back by an hour after the last
// sweep and after the connection to the broker.
func TestAClockThatIsSetBackKeepsNoDeadExecutor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, before := memstore.New(time.Now), wallClock().Add(time.Hour)
		r := &Registry{
			Store: store, Connected: func() time.Time { return before }, Logger: slog.New(slog.DiscardHandler),
			since: before, swept: before,
		}
		require.NoError(t, store.Register(t.Context(), "some-app", "http://a/"))
		require.NoError(t, store.Register(t.Context(), "some-app", "nats://some-app/b"))
		for range (xxladapter.RegistrationLife + 2*registryPace) / registryPace {
			require.NoError(t, r.sweep(t.Context()))
			time.Sleep(registryPace)
		}
		list, err := store.Registrations(t.Context(), "some-app")
		require.NoError(t, err)
		require.Empty(t, list)
	})
}

// A deafStore expires registrations late or not at all, on demand.
type deafStore struct {
	*memstore.Store
	fails  atomic.Bool
	hangs  atomic.Bool                   // until the call's limit
	stands atomic.Pointer[chan struct{}] // like a process that stands still after the call

	connected atomic.Pointer[time.Time] // of the broker
}

func (s *deafStore) ExpireRegistrations(
	ctx context.Context, life time.Duration, queued bool,
) ([]xxladapter.Registration, error) {
	if s.hangs.Load() {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if s.fails.Load() {
		return nil, errors.New("no connection")
	}
	dead, err := s.Store.ExpireRegistrations(ctx, life, queued)
	if still := s.stands.Load(); still != nil {
		<-*still
	}
	return dead, err
}

// TestExecutorsOnHTTPExpireWhileTheBrokerIsAway keeps the two kinds of executors apart.
func TestExecutorsOnHTTPExpireWhileTheBrokerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		store := memstore.New(time.Now)
		r := &Registry{
			Store: store, Connected: func() time.Time { return time.Time{} }, Logger: slog.New(slog.DiscardHandler),
		}
		go func() { _ = r.Run(ctx) }() // it ends without an error when ctx does
		require.NoError(t, store.Register(ctx, "some-app", "http://a/"))
		require.NoError(t, store.Register(ctx, "some-app", "nats://some-app/b"))
		time.Sleep(xxladapter.RegistrationLife + 2*registryPace)
		synctest.Wait()
		list, err := store.Registrations(ctx, "some-app")
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "nats://some-app/b", list[0].Address)
	})
}

// A flakyStore fails at its first call.
type flakyStore struct{ calls int }

func (s *flakyStore) ExpireRegistrations(context.Context, time.Duration, bool) ([]xxladapter.Registration, error) {
	s.calls++
	if s.calls == 1 {
		return nil, errors.New("no connection")
	}
	return []xxladapter.Registration{{AppName: "some-app", Address: "http://a/"}}, nil
}

func TestTheSweepContinuesAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*registryPace+time.Second)
		defer cancel()
		var logged bytes.Buffer
		store := new(flakyStore)
		r := &Registry{Store: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		require.NoError(t, r.Run(ctx))
		require.Equal(t, 2, store.calls)
		require.Contains(t, logged.String(), "no connection")
		require.Contains(t, logged.String(), "executor lost")
	})
}
