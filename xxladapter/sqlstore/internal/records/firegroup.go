package records

import (
	"cmp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// FireRows are the rows that a group of fire calls is about. REQUIRES: nobody
// else can change them; a lease may end.
type FireRows struct {
	Holds map[xxladapter.Term]bool
	Now   int64                     // by the server's clock, ms; set if any term holds
	Fires map[int64]xxladapter.Fire // by id
	OfLog map[int64]int64           // the id of the open fire of a log row
	Logs  map[int64]LogState        // by id
}

// FireWork is what a group of fire calls does to the rows.
type FireWork struct {
	Claims             []*FireCall // each with a log row of its own
	Ambiguous, Removed []int64     // fires; some may be in both, and are removed
	Triggered, Handled []*FireCall // settlements and results for log rows
	Moved              Changes
}

// A fireGroup decides about calls one after the other.
type fireGroup struct {
	store *Store // for its days
	now   time.Time
	rows  FireRows // as the calls before have left them
	work  FireWork
}

// DecideFires answers the calls of a group, but for the ids of new log rows, and
// returns the work that makes the answers true. Claims come first, then
// settlements, then results. It changes rows.
func (s *Store) DecideFires(group []*FireCall, rows FireRows, now time.Time) FireWork {
	g := fireGroup{store: s, now: now, rows: rows, work: FireWork{Moved: Changes{}}}
	for _, c := range slices.SortedStableFunc(slices.Values(group), ByKind) {
		c.Err, c.Claimed, c.Applied = nil, xxladapter.Fire{}, false
		switch {
		case c.Finish != nil:
			c.Err = g.finish(c)
		case !rows.Holds[c.By]:
			c.Err = Fenced(c.By)
		case c.Claim != nil:
			c.Err = g.claim(c)
		default:
			c.Err = g.settle(c)
		}
	}
	return g.work
}

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

func (g *fireGroup) claim(c *FireCall) error {
	fire := g.rows.Fires[c.FireID]
	if fire.State != xxladapter.FirePlanned {
		return notPlanned(c.FireID)
	}
	if g.rows.Now < ToMilli(fire.Due) {
		return TooEarly(fire, g.rows.Now)
	}
	if fire.Type.Ordered() {
		return ErrAlone // its order is to be told, which only few fires have
	}
	fire.State, fire.Owner, fire.Claimed = xxladapter.FireClaimed, c.By, fromMilli(ToMilli(g.now))
	fire.ShardTotal = max(fire.ShardTotal, 1)
	g.rows.Fires[c.FireID], c.Claimed = fire, fire
	g.work.Claims = append(g.work.Claims, c)
	g.store.AddOutcome(g.work.Moved, c.Claim.TriggerTime, c.Claim.Outcome(), 1)
	return nil
}

func (g *fireGroup) settle(c *FireCall) error {
	fire, open := g.rows.Fires[c.FireID]
	planned := fire.State == xxladapter.FirePlanned
	owned := !planned && fire.Owner == c.By
	switch ambiguous := c.Settle.State == xxladapter.FireAmbiguous; {
	case !open: // only the log row is left to do
	case ambiguous && owned:
		g.work.Ambiguous = append(g.work.Ambiguous, c.FireID)
	case !ambiguous && (owned || planned):
		g.work.Removed = append(g.work.Removed, c.FireID)
		delete(g.rows.Fires, c.FireID)
	default:
		return NotOwned(c.FireID, c.By)
	}
	if before, found := g.rows.Logs[c.LogID]; found && c.Settle.Code != xxladapter.ResultNone {
		after := before
		after.TriggerCode = c.Settle.Code
		g.work.Triggered = append(g.work.Triggered, c)
		g.move(c.LogID, before, after)
	}
	return nil
}

func (g *fireGroup) finish(c *FireCall) error {
	before, found := g.rows.Logs[c.LogID]
	if !found {
		return NoLog(c.LogID)
	}
	if fire := g.rows.OfLog[c.LogID]; fire != 0 {
		g.work.Removed = append(g.work.Removed, fire)
	}
	if c.Applied = before.HandleCode == xxladapter.ResultNone; c.Applied {
		after := before
		after.HandleCode = c.Finish.Code
		g.work.Handled = append(g.work.Handled, c)
		g.move(c.LogID, before, after)
	}
	return nil
}

func (g *fireGroup) move(logID int64, before, after LogState) {
	g.rows.Logs[logID] = after
	g.store.MoveOutcome(g.work.Moved, before, after)
}
