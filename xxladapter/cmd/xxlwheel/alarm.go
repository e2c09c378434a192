package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
)

// alarmCmd groups the commands that concern alarms.
type alarmCmd struct {
	Test alarmTestCmd `cmd:"" help:"Send a test alarm through every channel and say what happened."`
}

type alarmTestCmd struct {
	To    []string   `placeholder:"ADDRESS" help:"Receivers of the test mail."`
	Alarm alarmFlags `embed:"" prefix:"alarm-"`
}

// testLimit limits one channel's attempt to send, including its retries.
const testLimit = 40 * time.Second

var errAlarmsFailed = errors.New("not every channel took the test alarm")

func (c *alarmTestCmd) Run(inv *invocation) error {
	channels, err := c.Alarm.channels()
	if err != nil {
		return err
	}
	if len(channels) == 0 {
		return usagef("no channel is given, must be at least one of --alarm-smtp, --alarm-webhook, --alarm-dingtalk, --alarm-feishu, --alarm-wecom, --alarm-slack")
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	now := time.Now().UTC()
	a := &alarm.Alarm{ID: fmt.Sprintf("test-%d", now.UnixMilli()), Kind: alarm.Test, At: now, Source: host, Emails: c.To, Jobs: []alarm.Job{}}

	said := make([]string, len(channels))
	failed := make([]bool, len(channels))
	var all sync.WaitGroup
	for i, channel := range channels {
		all.Go(func() { said[i], failed[i] = tryChannel(inv, channel, a) })
	}
	all.Wait()
	var rows [][]string
	for i, channel := range channels {
		rows = append(rows, []string{channel.Name(), said[i]})
		if failed[i] {
			err = errAlarmsFailed
		}
	}
	t := table{out: inv.stdout}
	t.print(rows)
	return err
}

// tryChannel sends the alarm through one channel and describes the outcome in one line.
func tryChannel(inv *invocation, channel alarm.Channel, a *alarm.Alarm) (said string, failed bool) {
	ctx, cancel := context.WithTimeout(inv.ctx, testLimit)
	defer cancel()
	err := channel.Send(ctx, a)
	switch {
	case err == nil:
		return "sent", false
	case errors.Is(err, alarm.ErrNobody):
		return "failed: no receiver; give --to or --alarm-mail-to", true
	}
	return "failed: " + err.Error(), true
}
