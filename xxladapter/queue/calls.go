package queue

import (
	"context"
	"fmt"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// answersAtOnce limits the calls that one subscription answers at the same time.
const answersAtOnce = 64

// An Answer answers a call. It is called from several goroutines.
type Answer func(op string, header http.Header, body []byte) (reply []byte)

// A ReportAnswer answers a call by an executor of an app. The broker lets a user whose rights are
// those of one app make calls for that app alone.
type ReportAnswer func(op, app string, header http.Header, body []byte) (reply []byte)

// Call calls one executor and returns its reply.
func (c *Conn) Call(ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte) ([]byte, error) {
	if to.Instance == "" {
		return nil, fmt.Errorf("%s names no single executor", to)
	}
	return c.ask(ctx, c.names.call(to, op), header, body)
}

// Report calls any scheduler and returns its reply. REQUIRES: Options.App was set.
func (c *Conn) Report(ctx context.Context, op string, header http.Header, body []byte) ([]byte, error) {
	return c.ask(ctx, c.names.up(op, c.app), header, body)
}

func (c *Conn) ask(ctx context.Context, subject string, header http.Header, body []byte) ([]byte, error) {
	reply, err := c.nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: subject, Header: nats.Header(header), Data: body})
	if err != nil {
		return nil, fmt.Errorf("call %s over queue %s: %w", subject, c.shown, err)
	}
	return reply.Data, nil
}

// Serve answers the calls to one executor until stop is called.
func (c *Conn) Serve(at xxladapter.QueueAddress, answer Answer) (stop func(), err error) {
	return c.serve(c.names.call(at, "*"), "", func(m *nats.Msg) []byte {
		return answer(lastToken(m.Subject), http.Header(m.Header), m.Data)
	})
}

// ServeReports answers calls to the schedulers until stop is called. All schedulers of a namespace
// share them.
func (c *Conn) ServeReports(answer ReportAnswer) (stop func(), err error) {
	return c.serve(c.names.allUp(), "schedulers", func(m *nats.Msg) []byte {
		op, app := calledBy(m.Subject)
		return answer(op, app, http.Header(m.Header), m.Data)
	})
}

func (c *Conn) serve(subject, group string, answer func(*nats.Msg) []byte) (stop func(), err error) {
	places := make(chan struct{}, answersAtOnce)
	reply := func(m *nats.Msg) {
		places <- struct{}{}
		go func() { // stop waits for it
			defer func() { <-places }()
			if err := m.Respond(answer(m)); err != nil {
				c.logger.Warn("reply over the queue failed", "queue", c.shown, "subject", m.Subject, "err", err)
			}
		}()
	}
	var sub *nats.Subscription
	if group == "" {
		sub, err = c.nc.Subscribe(subject, reply)
	} else {
		sub, err = c.nc.QueueSubscribe(subject, group, reply)
	}
	if err != nil {
		return nil, c.refused(err)
	}
	return func() {
		_ = sub.Unsubscribe() // fails only if the connection is closed
		for range answersAtOnce {
			places <- struct{}{}
		}
		_ = c.nc.FlushTimeout(connectLimit) // the replies; a caller without one asks again
	}, nil
}
