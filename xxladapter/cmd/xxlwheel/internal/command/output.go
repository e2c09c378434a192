package command

import (
	"io"
	"sync"
)

// An Output is a stream that keeps the first error of writing to it. Most commands print line by
// line and look at no error; main asks for it when a command has ended.
type Output struct {
	to io.Writer

	mu  sync.Mutex // guards err
	err error
}

// NewOutput returns an Output that writes to a stream.
func NewOutput(to io.Writer) *Output { return &Output{to: to} }

// Write writes to the stream.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// Err returns the first error of Write.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
