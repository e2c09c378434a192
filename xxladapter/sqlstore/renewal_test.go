//go:build unix

package sqlstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/leases"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestARenewalThatIsOvertakenLooksAgain changes the lease when a renewal reads the clock, which is
// between its read of the lease and its statement.
func TestARenewalThatIsOvertakenLooksAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(context.Context, *records.Store, xxladapter.Term) error
		want      xxladapter.Lease // except for the time
	}{
		"nothing": {
			func(context.Context, *records.Store, xxladapter.Term) error { return nil },
			xxladapter.Lease{
				Term: xxladapter.Term{Node: "n1", Number: 1}, Mode: xxladapter.SchedulingAll,
				Partitions: xxladapter.AllPartitions,
			},
		},
		"the term ends": {
			func(ctx context.Context, s *records.Store, by xxladapter.Term) error { return s.Resign(ctx, by) },
			xxladapter.Lease{
				Term: xxladapter.Term{Node: "n1", Number: 2}, Mode: xxladapter.SchedulingAll,
				Partitions: xxladapter.AllPartitions,
			},
		},
		"it retires": {
			func(ctx context.Context, s *records.Store, by xxladapter.Term) error {
				return s.Retire(ctx, by, xxladapter.MoveStopped)
			},
			xxladapter.Lease{Term: xxladapter.Term{Node: "n1", Number: 1}, Mode: xxladapter.SchedulingAll, Retired: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meanwhile := func() {}
			s := openCopy(t, func() time.Time {
				meanwhile()
				return time.Unix(1_800_000_000, 0)
			}).(*records.Store)
			defer func() { require.NoError(t, s.Close()) }()
			term := fixture.TermOf(t, s, "n1")
			meanwhile = func() {
				meanwhile = func() {}
				require.NoError(t, c.meanwhile(t.Context(), s, term))
			}
			got, err := s.Lease(t.Context(), "n1", time.Minute)
			require.NoError(t, err)
			require.Equal(t, time.Unix(1_800_000_060, 0).UTC(), got.Until)
			require.True(t, got.Quiet, "no fire is open")
			got.Until, got.Quiet = time.Time{}, false
			require.Equal(t, c.want, got)
		})
	}
}

// TestARenewalLeavesALeaseAloneThatWasRenewedMeanwhile applies what node n2 has concluded from a
// read. The lease of n1 may have been renewed meanwhile.
func TestARenewalLeavesALeaseAloneThatWasRenewedMeanwhile(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		looked time.Time // when n2 read, by its clock
		until  time.Time // the end of n1's lease without a renewal; zero if it has ended
	}{
		"as lapsed":                   {start.Add(time.Minute), time.Time{}},
		"as given before a set clock": {start.Add(-time.Hour), start.Add(time.Minute - time.Hour)},
	} {
		for _, renewed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				now := start
				s := openCopy(t, func() time.Time { return now }).(*records.Store)
				defer func() { require.NoError(t, s.Close()) }()
				_, err := s.Lease(t.Context(), "n1", time.Minute)
				require.NoError(t, err)
				want := c.until
				err = s.Write(t.Context(), func(ctx context.Context, tx *database.Tx) error {
					var state leases.LeaseState
					if err := tx.Query(ctx, leases.SelectLeaseState, nil, state.Scan); err != nil {
						return err
					}
					r := state.Renew("n2", 1000, database.ToMilli(c.looked), 0)
					if renewed {
						want = start.Add(time.Minute + time.Second)
						if _, err := tx.Exec(ctx, leases.RenewLease, database.ToMilli(want), 60_000, "n1"); err != nil {
							return err
						}
					}
					return leases.Apply(ctx, tx, &r, 1)
				})
				require.NoError(t, err)
				now = start.Add(-24 * time.Hour)
				held, err := s.Leases(t.Context())
				require.NoError(t, err)
				var until time.Time
				for _, l := range held {
					if l.Node == "n1" {
						until = l.Until
					}
				}
				require.True(t, want.Equal(until), "%v", until)
			})
		}
	}
}

// TestAQuietRenewalWaitsForNobody locks every row that a renewal reads and that is not its own.
func TestAQuietRenewalWaitsForNobody(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) *records.Store{
		"MySQL": func(t *testing.T) *records.Store { return openMySQLAt(t, mysqlDatabase(t, "3.4"), Options{}) },
		"Postgres": func(t *testing.T) *records.Store {
			return openURL(t, testserver.PostgresCopy(t, migrateURL), Options{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			s := open(t)
			defer func() { require.NoError(t, s.Close()) }()
			id := fixture.AddDue(t, s, "job", time.Now().Add(time.Hour))
			_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: id, Due: time.Now().Add(time.Hour), Type: xxladapter.TriggerManual}})
			require.NoError(t, err)
			for range 2 { // in the second round, each node reads both leases
				for _, node := range []string{"n1", "n2"} {
					_, err := s.Lease(ctx, node, time.Minute)
					require.NoError(t, err)
				}
			}
			tx, err := s.Reads.DB.BeginTx(ctx, nil)
			require.NoError(t, err)
			defer func() { _ = tx.Rollback() }()
			for _, query := range []string{
				`SELECT COUNT(*) FROM (SELECT node FROM xxlwheel_lease WHERE node = 'n2' FOR UPDATE) AS held`,
				`SELECT COUNT(*) FROM (SELECT partition_id FROM xxlwheel_partition FOR UPDATE) AS held`,
				`SELECT COUNT(*) FROM (SELECT id FROM xxlwheel_fire FOR UPDATE) AS held`,
				`SELECT last FROM xxlwheel_term FOR UPDATE`,
			} {
				var held int
				require.NoError(t, tx.QueryRowContext(ctx, query).Scan(&held), query)
				require.Positive(t, held, query)
			}
			within, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			lease, err := s.Lease(within, "n1", time.Minute)
			require.NoError(t, err)
			require.True(t, lease.Quiet)
			require.NoError(t, tx.Rollback())
		})
	}
}
