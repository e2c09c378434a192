package journaled

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestDueTimesInDoubtAreLost checks what becomes of decisions about due times that may have been
// sent before the log was lost, also after an outage that is longer than the misfire window.
func TestDueTimesInDoubtAreLost(t *testing.T) {
	begin := time.UnixMilli(1_700_000_000_000).UTC()
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	fire := func(due int, by xxladapter.TriggerType) xxladapter.Fire {
		return xxladapter.Fire{JobID: 7, Due: at(due), Type: by}
	}
	span := func(due, until int, by xxladapter.MisfireStrategy) xxladapter.Misfire {
		return xxladapter.Misfire{JobID: 7, Due: at(due), Until: at(until), Strategy: by, At: at(90)}
	}
	paused := span(20, 29, xxladapter.MisfireDoNothing)
	paused.PauseID = 3
	const lost, once, nothing = xxladapter.MisfireStoreLost, xxladapter.MisfireFireOnceNow, xxladapter.MisfireDoNothing
	type (
		fires = []xxladapter.Fire
		spans = []xxladapter.Misfire
	)
	for name, c := range map[string]struct {
		doubt     int
		fires     fires
		misfires  spans
		wantFires fires
		want      spans
	}{
		"within the window": {
			60, fires{fire(59, xxladapter.TriggerCron), fire(60, xxladapter.TriggerCron), fire(61, xxladapter.TriggerCron)}, nil,
			fires{fire(61, xxladapter.TriggerCron)}, spans{span(59, 59, lost), span(60, 60, lost)},
		},
		"found too late":            {60, nil, spans{span(10, 60, nothing)}, nil, spans{span(10, 60, lost)}},
		"found too late, fires one": {60, fires{fire(10, xxladapter.TriggerMisfire)}, spans{span(10, 60, once)}, nil, spans{span(10, 60, lost)}},
		"that one is due later":     {60, fires{fire(90, xxladapter.TriggerMisfire)}, spans{span(10, 60, once)}, nil, spans{span(10, 60, lost)}},
		"held back by a pause":      {60, nil, spans{span(10, 19, nothing), paused}, nil, spans{span(10, 19, lost), paused}},
		"the outage continued": {
			60, fires{fire(10, xxladapter.TriggerMisfire), fire(91, xxladapter.TriggerCron)}, spans{span(10, 80, once)},
			fires{fire(91, xxladapter.TriggerCron)}, spans{span(10, 80, once), span(10, 10, lost)},
		},
		"not in doubt": {
			9, fires{fire(10, xxladapter.TriggerMisfire)}, spans{span(10, 60, once)},
			fires{fire(10, xxladapter.TriggerMisfire)}, spans{span(10, 60, once)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			first := at(59)
			if len(c.misfires) > 0 {
				first = c.misfires[0].Due
			}
			job := &xxladapter.Job{ID: 7, TriggerNext: first}
			d := withoutDoubt(xxladapter.Decision{JobID: 7, Fires: c.fires, Misfires: c.misfires}, job, at(c.doubt), at(90))
			require.Equal(t, c.wantFires, d.Fires)
			require.Equal(t, c.want, d.Misfires)

			job.Settings.Ambiguous = xxladapter.AmbiguousResend
			d = xxladapter.Decision{JobID: 7, Fires: c.fires, Misfires: c.misfires}
			require.Equal(t, d, withoutDoubt(d, job, at(c.doubt), at(90)))
		})
	}
}
