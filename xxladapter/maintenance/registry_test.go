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

// A flakyStore fails at its first call.
type flakyStore struct{ calls int }

func (s *flakyStore) ExpireRegistrations(context.Context, time.Duration) ([]xxladapter.Registration, error) {
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
