// Package serve has the command serve: its flags, the checks of their values, and the order in
// which the parts of a scheduler are opened and closed.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/assistant"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/alarms"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/daemon"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/settings"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/stores"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/telemetry"
)

// Cmd runs a scheduler.
type Cmd struct {
	Listen            string         `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Address to serve executors and the API at (default ${default}; port 0 picks a free one)."`
	Store             flags.Secret   `default:"sqlite:xxlwheel.db" placeholder:"KIND:PLACE" help:"Store of jobs, fires and logs: sqlite:FILE, sqlite:FILE?journal=on for this process alone, mysql://USER:PASSWORD@HOST:PORT/DATABASE?zone=ZONE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, or @FILE that contains one of these (default ${default})."`
	AccessToken       flags.Secret   `placeholder:"TOKEN" help:"Secret that executors must send, as must callers of the API if there is no --operator-token. Each token flag takes the secret, or @FILE that contains it."`
	OperatorToken     []flags.Secret `placeholder:"TOKEN" help:"Secrets that give full access to the API, in place of the access token."`
	ReadToken         []flags.Secret `placeholder:"TOKEN" help:"Secrets that give read-only access to the API."`
	AllowDefaultToken bool           `help:"Allow XXL-JOB's well-known default token although other machines can reach the port."`
	AllowDeclare      bool           `help:"Let executors declare the jobs of their group from code, with the group's own access token (executor.Declare)."`
	AllowAddress      []string       `placeholder:"NETWORK" help:"Networks that executors may be in, for example 10.0.0.0/8 (default: all except link-local ones)."`
	AllowHost         []string       `placeholder:"NAME" help:"Additional host names under which this process may be called when it needs no token, for example a proxy's (always allowed: localhost and loopback addresses, and at the port of --metrics-listen its host)."`
	MetricsListen     string         `placeholder:"HOST:PORT" help:"Additional address that serves /metrics without a token (default: none; /metrics at --listen requires a token that may read the API)."`
	Zone              string         `default:"Local" placeholder:"ZONE" help:"Time zone for cron expressions, for example Asia/Shanghai (default: this machine's)."`
	CronProfile       cron.Profile   `predictor:"cron-profile" default:"quartz" placeholder:"NAME" help:"How cron expressions are evaluated: quartz (default); xxl34, which reproduces XXL-JOB 3.4, including its faults; sane, which fires once when the clock changes; or unix, with five fields."`

	Scheduling string `default:"all" enum:"all,leader" placeholder:"MODE" help:"Which schedulers of the store plan jobs: all, each a part (default), or leader, one of them all jobs while the others stand by. The same for all schedulers of a store."`
	Spread     string `default:"none" enum:"none,hash,random,round" placeholder:"WAY" help:"Who hands over the runs that a leader plans: none, the leader itself (default); or all schedulers: hash, by the job, random, or round, in turn."`
	Advertise  string `placeholder:"URL" help:"Address under which the other schedulers reach this one, for the runs that a leader gives it, as http://HOST:PORT (default: derived from --listen)."`

	NoConsole    bool         `help:"Do not serve the web console."`
	ConsoleDir   string       `type:"path" placeholder:"DIR" help:"Folder with the files of the web console, in place of those in the binary; for work on the console itself."`
	TakeoverFrom flags.Secret `placeholder:"PLACE" help:"Database of XXL-JOB from which administrators may take jobs over through the API and the console, as for takeover --from, or @FILE that contains it. It is only read (default: none)."`
	NoMCP        bool         `name:"no-mcp" help:"Do not serve assistants at /mcp."`
	MCPChanges   bool         `name:"mcp-allow-changes" help:"Also offer assistants at /mcp the tools that start, stop, trigger, create and change jobs, kill runs and pause schedules, as far as their token grants that."`

	Alarm  alarms.Flags          `embed:"" prefix:"alarm-"`
	Logs   logs                  `embed:""`
	Limits limits                `embed:""`
	TLS    daemon.TLSFlags       `embed:""`
	Broker daemon.QueueFlags     `embed:""`
	Leader electorFlags          `embed:""`
	Redis  stores.RedisFlags     `embed:""`
	OIDC   oidcFlags             `embed:"" prefix:"oidc-"`
	OTLP   daemon.TelemetryFlags `embed:"" prefix:"otlp-"`
	Public string                `name:"public-url" placeholder:"URL" help:"Address under which browsers reach this scheduler, with the prefix of a proxy, to come back from the provider of OpenID Connect (default: the host that the browser names)."`
	HSTS   bool                  `name:"hsts" help:"Tell browsers to use https alone for this host (Strict-Transport-Security); for a proxy that ends TLS (default: only with --tls-cert)."`

	settings.Flags
	daemon.LogFlags `set:"log_level=info"`
}

