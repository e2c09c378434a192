package queue

import (
	"context"
	"fmt"
	"net/http"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
)

// Call calls one executor and returns its reply.
func (c *Conn) Call(
	ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte,
) ([]byte, error) {
	if to.Instance == "" {
		return nil, fmt.Errorf("%s names no single executor", to)
	}
	reply, err := c.broker.Call(ctx, to, op, header, body)
	return reply, c.called(op, err)
}

// Report implements [delivery.Conn].
//
// REQUIRES: Options.App was set.
func (c *Conn) Report(ctx context.Context, op string, header http.Header, body []byte) ([]byte, error) {
	reply, err := c.broker.Report(ctx, op, c.app, header, body)
	return reply, c.called(op, err)
}

func (c *Conn) called(op string, err error) error {
	if err != nil {
		return fmt.Errorf("call %s over queue %s: %w", op, c.shown, err)
	}
	return nil
}

// Serve implements [delivery.Conn].
func (c *Conn) Serve(at xxladapter.QueueAddress, answer delivery.Answer) (stop func(), err error) {
	stop, err = c.broker.Serve(at, answer)
	return stop, c.served(err)
}

// ServeReports answers calls to the schedulers until stop is called. All schedulers of a namespace
// share the calls: one of them answers each call.
func (c *Conn) ServeReports(answer delivery.ReportAnswer) (stop func(), err error) {
	stop, err = c.broker.ServeReports(answer)
	return stop, c.served(err)
}

func (c *Conn) served(err error) error {
	if err != nil {
		return fmt.Errorf("queue %s %w", c.shown, err)
	}
	return nil
}
