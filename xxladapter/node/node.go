// Package node wires one scheduler process together: everything between a store and the executors.
// It knows no concrete store, elector or broker: a program links the clients of those that it uses.
//
// A node always links what it serves and sends itself: the client library of Prometheus, for the
// figures at /metrics; those of OpenID Connect and OAuth 2.0, and Argon2, for people who sign in; a
// mail client, for alarms; YAML, in which jobs are declared.
package node

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
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// Window is how far ahead of their due times a node plans fires. It is also the default misfire
// window: a due time that is found later than this becomes a misfire.
const Window = scheduler.DefaultWindow

// A Node is one scheduler process. It may be the only one of its store.
type Node struct {
	name      string
	opts      Options
	tokens    *access.Executors
	addresses *access.Addresses
	accounts  *accounts.Accounts

	client    *trigger.Client
	pool      *trigger.Pool
	scheduler *scheduler.Scheduler
	hints     *spread.Client
	handOver  *trigger.HandOver
	backfills *maintenance.Backfills
	upkeep    []runner
	http      *http.Server
	candidacy *elect.Candidacy // nil without an elector
	halves    atomic.Int32     // of Run that have begun

	removed, expired, textWanted notice
}

// A runner does work until its context ends.
type runner interface {
	Run(ctx context.Context) error
}

// A notice wakes one part of a node because another has work for it. It has room for one, since the
// receiver handles all the work there is.
type notice chan struct{}

func newNotice() notice { return make(notice, 1) }

// post sends the notice, unless one is waiting already.
func (n notice) post() {
	select {
	case n <- struct{}{}:
	default:
	}
}

// New returns a node that does nothing before Run. The error names the option that is missing or
// makes no sense.
func New(opts Options) (*Node, error) {
	if opts.Store == nil {
		return nil, errors.New("node: Options.Store is nil, must be set")
	}
	if opts.Advertise != "" {
		if err := access.CheckBase("Options.Advertise", opts.Advertise); err != nil {
			return nil, fmt.Errorf("node: %w", err)
		}
	}
	if opts.PublicURL != "" {
		if err := access.CheckPublic("Options.PublicURL", opts.PublicURL); err != nil {
			return nil, fmt.Errorf("node: %w", err)
		}
	}
	if err := opts.checkValues(); err != nil {
		return nil, err
	}
	if err := opts.checkElector(); err != nil {
		return nil, err
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Metrics != nil {
		opts = measure(opts)
	}
	name := uniqueName()
	alarms, err := withAlarms(&opts, name)
	if err != nil {
		return nil, err
	}
	n := &Node{
		name: name, opts: opts,
		tokens:    access.NewExecutors(opts.AccessToken, opts.Store.Groups),
		addresses: &access.Addresses{Allow: opts.AllowAddresses},
		accounts:  accounts.New(opts.Store, opts.Logger),
		removed:   newNotice(), expired: newNotice(), textWanted: newNotice(),
	}
	n.backfills = maintenance.NewBackfills(
		opts.Store, func(fires []xxladapter.Fire) { n.scheduler.Planned(fires) },
		func() bool { return n.scheduler.Fit() }, opts.Logger,
	)
	n.opts.OnEvent = hintBackfills(n.backfills, opts.OnEvent)
	if err := n.buildTrigger(); err != nil {
		return nil, err
	}
	if err := n.buildServer(); err != nil {
		return nil, err
	}
	n.upkeep = append(n.maintenance(), alarms)
	n.campaign()
	return n, nil
}

// uniqueName returns a name that differs for each process that ever ran, so that a node never
// mistakes what a dead one claimed for its own.
func uniqueName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%.40s:%d:%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}

// Name returns the name under which the node claims fires.
func (n *Node) Name() string { return n.name }

// PoolLoads returns how many fires are being handed over and how many wait, by pool and group.
func (n *Node) PoolLoads() []trigger.Load { return n.pool.Loads() }

// Stats holds the counters of a node's scheduler and of its hand-overs.
type Stats struct {
	Scheduler scheduler.Stats
	HandOver  trigger.Stats
}

// Stats returns the current counters. It may be called at any time, from any goroutine.
func (n *Node) Stats() Stats { return Stats{n.scheduler.Stats(), n.handOver.Stats()} }

// begun calls Options.OnStart when both halves of Run have begun.
func (n *Node) begun() {
	if n.halves.Add(1) == 2 && n.opts.OnStart != nil {
		n.opts.OnStart()
	}
}

// Run serves executors and the API on ln, and schedules, until ctx ends or one of the two fails. It
// then stops scheduling, and serves until the last hand-over has ended. It closes ln, and leaves
// the store open. It may be called once.
func (n *Node) Run(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	var parts errgroup.Group
	parts.Go(func() error {
		defer cancel()
		return n.Serve(serving, ln)
	})
	parts.Go(func() error {
		defer stopServing()
		return n.Schedule(ctx)
	})
	return parts.Wait()
}
