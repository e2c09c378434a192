package main

import (
	"context"
	"io"
)

// A console is where a command line came from.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// asks reports that a person is present who can answer.
	asks bool
}

// An invocation is what a command works with.
type invocation struct {
	ctx context.Context
	console
}
