// Package alarms has the flags that describe the channels through which failed runs are reported,
// for serve, and the commands that test these channels.
package alarms

import (
	"errors"
	"os"

	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// Cmd groups the commands that concern alarms.
type Cmd struct {
	Test testCmd `cmd:"" help:"Send a test alarm through every channel and say what happened."`

	Probe probeCmd `cmd:"" help:"Let a running scheduler send a test alarm through its own channels."`
}

type testCmd struct {
	To    []string `placeholder:"ADDRESS" help:"Receivers of the test mail."`
	Alarm Flags    `embed:"" prefix:"alarm-"`
}

var errAlarmsFailed = errors.New("not every channel took the test alarm")

func (c *testCmd) Run(inv *command.Invocation) error {
	channels, err := c.Alarm.Channels()
	if err != nil {
		return err
	}
	if len(channels) == 0 {
		return command.Usagef("no channel is given, must be at least one of --alarm-smtp, --alarm-webhook, --alarm-dingtalk, --alarm-feishu, --alarm-wecom, --alarm-slack")
	}
	host, hostErr := os.Hostname()
	if hostErr != nil {
		host = "unknown"
	}
	_, outcomes := alarm.Try(inv.Context, channels, host, c.To, nil)
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
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	return err
}
