//go:build unix

package redisstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestARedisThatNoLongerSyncsIsRefused gives Redis settings by which it may lose what it confirms,
// and then the right ones again. Each time all connections are closed, as by a restart.
func TestARedisThatNoLongerSyncsIsRefused(t *testing.T) {
	t.Parallel()
	server := testserver.StartRedis(t)
	s, client := newScene(t, server.URL("0"), "sqlite:"+emptySQLite(t)), clientOf(t, server.URL("0"))
	sync := func(how string) {
		require.NoError(t, client.ConfigSet(t.Context(), "appendfsync", how).Err())
		require.NoError(t, client.Do(t.Context(), "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").Err())
	}
	plan := func() error {
		_, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: 1, Due: time.Now(), Type: xxladapter.TriggerManual}})
		return err
	}
	require.NoError(t, plan())
	sync("everysec")
	require.ErrorContains(t, plan(), "redis has appendonly yes and appendfsync everysec, must have yes and always")
	sync("always")
	require.NoError(t, plan())
}
