package jetstream

import (
	"context"
	"net/http"

	"github.com/nats-io/nats.go"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// Call implements [broker.Broker].
func (c *conn) Call(ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte) ([]byte, error) {
	return c.ask(ctx, c.names.call(to, op), header, body)
}

// Report implements [broker.Broker].
func (c *conn) Report(ctx context.Context, op, app string, header http.Header, body []byte) ([]byte, error) {
	return c.ask(ctx, c.names.up(op, app), header, body)
}

func (c *conn) ask(ctx context.Context, subject string, header http.Header, body []byte) ([]byte, error) {
	reply, err := c.nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: subject, Header: nats.Header(header), Data: body})
	if err != nil {
		return nil, err
	}
	return reply.Data, nil
}

// Serve implements [broker.Broker].
func (c *conn) Serve(at xxladapter.QueueAddress, answer func(op string, header http.Header, body []byte) []byte) (stop func(), err error) {
	return c.serve(c.names.call(at, "*"), "", func(m *nats.Msg) []byte {
		return answer(lastToken(m.Subject), http.Header(m.Header), m.Data)
	})
}

// ServeReports implements [broker.Broker].
func (c *conn) ServeReports(answer func(op, app string, header http.Header, body []byte) []byte) (stop func(), err error) {
	return c.serve(c.names.allUp(), "schedulers", func(m *nats.Msg) []byte {
		op, app := calledBy(m.Subject)
		return answer(op, app, http.Header(m.Header), m.Data)
	})
}

func (c *conn) serve(subject, group string, answer func(*nats.Msg) []byte) (stop func(), err error) {
	answers := broker.NewAnswers()
	reply := func(m *nats.Msg) {
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
