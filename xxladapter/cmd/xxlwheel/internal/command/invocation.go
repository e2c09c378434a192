// Package command has what every command of xxlwheel works with: the invocation, the errors that
// decide the exit code, what a person is asked, and what a terminal shows while the person waits.
// It knows no subject: the packages beside it have the commands, and package main runs them.
package command

import (
	"context"
	"io"
)

// A Console is where a command line came from.
type Console struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Asks reports that a person who can answer is present.
	Asks bool
}

// An Invocation is what a command works with.
type Invocation struct {
	Context context.Context
	Console
}
