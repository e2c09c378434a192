package node

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/console"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// Options configures a [Node]. Only Store must be set. A negative number or duration is refused
// unless its field says what it means.
type Options struct {
	// Store keeps all jobs, fires and runs. It must be set. The node does not close it.
	Store xxladapter.Store
	// Scheduling says whether this node plans a part of the jobs beside the other nodes of the
	// store, or all or none of them. The default is [xxladapter.SchedulingAll]. All nodes of a
	// store should have the same.
	Scheduling xxladapter.SchedulingMode
	// Spread says who hands over what this node plans while it leads, in
	// [xxladapter.SchedulingLeader]. The default is [xxladapter.SpreadNone]: the node itself. All
	// nodes of a store should have the same, since any of them may lead.
	Spread xxladapter.Spread
	// Advertise is the URL under which the other nodes of the store reach this one, so that a
	// leader can give it fires; see [access.CheckBase]. Empty means that it gets none.
	Advertise string
	// Elector says which node may lead; nil leaves that to the store. It needs
	// [xxladapter.SchedulingLeader].
	Elector elect.Elector
	// AccessToken is required of executors and sent to them, in addition to the tokens of single
	// groups. It is also required of users of the API, unless OperatorTokens has any. If it is
	// empty, the node does not serve other machines; executors whose group has no token need none,
	// and users of the API need none unless there are OperatorTokens, ReadTokens, OIDC or a user.
	AccessToken string
	// OperatorTokens grant access to the API in place of AccessToken. ReadTokens grant read access
	// only.
	OperatorTokens, ReadTokens []string
	// AllowDefaultToken lets other machines use the well-known token of XXL-JOB's sample
	// configurations.
	AllowDefaultToken bool
	// AllowDeclare lets executors declare the jobs of their group, with the group's own token; see
	// executor.Executor.Declare.
	AllowDeclare bool
	// AllowAddresses are the networks that executors may be in; empty allows all. A caller who
	// triggers a job may name an address in them. Link-local addresses and the node itself are
	// never called.
	AllowAddresses []netip.Prefix
	// AllowHosts are further names, without ports, by which the node may be called where no token
	// is needed, for example that of a proxy. Without a token a request must name localhost, a
	// loopback address or one of these in its Host header. This stops DNS rebinding: a page in a
	// browser whose own name resolves to this machine.
	AllowHosts []string
	// TLSCert and TLSKey are files with the certificate chain and its key, in PEM. If they are
	// empty the node serves http. They are read again when they change.
	TLSCert, TLSKey string
	// HSTS sends the header that makes browsers use only https, also in replies over http, for a
	// proxy that ends TLS. With TLSCert the header is always sent.
	HSTS bool
	// OIDC is a provider of OpenID Connect at which people sign in, in addition to passwords; nil
	// means none. With it the API is not open without a token, not even on loopback.
	OIDC *openid.Provider
	// PublicURL is the address under which browsers reach the node, with the prefix of a proxy.
	// Empty means the host that a request names.
	PublicURL string
	// TLSCA is a file with the certificate authorities, in PEM, that are trusted for executors at
	// https addresses, in addition to the system's. If it is empty only the system's are trusted.
	TLSCA string
	// Zone is the time zone of cron expressions. The default is time.Local. All nodes of a store
	// must have the same.
	Zone *time.Location
	// CronProfile selects the dialect of cron expressions. The default is [cron.Quartz].
	CronProfile cron.Profile
	// FastPool, SlowPool and PoolPerApp limit how many fires are handed over concurrently, as Fast,
	// Slow and PerApp of trigger.PoolOptions do. 0 means 200, 100 and half of a pool.
	FastPool, SlowPool, PoolPerApp int
	// Drain limits how long a stopping node waits for hand-overs in flight before it cancels them.
	// The default is 10s.
	Drain time.Duration
	// SkewLimit is how far this machine's clock may differ from the store's; see scheduler.Options.
	// The default is 2s, and a negative value disables the check.
	SkewLimit time.Duration
	// KeepLogs is how long log rows are kept after their trigger, and misfires after they were
	// recorded. 0 or less keeps them forever, as a negative logretentiondays of XXL-JOB does.
	KeepLogs time.Duration
	// KeepSuccesses is how long rows of successful runs are kept if their job keeps failures only.
	// The default is ten minutes. Beside a Java admin on the same database it must be more than
	// three days, or its daily report misses them.
	KeepSuccesses time.Duration
	// KeepAudit is how long rows of the audit and replaced versions of jobs are kept; 0 or less
	// keeps them forever.
	KeepAudit time.Duration
	// KeepStats is how long statistics of runs are kept; 0 or less keeps them forever.
	KeepStats time.Duration
	// RunTexts selects the runs whose log texts are stored, so that they outlive the executor. The
	// default is runs that failed.
	RunTexts xxladapter.TextPolicy
	// OnEvent and OnMisfire are called with the outcome of due times, on the goroutines that do the
	// work, which wait for them. A panic in them is logged. Nil ignores the outcomes.
	OnEvent   func(trigger.Event)
	OnMisfire func(xxladapter.Misfire)
	// TraceParent is that of trigger.Options. Nil traces no run.
	TraceParent func(*xxladapter.Log) string
	// Alarms are the channels on which failed runs are reported. Without any, nothing is reported,
	// and failures stay open for a day, for another scheduler on the same store.
	Alarms []alarm.Channel
	// TakeOver is that of admin.Options. With nil, the calls that take over fail.
	TakeOver func(ctx context.Context, dryRun bool) (*fromxxljob.Report, error)
	// Metrics counts and measures what the node does, and is served at /metrics to those who may
	// read the API. Nil measures nothing. It must not be shared with another node.
	Metrics *metrics.Metrics
	// Console is the web console, served beside the API. Nil leaves it out.
	Console *console.Console
	// Around returns the handler of the node's server, given the one with API, executor calls and
	// console; it adds further pages. Nil adds none.
	Around func(http.Handler) http.Handler
	// Version and Revision say from which sources the program was built, for those who ask the API;
	// empty means unknown.
	Version, Revision string
	// OnAlarm is that of alarm.Options. Nil ignores the results of alarms.
	OnAlarm func(channel, result string)
	// OnSetup is called once, before the node serves, if other machines can reach it and nobody can
	// sign in yet. link is the path and fragment of a page that creates the first user; it works
	// once, while this node runs, and is a secret. Nil offers no link.
	OnSetup func(link string)
	// OnStart is called once, when the node answers calls and has compared its zone with that of
	// the store, on a goroutine of the node, which waits for it. A node that cannot begin, or is
	// stopped before, does not call it. Nil calls nothing.
	OnStart func()
	Logger  *slog.Logger // nil means slog.Default()

	// Queue is the broker to which executors at nats:// addresses are connected; nil means that
	// there are none. queue.Connect returns one. The caller closes it after Run.
	Queue Broker

	onCallback func(outcome string)
	sender     trigger.Sender // nil means HTTP
}

