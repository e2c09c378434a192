package testserver

import (
	"bytes"
	"sync"
)

// An Output keeps what a process or a logger writes. It may be read meanwhile, from any goroutine.
// The zero value is empty and ready.
type Output struct {
	mu   sync.Mutex // guards the field below
	text bytes.Buffer
}

// Write implements [io.Writer]. It never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

// String returns all that was written so far.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
