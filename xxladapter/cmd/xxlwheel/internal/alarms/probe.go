package alarms

import (
	"encoding/json"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// probeCmd tests the channels of a running scheduler.
type probeCmd struct {
	client.Flags

	To []string `placeholder:"ADDRESS" help:"Receivers of the test mail, in addition to those of every alarm."`
}

func (c *probeCmd) Run(inv *command.Invocation) error {
	api := c.API()
	api.Patient = true // a channel gets 40 s
	var raw json.RawMessage
	if err := api.Call(inv.Context, "POST", "/alarms/test", map[string]any{"emails": c.To}, &raw); err != nil {
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
		rows = append(rows, []string{channel.Channel, channel.Result, printing.Span(&channel.TookMs), channel.Error})
		if channel.Result != "SENT" {
			err = errAlarmsFailed
		}
	}
	switch {
	case c.Structured():
		if printErr := c.PrintRaw(inv.Stdout, raw); printErr != nil {
			return printErr
		}
	case len(test.Channels) == 0:
		return command.Exitf(command.ExitFail, "the scheduler has no channels for alarms; see serve --help")
	default:
		t := printing.Table{Out: inv.Stdout}
		t.Print(rows)
	}
	return err
}
