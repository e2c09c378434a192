package main

import (
	"context"
	"errors"
	"net"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
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

// serve starts a node on a store, on a free port. The end of ctx does not stop it: executors report
// the last results after a measurement.
func serve(ctx context.Context, store xxladapter.Store, p plan, broker node.Broker, w watcher) (*served, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &served{url: "http://" + ln.Addr().String()}
	opts := node.Options{
		Store: store, Logger: logger, RunTexts: p.texts, OnEvent: w.event, OnMisfire: w.misfire,
		Scheduling: p.scheduling, Queue: broker,
	}
	if p.scheduling == xxladapter.SchedulingLeader {
		opts.Spread, opts.Advertise = p.spread, s.url
	}
	if s.Node, err = node.New(opts); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.server.Go(func() error { return s.Serve(ctx, ln) })
	return s, nil
}

// serveAll starts the nodes of the plan, the further ones with connections of their own. Without a
// broker they call executors over HTTP.
func (o *opened) serveAll(ctx context.Context, p plan, brokerURL string, w watcher) (nodes []*served, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, endAll(nodes))
		}
	}()
	for i := range p.nodes {
		store := o.Store
		if i > 0 && p.store != "memory" {
			own, err := o.connect(ctx)
			if err != nil {
				return nodes, err
			}
			o.closings = append(o.closings, own.Close)
			store = own
		}
		broker, err := o.connectBroker(ctx, brokerURL)
		if err != nil {
			return nodes, err
		}
		n, err := serve(ctx, store, p, broker, w)
		if err != nil {
			return nodes, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// endAll stops nodes and waits for them.
func endAll(nodes []*served) (err error) {
	for _, n := range nodes {
		err = errors.Join(err, n.end())
	}
	return err
}

// end stops the node and waits for it.
func (s *served) end() error {
	s.stop()
	return s.server.Wait()
}
