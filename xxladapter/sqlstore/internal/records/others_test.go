package records

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// TestNextTimesThatMoveTellOfOthers checks that they do, unless other nodes of ours or our own
// commit in doubt may have moved them.
func TestNextTimesThatMoveTellOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o others
		next := time.UnixMilli(1_800_000_000_000)
		ours := []Decided{{Decision: xxladapter.Decision{JobID: 1, Next: next}}}
		moved := database.ToMilli(next) + 1000
		o.saw(1, moved)
		require.False(t, o.expected(), "nothing is remembered")

		o.stored(ours)
		o.saw(1, database.ToMilli(next))
		require.False(t, o.expected(), "as we have stored it")
		o.saw(1, moved)
		require.True(t, o.expected())
		require.Equal(t, besideOthers, o.ahead(5*time.Second, false))
		require.Equal(t, BesideOthersIdle, o.ahead(5*time.Second, true))
		time.Sleep(OthersLife)
		require.Equal(t, 5*time.Second, o.ahead(5*time.Second, false))

		o.stored(ours)
		o.forget(ours) // the answer to the commit was lost
		o.saw(1, moved)
		require.False(t, o.expected())

		o.stored(ours)
		o.edited([]xxladapter.JobEdit{{Act: xxladapter.ActStart, Job: &xxladapter.Job{ID: 1}}})
		o.saw(1, moved)
		require.False(t, o.expected(), "an edit of ours has moved it")

		o.stored(ours)
		o.share(true)
		o.saw(1, moved)
		require.False(t, o.expected(), "a further node of ours may have moved it")
		o.stored(ours)
		o.share(false)
		o.saw(1, moved)
		require.False(t, o.expected(), "it may have been moved while there was one")

		o.stored(ours)
		o.saw(1, moved)
		o.share(true)
		require.False(t, o.expected(), "a further node of ours takes over what a dead one has planned")
	})
}
