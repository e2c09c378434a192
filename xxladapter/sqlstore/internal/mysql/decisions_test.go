package mysql

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
)

func TestSortAlike(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	var decisions []records.Decided
	add := func(n int, last, next int64, stop bool) {
		for range n {
			d := xxladapter.Decision{JobID: int64(len(decisions) + 1), Last: at(last), Next: at(next), Stop: stop}
			decisions = append(decisions, records.Decided{Decision: d})
		}
	}
	add(advanceRows/2, 10, 20, false)
	add(advanceRows/2-1, 10, 30, false)
	add(3, 10, 20, true)
	add(1, 10, 20, false)
	alike, different := sortAlike(decisions)
	require.Len(t, alike, 1)
	ids := alike[times{10_000, 20_000, 1}]
	require.Len(t, ids, advanceRows/2+1)
	require.Equal(t, int64(len(decisions)), ids[advanceRows/2])
	require.Len(t, different[1], advanceRows/2-1)
	require.Len(t, different[0], 3)
	for _, d := range different[0] {
		require.True(t, d.Stop)
	}

	alike, different = sortAlike(nil)
	require.Empty(t, alike)
	require.Empty(t, different)
}
