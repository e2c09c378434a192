// Package node wires one scheduler process together: what lies between a store
// and the executors. It knows no concrete store.
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
	"net/netip"
	"os"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"golang.org/x/sync/errgroup"
)

// Window is how far ahead of their due times a node plans fires. Whatever keeps all
// nodes of a store from planning for longer makes due times misfires.
const Window = scheduler.DefaultWindow

// Options configures a [Node]. Only Store must be set.
type Options struct {
	Store xxladapter.Store
	// AccessToken is asked of executors and sent to them, beside the tokens that
	// groups have of their own, and is asked of users of the API where
	// OperatorTokens has none. Empty: nothing is checked, and the node does not
	// serve other machines.
	AccessToken string
	// OperatorTokens open the API in place of AccessToken. ReadTokens let look
	// and not change.
	OperatorTokens, ReadTokens []string
	// AllowDefaultToken lets other machines in with the token that stands in
	// every sample configuration of XXL-JOB.
	AllowDefaultToken bool
	// AllowAddresses are the networks that executors may be in; empty: all. An
	// address in them may also be named by who triggers a job. Link-local
	// addresses and the node itself are never called.
	AllowAddresses []netip.Prefix
	// AllowHosts are further names, without ports, by which the node may be called
	// where no token is needed, for example that of a proxy. Without a token a
	// request must name localhost, a loopback address or one of these in its Host
	// header, so that no page in a browser can pass its own name off as this
	// machine's.
	AllowHosts []string
	// TLSCert and TLSKey are files with the certificate chain and its key, in PEM;
	// empty: the node serves http. They are read again when they change.
	TLSCert, TLSKey string
	// TLSCA is a file with authorities, in PEM, that executors at https addresses
	// are trusted by, beside those of the system; empty: the system's only.
	TLSCA string
	// Zone is where cron expressions are read. The default is time.Local. It must be
	// that of all other nodes of the store.
	Zone *time.Location
	// CronProfile is how they are read; see package cron.
	CronProfile cron.Profile
	// FastPool, SlowPool and PoolPerApp are how many fires are handed over at
	// the same time; see trigger.PoolOptions. 0: its defaults.
	FastPool, SlowPool, PoolPerApp int
	// Drain is how long a node that stops waits for hand-overs that are under
	// way. The default is 10s.
	Drain time.Duration
	// SkewLimit is by how much this machine's clock may differ from the store's,
	// see scheduler.Options. The default is 2s.
	SkewLimit time.Duration
	// KeepLogs is how long log rows stay after their trigger; 0 or less: for ever.
	KeepLogs time.Duration
	// KeepSuccesses is how long those of successful runs stay whose job keeps
	// failures only; 0: ten minutes. Beside a Java admin on the same database it
	// must be more than three days, or its daily report forgets them.
	KeepSuccesses time.Duration
	// RunTexts says of which runs the log text is stored, so that it outlives the
	// executor. The default is of those that did not end well.
	RunTexts xxladapter.TextPolicy
	// OnEvent and OnMisfire are told what becomes of due times, on the
	// goroutines that do the work, which wait for them; nil: nobody is.
	OnEvent   func(trigger.Event)
	OnMisfire func(xxladapter.Misfire)
	// Alarms are the channels by which failed runs are told of. None: nobody is
	// told, and for a day failures stay open for another scheduler on the same
	// store.
	Alarms []alarm.Channel
	// Metrics counts and measures what the node does, and is served at /metrics to
	// those who may read the API; nil: nothing is measured. It is of this node
	// alone.
	Metrics *metrics.Metrics
	// OnAlarm is told what became of each alarm on each channel; nil: nobody is.
	OnAlarm func(channel, result string)
	Logger  *slog.Logger // nil: slog.Default()

	onCallback func(outcome string)
	sender     trigger.Sender // nil: calls go over HTTP
}

// A Node is one scheduler process. It may be the only one of its store.
type Node struct {
	name      string
	addresses *access.Addresses
	mayServe  func(net.Addr) error
	tokens    *access.Executors
	// allowDefault is Options.AllowDefaultToken.
	allowDefault bool
	client       *trigger.Client
	handOver     *trigger.HandOver
	agree        func(context.Context) error // that the zone is the store's
	pool         *trigger.Pool
	scheduler    *scheduler.Scheduler
	registry     *maintenance.Registry
	lost         *maintenance.Lost
	stuck        *maintenance.Stuck
	waiting      *maintenance.Waiting
	reports      *maintenance.Reports
	alarms       runner
	retention    *maintenance.Retention
	texts        *maintenance.Texts
	http         *http.Server
}

