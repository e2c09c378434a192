package admin

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An AlarmTest is what became of a test alarm, by channel.
type AlarmTest struct {
	Alarm    string          `json:"alarm" doc:"The id that the message carries."`
	Channels []AlarmDelivery `json:"channels" doc:"What became of the message on each channel; empty if no channel is configured."`
}

// An AlarmDelivery is what became of a test alarm on one channel.
type AlarmDelivery struct {
	Channel string      `json:"channel" doc:"The channel: mail, webhook, dingtalk, feishu, wecom or slack, with a number if there are several."`
	Result  AlarmResult `json:"result"`
	Error   string      `json:"error,omitempty" doc:"Why it was not sent; secrets are concealed."`
	Took    int64       `json:"tookMs" doc:"How long the channel took."`
}

// AlarmResult is a result of an alarm on a channel.
type AlarmResult string

const (
	AlarmResultSent    AlarmResult = "SENT"
	AlarmResultSkipped AlarmResult = "SKIPPED" // nobody is to receive it
	AlarmResultFailed  AlarmResult = "FAILED"
)

// Values lists all results.
func (AlarmResult) Values() []AlarmResult {
	return []AlarmResult{AlarmResultSent, AlarmResultSkipped, AlarmResultFailed}
}

// An alarmTestForm says who gets the mail of a test.
type alarmTestForm struct {
	Emails []string `json:"emails,omitempty" doc:"Receivers of the test mail, at most 20, in addition to those of every alarm." example:"ops@example.org"`
}

// maxTestEmails bounds the receivers of one test.
const maxTestEmails = 20

// testAlarms sends a test alarm through all channels. One test runs at a time, so that nobody
// floods the receivers.
func (s *Server) testAlarms(ctx context.Context, _ api.None, form *alarmTestForm) (no AlarmTest, err error) {
	if form == nil {
		form = new(alarmTestForm)
	}
	if len(form.Emails) > maxTestEmails {
		return no, xxladapter.Invalidf(errorrule.EntriesAtMost, "%s has %d entries, must have at most %d",
			"emails", len(form.Emails), maxTestEmails)
	}
	for _, address := range form.Emails {
		if err := checkEmail("emails", address); err != nil {
			return no, err
		}
	}
	if !s.alarmTests.TryLock() {
		return no, &xxladapter.Error{
			Code: xxladapter.CodeTooMany, Rule: errorrule.TooManyCalls, RetryAfter: time.Second,
			Message: "another test of the alarms is in progress, try again later",
		}
	}
	defer s.alarmTests.Unlock()
	record, err := api.Witness(ctx, s.opts.Store)
	if err != nil {
		return no, err
	}
	test := AlarmTest{Channels: []AlarmDelivery{}}
	if s.opts.TestAlarms != nil {
		test = s.opts.TestAlarms(ctx, slices.Clone(form.Emails))
	}
	fields := xxladapter.Fields{{Name: "emails", Value: append([]string{}, form.Emails...)}}
	for _, c := range test.Channels {
		fields = append(fields, xxladapter.Field{Name: c.Channel, Value: c.Result})
	}
	return test, record(xxladapter.AuditObject{Kind: xxladapter.AuditAlarm}, fields)
}