// Run opens addresses, broker, elector and store, in this order, so that whatever cannot be opened
// is an error of one line, before anything is scheduled. When the node has ended, the page for
// metrics stops and the store closes; then telemetry sends what it has, and the broker's connection
// closes last.
func (c *Cmd) Run(inv *command.Invocation) error {
	opts, err := c.Check()
	if err != nil {
		return err
	}
	daemon.OutliveReader()
	logger := c.Logger(inv.Stderr)
	ln, err := daemon.Listen("--listen", c.Listen)
	if err != nil {
		return err
	}
	defer ln.Close() // the server closes it too; the second close has no effect
	if opts.Advertise, err = c.advertised(ln.Addr()); err != nil {
		return err
	}
	metricsLn, err := c.listenMetrics()
	if err != nil {
		return err
	}
	if metricsLn != nil {
		defer metricsLn.Close()
	}
	broker, err := c.Broker.Connect(inv.Context, "xxlwheel "+ln.Addr().String(), c.TLS.TLSCA, logger)
	if err != nil {
		return unlessStopped(inv.Context, logger, err)
	}
	if broker != nil { // a nil pointer in an interface is not nil
		defer broker.Close()
		opts.Queue = broker
	}
	elector, err := c.Leader.connect(inv.Context, "xxlwheel "+ln.Addr().String(), c.TLS.TLSCA)
	if err != nil {
		return unlessStopped(inv.Context, logger, err)
	}
	using := sqlstore.Options{
		Logger: logger, Zone: opts.Zone, Connections: c.Limits.StoreConnections, LockLife: c.Limits.StoreLockLife,
	}
	store, err := c.Redis.Open(inv.Context, string(c.Store), using)
	if err != nil {
		return unlessStopped(inv.Context, logger, err)
	}
	if err := c.offerTakeOver(inv.Context, store, &opts, using); err != nil {
		return errors.Join(err, store.Close())
	}
	measured := metrics.New()
	plain := logger
	sending, err := c.OTLP.Start(inv.Context, telemetry.Options{
		Service: "xxlwheel", Instance: ln.Addr().String(), Metrics: measured.Registry(), Parent: store.Log,
		Logger: plain,
	})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer daemon.StopTelemetry(inv.Context, sending, plain)
	logger = sending.Logger(plain)
	opts.OnEvent, opts.TraceParent = sending.Event, sending.TraceParent
	opts.Store, opts.Metrics, opts.Logger, opts.Elector = store, measured, logger, elector
	opts.Around = c.assistants(logger)
	opts.Version, opts.Revision = command.Build(debug.ReadBuildInfo())
	opts.OnSetup = func(link string) {
		fmt.Fprintf(
			inv.Stdout, "nobody can sign in yet; this link creates the first user, once: %s%s%s\n", c.TLS.Scheme(),
			ln.Addr(), link,
		)
	}
	ended := func() {}
	opts.OnStart = func() {
		c.announce(inv.Stdout, ln.Addr(), elector)
		ended = daemon.TellServiceManager(inv.Context, logger)
	}
	n, err := node.New(opts)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	stopMetrics := serveMetrics(metricsLn, c.metricsPages(), measured)
	err = errors.Join(n.Run(inv.Context, ln), stopMetrics(), store.Close())
	ended()
	return daemon.Stopped(logger, err)
}

// unlessStopped returns the error of what could not be opened, or nil if a stop has interrupted it.
func unlessStopped(ctx context.Context, logger *slog.Logger, err error) error {
	if ctx.Err() != nil {
		err = nil
	}
	return daemon.Stopped(logger, err)
}

// announce prints where the node serves, and what it works with. elector may be nil.
func (c *Cmd) announce(to io.Writer, at net.Addr, elector elect.Elector) {
	fmt.Fprintf(
		to, "xxlwheel serves on %s%s, store %s\n", c.TLS.Scheme(), at, sqlstore.Redacted(string(c.Store)),
	)
	if c.Broker.Queue != "" {
		fmt.Fprintf(to, "queue %s\n", c.Broker.Shown())
	}
	if elector != nil {
		fmt.Fprintf(to, "elector %s\n", elector)
	}
	if !c.NoConsole {
		fmt.Fprintf(to, "console %s\n", daemon.ConsoleURL(c.TLS.Scheme(), at))
	}
}

// Check refuses settings that cannot be used, before anything is opened, and returns the node's
// options that follow from them.
func (c *Cmd) Check() (node.Options, error) {
	if err := daemon.CheckListener(c.Listen, string(c.AccessToken), c.AllowDefaultToken, c.operators()...); err != nil {
		return node.Options{}, err
	}
	if c.MetricsListen != "" {
		if err := daemon.CheckAddress("--metrics-listen", c.MetricsListen); err != nil {
			return node.Options{}, err
		}
	}
	return c.nodeOptions()
}

