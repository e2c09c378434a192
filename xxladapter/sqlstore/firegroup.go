package sqlstore

import (
	"cmp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// fireRows are the rows that a group of fire calls is about. REQUIRES: nobody
// else can change them; a lease may end.
type fireRows struct {
	holds map[xxladapter.Term]bool
	now   int64                     // by the server's clock, ms; set if any term holds
	fires map[int64]xxladapter.Fire // by id
	ofLog map[int64]int64           // the id of the open fire of a log row
	logs  map[int64]logState        // by id
}

// fireWork is what a group of fire calls does to the rows.
type fireWork struct {
	claims             []*fireCall // each with a log row of its own
	ambiguous, removed []int64     // fires; some may be in both, and are removed
	triggered, handled []*fireCall // settlements and results for log rows
	moved              changes
}

// A fireGroup decides about calls one after the other.
type fireGroup struct {
	store *Store // for its days
	now   time.Time
	rows  fireRows // as the calls before have left them
	work  fireWork
}

// decideFires answers the calls of a group, but for the ids of new log rows, and
// returns the work that makes the answers true. Claims come first, then
// settlements, then results. It changes rows.
func (s *Store) decideFires(group []*fireCall, rows fireRows, now time.Time) fireWork {
	g := fireGroup{store: s, now: now, rows: rows, work: fireWork{moved: changes{}}}
	for _, c := range slices.SortedStableFunc(slices.Values(group), byKind) {
		c.err, c.claimed, c.applied = nil, xxladapter.Fire{}, false
		switch {
		case c.finish != nil:
			c.err = g.finish(c)
		case !rows.holds[c.by]:
			c.err = fenced(c.by)
		case c.claim != nil:
			c.err = g.claim(c)
		default:
			c.err = g.settle(c)
		}
	}
	return g.work
}

func byKind(a, b *fireCall) int {
	kind := func(c *fireCall) int {
		switch {
		case c.claim != nil:
			return 0
		case c.settle != nil:
			return 1
		}
		return 2
	}
	return cmp.Compare(kind(a), kind(b))
}

func (g *fireGroup) claim(c *fireCall) error {
	fire := g.rows.fires[c.fireID]
	if fire.State != xxladapter.FirePlanned {
		return notPlanned(c.fireID)
	}
	if g.rows.now < toMilli(fire.Due) {
		return tooEarly(fire, g.rows.now)
	}
	if fire.Type.Ordered() {
		return errAlone // its order is to be told, which only few fires have
	}
	fire.State, fire.Owner, fire.Claimed = xxladapter.FireClaimed, c.by, fromMilli(toMilli(g.now))
	fire.ShardTotal = max(fire.ShardTotal, 1)
	g.rows.fires[c.fireID], c.claimed = fire, fire
	g.work.claims = append(g.work.claims, c)
	g.store.add(g.work.moved, c.claim.TriggerTime, c.claim.Outcome(), 1)
	return nil
}

func (g *fireGroup) settle(c *fireCall) error {
	fire, open := g.rows.fires[c.fireID]
	planned := fire.State == xxladapter.FirePlanned
	owned := !planned && fire.Owner == c.by
	switch ambiguous := c.settle.State == xxladapter.FireAmbiguous; {
	case !open: // only the log row is left to do
	case ambiguous && owned:
		g.work.ambiguous = append(g.work.ambiguous, c.fireID)
	case !ambiguous && (owned || planned):
		g.work.removed = append(g.work.removed, c.fireID)
		delete(g.rows.fires, c.fireID)
	default:
		return notOwned(c.fireID, c.by)
	}
	if before, found := g.rows.logs[c.logID]; found && c.settle.Code != xxladapter.ResultNone {
		after := before
		after.triggerCode = c.settle.Code
		g.work.triggered = append(g.work.triggered, c)
		g.move(c.logID, before, after)
	}
	return nil
}

func (g *fireGroup) finish(c *fireCall) error {
	before, found := g.rows.logs[c.logID]
	if !found {
		return noLog(c.logID)
	}
	if fire := g.rows.ofLog[c.logID]; fire != 0 {
		g.work.removed = append(g.work.removed, fire)
	}
	if c.applied = before.handleCode == xxladapter.ResultNone; c.applied {
		after := before
		after.handleCode = c.finish.Code
		g.work.handled = append(g.work.handled, c)
		g.move(c.logID, before, after)
	}
	return nil
}

func (g *fireGroup) move(logID int64, before, after logState) {
	g.rows.logs[logID] = after
	g.store.move(g.work.moved, before, after)
}
