//go:build unix

package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAPromotionIsALoss checks that a promotion counts as a loss, whatever the promoted server has:
// each due time that may have been sent is accounted for once, and does not fire again. That also
// holds while a former primary that was frozen takes writes again.
func TestAPromotionIsALoss(t *testing.T) {
	testserver.Long(t) // sentinels take their time
	t.Parallel()
	for name, wakes := range map[string]bool{"of a killed primary": false, "of a frozen primary": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group := testserver.StartRedisGroup(t)
			primary, other := group.Primary(t)
			url, behind := group.URL("0"), emptyPostgres(t)
			s := newScene(t, url, behind)
			second := open(t, url, behind, nil)
			t.Cleanup(func() { require.NoError(t, second.Close()) })
			id := s.job(xxladapter.Settings{})
			require.Len(t, s.claim(), 1)
			if wakes {
				primary.Freeze(t)
			} else {
				primary.Kill(t)
			}
			group.WaitPromoted(t, primary)
			if wakes {
				primary.Thaw(t)
			}
			s.noticeLoss(clientOf(t, other.URL("0")))
			s.hasLost(id, second)
		})
	}
}

// TestAFormerPrimaryIsNotBelieved checks that what a server answers is not believed after the
// sentinels have named another one, or too long after their last answer. Otherwise a process that
// has not heard of the promotion would believe a former primary.
func TestAFormerPrimaryIsNotBelieved(t *testing.T) {
	testserver.Long(t) // sentinels take their time
	t.Parallel()
	group := testserver.StartRedisGroup(t)
	s := serverOf(t, group.URL("0"), "former")
	held, err := s.Take(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Begin(t.Context(), sqlstore.LogState{Pen: held.Pen, Generation: 1}))
	held, err = s.Look(t.Context())
	require.NoError(t, err)
	held, err = s.Append(t.Context(), held, 1, [][]byte{[]byte("one")})
	require.NoError(t, err)

	for _, sentinel := range group.Sentinels[:2] {
		sentinel.Freeze(t)
	}
	time.Sleep(trust + askLimit) // the answers of two sentinels become too old
	_, err = s.Append(t.Context(), held, 2, [][]byte{[]byte("two")})
	require.ErrorContains(t, err, "1 of 3 sentinels agree on it, must be 2 at least")
	for _, sentinel := range group.Sentinels[:2] {
		sentinel.Thaw(t)
	}

	former, _ := group.Primary(t)
	former.Kill(t)
	group.WaitPromoted(t, former)
	testserver.Eventually(t, 20*time.Second, "the store finds the new primary", func() bool {
		c, err := s.at.primary()
		return err == nil && s.serverChanged(c)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = s.Append(ctx, held, 2, [][]byte{[]byte("two")})
	require.ErrorIs(t, err, sqlstore.ErrLogRefused)
	now, err := s.Take(ctx)
	require.NoError(t, err)
	require.Zero(t, now.Generation, "the log must be read again")
}

// TestAPromotedServerIsChecked checks that a server whose settings are wrong is also refused when
// it is promoted.
func TestAPromotedServerIsChecked(t *testing.T) {
	testserver.Long(t) // sentinels take their time
	t.Parallel()
	group := testserver.StartRedisGroup(t)
	primary, other := group.Primary(t)
	at, err := connect(t.Context(), group.URL("0"), false)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, at.Close()) })
	require.NoError(t, checkTarget(t.Context(), at, false))
	require.NoError(t, clientOf(t, other.URL("0")).ConfigSet(t.Context(), "appendfsync", "everysec").Err())
	primary.Kill(t)
	group.WaitPromoted(t, primary)
	testserver.Eventually(t, 20*time.Second, "the promoted server is refused", func() bool {
		c, err := at.primary()
		return err == nil && c.Ping(t.Context()).Err() != nil
	})
	c, err := at.primary()
	require.NoError(t, err)
	require.ErrorContains(t, c.Ping(t.Context()).Err(), "redis has appendonly yes and appendfsync everysec")
}