// nodeOptions returns the node's options that follow from the flags, without those that have to be
// opened.
func (c *Cmd) nodeOptions() (opts node.Options, err error) {
	allowed, err := access.ParsePrefixes(c.AllowAddress)
	if err != nil {
		return opts, command.Usagef("--allow-address: %v", err)
	}
	zone, err := flags.Zone(c.Zone)
	if err != nil {
		return opts, err
	}
	alarms, err := c.Alarm.Channels()
	if err != nil {
		return opts, err
	}
	if err := cmp.Or(
		c.Logs.check(), c.Limits.check(), c.TLS.Check(), c.Broker.Check(), c.Leader.check(c.Scheduling),
		stores.Check("--store", string(c.Store)), c.Redis.Check(string(c.Store)), c.OTLP.Check(),
	); err != nil {
		return opts, err
	}
	provider, err := c.OIDC.provider(c.TLS.TLSCA)
	if err != nil {
		return opts, err
	}
	if err := c.checkSpread(); err != nil {
		return opts, err
	}
	if err := checkPublicURL(c.Public); err != nil {
		return opts, err
	}
	pages, err := c.console()
	if err != nil {
		return opts, err
	}
	if c.NoMCP && c.MCPChanges {
		return opts, command.Usagef("--mcp-allow-changes must not be together with --no-mcp")
	}
	return node.Options{
		Console: pages, Scheduling: xxladapter.SchedulingMode(c.Scheduling),
		Spread:      xxladapter.Spread(c.Spread),
		AccessToken: string(c.AccessToken), OperatorTokens: flags.Revealed(c.OperatorToken),
		ReadTokens:        flags.Revealed(c.ReadToken),
		AllowDefaultToken: c.AllowDefaultToken, AllowDeclare: c.AllowDeclare, AllowAddresses: allowed,
		AllowHosts: c.AllowHost, Alarms: alarms,
		Zone: zone, CronProfile: c.CronProfile,
		TLSCert: c.TLS.TLSCert, TLSKey: c.TLS.TLSKey, TLSCA: c.TLS.TLSCA, HSTS: c.HSTS,
		OIDC: provider, PublicURL: c.Public,
		FastPool: c.Limits.FastPool, SlowPool: c.Limits.SlowPool, PoolPerApp: c.Limits.PoolPerApp,
		Drain: c.Limits.Drain, SkewLimit: c.Limits.skewLimit(),
		KeepLogs: time.Duration(c.Logs.KeepLogs), KeepSuccesses: time.Duration(c.Logs.KeepSuccesses),
		KeepAudit: time.Duration(c.Logs.KeepAudit),
		KeepStats: time.Duration(c.Logs.KeepStats), RunTexts: c.Logs.StoreRunLogs,
	}, nil
}

// assistants returns a function that adds the page for assistants to a server; nil with --no-mcp.
func (c *Cmd) assistants(logger *slog.Logger) func(http.Handler) http.Handler {
	if c.NoMCP {
		return nil
	}
	version, _ := command.Build(debug.ReadBuildInfo())
	opts := assistant.Options{Version: version, AllowChanges: c.MCPChanges, Logger: logger}
	return func(server http.Handler) http.Handler { return assistant.Page(server, opts) }
}

// listenMetrics opens the port of --metrics-listen, if that is given.
func (c *Cmd) listenMetrics() (net.Listener, error) {
	if c.MetricsListen == "" {
		return nil, nil
	}
	return daemon.Listen("--metrics-listen", c.MetricsListen)
}

// metricsPages decides who may read the metrics without a token.
func (c *Cmd) metricsPages() *access.Pages {
	return access.NewPages(
		access.PagesOptions{Open: true, Listen: c.MetricsListen, Hosts: c.AllowHost, Setting: "--allow-host"},
	)
}

// serveMetrics serves the metrics on ln until stop is called. With a nil ln it does nothing.
func serveMetrics(ln net.Listener, pages *access.Pages, m *metrics.Metrics) (stop func() error) {
	if ln == nil {
		return func() error { return nil }
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if err := pages.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		m.Handler().ServeHTTP(w, r)
	})
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		// Before net/http answers, it waits for the rest of the body that a caller has announced.
		ReadTimeout:  30 * time.Second,
		WriteTimeout: time.Minute, // from the header of a request to the end of its answer
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ln) }() // the returned function waits for it
	return func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return err
	}
}

// operators returns the secrets of the API.
func (c *Cmd) operators() (list []access.Secret) {
	for _, token := range c.OperatorToken {
		list = append(list, access.Secret{Setting: "--operator-token", Token: string(token)})
	}
	for _, token := range c.ReadToken {
		list = append(list, access.Secret{Setting: "--read-token", Token: string(token)})
	}
	return list
}
