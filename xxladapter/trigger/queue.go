package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger/internal/post"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Broker carries runs and calls to executors whose address is an [xxladapter.QueueAddress];
// queue.Conn is one.
type Broker interface {
	// Publish stores a run and returns its position. The error wraps ClientOptions.Never if the run
	// can never be stored.
	Publish(
		ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte,
	) (position uint64, err error)
	// Holds reports whether the run with a key is still stored at a position, which Publish
	// returned for the same address.
	Holds(ctx context.Context, to xxladapter.QueueAddress, position uint64, key string) (bool, error)
	// Clear drops all runs for one executor.
	Clear(ctx context.Context, to xxladapter.QueueAddress) error
	// Call calls one executor and returns its reply.
	Call(ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte) ([]byte, error)
}

// A Queuer stores runs in a queue, from which executors take them; [Client] does so if it has a
// Broker.
type Queuer interface {
	// Enqueue stores a run and returns its position. The error wraps [ErrRefused] if the run can
	// never be stored.
	Enqueue(ctx context.Context, addr, appName, key string, req *wire.RunRequest) (position uint64, err error)
	// Queued reports whether the run with a key is still stored at a position, which Enqueue
	// returned for the same address.
	Queued(ctx context.Context, addr string, position uint64, key string) (bool, error)
	// Clear drops all runs that wait for one executor, whose own address is addr.
	Clear(ctx context.Context, addr string) error
	// Taken asks one executor, whose own address is addr, which of some runs it has ever taken from
	// the queue, and returns its answers in the order of runs. The error wraps [ErrCannotTell] if
	// the executor does not know the question.
	Taken(ctx context.Context, addr, appName string, runs []*xxladapter.Log) ([]bool, error)
}

// ErrRefused is wrapped by the error of a run that a queue can never store.
var ErrRefused = errors.New("trigger: queue refuses the run")

// errNoBroker says that an address cannot be reached from this scheduler.
var errNoBroker = fmt.Errorf(
	"%w: this scheduler has no queue, must be started with one (xxlwheel serve --queue)", ErrRefused,
)

// Enqueue implements [Queuer].
func (c *Client) Enqueue(ctx context.Context, addr, appName, key string, req *wire.RunRequest) (uint64, error) {
	to, ok := xxladapter.ParseQueueAddress(addr)
	if !ok || c.broker == nil {
		return 0, errNoBroker
	}
	body, err := json.Marshal(req)
	if err != nil {
		return 0, fmt.Errorf("%w: encode run: %w", ErrRefused, err)
	}
	position, err := c.broker.Publish(ctx, to, key, c.queueHeader(ctx, addr, appName, req.TraceParent), body)
	if err != nil && c.never != nil && errors.Is(err, c.never) {
		return 0, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return position, err
}

// Queued implements [Queuer].
func (c *Client) Queued(ctx context.Context, addr string, position uint64, key string) (bool, error) {
	to, ok := xxladapter.ParseQueueAddress(addr)
	if !ok || c.broker == nil {
		return false, errNoBroker
	}
	return c.broker.Holds(ctx, to, position, key)
}

// Clear implements [Queuer].
func (c *Client) Clear(ctx context.Context, addr string) error {
	to, ok := xxladapter.ParseQueueAddress(addr)
	if !ok || c.broker == nil {
		return errNoBroker
	}
	return c.broker.Clear(ctx, to)
}

// queueHeader returns what goes with a run to a queue. The names are those of HTTP.
func (c *Client) queueHeader(ctx context.Context, addr, appName, traceParent string) http.Header {
	app, token := c.sent(ctx, addr, appName)
	h := http.Header{}
	for name, value := range map[string]string{headerToken: token, headerAppName: app, headerTraceParent: traceParent} {
		if value != "" {
			h.Set(name, value)
		}
	}
	return h
}

// callQueued makes a call over the broker. A call that got no answer may have been acted on.
func (c *Client) callQueued(
	ctx context.Context, deadline time.Time, to xxladapter.QueueAddress, header http.Header, op string, body []byte,
) (post.Answer, error) {
	if c.broker == nil {
		return post.Answer{}, errNoBroker
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	reply, err := c.broker.Call(ctx, to, path.Base(op), header, body)
	if err != nil {
		return post.Answer{}, outcome(true, err)
	}
	return post.Answer{Status: http.StatusOK, Header: http.Header{}, Body: reply}, nil
}
