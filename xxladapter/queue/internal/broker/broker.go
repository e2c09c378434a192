// Package broker says what package queue needs of a broker, and has the rules that hold whatever
// the broker is. internal/jetstream and internal/streams are the brokers.
package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
)

// A Broker keeps runs for executors and carries calls. It reconnects by itself until Close. Its
// methods may be called from any goroutine. Package queue adds the broker's name to their errors.
type Broker interface {
	// Publish stores a run for an address and returns its position, which is not 0. Within
	// [KeyLife] a second run with the same key is not stored, and gets the position of the first.
	// The error is [ErrTooLarge] or wraps it if the broker never accepts the run, and [ErrAway] at
	// once if there is no connection. A full queue refuses the run.
	Publish(
		ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte,
	) (position uint64, err error)
	// Holds reports whether the run with a key is still stored at a position.
	Holds(ctx context.Context, to xxladapter.QueueAddress, position uint64, key string) (bool, error)
	// Clear drops all runs of an address, and later ones are stored. The key of a dropped run may
	// stay known for [KeyLife]: Publish then returns the position of that run, which Holds does not
	// find there.
	Clear(ctx context.Context, to xxladapter.QueueAddress) error

	// Prepare creates what the executor at an address takes its runs from, unless it exists.
	Prepare(ctx context.Context, at xxladapter.QueueAddress) error
	// Find returns the runs of an address, or an error if Prepare was not called for it.
	Find(ctx context.Context, of xxladapter.QueueAddress) (Source, error)

	// Call calls one executor and returns its reply.
	Call(ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte) ([]byte, error)
	// Report calls any scheduler on behalf of an app and returns its reply.
	Report(ctx context.Context, op, app string, header http.Header, body []byte) ([]byte, error)
	// Serve answers the calls to one executor, at most [AnswersAtOnce] at the same time. stop waits
	// for the answers that were begun.
	Serve(
		at xxladapter.QueueAddress, answer func(op string, header http.Header, body []byte) []byte,
	) (stop func(), err error)
	// ServeReports answers the calls to the schedulers in the same way. Each call is answered by
	// one of the schedulers that serve.
	ServeReports(answer func(op, app string, header http.Header, body []byte) []byte) (stop func(), err error)

	// Connected returns since when the connection exists, zero while there is none. The time has a
	// monotonic reading.
	Connected() time.Time

	// States returns the state of each app that has a run.
	States(ctx context.Context) (map[string]xxladapter.QueueState, error)
	// State returns the state of one app, which is zero if it has no run.
	State(ctx context.Context, app string) (xxladapter.QueueState, error)

	// Close ends the connection, and everything that is served.
	Close()
}

// A Source has the runs of one address. It belongs to one goroutine.
type Source interface {
	// Take calls take for each run that arrives, and returns after n runs or after [TakeLife] at
	// most.
	Take(ctx context.Context, n int, take func(delivery.Delivery)) error
}

// Options configures the connection to a broker.
type Options struct {
	Credentials string       // file of NATS, refused by others; empty means what the URL has
	TLS         *tls.Config  // nil trusts the authorities of the system
	App         string       // of an executor; empty means a scheduler
	Name        string       // for the broker's list of connections; may be empty
	Logger      *slog.Logger // must be set
}

// ErrTooLarge says that the broker never accepts a run.
var ErrTooLarge = errors.New("broker: run is larger than the broker accepts")

// ErrAway says that there is no connection to the broker now.
var ErrAway = errors.New("broker: no connection")
