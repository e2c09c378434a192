package records

import (
	"cmp"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// An About names the rows that a batch of fire calls is about.
type About struct {
	Terms map[xxladapter.Term]bool // of claims and settlements
	Fires []int64                  // ids of claims and settlements
	Ended []int64                  // log ids of results and of accepted runs, to find their fires by
	Logs  []int64                  // log ids of settlements, results and accepted runs
}

// AboutOf collects what the calls of a batch are about. A result whose settlement is in the batch
// adds nothing: the settlement names the same rows.
func AboutOf(batch []*FireCall) About {
	a := About{Terms: map[xxladapter.Term]bool{}}
	for _, c := range batch {
		switch {
		case c.follows():
			continue
		case c.Finish == nil && c.Accept == nil:
			a.Terms[c.By] = true
			a.Fires = append(a.Fires, c.FireID)
		default:
			a.Ended = append(a.Ended, c.LogID)
		}
		if c.LogID != 0 {
			a.Logs = append(a.Logs, c.LogID)
		}
	}
	return a
}

// FireRows are the rows that a batch of fire calls is about.
//
// REQUIRES: the rows are locked, except for the leases, which may end meanwhile.
type FireRows struct {
	Holds map[xxladapter.Term]bool
	Now   int64                     // the store's clock in ms; may be 0 if no term holds
	Fires map[int64]xxladapter.Fire // by id
	Logs  map[int64]LogState        // by id
}

// NewFireRows returns empty rows with room for those of batch.
func NewFireRows(batch []*FireCall) FireRows {
	return FireRows{
		Holds: map[xxladapter.Term]bool{}, Fires: make(map[int64]xxladapter.Fire, len(batch)),
		Logs: make(map[int64]LogState, len(batch)),
	}
}

// FireWork is what is to be written for a batch of fire calls.
type FireWork struct {
	Claims             []*FireCall // each with a log row of its own
	Ambiguous, Removed []int64     // ids of fires; one that is in both is removed
	Triggered, Handled []*FireCall // calls whose Log is to be written, by the columns it sets
	Accepted           []*FireCall // accepted runs, whose Log is to be written with its address
	Together           []*FireCall // results whose Log is to be written with the message of Settled
	Runs               RunWork
	Moved              figures.Changes // of the daily figures
}

// DecideFires answers the calls of a batch by the rule of package transition and returns what is to
// be written for them. Claims come first, then settlements, then accepted runs, then results; each
// call sees the rows as the calls before it left them. DecideFires changes rows. The ids of new log
// rows are still missing in the answers.
func (s *Store) DecideFires(batch []*FireCall, rows FireRows) FireWork {
	work := FireWork{Moved: figures.Changes{}}
	ofLog := make(map[int64]int64, len(rows.Fires))
	for id, f := range rows.Fires {
		if f.LogID != 0 {
			ofLog[f.LogID] = id
		}
	}
	for _, c := range slices.SortedStableFunc(slices.Values(batch), ByKind) {
		if c.Finish != nil || c.Accept != nil {
			c.FireID = ofLog[c.LogID]
		}
		if c.Claim != nil {
			s.decideClaim(c, rows, &work)
		} else {
			s.decideEnd(c, rows, &work)
		}
	}
	work.join()
	return work
}

// join has a settlement and the result of the same run written together.
func (w *FireWork) join() {
	settled := make(map[int64]*FireCall, len(w.Triggered))
	for _, c := range w.Triggered {
		settled[c.LogID] = c
	}
	var handled []*FireCall
	for _, c := range w.Handled {
		if c.Settled = settled[c.LogID]; c.Settled == nil {
			handled = append(handled, c)
			continue
		}
		w.Together = append(w.Together, c)
		delete(settled, c.LogID)
	}
	if len(w.Together) == 0 {
		return
	}
	w.Handled = handled
	w.Triggered = slices.DeleteFunc(w.Triggered, func(c *FireCall) bool { return settled[c.LogID] == nil })
}

// ByKind orders the calls of a batch: claims, settlements, accepted runs, results.
func ByKind(a, b *FireCall) int {
	kind := func(c *FireCall) int {
		switch {
		case c.Claim != nil:
			return 0
		case c.Settle != nil:
			return 1
		case c.Accept != nil:
			return 2
		}
		return 3
	}
	return cmp.Compare(kind(a), kind(b))
}

// of returns the rows that c is about.
func (r FireRows) of(c *FireCall) transition.Rows {
	found := transition.Rows{Holds: r.Holds[c.By]}
	if f, open := r.Fires[c.FireID]; open {
		found.Fire = &f
	}
	if l, known := r.Logs[c.LogID]; known {
		found.Log, found.Address = &l.LogState, l.Address
	}
	return found
}

// decideClaim decides a claim of one fire.
func (s *Store) decideClaim(c *FireCall, rows FireRows, work *FireWork) {
	claimed, err := transition.Claim(rows.of(c), c.By, c.FireID, 1, database.FromMilli(rows.Now))
	if c.Err = err; err != nil {
		return
	}
	if claimed[0].Type.Ordered() {
		c.Err = ErrAlone // the order gets the log ids too, which batches do not write
		return
	}
	c.Claimed = claimed[0]
	rows.Fires[c.FireID] = c.Claimed
	work.Claims = append(work.Claims, c)
	s.AddStatus(work.Moved, c.Claim.TriggerTime, c.Claim.Status(), 1)
}

// decideEnd decides a settlement, an accepted run or a result.
//
// REQUIRES: the call has no Next and no Resume.
func (s *Store) decideEnd(c *FireCall, rows FireRows, work *FireWork) {
	var change transition.Change
	switch {
	case c.Settle != nil:
		change, c.Err = transition.Settle(rows.of(c), c.By, *c.Settle)
	case c.Accept != nil:
		change, c.MayBegin = transition.Accept(rows.of(c), *c.Accept, s.Clock()) // no change if it may not
	default:
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
	work.Runs.add(change.Run)
	c.Log, c.WantText = change.Log, change.WantText
	switch change.Log.Columns {
	case transition.TriggerColumns:
		work.Triggered = append(work.Triggered, c)
	case transition.AcceptColumns:
		work.Accepted = append(work.Accepted, c)
	case transition.HandleColumns:
		work.Handled = append(work.Handled, c)
		c.Applied = true
	case transition.NoColumns:
		return
	}
	l := rows.Logs[c.LogID]
	s.MoveStatus(work.Moved, l.Triggered, change.Log)
	l.LogState = change.Log.After
	if change.Log.Columns == transition.AcceptColumns {
		l.Address = change.Log.Address
	}
	rows.Logs[c.LogID] = l
}

// RunWork is what is to be written to the histories of runs, at most once for each run.
type RunWork struct {
	Recorded, Extended []*xxladapter.RunHistory
	of                 map[int64]*xxladapter.RunHistory // both, by log id
}

// add adds a change. One that follows another of the same run becomes a part of it.
func (w *RunWork) add(c transition.RunChange) {
	if c.Kind == transition.KeepRun {
		return
	}
	if before := w.of[c.History.LogID]; before != nil {
		*before = *c.Add(before)
		return
	}
	if w.of == nil {
		w.of = map[int64]*xxladapter.RunHistory{}
	}
	w.of[c.History.LogID] = &c.History
	if c.Kind == transition.RecordRun {
		w.Recorded = append(w.Recorded, &c.History)
	} else {
		w.Extended = append(w.Extended, &c.History)
	}
}
