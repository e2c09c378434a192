package scheduler

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A kept is a fire in as little memory as it needs: an ordinary fire of a schedule, of which there
// are tens of thousands, differs from others by these fields alone.
type kept struct {
	id, job, group int64
	due            time.Time
	whole          *xxladapter.Fire // nil for an ordinary one
}

func keep(f xxladapter.Fire) kept {
	k := kept{id: f.ID, job: f.JobID, group: f.GroupID, due: f.Due}
	ordinary := f.Type == xxladapter.TriggerCron && f.State == xxladapter.FirePlanned &&
		f.ShardIndex == 0 && f.ShardTotal == 0 && f.RetryCount == -1 && f.Param == nil && f.Addresses == nil &&
		f.Attempt == 0 && f.Parent == 0 && f.Owner == (xxladapter.Term{}) && f.LogID == 0 && f.Claimed.IsZero()
	if !ordinary {
		whole := f // allocated here, so that ordinary ones are not
		k.whole = &whole
	}
	return k
}

// fire returns the fire that was kept.
func (k *kept) fire() xxladapter.Fire {
	if k.whole != nil {
		return *k.whole
	}
	return xxladapter.Fire{
		ID: k.id, JobID: k.job, GroupID: k.group, Due: k.due,
		Type: xxladapter.TriggerCron, State: xxladapter.FirePlanned, RetryCount: -1,
	}
}
