package why

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Tick is one due time of a schedule, and what became of it.
type Tick struct {
	Due time.Time
	// Fate says what became of it.
	Fate Fate
}

// A Fate is what became of a due time.
type Fate string

const (
	FateFired    Fate = "FIRED"    // it has a run
	FateOpen     Fate = "OPEN"     // its fire waits
	FateMisfire  Fate = "MISFIRE"  // it was found too late, or the store has lost what became of it
	FatePaused   Fate = "PAUSED"   // it lay in a pause, or will
	FateExcluded Fate = "EXCLUDED" // it fell on a day without work, or will
	FateComing   Fate = "COMING"   // it is in the future
	FateNothing  Fate = "NOTHING"  // nothing is stored about it
)

// Values lists all fates.
func (Fate) Values() []Fate {
	return []Fate{FateFired, FateOpen, FateMisfire, FatePaused, FateExcluded, FateComing, FateNothing}
}

var fateOf = map[xxladapter.MisfireKind]Fate{
	xxladapter.MisfireLate: FateMisfire, xxladapter.MisfireLost: FateMisfire,
	xxladapter.MisfirePaused: FatePaused, xxladapter.MisfireExcluded: FateExcluded,
}

// Coming sets the fate of the future due times that a known pause or calendar will suppress.
func Coming(ticks []Tick, r *xxladapter.Restrictions, j *xxladapter.Job, zone *time.Location) {
	for i := range ticks {
		if ticks[i].Fate != FateComing {
			continue
		}
		if k, suppressed := r.Suppression(j, ticks[i].Due, zone); suppressed && k.Pause != nil {
			ticks[i].Fate = FatePaused
		} else if suppressed {
			ticks[i].Fate = FateExcluded
		}
	}
}

// Fates returns what became of each due time, in time proportional to the lengths of the lists.
//
// REQUIRES: due and misfires are in ascending order.
func Fates(
	due []time.Time, runs []xxladapter.DueRun, open []xxladapter.Fire, misfires []xxladapter.Misfire, now time.Time,
) []Tick {
	fired, waits := make(map[int64]bool, len(runs)), map[int64]bool{}
	for i := range runs {
		fired[runs[i].Due.UnixMilli()] = true
	}
	for i := range open {
		waits[open[i].Due.UnixMilli()] = true
	}
	ticks := make([]Tick, len(due))
	for i, at := range due {
		ms := at.UnixMilli()
		for len(misfires) > 0 && misfires[0].Until.Before(at) {
			misfires = misfires[1:]
		}
		fate := FateNothing
		switch {
		case fired[ms]:
			fate = FateFired
		case waits[ms]:
			fate = FateOpen
		case len(misfires) > 0 && !misfires[0].Due.After(at):
			fate = fateOf[misfires[0].Kind()]
		case at.After(now):
			fate = FateComing
		}
		ticks[i] = Tick{at, fate}
	}
	return ticks
}
