package admin

import (
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/rule"
)

// wrongSchedule returns the error for a user about a schedule that package cron refuses, which it
// words itself.
func wrongSchedule(err error) error { return aboutSchedule(err.Error(), err) }

// invalidConf works like wrongSchedule, with the field in the message.
func invalidConf(err error) error { return aboutSchedule("scheduleConf: "+err.Error(), err) }

func aboutSchedule(message string, err error) error {
	refused := &xxladapter.Error{Code: xxladapter.CodeInvalid, Message: message, Err: err}
	var syntax *cron.ParseError
	var plan *cron.PlanError
	switch {
	case errors.As(err, &syntax):
		refused.Rule = rule.Cron
		refused.Args = []any{"scheduleConf", syntax.Field, syntax.Column, syntax.Text, err}
	case errors.As(err, &plan):
		refused.Rule = rule.Schedule
		refused.Args = []any{"scheduleConf", plan.Field, plan.Type, plan.Text, err}
	}
	return refused
}
