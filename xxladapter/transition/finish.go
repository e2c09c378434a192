package transition

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Finish stores the result of a run, whichever node received it. Only the first result is stored;
// the change has [HandleColumns] only then. Every result settles the fire as sent if it is still
// open. now becomes the handle time.
//
// The fires that follow a failed run are left out if the log row says that the hand-over failed,
// because the settlement of the hand-over has planned them.
//
// Finish reads the fields Fire and Log of r, and Attempt if there is no fire and a retry follows.
// Fire is the fire of the log row. The error is [xxladapter.ErrNotFound] if there is no log row. A
// result without a code is a bug of the caller.
func Finish(r Rows, res xxladapter.RunResult, now time.Time) (Change, error) {
	if res.Code == xxladapter.ResultNone {
		return Change{}, fmt.Errorf(
			"result of run %d has code %d, which means that there is no result", res.LogID, res.Code,
		)
	}
	if r.Log == nil {
		return Change{}, xxladapter.Absent("run", res.LogID)
	}
	var c Change
	if r.Fire != nil {
		c.Fire = RemoveFire
	}
	if r.Log.HandleCode != xxladapter.ResultNone {
		c.Run = runChange(r.Fire, xxladapter.RunHistory{LogID: res.LogID})
		return c, nil
	}
	after := *r.Log
	after.HandleCode = res.Code
	if after.TriggerCode == xxladapter.ResultNone {
		after.TriggerCode = xxladapter.ResultOK // there is a result, so the run was sent
	}
	c.Log = LogChange{
		Columns: HandleColumns, Before: *r.Log, After: after,
		Msg: xxladapter.FirstCharacters(xxladapter.ValidText(res.Msg), xxladapter.MaxHandleMsg),
		At:  now.Truncate(time.Second),
	}
	c.Run = runChange(r.Fire, xxladapter.RunHistory{LogID: res.LogID, Finished: milli(now)})
	if res.Code == xxladapter.ResultOK || !xxladapter.HandOverFailed(r.Log.TriggerCode) {
		attempt := r.Attempt
		if r.Fire != nil {
			attempt = r.Fire.Attempt
		}
		c.Next = following(res.Next, res.LogID, attempt)
	}
	c.Resume, c.WantText = res.Resume, res.WantText
	return c, nil
}
