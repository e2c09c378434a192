package node

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// idleStatements is how many statements an operation of the store costs a database when there is
// nothing to do, as the tests of package sqlstore check. Operations that are not listed cost one.
var idleStatements = map[string]int{"now": 0}

// TestAnIdleNodeAsksLittle lets one node, and then two, idle for an hour with jobs that are due
// months later: each node costs a database server less than 1.8 statements a second. That leaves
// out the statements with which each of two nodes watches the other's lease, see DESIGN.md of
// package sqlstore.
func TestAnIdleNodeAsksLittle(t *testing.T) {
	for _, nodes := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			store := memstore.New(time.Now)
			group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "some app"})
			require.NoError(t, err)
			for range xxladapter.Partitions {
				j := &xxladapter.Job{GroupID: group, Name: "far", Handler: "h", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 3 1 1 ?"}
				j.SetDefaults()
				id, err := xxladapter.CreateJob(t.Context(), store, j)
				require.NoError(t, err)
				require.NoError(t, storetest.StartAt(t.Context(), store, id, time.Now().Add(100*24*time.Hour)))
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, nodes)
			var measured []*metrics.Metrics
			for range nodes {
				m := metrics.New()
				n, err := New(Options{Store: store, Metrics: m, Alarms: []alarm.Channel{mute{}}, Zone: time.UTC, Logger: slog.New(slog.DiscardHandler)})
				require.NoError(t, err)
				measured = append(measured, m)
				go func() { ended <- n.Schedule(ctx) }()
			}
			// A node that has just started asks more than an idle one. The hour begins and ends
			// between two instants at which nodes ask, so that it contains the same number of them
			// each time.
			time.Sleep(time.Minute + time.Millisecond)
			var began []map[string]int
			for _, m := range measured {
				began = append(began, storeCalls(t, m))
			}
			const lasts = time.Hour
			time.Sleep(lasts) // in the bubble's own time
			for i, m := range measured {
				calls := storeCalls(t, m)
				for op := range calls {
					calls[op] -= began[i][op]
					t.Logf("%d of %d nodes: %5d %s", i+1, nodes, calls[op], op)
				}
				total := statements(calls)
				t.Logf("%d of %d nodes: %.2f statements/s", i+1, nodes, float64(total)/lasts.Seconds())
				require.Less(t, float64(total), 1.8*lasts.Seconds())
			}
			stop()
			for range nodes {
				require.NoError(t, <-ended)
			}
		})
	}
}

// A mute channel sends nothing.
type mute struct{}

func (mute) Name() string                             { return "silent" }
func (mute) Send(context.Context, *alarm.Alarm) error { return nil }

var callCount = regexp.MustCompile(`(?m)^xxlwheel_store_op_duration_seconds_count\{op="(\w+)"\} (\d+)$`)

// statements returns how many statements calls cost a database when there is nothing to do.
func statements(calls map[string]int) (total int) {
	for op, n := range calls {
		each, known := idleStatements[op]
		if !known {
			each = 1
		}
		total += n * each
	}
	return total
}

// storeCalls returns how often each operation of the store was called.
func storeCalls(t *testing.T, m *metrics.Metrics) map[string]int {
	t.Helper()
	page := httptest.NewRecorder()
	m.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
	calls := map[string]int{}
	for _, line := range callCount.FindAllStringSubmatch(page.Body.String(), -1) {
		n, err := strconv.Atoi(line[2])
		require.NoError(t, err)
		calls[line[1]] = n
	}
	require.NotEmpty(t, calls)
	return calls
}
