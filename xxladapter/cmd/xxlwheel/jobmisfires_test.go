package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestMissedDueTimesAreListedOverAllPages lists more misfires than fit into one answer of the API.
func TestMissedDueTimesAreListedOverAllPages(t *testing.T) {
	const many = 2300
	ctx, store := t.Context(), memstore.New(time.Now)
	server := apiServer(t, admin.Options{Store: store, JobChanged: func() {}, Planned: func(xxladapter.Fire) {}})
	job := func(args ...string) []string { return append([]string{"job", "--server", server.URL}, args...) }
	id := mustCLI(t, job("add", "--name=late", "--app=some-app", "--handler=h", "--fixed-rate=1s", "--start")...)
	lease, err := store.Lease(ctx, "n1", time.Minute)
	require.NoError(t, err)
	from := time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC)
	_, due, err := store.ClaimDue(ctx, lease.Term, time.Minute, 1, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		d := xxladapter.Decision{JobID: due[0].ID, Next: now.Add(time.Hour)}
		for i := range many {
			at := from.Add(time.Duration(i) * time.Second)
			d.Misfires = append(d.Misfires, xxladapter.Misfire{Due: at, Until: at, Strategy: xxladapter.MisfireDoNothing, At: now})
		}
		return []xxladapter.Decision{d}
	})
	require.NoError(t, err)
	require.Equal(t, 1, due)

	lines := func(args ...string) []string { return strings.Split(mustCLI(t, job(args...)...), "\n")[1:] }
	all := lines("misfires", id, "-n", "0")
	require.Len(t, all, many)
	require.Regexp(t, `^2300 +\S+ +\S+ +DO_NOTHING `, all[0])
	require.Regexp(t, `^1 +`+from.Local().Format("2006-01-02T15:04:05.999"), all[many-1])
	require.Equal(t, all[:1001], lines("misfires", id, "-n", "1001"))
	require.Len(t, lines("misfires", id), 20)
	code, _, stderr := cli(t, job("misfires", id, "--count=-1")...)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "-n is -1, must be 0 for all, or positive")
}
