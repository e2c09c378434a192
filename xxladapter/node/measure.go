package node

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// measure returns opts with the metrics hooked into its listeners, and with a store whose calls are
// timed.
func measure(opts Options) Options {
	m := opts.Metrics
	opts.Store = m.Store(opts.Store)
	opts.onCallback = m.Callback
	for _, channel := range opts.Alarms {
		m.AlarmChannel(channel.Name(), alarm.ResultSent, alarm.ResultFailed, alarm.ResultSkipped)
	}
	onEvent, onMisfire, onAlarm := opts.OnEvent, opts.OnMisfire, opts.OnAlarm
	opts.OnEvent = func(e trigger.Event) {
		m.Event(e)
		if onEvent != nil {
			onEvent(e)
		}
	}
	opts.OnMisfire = func(x xxladapter.Misfire) {
		m.Misfire(x)
		if onMisfire != nil {
			onMisfire(x)
		}
	}
	opts.OnAlarm = func(channel, result string) {
		m.Alarm(channel, result)
		if onAlarm != nil {
			onAlarm(channel, result)
		}
	}
	return opts
}
