package main

import (
	"errors"
	"fmt"
)

// Exit codes.
const (
	exitOK        = 0
	exitFail      = 1
	exitUsage     = 2
	exitRunFailed = 3
	exitWaited    = 4
)

// An exitError ends the command with its own exit code.
type exitError struct {
	code int
	msg  string
}

func (e *exitError) Error() string { return e.msg }

// exitf returns an error that ends the command with an exit code.
func exitf(code int, format string, args ...any) error {
	return &exitError{code, fmt.Sprintf(format, args...)}
}

// A usageError reports a command line that can be parsed but makes no sense.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// exitCode returns the exit code of a command that ended with err.
func exitCode(err error) int {
	var usage *usageError
	var exit *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &exit):
		return exit.code
	}
	return exitFail
}
