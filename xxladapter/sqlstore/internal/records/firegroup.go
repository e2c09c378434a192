package records

import (
	"cmp"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// FireRows are the rows that a group of fire calls is about. REQUIRES: nobody
// else can change them; a lease may end.
type FireRows struct {
	Holds map[xxladapter.Term]bool
	Now   int64                     // by the server's clock, ms; set if any term holds
	Fires map[int64]xxladapter.Fire // by id
	Logs  map[int64]LogState        // by id
}

// NewFireRows returns rows with room for those of a group.
func NewFireRows(group []*FireCall) FireRows {
	return FireRows{
		Holds: map[xxladapter.Term]bool{}, Fires: make(map[int64]xxladapter.Fire, len(group)), Logs: make(map[int64]LogState, len(group)),
	}
}

// FireWork is what is to be written for a group of fire calls, in the order of the fields.
type FireWork struct {
	Claims             []*FireCall // each with a log row of its own
	Ambiguous, Removed []int64     // fires; some may be in both, and are removed
	Triggered, Handled []*FireCall // those whose Log is to be written, by its columns
	Moved              Changes
}

// DecideFires answers the calls of a group by the rule of package transition, but for the ids of
// new log rows, and returns the work that makes the answers true. Claims come first, then
// settlements, then results; each finds the rows as those before have left them. It changes rows.
func (s *Store) DecideFires(group []*FireCall, rows FireRows) FireWork {
	work := FireWork{Moved: Changes{}}
	ofLog := make(map[int64]int64, len(rows.Fires))
	for id, f := range rows.Fires {
		if f.LogID != 0 {
			ofLog[f.LogID] = id
		}
	}
	for _, c := range slices.SortedStableFunc(slices.Values(group), ByKind) {
		if c.Finish != nil {
			c.FireID = ofLog[c.LogID]
		}
		if c.Claim != nil {
			s.decideClaim(c, rows, &work)
		} else {
			s.decideEnd(c, rows, &work)
		}
	}
	return work
}

// ByKind is the order in which the calls of a group count.
func ByKind(a, b *FireCall) int {
	kind := func(c *FireCall) int {
		switch {
		case c.Claim != nil:
			return 0
		case c.Settle != nil:
			return 1
		}
		return 2
	}
	return cmp.Compare(kind(a), kind(b))
}

func (r FireRows) of(c *FireCall) transition.Rows {
	found := transition.Rows{Holds: r.Holds[c.By]}
	if f, open := r.Fires[c.FireID]; open {
		found.Fire = &f
	}
	if l, known := r.Logs[c.LogID]; known {
		found.Log = &l.LogState
	}
	return found
}

func (s *Store) decideClaim(c *FireCall, rows FireRows, work *FireWork) {
	claimed, err := transition.Claim(rows.of(c), c.By, c.FireID, 1, fromMilli(rows.Now))
	if c.Err = err; err != nil {
		return
	}
	if claimed[0].Type.Ordered() {
		c.Err = ErrAlone // its order is to be told, which only few fires have
		return
	}
	c.Claimed = claimed[0]
	rows.Fires[c.FireID] = c.Claimed
	work.Claims = append(work.Claims, c)
	s.AddOutcome(work.Moved, c.Claim.TriggerTime, c.Claim.Outcome(), 1)
}

// decideEnd decides about a settlement or a result. REQUIRES: nothing follows from it.
func (s *Store) decideEnd(c *FireCall, rows FireRows, work *FireWork) {
	var change transition.Change
	if c.Settle != nil {
		change, c.Err = transition.Settle(rows.of(c), c.By, *c.Settle)
	} else {
		change, c.Err = transition.Finish(rows.of(c), *c.Finish, s.Clock())
	}
	if c.Err != nil {
		return
	}
	switch fire := rows.Fires[c.FireID]; change.Fire {
	case transition.DoubtFire:
		fire.State = xxladapter.FireAmbiguous
		rows.Fires[c.FireID] = fire
		work.Ambiguous = append(work.Ambiguous, c.FireID)
	case transition.RemoveFire:
		delete(rows.Fires, c.FireID)
		work.Removed = append(work.Removed, c.FireID)
	}
	c.Log, c.WantText = change.Log, change.WantText
	switch change.Log.Columns {
	case transition.TriggerColumns:
		work.Triggered = append(work.Triggered, c)
	case transition.HandleColumns:
		work.Handled = append(work.Handled, c)
		c.Applied = true
	case transition.NoColumns:
		return
	}
	l := rows.Logs[c.LogID]
	s.MoveOutcome(work.Moved, l.Triggered, change.Log)
	l.LogState = change.Log.After
	rows.Logs[c.LogID] = l
}
