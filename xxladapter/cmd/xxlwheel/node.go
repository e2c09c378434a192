package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"golang.org/x/sync/errgroup"
)

// A node is one scheduler process: everything between the store and the
// executors, wired together.
type node struct {
	store     xxladapter.Store
	client    *trigger.Client
	pool      *trigger.Pool
	scheduler *scheduler.Scheduler
	registry  *maintenance.Registry
	http      *http.Server
	logger    *slog.Logger
}

type nodeConfig struct {
	store       xxladapter.Store
	accessToken string
	zone        *time.Location
	logger      *slog.Logger
	onEvent     func(trigger.Event)
	onMisfire   func(xxladapter.Misfire)
}

func newNode(cfg nodeConfig) (*node, error) {
	name := nodeName()
	client := trigger.NewClient(trigger.ClientOptions{AccessToken: cfg.accessToken})
	handOver := trigger.NewHandOver(trigger.Options{
		Store: cfg.store, Sender: client, Node: name, OnEvent: cfg.onEvent, Logger: cfg.logger,
	})
	pool := trigger.NewPool(handOver, trigger.PoolOptions{Logger: cfg.logger})
	sched, err := scheduler.New(scheduler.Options{
		Store: cfg.store, Pool: pool, Node: name, Zone: cfg.zone, OnMisfire: cfg.onMisfire, Logger: cfg.logger,
	})
	if err != nil {
		return nil, err
	}
	api := admin.New(admin.Options{
		Store: cfg.store, Completer: handOver, AccessToken: cfg.accessToken, Zone: cfg.zone, Logger: cfg.logger,
		JobChanged: sched.Wake,
		Planned: func(f xxladapter.Fire) {
			if err := sched.Arm(f); err != nil {
				// The scheduler is stopping. The fire is stored and goes out after the start.
				cfg.logger.Warn("fire not armed", "fire", f.ID, "err", err)
			}
		},
	})
	return &node{
		store: cfg.store, client: client, pool: pool, scheduler: sched, logger: cfg.logger,
		registry: &maintenance.Registry{Store: cfg.store, Logger: cfg.logger},
		http: &http.Server{
			Handler:           api,
			ReadHeaderTimeout: 10 * time.Second,
			ReadTimeout:       time.Minute, // a body of 5 MiB over a slow line
			IdleTimeout:       2 * time.Minute,
			ErrorLog:          slog.NewLogLogger(cfg.logger.Handler(), slog.LevelWarn),
		},
	}, nil
}

// nodeName is unique for each process that ever ran, so that what a dead one
// claimed is never mistaken for one's own.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%.40s:%d:%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}

// serveHTTP answers calls until ctx ends, and then finishes those under way.
func (n *node) serveHTTP(ctx context.Context, ln net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- n.http.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve http: %w", err)
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := n.http.Shutdown(limit); err != nil {
		_ = n.http.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve http: %w", err)
	}
	return nil
}

// schedule runs everything but the HTTP server until ctx ends. It stops in the
// order of XXL-JOB's stop: first the scan and the wheel, then the hand-overs.
func (n *node) schedule(ctx context.Context) error {
	poolCtx, stopPool := context.WithCancel(context.WithoutCancel(ctx))
	defer stopPool()
	var parts errgroup.Group
	parts.Go(func() error { return n.pool.Run(poolCtx) })
	parts.Go(func() error { return n.registry.Run(ctx) })
	parts.Go(func() error {
		defer stopPool()
		return n.scheduler.Run(ctx)
	})
	return parts.Wait()
}

// run serves and schedules until ctx ends or one of the two fails. Results are
// taken in as long as runs are being handed over.
func (n *node) run(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	httpCtx, stopHTTP := context.WithCancel(context.WithoutCancel(ctx))
	defer stopHTTP()
	var parts errgroup.Group
	parts.Go(func() error {
		defer cancel()
		return n.serveHTTP(httpCtx, ln)
	})
	parts.Go(func() error {
		defer stopHTTP()
		return n.schedule(ctx)
	})
	return parts.Wait()
}

// close releases the store and the connections. REQUIRES: run has returned.
func (n *node) close() error {
	n.client.Close()
	return n.store.Close()
}
