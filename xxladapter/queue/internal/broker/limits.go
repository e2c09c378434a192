package broker

import "time"

const (
	// TakeLife limits one request for runs. It is short, so that places that were set aside for an
	// address without runs soon serve another.
	TakeLife = 2 * time.Second
	// KeyLife is how long the key of a published run is known.
	KeyLife = 2 * time.Minute
	// IdleLife is how long the broker keeps what it has for an executor that is gone.
	IdleLife = 7 * 24 * time.Hour
	// FullAt is how many runs of one address may wait unless an operator has set another limit.
	// Further ones are refused, and their fires stay open.
	FullAt = 1_000_000
	// CallLimit limits the first connection, and each call to the broker itself.
	CallLimit = 5 * time.Second
	// AnswersAtOnce limits the calls that one Serve answers at the same time.
	AnswersAtOnce = 64
)
