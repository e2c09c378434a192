package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
)

const (
	readLimit = time.Minute // of a request: a body of 5 MiB over a slow line
	// writeLimit limits a write to a caller, see [access.LimitWrites]. Over HTTP/2 it also limits a
	// write to the connection, where even the end of an answer waits for a caller that is frozen.
	writeLimit = time.Minute

	answerLimit = 5 * time.Second // of the calls in flight, after a stop
)

// buildServer builds the server for executors and for users of the API.
func (n *Node) buildServer() error {
	tls, err := access.ServerTLS(n.opts.TLSCert, n.opts.TLSKey)
	if err != nil {
		return fmt.Errorf("node: Options.TLSCert and TLSKey: %w", err)
	}
	api, err := admin.New(admin.Options{
		Metrics: n.watchMetrics(), Checks: checks(n.opts.Store, n.scheduler.Stats, n.name),
		Store: n.opts.Store, Completer: n.handOver, Executors: n.client, Queue: n.opts.Queue,
		Zone: n.opts.Zone, CronProfile: n.opts.CronProfile, Logger: n.opts.Logger,
		AccessToken: n.opts.AccessToken, OperatorTokens: n.opts.OperatorTokens, ReadTokens: n.opts.ReadTokens,
		Provider: n.opts.OIDC, PublicURL: n.opts.PublicURL,
		AllowDeclare: n.opts.AllowDeclare,
		Accounts:     n.accounts, Tokens: n.tokens, Addresses: n.addresses, AllowHosts: n.opts.AllowHosts,
		Purger:     &maintenance.Purger{Store: n.opts.Store, NoAlarms: len(n.opts.Alarms) == 0, Logger: n.opts.Logger},
		JobChanged: n.scheduler.Wake,
		JobRemoved: n.removed.post, Backfilling: n.backfills.Begun,
		Info: n.info(), TestAlarms: n.testAlarms(), Elector: n.elector(), TakeOver: n.opts.TakeOver,
		Planned: func(f xxladapter.Fire) { n.scheduler.Planned([]xxladapter.Fire{f}) },
	})
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	var handler http.Handler = api
	handler = spread.NewHandler(spread.HandlerOptions{
		Pages: access.NewPages(access.PagesOptions{
			Open: n.opts.AccessToken == "", Hosts: n.opts.AllowHosts,
			Setting: "the allowed hosts (xxlwheel serve --allow-host)",
		}),
		Permits: n.tokens.Permits, Accept: n.scheduler.TakeHint, Next: handler,
	})
	if n.opts.Console != nil {
		handler = n.opts.Console.Around(handler)
	}
	if n.opts.Around != nil {
		handler = n.opts.Around(handler)
	}
	if tls != nil || n.opts.HSTS {
		handler = access.StrictTransport(handler)
	}
	n.http = &http.Server{
		Handler:           access.LimitWrites(handler, writeLimit),
		TLSConfig:         tls,
		HTTP2:             &http.HTTP2Config{WriteByteTimeout: writeLimit},
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       readLimit,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(n.opts.Logger.Handler(), slog.LevelWarn),
	}
	access.CloseSilent(n.http)
	n.http.RegisterOnShutdown(api.EndStreams)
	return nil
}

// watchMetrics registers the node's gauges with its metrics and returns their page; nil if nothing
// is measured.
func (n *Node) watchMetrics() http.Handler {
	if n.opts.Metrics == nil {
		return nil
	}
	var queued func(context.Context) (map[string]xxladapter.QueueState, error)
	if n.opts.Queue != nil {
		queued = n.opts.Queue.States
	}
	n.opts.Metrics.Watch(metrics.Sources{
		Queued: queued, Elector: n.elector(), Election: n.election,
		Scheduler: n.scheduler.Stats, Wheel: n.scheduler.Wheel, Loads: n.pool.Loads,
		Groups: n.opts.Store.Groups, Reports: n.opts.Store.Reports, PartitionMoves: n.opts.Store.PartitionMoves,
	})
	return n.opts.Metrics.Handler()
}

// Serve runs the serving half of Run: it answers calls until ctx ends. Then it waits at most five
// seconds for those in flight, also over the queue, and ends the contexts of those that still run.
// It refuses a listener that other machines can reach if Options has no AccessToken, or a token
// that is too short or well known. It closes ln.
func (n *Node) Serve(ctx context.Context, ln net.Listener) error {
	if err := n.opts.mayServe(ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	n.addresses.Serve(ln.Addr())
	if access.Reachable(ln.Addr().String()) && !n.opts.AllowDefaultToken {
		n.tokens.RefuseDefault()
	}
	if err := n.offerSetup(ctx, ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// A call that has not read its body does not learn that its connection is closed, and a report
	// over the queue has no connection of its own.
	answering, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	context.AfterFunc(ctx, func() { time.AfterFunc(answerLimit, giveUp) })
	stopQueue, err := n.serveQueue(answering)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer func() {
		stop()
		stopQueue() // waits for the answers in flight
	}()
	n.http.BaseContext = func(net.Listener) context.Context { return answering }
	ended := make(chan error, 1)
	go func() { // Serve waits for this goroutine, below
		if n.http.TLSConfig != nil {
			ended <- n.http.ServeTLS(ln, "", "")
		} else {
			ended <- n.http.Serve(ln)
		}
	}()
	n.begun()
	select {
	case err := <-ended:
		return fmt.Errorf("serve http: %w", err)
	case <-ctx.Done():
	}
	if err := n.http.Shutdown(answering); err != nil {
		_ = n.http.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve http: %w", err)
	}
	return nil
}

// offerSetup calls Options.OnSetup with the link that creates the first user, if other machines can
// reach the listener and nobody can sign in yet. The secret is in the fragment, which browsers send
// to no server, so that no proxy logs it.
func (n *Node) offerSetup(ctx context.Context, addr net.Addr) error {
	if n.opts.OnSetup == nil || !access.Reachable(addr.String()) {
		return nil
	}
	secret, err := n.accounts.Setup(ctx)
	if err != nil && ctx.Err() != nil {
		return nil // the node is stopping, which is no failure
	}
	if err != nil {
		return fmt.Errorf("look for users: %w", err)
	}
	if secret != "" {
		n.opts.OnSetup("/console/setup#secret=" + secret)
	}
	return nil
}
