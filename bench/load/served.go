package main

import (
	"context"
	"errors"
	"net"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"golang.org/x/sync/errgroup"
)

// A watcher counts what a node reports. Its methods are called from any goroutine.
type watcher interface {
	event(trigger.Event)
	misfire(xxladapter.Misfire)
}

// A served node answers its executors at url until it is stopped. It schedules only when asked to.
type served struct {
	*node.Node
	url    string
	stop   context.CancelFunc
	server errgroup.Group
}

// serve starts a node on the store, on a free port. The end of ctx does not stop it: executors
// report the last results after a measurement.
func (o *opened) serve(ctx context.Context, p plan, w watcher) (*served, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n, err := node.New(node.Options{Store: o.Store, Logger: logger, RunTexts: p.texts, OnEvent: w.event, OnMisfire: w.misfire})
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	s := &served{Node: n, url: "http://" + ln.Addr().String()}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.server.Go(func() error { return n.Serve(ctx, ln) })
	return s, nil
}

// end stops the node and waits for it.
func (s *served) end() error {
	s.stop()
	return s.server.Wait()
}
