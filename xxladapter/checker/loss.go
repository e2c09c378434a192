package checker

import (
	"cmp"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// This file says what a loss of the scheduler's store excuses.

// rowInDoubt reports whether the row of a run may be missing: the store has recorded that it no
// longer knows whether the due time has fired.
func (c *check) rowInDoubt(r *Run) bool {
	lo, _ := slices.BinarySearchFunc(
		c.history.Misfires, r.Job, func(m Misfire, job int64) int { return cmp.Compare(m.Job, job) },
	)
	hi, _ := slices.BinarySearchFunc(
		c.history.Misfires, r.Job+1, func(m Misfire, job int64) int { return cmp.Compare(m.Job, job) },
	)
	m := covering(c.history.Misfires[lo:hi], r.Due)
	return r.Due != 0 && m != nil && m.Strategy == xxladapter.MisfireStoreLost
}

// resultInDoubt reports whether the result of a run may be missing: it may have been stored in the
// time of a loss, between the end of the run and its acknowledgement, or its row is in doubt.
func (c *check) resultInDoubt(r *Run) bool {
	stored := r.End.Add(c.opts.Grace)
	if acks := within(c.history.Acks, r.Log, func(a *Ack) int64 { return a.Log }); len(acks) > 0 {
		stored = acks[len(acks)-1].At
	}
	return slices.ContainsFunc(c.history.Losses, func(l Loss) bool {
		return l.Since <= stored && r.End <= l.Until
	}) || c.rowInDoubt(r)
}