// New returns a node that does nothing before Run.
func New(opts Options) (*Node, error) {
	if opts.Store == nil {
		return nil, errors.New("node: Options.Store is nil, must be set")
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Metrics != nil {
		opts = measure(opts)
	}
	name := uniqueName()
	alarms := withAlarms(&opts, name)
	tokens := access.NewExecutors(opts.AccessToken, opts.Store.Groups)
	addresses := &access.Addresses{Allow: opts.AllowAddresses}
	serverTLS, err := access.ServerTLS(opts.TLSCert, opts.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("node: Options.TLSCert and TLSKey: %w", err)
	}
	clientTLS, err := access.ClientTLS(opts.TLSCA)
	if err != nil {
		return nil, fmt.Errorf("node: Options.TLSCA: %w", err)
	}
	client := trigger.NewClient(trigger.ClientOptions{Sent: tokens.Sent, MayDial: addresses.CheckDial, TLS: clientTLS})
	if opts.sender == nil {
		opts.sender = client
	}
	var sched *scheduler.Scheduler // set below, before anything runs
	wantedTexts := make(chan struct{}, 1)
	handOver := trigger.NewHandOver(trigger.Options{
		Store: opts.Store, Sender: opts.sender, OnEvent: opts.OnEvent, OnCallback: opts.onCallback, Logger: opts.Logger,
		Term:       func() (xxladapter.Term, bool) { return sched.Term() },
		Fenced:     func(t xxladapter.Term) { sched.Fenced(t) },
		Early:      func(now, asked time.Time) { sched.Early(now, asked) },
		Planned:    func() { sched.Sweep() },
		Arm:        func(f xxladapter.Fire) { arm(sched, f, opts.Logger) },
		Resumed:    func() { sched.Wake() },
		Texts:      opts.RunTexts,
		TextWanted: func() { announce(wantedTexts) },
	})
	pool := trigger.NewPool(handOver, trigger.PoolOptions{
		Fast: opts.FastPool, Slow: opts.SlowPool, PerApp: opts.PoolPerApp, Drain: opts.Drain,
		Room: func() { sched.Sweep() }, Again: func(f xxladapter.Fire) { sched.Again(f) }, Logger: opts.Logger,
	})
	sched, err = scheduler.New(scheduler.Options{
		Store: opts.Store, Pool: pool, Node: name, Zone: opts.Zone, CronProfile: opts.CronProfile,
		SkewLimit: opts.SkewLimit,
		OnMisfire: opts.OnMisfire, Logger: opts.Logger,
	})
	if err != nil {
		return nil, err
	}
	var metricsPage http.Handler
	if opts.Metrics != nil {
		opts.Metrics.Watch(metrics.Sources{
			Scheduler: sched.Stats, Wheel: sched.Wheel, Loads: pool.Loads, Groups: opts.Store.Groups, Reports: opts.Store.Reports,
		})
		metricsPage = opts.Metrics.Handler()
	}
	removed, expired := make(chan struct{}, 1), make(chan struct{}, 1)
	api := admin.New(admin.Options{
		Metrics: metricsPage, Checks: checks(opts.Store, sched.Stats, name),
		Store: opts.Store, Completer: handOver, Executors: client, Zone: opts.Zone, CronProfile: opts.CronProfile, Logger: opts.Logger,
		AccessToken: opts.AccessToken, OperatorTokens: opts.OperatorTokens, ReadTokens: opts.ReadTokens,
		Tokens: tokens, Addresses: addresses, AllowHosts: opts.AllowHosts,
		Purger:     &maintenance.Purger{Store: opts.Store, NoAlarms: len(opts.Alarms) == 0, Logger: opts.Logger},
		JobChanged: sched.Wake,
		JobRemoved: func() { announce(removed) },
		Planned:    func(f xxladapter.Fire) { arm(sched, f, opts.Logger) },
	})
	server := &http.Server{
		Handler:           api,
		TLSConfig:         serverTLS,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // a body of 5 MiB over a slow line
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(opts.Logger.Handler(), slog.LevelWarn),
	}
	access.CloseSilent(server)
	return &Node{
		addresses: addresses, mayServe: opts.mayServe, tokens: tokens, allowDefault: opts.AllowDefaultToken,
		name: name, client: client, handOver: handOver, pool: pool, scheduler: sched,
		agree:    func(ctx context.Context) error { return agreeZone(ctx, &opts) },
		registry: &maintenance.Registry{Store: opts.Store, Expired: func() { announce(expired) }, Logger: opts.Logger},
		alarms:   alarms,
		lost:     &maintenance.Lost{Store: opts.Store, Beat: client.Beat, Lose: handOver.Lose, Expired: expired, Logger: opts.Logger},
		waiting:  &maintenance.Waiting{Store: opts.Store, Logger: opts.Logger},
		stuck:    &maintenance.Stuck{Store: opts.Store, Settled: handOver.WrittenOff, Logger: opts.Logger},
		reports:  &maintenance.Reports{Store: opts.Store, Logger: opts.Logger},
		texts:    &maintenance.Texts{Store: opts.Store, Fetch: client.Log, Busy: pool.Busy, Wanted: wantedTexts, Logger: opts.Logger},
		retention: &maintenance.Retention{
			Store: opts.Store, Keep: opts.KeepLogs, KeepSuccesses: opts.KeepSuccesses, Zone: opts.Zone, NoAlarms: len(opts.Alarms) == 0,
			Removed: removed, Logger: opts.Logger,
		},
		http: server,
	}, nil
}

// announce puts a value into a channel with room for one, unless it has one: the
// receiver looks at everything that was announced at once.
func announce(work chan<- struct{}) {
	select {
	case work <- struct{}{}:
	default:
	}
}

// arm lets a stored fire be handed out when it is due.
func arm(s *scheduler.Scheduler, f xxladapter.Fire, logger *slog.Logger) {
	if err := s.Arm(f); err != nil {
		// The scheduler is stopping. The fire goes out after the next start.
		logger.Warn("fire not armed", "fire", f.ID, "err", err)
	}
}

// mayServe refuses to let other machines in without a secret.
func (o *Options) mayServe(addr net.Addr) error {
	others := []access.Secret{}
	for _, token := range o.OperatorTokens {
		others = append(others, access.Secret{Setting: "Options.OperatorTokens", Token: token})
	}
	for _, token := range o.ReadTokens {
		others = append(others, access.Secret{Setting: "Options.ReadTokens", Token: token})
	}
	err := access.CheckListener(addr.String(), o.AllowDefaultToken, access.Secret{Setting: "Options.AccessToken", Token: o.AccessToken}, others...)
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	return nil
}

// uniqueName differs for each process that ever ran, so that what a dead one
// claimed is never mistaken for one's own.
func uniqueName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	return fmt.Sprintf("%.40s:%d:%s", host, os.Getpid(), hex.EncodeToString(random[:]))
}

