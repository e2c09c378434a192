package command

import (
	"errors"
	"fmt"
)

// Exit codes. ExitRunFailed means that a run that the command waited for has failed. ExitWaited
// means that the wait reached its limit.
const (
	ExitOK        = 0
	ExitFail      = 1
	ExitUsage     = 2
	ExitRunFailed = 3
	ExitWaited    = 4
)

// An exitError ends the command with its own exit code.
type exitError struct {
	code int
	msg  string
}

func (e *exitError) Error() string { return e.msg }

// Exitf returns an error that ends the command with an exit code.
func Exitf(code int, format string, args ...any) error {
	return &exitError{code, fmt.Sprintf(format, args...)}
}

// A usageError reports a command line that can be parsed but makes no sense.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// Usagef returns an error about a command line that can be parsed but makes no sense. It ends the
// command with ExitUsage.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// ExitCode returns the exit code of a command that ended with err.
func ExitCode(err error) int {
	var usage *usageError
	var exit *exitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &exit):
		return exit.code
	}
	return ExitFail
}
