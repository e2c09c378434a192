//go:build unix

package mysql

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTheDueIndexIsMadeByOrderAndUsed opens a large store without the index, which logs a hint, and
// then with the index.
func TestTheDueIndexIsMadeByOrderAndUsed(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address, `INSERT INTO xxl_job_info
		(job_group, job_desc, glue_type, schedule_type, misfire_strategy, trigger_status, trigger_next_time)
		SELECT 1, 'job', 'BEAN', 'CRON', 'DO_NOTHING', 1, 1000 * seq FROM `+fixture.MySQLNumbers(60_000)+`; ANALYZE TABLE xxl_job_info`))
	said := func() string { return saidAtTheStart(t, address) }
	require.Contains(t, said(), "xxlwheel migrate --due-index")
	other := openMySQLAt(t, address, database.Options{})
	fixture.TermOf(t, other, "other")
	require.Contains(t, said(), "level=WARN", "few jobs")
	require.NoError(t, testserver.OrderMySQL(address, `DELETE FROM xxlwheel_lease`))
	require.NoError(t, other.Close())

	planned, err := DueIndex(ctx, address, false, database.Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	require.Equal(t, createDueIndex, planned)
	require.Contains(t, said(), "xxlwheel migrate --due-index", "it was only planned")
	made, err := DueIndex(ctx, address, true, database.Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	require.Equal(t, createDueIndex, made)
	again, err := DueIndex(ctx, address, true, database.Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	require.Empty(t, again)
	require.NotContains(t, said(), "due-index")

	now := time.UnixMilli(1000 * 100).UTC()
	s := openMySQLAt(t, address, database.Options{Clock: func() time.Time { return now }})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	t.Run("Plan", func(t *testing.T) {
		for _, query := range []string{selectDueIDs, records.SelectAnyDue} {
			args := append(records.AllDueArgs("n1", now, 5*time.Second), 100)
			if query == records.SelectAnyDue {
				args = append([]any{"n1", 1, 0}, records.AllDueArgs("n1", now, 5*time.Second)...)
			}
			_, plan := explained(t, s, query, args)
			require.Regexp(t, `(?m)^xxl_job_info range xxlwheel_info_due `, plan)
			require.Equal(t, 1, strings.Count(plan, "xxl_job_info "), plan)
		}
	})
	_, due, err := s.ClaimDue(ctx, term, 5*time.Second, 1000, fixture.EachSecond)
	require.NoError(t, err)
	require.Equal(t, 105, due)
}

// saidAtTheStart opens a store and returns what it logged.
func saidAtTheStart(t *testing.T, address string) string {
	t.Helper()
	var out bytes.Buffer
	s, err := Open(t.Context(), address, database.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return out.String()
}

// TestTwoNodesOfAHugeStoreNeedTheDueIndex checks that from 200,000 jobs on the hint is an error if
// there is another node.
func TestTwoNodesOfAHugeStoreNeedTheDueIndex(t *testing.T) {
	testserver.Long(t) // the server takes seconds for so many rows
	t.Parallel()
	address := mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address, `INSERT INTO xxl_job_info
		(job_group, job_desc, glue_type, schedule_type, misfire_strategy) SELECT 1, 'job', 'BEAN', 'NONE', 'DO_NOTHING' FROM `+fixture.MySQLNumbers(200_000)+`;
		ANALYZE TABLE xxl_job_info`))
	other := openMySQLAt(t, address, database.Options{})
	fixture.TermOf(t, other, "other")
	require.Regexp(t, `level=ERROR .*migrate --due-index.* jobs_at_least=200000 other_nodes=1`, saidAtTheStart(t, address))
	require.NoError(t, testserver.OrderMySQL(address, `DELETE FROM xxlwheel_lease`))
	require.NoError(t, other.Close())
	require.Contains(t, saidAtTheStart(t, address), "level=WARN", "no other node")
}

// TestOneWalkDoesForSeveralClaims claims in parts, without the index. The parts together are what
// one claim would have taken, in the same order.
func TestOneWalkDoesForSeveralClaims(t *testing.T) {
	t.Parallel()
	address := mysqlDatabase(t, "3.4")
	require.NoError(t, testserver.OrderMySQL(address, `INSERT INTO xxl_job_info
		(job_group, job_desc, glue_type, schedule_type, misfire_strategy, trigger_status, trigger_next_time)
		SELECT 1, 'job', 'BEAN', 'CRON', 'DO_NOTHING', 1, 1000 * (1000 - seq) FROM `+fixture.MySQLNumbers(990)))
	now := time.UnixMilli(1_000_000).UTC()
	s := openMySQLAt(t, address, database.Options{Clock: func() time.Time { return now }})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	next := int64(990) // the one that is due first
	for _, claim := range []struct{ limit, due, left int }{{200, 200, 790}, {300, 300, 490}, {10, 10, 0}, {400, 400, 80}, {100, 80, 0}, {100, 0, 0}} {
		_, due, err := s.ClaimDue(t.Context(), term, time.Second, claim.limit, func(_ time.Time, jobs []*xxladapter.Job) (decisions []xxladapter.Decision) {
			for _, j := range jobs {
				require.Equal(t, next, j.ID)
				next--
				decisions = append(decisions, xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Next: now.Add(time.Hour)})
			}
			return decisions
		})
		require.NoError(t, err)
		require.Equal(t, claim.due, due)
		require.Len(t, s.Acts.(*acts).walk.ids, claim.left)
	}
}

func TestAWalkIsForgottenInTime(t *testing.T) {
	now := time.Now()
	ids := []int64{5, 3, 8, 1, 2, 9}
	many := make([]int64, walkJobs)
	for _, c := range []struct {
		name    string
		found   []int64
		node    string
		n       int
		after   time.Duration
		want    int
		wantsOK bool
	}{
		{"a part", append(ids, many[:walkClaim]...), "n1", walkClaim, walkLife, walkClaim, true},
		{"all there is", ids, "n1", walkClaim, 0, len(ids) - 1, true},
		{"another node", ids, "n2", walkClaim, 0, 0, false},
		{"too old", ids, "n1", walkClaim, walkLife + 1, 0, false},
		{"too few to share", ids, "n1", walkClaim - 1, 0, 0, false},
		{"nothing left", ids[:1], "n1", walkClaim, 0, 0, false},
		{"there may be more", many, "n1", walkJobs, 0, 0, false},
		{"there are as many", many, "n1", walkJobs - 1, 0, walkJobs - 1, true},
	} {
		var w walk
		require.Equal(t, c.found[:1], w.note("n1", 1, now, c.found), c.name)
		got, ok := w.take(c.node, c.n, now.Add(c.after))
		require.Equal(t, c.wantsOK, ok, c.name)
		require.Len(t, got, c.want, c.name)
		if ok {
			require.Equal(t, c.found[1:1+c.want], got, c.name)
		}
	}
}