// Name is the name under which the node claims fires.
func (n *Node) Name() string { return n.name }

// PoolLoads says how much is being handed over and waits for it.
func (n *Node) PoolLoads() []trigger.Load { return n.pool.Loads() }

// Stats is what a node counts of leases: its own, and what they kept it from.
type Stats struct {
	Scheduler scheduler.Stats
	HandOver  trigger.Stats
}

// Stats may be called at any time.
func (n *Node) Stats() Stats { return Stats{n.scheduler.Stats(), n.handOver.Stats()} }

// Run serves executors and the API on ln, and schedules, until ctx ends or one
// of the two fails. It stops scheduling first and takes results in until
// nothing is handed over any more. It closes ln, may be called once, and leaves
// the store open.
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

// Serve is the serving half of Run: it answers calls until ctx ends, and then
// finishes those under way. It refuses a listener that other machines can reach
// where Options has no secret.
func (n *Node) Serve(ctx context.Context, ln net.Listener) error {
	if err := n.mayServe(ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
	n.addresses.Serve(ln.Addr())
	if access.Reachable(ln.Addr().String()) && !n.allowDefault {
		n.tokens.RefuseDefault()
	}
	ended := make(chan error, 1)
	go func() {
		if n.http.TLSConfig != nil {
			ended <- n.http.ServeTLS(ln, "", "")
		} else {
			ended <- n.http.Serve(ln)
		}
	}()
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

// Schedule is the other half of Run. It stops in the order of XXL-JOB's stop:
// first the scan and the wheel, then the hand-overs; and last it gives its lease
// back, so that other nodes go on at once. Its shards are theirs from the first
// step on. It does nothing and returns an error if the other schedulers of the store
// read schedules in another zone.
func (n *Node) Schedule(ctx context.Context) error {
	defer n.client.Close()
	if err := n.agree(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	handingOver, stopPool := context.WithCancel(context.WithoutCancel(ctx))
	defer stopPool()
	leasing, stopLease := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLease()
	var parts errgroup.Group
	parts.Go(func() error { return n.scheduler.HoldLease(leasing) })
	parts.Go(func() error {
		defer stopLease()
		return n.pool.Run(handingOver)
	})
	parts.Go(func() error { return n.registry.Run(ctx) })
	parts.Go(func() error { return n.lost.Run(ctx) })
	parts.Go(func() error { return n.stuck.Run(ctx) })
	parts.Go(func() error { return n.waiting.Run(ctx) })
	parts.Go(func() error { return n.reports.Run(ctx) })
	parts.Go(func() error { return n.alarms.Run(ctx) })
	parts.Go(func() error { return n.retention.Run(ctx) })
	parts.Go(func() error { return n.texts.Run(ctx) })
	parts.Go(func() error {
		defer stopPool()
		return n.scheduler.Run(ctx)
	})
	return parts.Wait()
}
