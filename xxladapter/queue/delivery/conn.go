package delivery

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Options configures the connection of an executor.
type Options struct {
	// Executor is the executor's own address, which the broker's list of connections shows. The
	// rights of the connection are those of its app.
	Executor xxladapter.QueueAddress
	TLS      *tls.Config  // for a broker with TLS; nil trusts the authorities of the system
	Logger   *slog.Logger // nil means slog.Default()
}

// A Conn is the connection of one executor to a queue. It reconnects by itself until Close. Its
// methods may be called from any goroutine.
type Conn interface {
	// Feed returns the runs of an address. Executors that feed on the same address share its runs.
	// The feed calls prepare when the broker lacks what the feed needs; prepare asks a scheduler to
	// create it.
	Feed(of xxladapter.QueueAddress, prepare func(context.Context) error) Feed
	// Report calls any scheduler and returns its reply. The error wraps [ErrTooLarge] if the call
	// can never be carried.
	Report(ctx context.Context, op string, header http.Header, body []byte) ([]byte, error)
	// Serve answers the schedulers' calls to the executor at an address until stop is called.
	Serve(at xxladapter.QueueAddress, answer Answer) (stop func(), err error)
	// Shown names the queue in logs, without secrets.
	Shown() string
	// Close ends the connection, and everything that is served over it.
	Close()
}

// ErrTooLarge is wrapped by the error of Report for a body that the broker never carries. A shorter
// one may be carried.
var ErrTooLarge = errors.New("delivery: call is larger than the broker accepts")

// An Answer answers a call. It is called from several goroutines.
type Answer func(op string, header http.Header, body []byte) (reply []byte)

// A ReportAnswer answers a call by an executor of an app. It is called from several goroutines. A
// broker user with the rights of one app can make calls only for that app.
type ReportAnswer func(op, app string, header http.Header, body []byte) (reply []byte)

// A Feed takes the runs of one address from a queue. It belongs to one goroutine.
type Feed interface {
	// Take calls take for each run that arrives, and returns after n runs or after two seconds at
	// most. The error is the broker's, or that of prepare; the next call starts afresh.
	Take(ctx context.Context, n int, take func(*Delivery)) error
}
