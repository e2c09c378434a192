package hashedwheel

import "errors"

var (
	// ErrStopped is returned when a timeout is offered to a timer that has been
	// stopped. The timeout was not accepted: it will not run, and Stop did not
	// and will not return it.
	ErrStopped = errors.New("hashedwheel: timer stopped")

	// ErrTooManyPending is returned when a timeout is offered to a timer that
	// already holds Options.MaxPendingTimeouts pending timeouts. Nothing was
	// changed; there is room again as soon as one has run or is cancelled.
	ErrTooManyPending = errors.New("hashedwheel: too many pending timeouts")

	// ErrStopInTask is returned by Stop when it is called from inside a task that
	// the worker runs itself. Stop waits for that task, so it would wait for ever.
	// The timer was not changed.
	ErrStopInTask = errors.New("hashedwheel: stop called from inside a task")
)
