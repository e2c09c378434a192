package main

import (
	"encoding/json"
)

// alarmProbeCmd tests the channels of a running scheduler.
type alarmProbeCmd struct {
	clientFlags

	To []string `placeholder:"ADDRESS" help:"Receivers of the test mail, in addition to those of every alarm."`
}

func (c *alarmProbeCmd) Run(inv *invocation) error {
	api := c.api()
	api.patient = true // a channel gets 40 s
	var raw json.RawMessage
	if err := api.call(inv.ctx, "POST", "/alarms/test", map[string]any{"emails": c.To}, &raw); err != nil {
		return err
	}
	var test struct {
		Channels []struct {
			Channel, Result, Error string
			TookMs                 int64
		}
	}
	if err := json.Unmarshal(raw, &test); err != nil {
		return err
	}
	var err error
	rows := [][]string{{"CHANNEL", "RESULT", "TOOK", "ERROR"}}
	for _, channel := range test.Channels {
		rows = append(rows, []string{channel.Channel, channel.Result, span(&channel.TookMs), channel.Error})
		if channel.Result != "SENT" {
			err = errAlarmsFailed
		}
	}
	switch {
	case c.structured():
		if printErr := c.printRaw(inv.stdout, raw); printErr != nil {
			return printErr
		}
	case len(test.Channels) == 0:
		return exitf(exitFail, "the scheduler has no channels for alarms; see serve --help")
	default:
		t := table{out: inv.stdout}
		t.print(rows)
	}
	return err
}
