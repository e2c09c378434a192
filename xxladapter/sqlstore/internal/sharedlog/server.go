// Package sharedlog is a journal that several processes share through a server. One process at a
// time holds the pen, which is a write lease: only the holder appends, and what it has in memory is
// complete while it does. The lease expires [Life] after the holder's last renewal, and the number
// of the pen is its fencing token.
package sharedlog

import (
	"context"
	"errors"
)

// A State is what a server knows about its log.
type State struct {
	// Generation counts how often the log was begun anew; 0 means that the server has no log.
	Generation int64
	// Position is the number of the last record.
	Position int64
	// Pen counts how often the pen has passed from one process to another.
	Pen int64
	// Held is set if this process has the pen, or had it last and no other process has taken it
	// since.
	Held bool
	// Wanted is set if another process waits for the pen.
	Wanted bool
	// Run identifies the server, and its process if a restart may lose what it has confirmed. It
	// has 64 bytes at most.
	Run string
	// Started names the server's process. It may differ although nothing was lost.
	Started string
}

// ErrRefused is the error of an append by a process that no longer has the pen, or whose log is not
// the server's. The server has stored nothing.
var ErrRefused = errors.New("sharedlog: the pen has passed to another process, or the log was lost")

// A Server keeps a log and decides who may append to it. What it has confirmed is durable. Its
// methods are called from several goroutines.
type Server interface {
	// Take keeps the pen for [Life] from now if this process has it. Otherwise it takes the pen,
	// unless another process has it or waits for it. State.Held tells whether it has succeeded.
	Take(ctx context.Context) (State, error)
	// Look returns the state, and changes nothing.
	Look(ctx context.Context) (State, error)
	// Append stores the records of a batch behind the position of after, and keeps the pen for
	// [Life]. It returns [ErrRefused] with the state if generation, position or pen differ from
	// those of after. A repeated call succeeds if its batch is the last one that was stored; a
	// process never gives two batches the same number.
	Append(ctx context.Context, after State, batch int64, records [][]byte) (State, error)
	// Read calls the function each with the records from number after+1 to last, in order. The
	// error matches [ErrGap] if one of them is missing, before or after others were read. An error
	// of the function ends the reading and is returned.
	Read(ctx context.Context, after, last int64, each func(number int64, record []byte) error) error
	// Trim removes the records up to a number, that one included. Those that came in one batch with
	// a later record may stay.
	Trim(ctx context.Context, number int64) error
	// Begin begins an empty log with the generation and the position of a state, unless the server
	// has that generation or a later one, or the pen has passed since. The pen stays where it is.
	Begin(ctx context.Context, now State) error
	// Release gives the pen back.
	Release(ctx context.Context) error
	// Close closes the connections to the server. It does not give the pen back.
	Close() error
}
