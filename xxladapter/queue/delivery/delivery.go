// Package delivery is what an executor and a queue agree on: how runs are delivered and
// acknowledged, and how calls go in both directions. Package executor uses it and package queue
// implements it, so that neither imports the other: an executor that takes no runs from a queue
// links no client of a broker.
package delivery

import (
	"net/http"
	"time"
)

const (
	// AckWait is the time in which an executor must begin a run. After that the run is delivered
	// again.
	AckWait = 30 * time.Second
	// Max limits the deliveries of a run. A run that is delivered more often is reported as failed,
	// because that many executors have stopped, died or failed to store it without beginning it.
	Max = 5
)

// A Delivery is one run that was taken from a queue. Its methods may be called from any goroutine.
// They return at once and report no error: if what they say does not reach the broker, the broker
// delivers the run again.
type Delivery struct {
	Header http.Header // shared with other deliveries, so it must not be changed
	Body   []byte
	Number int // of this delivery of the run; 1 is the first
	Held
}

// Held is a run that was delivered and not removed. It is delivered again after [AckWait].
type Held interface {
	// Done removes the run.
	Done()
	// Later ends this delivery, and delays the next one until AckWait from now.
	Later()
	// Return ends this delivery, and has the run delivered again at once.
	Return()
	// Extend delays the next delivery until AckWait from now.
	Extend()
}
