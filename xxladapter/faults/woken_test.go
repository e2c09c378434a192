//go:build linux

package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAWokenLeaderClaimsNothing freezes the leader for 15 seconds, with up to five seconds of fires
// in its wheel, and wakes it: another one leads, and the former leader stands by in a new term. In
// its old term it claims nothing.
func TestAWokenLeaderClaimsNothing(t *testing.T) {
	testserver.Long(t)
	inSomeModes(t, led, func(t *testing.T, e engine, m *mode, _ int) {
		n := newNetworked(t, e, m)
		type asleep struct {
			term int64
			from time.Time
		}
		var slept []asleep
		var woken time.Time
		for range rounds(1, 10) {
			leader := n.leader()
			slept = append(slept, asleep{n.termOf(leader), time.Now()})
			leader.freeze()
			next := n.nextLeader(leader)
			pause(time.Until(slept[len(slept)-1].from.Add(15 * time.Second)))
			leader.thaw()
			woken = time.Now()
			n.waitForRoles()
			require.Same(t, next, n.leader(), "the former leader stands by")
		}
		pause(time.Until(woken.Add(resolved())))
		report := n.judge(checker.Options{Epsilon: resolved()})
		if lapsed := n.requireFencedTerms(); m.elector == nil {
			require.NotZero(t, lapsed, "leases have lapsed")
		}
		store := openDatabase(t, n.db.url)
		defer func() { require.NoError(t, store.Close()) }()
		for _, s := range slept {
			var before, after int
			at := s.from.UnixMilli() + 1000 // what it had sent before it froze may arrive a little later
			require.NoError(t, store.QueryRowContext(n.ctx, fmt.Sprintf(
				`SELECT count(CASE WHEN claimed_ms <= %d THEN 1 END), count(CASE WHEN claimed_ms > %d THEN 1 END) FROM xxlwheel_run WHERE term = %d`,
				at, at, s.term)).Scan(&before, &after))
			require.NotZero(t, before)
			require.Zero(t, after, "claims of the former leader")
		}
		t.Logf("%d leaders frozen for 15 s, %s; %v", len(slept), verdict(report), n.lateness(func(checker.Run) bool { return true }))
	})
}
