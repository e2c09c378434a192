package command

import (
	"fmt"
	"io"
	"time"
)

// Waiting does work whose size is not known at its beginning. If shown is true, out is a terminal,
// and Waiting writes there what it does and for how long, once that is more than a second.
func Waiting(out io.Writer, shown bool, what func() string, work func() error) error {
	if !shown {
		return work()
	}
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() { // the deferred function waits for it
		defer close(gone)
		begun := time.Now()
		tick := time.NewTicker(progressDelay)
		defer tick.Stop()
		for drawn := false; ; drawn = true {
			select {
			case <-ended:
				if drawn {
					fmt.Fprint(out, "\r\x1b[K")
				}
				return
			case at := <-tick.C:
				fmt.Fprintf(out, "\r%s, %v\x1b[K", what(), at.Sub(begun).Round(time.Second))
			}
		}
	}()
	defer func() { close(ended); <-gone }()
	return work()
}

// Doing returns a function for Waiting that always returns what.
func Doing(what string) func() string { return func() string { return what } }
