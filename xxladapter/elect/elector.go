package elect

import (
	"context"
	"time"
)

// An Elector elects one leader among all processes that campaign at the same place. Its methods may
// be called from any goroutine.
type Elector interface {
	// Campaign waits until this process is elected, and returns its leadership. If the coordinator
	// cannot be reached, Campaign returns an error within [ContactLimit]; if contact is lost while
	// it waits, it returns one when its session may have ended. It returns ctx's error when ctx
	// ends, and withdraws then. A process campaigns once at a time.
	//
	// stands, if not nil, is called once, when the coordinator has accepted this process as a
	// candidate and before Campaign waits for the election. It must not block.
	Campaign(ctx context.Context, stands func()) (Leadership, error)
	// String returns the coordinator's address without secrets.
	String() string
}

// A Leadership is one uninterrupted period in which a process leads.
type Leadership interface {
	// Number returns a positive number, larger than that of every leadership before it at the same
	// place.
	Number() int64
	// Done returns a channel that is closed when the leadership has ended, or may have ended
	// because nothing was heard from the coordinator for [SessionLife].
	Done() <-chan struct{}
	// Resign ends the leadership, so that the next process is elected at once. If that fails, the
	// leadership ends by itself when the session has been silent for [SessionLife]. Done is closed
	// when Resign returns.
	Resign(ctx context.Context) error
}

const (
	// ContactLimit limits how long a campaign may try to reach the coordinator.
	ContactLimit = 5 * time.Second

	// SessionLife is how long a coordinator keeps the session of a silent process. It equals the
	// life of a lease in the store, so that a leader that freezes loses both at the same time.
	SessionLife = 4 * time.Second
)