// checkValues returns an error about an option that makes no sense by itself.
func (o *Options) checkValues() error {
	for _, n := range []struct {
		name  string
		value int
	}{{"FastPool", o.FastPool}, {"SlowPool", o.SlowPool}, {"PoolPerApp", o.PoolPerApp}} {
		if n.value < 0 {
			return fmt.Errorf("node: Options.%s is %d, must not be negative", n.name, n.value)
		}
	}
	for _, d := range []struct {
		name  string
		value time.Duration
	}{{"Drain", o.Drain}, {"KeepSuccesses", o.KeepSuccesses}} {
		if d.value < 0 {
			return fmt.Errorf("node: Options.%s is %v, must not be negative", d.name, d.value)
		}
	}
	if o.RunTexts != "" {
		if err := o.RunTexts.Validate(); err != nil {
			return fmt.Errorf("node: Options.RunTexts: %w", err)
		}
	}
	if o.Scheduling != "" {
		if err := o.Scheduling.Validate(); err != nil {
			return fmt.Errorf("node: Options.Scheduling: %w", err)
		}
	}
	if o.Spread != "" {
		if err := o.Spread.Validate(); err != nil {
			return fmt.Errorf("node: Options.Spread: %w", err)
		}
	}
	return nil
}

// mayServe returns an error if the tokens do not permit serving at addr; see
// [access.CheckListener].
func (o *Options) mayServe(addr net.Addr) error {
	others := []access.Secret{}
	for _, token := range o.OperatorTokens {
		others = append(others, access.Secret{Setting: "Options.OperatorTokens", Token: token})
	}
	for _, token := range o.ReadTokens {
		others = append(others, access.Secret{Setting: "Options.ReadTokens", Token: token})
	}
	err := access.CheckListener(
		addr.String(), o.AllowDefaultToken, access.Secret{Setting: "Options.AccessToken", Token: o.AccessToken},
		others...,
	)
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	return nil
}
