package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A page that lost an entry would end the list for callers who read on while pages are full.
func TestAPageIsFullThoughAJobHasMoved(t *testing.T) {
	jobs := func(ids ...int64) (list []*xxladapter.Job) {
		for _, id := range ids {
			list = append(list, &xxladapter.Job{ID: id})
		}
		return list
	}
	require.Equal(t, jobs(1, 2, 3), addPart(jobs(1, 2), jobs(1, 2, 3), 3))
	require.Equal(t, jobs(1, 3, 2), addPart(jobs(1, 3), jobs(2, 3, 4), 3))
	require.Equal(t, jobs(1, 2, 3, 4), addPart(jobs(1, 2), jobs(2, 3, 4), 0))
	require.Equal(t, jobs(4), addPart(nil, jobs(4), 3))
}
