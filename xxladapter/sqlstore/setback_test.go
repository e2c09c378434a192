//go:build unix

package sqlstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestNothingIsClaimedEarlyAfterTheServersClockWasSetBack checks claims while the store's estimate
// of that clock is ahead, until it is read again.
func TestNothingIsClaimedEarlyAfterTheServersClockWasSetBack(t *testing.T) {
	t.Parallel()
	const ahead, back = 3 * time.Second, 3500 * time.Millisecond // a busy machine claims within ahead
	for name, open := range map[string]func(t *testing.T) *records.Store{
		"MySQL": func(t *testing.T) *records.Store { return openMySQLAt(t, mysqlDatabase(t, "3.4"), Options{}) },
		"Postgres": func(t *testing.T) *records.Store {
			return openURL(t, testserver.PostgresCopy(t, migrateURL), Options{})
		},
	} {
		for shards, kind := range map[int]string{1: "in a batch", 2: "alone"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				if kind == "alone" {
					testserver.Long(t) // it waits as the other does
				}
				s := open(t)
				defer func() { require.NoError(t, s.Close()) }()
				server := func() (now time.Time) {
					now, err := s.Server.Ask(t.Context())
					require.NoError(t, err)
					return now
				}
				id := fixture.AddDue(t, s, "job", server().Add(time.Hour))
				term := fixture.TermOf(t, s, "n1")
				due := server().Add(ahead)
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
				s.Server.Shift(back)
				require.True(t, s.Clock().After(fires[0].Due), "by what is remembered it is due")

				var early *xxladapter.EarlyError
				require.ErrorAs(t, claim(), &early)
				require.Equal(t, fires[0].Due, early.Due)
				require.WithinRange(t, early.Now, due.Add(-ahead).Truncate(time.Millisecond), server())
				require.False(t, s.Clock().After(server()), "it has learnt what the time is")
				require.Eventually(t, func() bool { err = claim(); return err == nil }, 30*time.Second, 5*time.Millisecond)
				require.False(t, server().Before(fires[0].Due))
			})
		}
	}
}
