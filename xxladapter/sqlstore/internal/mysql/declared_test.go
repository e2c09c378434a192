//go:build unix

package mysql

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

// TestADeclarationIsNoJavaAdmin moves the next time of a job by a declaration, and checks that the
// next scan plans as far ahead as without a Java admin.
func TestADeclarationIsNoJavaAdmin(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), database.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	now, err := s.Now(ctx)
	require.NoError(t, err)
	id := fixture.AddDue(t, s, "declared", now.Truncate(time.Second).Add(time.Second))
	term := fixture.TermOf(t, s, "n1")
	scan := func() (planned []xxladapter.Fire) {
		planned, _, err := s.ClaimDue(ctx, term, 5*time.Second, 1000, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			decisions := fixture.EachSecond(now, due)
			for _, d := range decisions {
				for i := range d.Fires {
					d.Fires[i].Type = xxladapter.TriggerCron
				}
			}
			return decisions
		})
		require.NoError(t, err)
		return planned
	}
	require.NotEmpty(t, scan())
	j, err := s.Job(ctx, id)
	require.NoError(t, err)
	_, err = s.Declare(ctx, &xxladapter.Declaration{Jobs: []xxladapter.DeclaredJob{{
		Job: *j, Edit: true, Reschedule: true,
		First: func(after time.Time) (time.Time, error) { return after.Truncate(time.Second).Add(time.Second), nil },
	}}})
	require.NoError(t, err)
	planned := scan()
	require.NotEmpty(t, planned)
	require.Greater(t, planned[len(planned)-1].Due.Sub(planned[0].Due), 2*time.Second)
}
