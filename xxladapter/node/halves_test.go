package node

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// The compiler holds these packages to one half of the store. A store that only schedules is enough
// for those that fire jobs and follow their runs.
var (
	_ scheduler.Store = xxladapter.SchedulingStore(nil)
	_ trigger.Store   = xxladapter.SchedulingStore(nil)
	_ leaseLister     = xxladapter.SchedulingStore(nil)

	_ maintenance.LostStore     = xxladapter.SchedulingStore(nil)
	_ maintenance.RegistryStore = xxladapter.SchedulingStore(nil)
	_ maintenance.StuckStore    = xxladapter.SchedulingStore(nil)
	_ maintenance.WaitingStore  = xxladapter.SchedulingStore(nil)

	_ accounts.Store          = xxladapter.ManagementStore(nil)
	_ maintenance.ReportStore = xxladapter.ManagementStore(nil)
	_ maintenance.StatStore   = xxladapter.ManagementStore(nil)
)
