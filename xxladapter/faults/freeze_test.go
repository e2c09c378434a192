//go:build linux

package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestFrozenAndWoken suspends a scheduler with SIGSTOP while it holds fires that are due during the
// freeze, and wakes it after the others have taken over. What it held fires once, from its
// successor; what it had claimed is resolved; and it does no harm when it wakes.
func TestFrozenAndWoken(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		for range rounds(1, 40) {
			victim := c.nodes[r.IntN(len(c.nodes))]
			victim.freeze()
			pause(between(r, 7*time.Second, pick(9*time.Second, 60*time.Second)))
			victim.thaw()
			pause(between(r, time.Second, 3*time.Second))
		}
		pause(unlocked) // it may have been frozen with a lock
		c.judge(checker.Options{Epsilon: unlocked})
	})
}

// TestFrozenWithALock suspends a scheduler with SIGSTOP in the middle of a transaction. The
// database releases its locks long before it wakes, and the others continue so early that no due
// time becomes a misfire.
func TestFrozenWithALock(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		if e.nodes < 2 {
			t.Skip("needs a second scheduler, and this store has one")
		}
		r := random(t)
		c := newCluster(t, e)
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		db := openDatabase(t, c.db.url)
		defer func() { require.NoError(t, db.Close()) }()
		stuck := func() bool {
			var n int
			require.NoError(t, db.QueryRowContext(c.ctx, e.stuck).Scan(&n))
			return n > 0
		}
		// hold freezes a scheduler while it waits for a lock, and gives it the lock. It returns
		// false, and wakes the scheduler, if the scheduler was in no transaction.
		hold := func(victim *process) (frozen time.Time, holds bool) {
			tx, err := db.BeginTx(c.ctx, nil)
			require.NoError(t, err)
			_, err = tx.ExecContext(c.ctx, e.hold)
			require.NoError(t, err)
			pause(held) // until all of them wait for it; each tries once a second
			victim.freeze()
			frozen = time.Now()
			require.NoError(t, tx.Rollback()) // so all of them continue, also the victim's session
			if holds = testserver.Within(lockIdleLimit, stuck); !holds {
				victim.thaw()
			}
			return frozen, holds
		}
		for range rounds(1, 20) {
			victim := c.nodes[r.IntN(len(c.nodes))]
			frozen, holds := hold(victim)
			for tries := 1; !holds; tries++ {
				require.Less(t, tries, 5, "the victim never holds a lock")
				pause(held + unlocked)
				frozen, holds = hold(victim)
			}
			testserver.Eventually(t, time.Until(frozen)+unlocked, "they are taken away", func() bool {
				return !stuck()
			})
			pause(time.Until(frozen) + unlocked + between(r, time.Second, pick(2*time.Second, 30*time.Second)))
			victim.thaw()
			pause(between(r, time.Second, 3*time.Second))
		}
		pause(held + unlocked)
		c.judge(checker.Options{Epsilon: held + unlocked, NoMisfires: true})
	})
}

const (
	// lockIdleLimit is how long a frozen holder keeps a lock at most.
	lockIdleLimit = 2 * time.Second

	// unlocked is how late a fire may be because of such a holder.
	unlocked = lockIdleLimit + 2*time.Second

	// held is how long the test itself holds a lock.
	held = 1500 * time.Millisecond
)
