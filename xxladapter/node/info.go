package node

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// info returns what the API says of this process, with the defaults of options that are not set.
func (n *Node) info() admin.Info {
	o := &n.opts
	is := admin.Info{
		Version: o.Version, Revision: o.Revision, Go: runtime.Version(), Node: n.name,
		Metrics: o.Metrics != nil, Console: o.Console != nil,
		KeepLogs: max(o.KeepLogs, 0), KeepSuccesses: cmp.Or(o.KeepSuccesses, maintenance.SuccessAge),
		KeepAudit: max(o.KeepAudit, 0), KeepStats: max(o.KeepStats, 0),
		RunTexts: cmp.Or(o.RunTexts, xxladapter.TextsFailures),
		FastPool: cmp.Or(o.FastPool, trigger.DefaultFast), SlowPool: cmp.Or(o.SlowPool, trigger.DefaultSlow),
		PoolPerApp: o.PoolPerApp,
		Drain:      cmp.Or(o.Drain, trigger.DefaultDrain), SkewLimit: cmp.Or(o.SkewLimit, scheduler.DefaultSkewLimit),
	}
	for _, channel := range o.Alarms {
		is.Alarms = append(is.Alarms, channel.Name())
	}
	return is
}

// testAlarms returns the function that sends a test alarm through each channel; nil if there are no
// channels.
func (n *Node) testAlarms() func(context.Context, []string) admin.AlarmTest {
	if len(n.opts.Alarms) == 0 {
		return nil
	}
	return func(ctx context.Context, emails []string) admin.AlarmTest {
		id, outcomes := alarm.Try(ctx, n.opts.Alarms, n.name, emails, n.opts.Logger)
		test := admin.AlarmTest{Alarm: id}
		for _, o := range outcomes {
			d := admin.AlarmDelivery{Channel: o.Channel, Result: admin.AlarmResultSent, Took: o.Took.Milliseconds()}
			if o.Err != nil {
				d.Result, d.Error = admin.AlarmResultFailed, o.Err.Error()
			}
			if errors.Is(o.Err, alarm.ErrNobody) {
				d.Result, d.Error = admin.AlarmResultSkipped, "nobody is to receive it"
			}
			test.Channels = append(test.Channels, d)
		}
		return test
	}
}
