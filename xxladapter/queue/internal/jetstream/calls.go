package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// errReplyLost says that the connection on which a reply was awaited was lost. The call may have
// reached somebody or not.
var errReplyLost = errors.New("jetstream: connection was lost before the reply came")

// calls ends the calls that wait for a reply when the connection is lost.
type calls struct {
	mu   sync.Mutex // guards the fields below
	ctx  context.Context
	lost context.CancelCauseFunc // ends ctx
}

// begin returns a context that ends with parent, or when the connection is lost: the reply may be
// sent while there is no connection, and a caller that waited for it until its deadline would lose
// seconds with each restart of the broker.
func (c *calls) begin(parent context.Context) (ctx context.Context, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		c.ctx, c.lost = context.WithCancelCause(context.Background())
	}
	connection := c.ctx
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(connection, func() { cancel(context.Cause(connection)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// lose ends all calls that wait.
func (c *calls) lose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx != nil {
		c.lost(errReplyLost)
		c.ctx = nil
	}
}

// Call implements [broker.Broker].
func (c *conn) Call(
	ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte,
) ([]byte, error) {
	return c.ask(ctx, c.names.call(to, op), header, body)
}

// Report implements [broker.Broker].
func (c *conn) Report(ctx context.Context, op, app string, header http.Header, body []byte) ([]byte, error) {
	return c.ask(ctx, c.names.up(op, app), header, body)
}

func (c *conn) ask(ctx context.Context, subject string, header http.Header, body []byte) ([]byte, error) {
	ctx, end := c.calls.begin(ctx)
	defer end()
	reply, err := c.nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: subject, Header: nats.Header(header), Data: body})
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, fmt.Errorf("%w: %d bytes; raise max_payload of nats-server", delivery.ErrTooLarge, len(body))
	case errors.Is(err, context.Canceled):
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	return reply.Data, nil
}

// Serve implements [broker.Broker].
func (c *conn) Serve(
	at xxladapter.QueueAddress, answer func(op string, header http.Header, body []byte) []byte,
) (stop func(), err error) {
	everyone := func(*nats.Msg) bool { return true } // only schedulers may call
	return c.serve(c.names.call(at, "*"), "", everyone, func(m *nats.Msg) []byte {
		return answer(lastToken(m.Subject), http.Header(m.Header), m.Data)
	})
}

// ServeReports implements [broker.Broker].
func (c *conn) ServeReports(
	answer func(op, app string, header http.Header, body []byte) []byte,
) (stop func(), err error) {
	return c.serve(c.names.allUp(), "schedulers", c.names.isReplyOf, func(m *nats.Msg) []byte {
		op, app := calledBy(m.Subject)
		return answer(op, app, http.Header(m.Header), m.Data)
	})
}

// isReplyOf reports whether a call of an executor names a subject on which executors of its app
// wait for replies. The broker does not check where a caller wants the reply, and a scheduler may
// publish runs and requests to JetStream, which the caller may not. A call from another account has
// a subject of the broker's own in place of the caller's; clients cannot name those.
func (n names) isReplyOf(m *nats.Msg) bool {
	_, app := calledBy(m.Subject)
	return app != "" && (strings.HasPrefix(m.Reply, n.replies(app)+".") || strings.HasPrefix(m.Reply, "_R_."))
}

// serve answers the calls on a subject for which may returns true, and drops the others.
func (c *conn) serve(
	subject, group string, may func(*nats.Msg) bool, answer func(*nats.Msg) []byte,
) (stop func(), err error) {
	answers := broker.NewAnswers()
	reply := func(m *nats.Msg) {
		if !may(m) {
			c.logger.Warn(
				"call over the queue dropped; its reply is for a subject that is not the caller's",
				"queue", c.shown, "subject", m.Subject, "reply", m.Reply,
			)
			return
		}
		answers.Go(func() {
			if err := m.Respond(answer(m)); err != nil {
				c.logger.Warn("reply over the queue failed", "queue", c.shown, "subject", m.Subject, "err", err)
			}
		})
	}
	var sub *nats.Subscription
	if group == "" {
		sub, err = c.nc.Subscribe(subject, reply)
	} else {
		sub, err = c.nc.QueueSubscribe(subject, group, reply)
	}
	if err != nil {
		return nil, refused(err)
	}
	return func() {
		_ = sub.Unsubscribe() // fails only if the connection is closed
		answers.Wait()
		_ = c.nc.FlushTimeout(broker.CallLimit) // the replies; a caller without one asks again
	}, nil
}
