package records

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// TestNextTimesThatMoveTellOfOthers checks that others are expected after a next time has moved,
// unless another node of ours, an edit or a commit in doubt may have moved it.
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

// TestWhatIsPlannedTooFarAheadIsLeftDue checks decisions about a job that is due each second, with
// a day without work, a pause or a misfire among its due times.
func TestWhatIsPlannedTooFarAheadIsLeftDue(t *testing.T) {
	at := func(second int) time.Time {
		return time.UnixMilli(1_800_000_000_000).Add(time.Duration(second) * time.Second)
	}
	fires := func(kind xxladapter.TriggerType, seconds ...int) (all []xxladapter.Fire) {
		for _, s := range seconds {
			all = append(all, xxladapter.Fire{JobID: 1, Due: at(s), Type: kind})
		}
		return all
	}
	cron, late := fires(xxladapter.TriggerCron, 0, 1, 2, 3, 4, 5), fires(xxladapter.TriggerMisfire, -9)
	missed := []xxladapter.Misfire{{Due: at(-9), Until: at(-1)}}
	paused := []xxladapter.Misfire{{Due: at(0), Until: at(1), PauseID: 1}}
	off := []xxladapter.Misfire{{Due: at(2), Until: at(3), Calendar: "office"}}
	for name, tt := range map[string]struct{ is, want xxladapter.Decision }{
		"all are near": {
			xxladapter.Decision{Fires: cron[:2], Last: at(1), Next: at(2)},
			xxladapter.Decision{Fires: cron[:2], Last: at(1), Next: at(2)},
		},
		"some are far": {
			xxladapter.Decision{Fires: cron, Last: at(5), Next: at(6)},
			xxladapter.Decision{Fires: cron[:2], Last: at(1), Next: at(2)},
		},
		"the schedule ends later": {
			xxladapter.Decision{Fires: cron, Stop: true, Reason: "ended"},
			xxladapter.Decision{Fires: cron[:2], Last: at(1), Next: at(2)},
		},
		"the next one is behind a day without work": {
			xxladapter.Decision{Fires: append(cron[:2:2], cron[4:]...), Misfires: off, Last: at(5), Next: at(6)},
			xxladapter.Decision{Fires: cron[:2], Misfires: off, Last: at(1), Next: at(4)},
		},
		"a day without work comes later": {
			xxladapter.Decision{Fires: cron[1:3], Misfires: []xxladapter.Misfire{{Due: at(3), Until: at(9)}}, Last: at(9), Next: at(10)},
			xxladapter.Decision{Fires: cron[1:2], Misfires: []xxladapter.Misfire{}, Last: at(1), Next: at(2)},
		},
		"after a misfire": {
			xxladapter.Decision{Fires: append(late[:1:1], cron[2:]...), Misfires: missed, Last: at(5), Next: at(6)},
			xxladapter.Decision{Fires: late, Misfires: missed, Last: at(-1), Next: at(2)},
		},
		"all are far behind a pause": {
			xxladapter.Decision{Fires: cron[2:], Misfires: paused, Last: at(5), Next: at(6)},
			xxladapter.Decision{Fires: []xxladapter.Fire{}, Misfires: paused, Last: at(1), Next: at(2)},
		},
		"the due time itself is far": {
			xxladapter.Decision{Fires: cron[2:3], Misfires: []xxladapter.Misfire{{Due: at(3), Until: at(9)}}, Last: at(9), Next: at(10)},
			xxladapter.Decision{Fires: cron[2:3], Misfires: []xxladapter.Misfire{{Due: at(3), Until: at(9)}}, Last: at(9), Next: at(10)},
		},
	} {
		d := tt.is
		d.Misfires = append([]xxladapter.Misfire(nil), d.Misfires...)
		shorten(&d, at(1).Add(500*time.Millisecond))
		require.Equal(t, tt.want.Fires, d.Fires, name)
		require.ElementsMatch(t, tt.want.Misfires, d.Misfires, name)
		require.Equal(t, []any{tt.want.Last, tt.want.Next, tt.want.Stop, tt.want.Reason}, []any{d.Last, d.Next, d.Stop, d.Reason}, name)
	}
}
