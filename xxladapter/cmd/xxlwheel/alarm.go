package main

import (
	"errors"
	"os"

	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
)

// alarmCmd groups the commands that concern alarms.
type alarmCmd struct {
	Test alarmTestCmd `cmd:"" help:"Send a test alarm through every channel and say what happened."`

	Probe alarmProbeCmd `cmd:"" help:"Let a running scheduler send a test alarm through its own channels."`
}

type alarmTestCmd struct {
	To    []string   `placeholder:"ADDRESS" help:"Receivers of the test mail."`
	Alarm alarmFlags `embed:"" prefix:"alarm-"`
}

var errAlarmsFailed = errors.New("not every channel took the test alarm")

func (c *alarmTestCmd) Run(inv *invocation) error {
	channels, err := c.Alarm.channels()
	if err != nil {
		return err
	}
	if len(channels) == 0 {
		return usagef("no channel is given, must be at least one of --alarm-smtp, --alarm-webhook, --alarm-dingtalk, --alarm-feishu, --alarm-wecom, --alarm-slack")
	}
	host, hostErr := os.Hostname()
	if hostErr != nil {
		host = "unknown"
	}
	_, outcomes := alarm.Try(inv.ctx, channels, host, c.To)
	var rows [][]string
	for _, o := range outcomes {
		said := "sent"
		switch {
		case errors.Is(o.Err, alarm.ErrNobody):
			said = "failed: no receiver; give --to or --alarm-mail-to"
		case o.Err != nil:
			said = "failed: " + o.Err.Error()
		}
		rows = append(rows, []string{o.Channel, said})
		if o.Err != nil {
			err = errAlarmsFailed
		}
	}
	t := table{out: inv.stdout}
	t.print(rows)
	return err
}
