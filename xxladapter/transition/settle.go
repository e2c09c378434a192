package transition

import (
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Settle stores the outcome of a hand-over: the fire is removed, or becomes ambiguous, and the log
// row gets its trigger columns. What follows is planned if this settlement removes the fire. Where
// the fire is gone, since a result came first or the settlement is repeated, only the log row and
// the run's history are written. The row is left alone if an executor has taken the run meanwhile
// and the settlement says otherwise: nothing that follows from it is planned, so the run's result
// has to.
//
// Settle reads the fields Holds, Fire and Log of r. The error is [xxladapter.ErrFenced] if the term
// is over, and [xxladapter.ErrConflict] if the fire belongs to another term, or is planned and
// would become ambiguous. A State other than empty and ambiguous is a bug of the caller.
func Settle(r Rows, by xxladapter.Term, s xxladapter.Settlement) (Change, error) {
	if s.State != "" && s.State != xxladapter.FireAmbiguous {
		return Change{}, fmt.Errorf(
			"fire %d is settled as %q, must be empty or %q", s.FireID, s.State, xxladapter.FireAmbiguous,
		)
	}
	if !r.Holds {
		return Change{}, Fenced(by)
	}
	var c Change
	if r.Fire != nil {
		planned := r.Fire.State == xxladapter.FirePlanned // and has no owner
		switch owned := !planned && r.Fire.Owner == by; {
		case s.State == "" && (owned || planned):
			c.Fire, c.Next, c.Resume = RemoveFire, following(s.Next, s.LogID, r.Fire.Attempt), s.Resume
		case s.State == xxladapter.FireAmbiguous && owned:
			c.Fire = DoubtFire
		default:
			return Change{}, xxladapter.Conflictf(errorrule.FireOwner, "fire %d is not owned by node %q in term %d",
				s.FireID, by.Node, by.Number)
		}
	}
	if r.Log != nil {
		c.Run = runChange(
			r.Fire, xxladapter.RunHistory{LogID: s.LogID, Sent: milli(s.Sent), Acknowledged: milli(s.Acknowledged)},
		)
	}
	taken := r.Fire == nil && r.Log != nil && *r.Log == LogState{TriggerCode: xxladapter.ResultOK}
	if r.Log != nil && s.Code != xxladapter.ResultNone && (!taken || s.Code == xxladapter.ResultOK) {
		c.Log = triggered(*r.Log, s.Code, s.Msg)
	}
	return c, nil
}

func triggered(before LogState, code int, msg string) LogChange {
	after := before
	after.TriggerCode = code
	return LogChange{
		Columns: TriggerColumns, Before: before, After: after,
		Msg: xxladapter.CutText(xxladapter.ValidText(msg), xxladapter.MaxRowText),
	}
}

// WriteOff stores code and msg as the outcome of a trigger that has none and will get none. A row
// that has an outcome, or whose fire is open, is not changed.
//
// WriteOff reads the fields Fire and Log of r.
func WriteOff(r Rows, code int, msg string) Change {
	if r.Fire != nil || r.Log == nil || *r.Log != (LogState{}) {
		return Change{}
	}
	return Change{Log: triggered(*r.Log, code, msg)}
}
