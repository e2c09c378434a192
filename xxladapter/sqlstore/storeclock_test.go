package sqlstore

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestServerClockIsCorrectedNoMoreThanItIsKnown(t *testing.T) {
	t.Parallel()
	server := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const sent, received = 10 * time.Second, 10*time.Second + 40*time.Millisecond
	earliest, latest := server.Add(-received), server.Add(-sent)
	for name, c := range map[string]struct{ before, want time.Time }{
		"the first reading counts from the end of the round trip": {time.Time{}, earliest},
		"what agrees with the reading stays":                      {earliest.Add(time.Millisecond), earliest.Add(time.Millisecond)},
		"both ends agree with it":                                 {latest, latest},
		"a clock that is behind goes as far as it must":           {earliest.Add(-time.Hour), earliest},
		"a clock that is ahead is not left ahead at all":          {latest.Add(time.Nanosecond), earliest},
	} {
		require.True(t, c.want.Equal(corrected(c.before, server, sent, received)), name)
	}
}

// TestServerClockIsNeverAhead reads a clock over a slow network. The answer
// takes a tenth of the round trip on its way there, or nine tenths.
func TestServerClockIsNeverAhead(t *testing.T) {
	for _, there := range []time.Duration{10 * time.Millisecond, 90 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			const trip = 100 * time.Millisecond
			c, err := newServerClock(t.Context(), quiet, func(context.Context) (time.Time, error) {
				time.Sleep(there)
				now := time.Now()
				time.Sleep(trip - there)
				return now, nil
			})
			require.NoError(t, err)
			defer c.close()
			for range 3 {
				behind := time.Since(c.now())
				require.GreaterOrEqual(t, behind, time.Duration(0))
				require.LessOrEqual(t, behind, trip)
				time.Sleep(clockEvery)
			}
		})
	}
}

// TestServerClockRunsOn takes the server away and moves its clock.
func TestServerClockRunsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64
		var away atomic.Bool
		ahead.Store(int64(time.Hour))
		c, err := newServerClock(t.Context(), quiet, func(context.Context) (time.Time, error) {
			if away.Load() {
				return time.Time{}, errors.New("away")
			}
			return time.Now().Add(time.Duration(ahead.Load())), nil
		})
		require.NoError(t, err)
		defer c.close()
		isAhead := func(want time.Duration) { require.WithinDuration(t, time.Now().Add(want), c.now(), 0) }
		isAhead(time.Hour)
		away.Store(true)
		time.Sleep(10 * clockEvery)
		synctest.Wait()
		isAhead(time.Hour)
		ahead.Store(int64(2 * time.Hour))
		away.Store(false)
		time.Sleep(clockEvery)
		synctest.Wait() // for the reading of this very moment
		isAhead(2 * time.Hour)
	})
}

// TestNothingIsClaimedEarlyAfterTheServersClockWasSetBack: what the store remembers of
// that clock is ahead until it is read again.
func TestNothingIsClaimedEarlyAfterTheServersClockWasSetBack(t *testing.T) {
	t.Parallel()
	const back = 1500 * time.Millisecond
	for name, open := range map[string]func(t *testing.T) *Store{
		"MySQL":    func(t *testing.T) *Store { return openMySQLAt(t, mysqlDatabase(t, "3.4"), Options{}) },
		"Postgres": func(t *testing.T) *Store { return openURL(t, testserver.PostgresCopy(t, migrateURL), Options{}) },
	} {
		for shards, kind := range map[int]string{1: "in a group", 2: "alone"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				defer func() { require.NoError(t, s.Close()) }()
				server := func() (now time.Time) {
					now, err := s.server.ask(t.Context())
					require.NoError(t, err)
					return now
				}
				due := server().Add(time.Second)
				id := addDue(t, s, "job", due.Add(time.Hour))
				term := termOf(t, s, "n1")
				fires, err := s.PlanFires(t.Context(), []xxladapter.Fire{{JobID: id, Due: due, Type: xxladapter.TriggerCron}})
				require.NoError(t, err)
				claim := func() error {
					logs := make([]*xxladapter.Log, shards)
					for i := range logs {
						logs[i] = &xxladapter.Log{JobID: id, TriggerTime: due}
					}
					_, err := s.ClaimFire(t.Context(), term, fires[0].ID, logs)
					return err
				}
				s.server.mu.Lock()
				s.server.zero = s.server.zero.Add(back)
				s.server.mu.Unlock()
				require.True(t, s.clock().After(fires[0].Due), "by what is remembered it is due")

				var early *xxladapter.EarlyError
				require.ErrorAs(t, claim(), &early)
				require.Equal(t, fires[0].Due, early.Due)
				require.WithinRange(t, early.Now, due.Add(-time.Second).Truncate(time.Millisecond), server())
				require.False(t, s.clock().After(server()), "it has learnt what the time is")
				require.Eventually(t, func() bool { err = claim(); return err == nil }, 10*time.Second, 5*time.Millisecond)
				require.False(t, server().Before(fires[0].Due))
			})
		}
	}
}
