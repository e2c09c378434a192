package node

import (
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// withAlarms returns the loop that handles failed runs. If there are channels, it also hooks the
// loop into opts.OnEvent.
func withAlarms(opts *Options, node string) (runner, error) {
	if len(opts.Alarms) == 0 {
		return &alarm.Closer{Store: opts.Store, Node: node, Logger: opts.Logger}, nil
	}
	m, err := alarm.NewMonitor(alarm.Options{
		Store: opts.Store, Channels: opts.Alarms, Node: node, OnAlarm: opts.OnAlarm, Logger: opts.Logger,
	})
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	opts.OnEvent = hintAlarms(m, opts.OnEvent)
	return m, nil
}

// hintAlarms returns a listener that notifies the monitor of what may matter to it and then calls
// next, if any.
func hintAlarms(m *alarm.Monitor, next func(trigger.Event)) func(trigger.Event) {
	return func(e trigger.Event) {
		switch {
		case e.Kind == trigger.EventFailed, e.Kind == trigger.EventResult && e.Code != xxladapter.ResultOK:
			m.Failed()
		case e.Kind == trigger.EventResult:
			m.Succeeded(e.JobID)
		}
		if next != nil {
			next(e)
		}
	}
}
