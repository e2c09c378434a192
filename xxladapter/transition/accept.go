package transition

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Accept gives a run that waits in a queue to the executor that asks for it, and reports whether
// the run may begin. An open fire is settled as sent; the log row gets the address. Without a fire
// the run may begin if this address has it already: then the answer to an earlier request was lost.
// now is the store's clock. A run that waits for the executors of one app, or for one executor, is
// given to nobody else.
//
// A request with Held gets no run that waits. It gets one whose fire is ambiguous: the store may
// have lost that the run was given, so that the run may have begun.
//
// Accept reads the fields Fire, Log and Address of r. Fire is the fire of the log row.
func Accept(r Rows, a xxladapter.Accept, now time.Time) (c Change, mayBegin bool) {
	switch {
	case r.Log == nil || r.Log.HandleCode != xxladapter.ResultNone:
		return Change{}, false
	case r.Fire == nil || r.Fire.State == xxladapter.FirePlanned:
		return Change{}, r.Log.TriggerCode == xxladapter.ResultOK && r.Address == a.Address
	case !waitsFor(r.Address, a.Address), a.Held && r.Fire.State != xxladapter.FireAmbiguous:
		return Change{}, false
	}
	c.Fire = RemoveFire
	c.Log = triggered(*r.Log, xxladapter.ResultOK, "taken from the queue by "+a.Address)
	c.Log.Columns, c.Log.Address = AcceptColumns, a.Address
	c.Run = runChange(r.Fire, xxladapter.RunHistory{LogID: a.LogID, Acknowledged: milli(now)})
	return c, true
}

// waitsFor reports whether a run whose log row has the given queue address may go to the executor
// at the other queue address: it waits for the app of the executor, or for that executor alone.
func waitsFor(address, executor string) bool {
	to, queued := xxladapter.ParseQueueAddress(address)
	at, single := xxladapter.ParseQueueAddress(executor)
	return queued && single && to.App == at.App && (to.Instance == "" || to.Instance == at.Instance)
}
