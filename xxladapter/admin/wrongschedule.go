package admin

import (
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// wrongSchedule returns the error for a user about the schedule in a field. Its message is that of
// err, the error of package cron.
func wrongSchedule(field string, err error) error { return aboutSchedule(field, err.Error(), err) }

// invalidConf works like wrongSchedule for scheduleConf, with the field in the message.
func invalidConf(err error) error {
	return aboutSchedule("scheduleConf", "scheduleConf: "+err.Error(), err)
}

func aboutSchedule(field, message string, err error) error {
	refused := &xxladapter.Error{Code: xxladapter.CodeInvalid, Message: message, Err: err}
	var syntax *cron.ParseError
	var plan *cron.PlanError
	switch {
	case errors.As(err, &syntax):
		refused.Rule = errorrule.Cron
		refused.Args = []any{field, syntax.Field, syntax.Column, syntax.Text, err}
	case errors.As(err, &plan):
		refused.Rule = errorrule.Schedule
		refused.Args = []any{field, plan.Field, plan.Type, plan.Text, err}
	}
	return refused
}
