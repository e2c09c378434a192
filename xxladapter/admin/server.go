package admin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts/openid"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/executorapi"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/nodes"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/users"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/events"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Completer stores the results of runs; trigger.HandOver is one. When Complete returns nil, the
// results are durable.
type Completer interface {
	Complete(ctx context.Context, callbacks []wire.Callback) error
	// CompleteOwn stores results as Complete does, for an executor that may report results only of
	// the runs that own accepts.
	CompleteOwn(ctx context.Context, callbacks []wire.Callback, own trigger.Own) error
	// Accept gives runs to executors that have taken them from a queue, and reports for each run
	// whether it may begin.
	Accept(ctx context.Context, list []xxladapter.Accept) ([]bool, error)
}

// A Broker has the queues from which executors take runs; queue.Conn is one.
type Broker interface {
	// Prepare creates in the broker the queue from which the executor at an address takes its runs,
	// unless it exists.
	Prepare(ctx context.Context, at xxladapter.QueueAddress) error
	// State returns what lies in the queue of an app.
	State(ctx context.Context, app string) (xxladapter.QueueState, error)
}

// Executors calls executors; trigger.Client is one.
type Executors interface {
	Log(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error)
	Kill(ctx context.Context, addr, appName string, jobID int64) error
	Probe(ctx context.Context, addr, appName string) (trigger.Probe, error)
}

// A Purger deletes log rows without blocking the store for long; maintenance.Purger is one. It
// stops after limit with done false.
type Purger interface {
	Purge(ctx context.Context, what xxladapter.LogPurge, limit time.Duration) (rows int64, done bool, err error)
}

// A Store is the part of [xxladapter.Store] that this package needs, by groups of calls. This
// package edits definitions, records beats, orders and the audit, lets nodes retire, and reads
// everything else: only schedulers claim and settle.
type Store interface {
	xxladapter.Clock
	xxladapter.DescriptionStore
	Definitions
	Orders
	Runs
	Records
	Nodes
}

// Definitions keeps what people edit: jobs with their sources and versions, groups with their
// executors, pauses and calendars. A declaration edits jobs, groups and calendars together.
type Definitions interface {
	xxladapter.JobStore
	xxladapter.JobEditStore
	JobVersions(ctx context.Context, f xxladapter.JobVersionFilter) ([]*xxladapter.JobVersion, error)
	xxladapter.CountStore
	xxladapter.GlueStore
	xxladapter.GroupStore
	xxladapter.DrainStore
	xxladapter.RegistryStore
	xxladapter.PauseStore
	xxladapter.CalendarStore
	xxladapter.DeclarationStore
}

// Orders keeps what callers order to run beside the schedules: triggers and backfills.
type Orders interface {
	xxladapter.OrderStore
	CreateBackfill(ctx context.Context, b *xxladapter.Backfill) (int64, error)
	CancelBackfill(ctx context.Context, id int64) error
	Backfill(ctx context.Context, id int64) (*xxladapter.Backfill, error)
	Backfills(ctx context.Context, f xxladapter.BackfillFilter) ([]*xxladapter.Backfill, error)
}

// Runs shows runs, what they wrote, and what is still to run.
type Runs interface {
	xxladapter.LogStore
	xxladapter.RunHistoryStore
	xxladapter.RunListStore
	xxladapter.RecentRunStore
	RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error)
	OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error)
	Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error)
}

// Records keeps the audit, and shows what has changed and the figures of runs.
type Records interface {
	AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error
	AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error)
	AuditEnds(ctx context.Context) (xxladapter.AuditEnds, error)
	xxladapter.ChangeStore
	Reports(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error)
	Stats(ctx context.Context, f xxladapter.StatFilter) ([]xxladapter.Stat, error)
}

// Nodes shows the schedulers, and lets one retire.
type Nodes interface {
	Leases(ctx context.Context) ([]xxladapter.Lease, error)
	PartitionMoves(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error)
	Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error
}

// Options configures a [Server].
type Options struct {
	// Store keeps what the API shows and changes. It must be set.
	Store Store
	// Completer stores the results that executors report. It must be set.
	Completer Completer
	// Executors reads run logs, kills runs and probes executors. If it is nil, these calls fail.
	Executors Executors
	// Queue is the broker of executors that do not listen; nil means that there is none.
	Queue Broker
	// Purger deletes runs for the call that clears the log; if it is nil, that call fails.
	Purger Purger
	// Planned is called with each fire that a call has planned, so that it is handed out at once;
	// nil leaves it to the scheduler's sweep. Planned and the next three functions may be called by
	// several goroutines at the same time.
	Planned func(xxladapter.Fire)
	// JobChanged is called when a schedule was started or changed; nil disables it.
	JobChanged func()
	// JobRemoved is called when a job was removed whose log rows are still to be deleted; nil
	// disables it.
	JobRemoved func()
	// Backfilling is called when a backfill has begun; nil leaves it to the next poll.
	Backfilling func()
	// AccessToken is the token that executors send. Operators send it too, unless OperatorTokens is
	// set. Empty means that executors need no token, except those of a group that has its own.
	AccessToken string
	// OperatorTokens give full access to the management API. If there is one, the access token no
	// longer gives access to that API. ReadTokens give read-only access.
	OperatorTokens, ReadTokens []string
	// AllowDeclare lets executors declare the jobs of their group with the group's own token.
	AllowDeclare bool
	// AllowHosts are additional host names, without ports, under which this process may be called
	// when it needs no token; localhost and loopback addresses are always accepted. See
	// [access.Pages].
	AllowHosts []string
	// Accounts knows the users. If it is nil there are none, and only tokens give access.
	Accounts *accounts.Accounts
	// Provider signs users in at a provider of OpenID Connect; nil means by password alone. If it
	// is set, callers must sign in even if there is no token and no user.
	Provider *openid.Provider
	// PublicURL is the address of this server for browsers, with the prefix of a proxy; empty means
	// the address that a request names. The provider sends browsers back to it.
	PublicURL string
	// Tokens knows the tokens of executors; nil means that New creates it from AccessToken and
	// Store.
	Tokens *access.Executors
	// Addresses says where executors may be; nil means its zero value.
	Addresses *access.Addresses
	// Metrics is served at /metrics to those who may read the API; nil disables that page.
	Metrics http.Handler
	// Checks decide whether /readyz reports readiness. Without any it always does.
	Checks []Check
	// Info is what GET /api/v1/info shows of this process.
	Info Info
	// Elector is the address of the elector of this node, without secrets; empty means that it has
	// none.
	Elector string
	// TestAlarms sends a test alarm through each channel; see [AlarmTest]. If it is nil there are
	// no channels.
	TestAlarms func(ctx context.Context, emails []string) AlarmTest
	// TakeOver takes jobs from a database of XXL-JOB, or reports what it would take. No request
	// names that database: whoever may call the API could otherwise make this process connect to
	// any host of its network. If it is nil, the calls that take over fail.
	TakeOver func(ctx context.Context, dryRun bool) (*fromxxljob.Report, error)
	// Zone is the time zone of cron expressions. The default is time.Local.
	Zone *time.Location
	// CronProfile is the dialect of cron expressions. The default is [cron.Quartz].
	CronProfile cron.Profile
	Logger      *slog.Logger // nil means slog.Default()
}

// A Server is the admin's HTTP handler. Create it with [New], and serve it behind
// [access.LimitWrites]: it sets no limit of its own to callers that do not read.
type Server struct {
	opts Options
	mux  *http.ServeMux

	callers    *users.Authenticator
	answers    *api.Answerer
	executors  *executorapi.Server
	users      *users.Server
	runs       *runs.Server
	nodes      *nodes.Server
	figures    *figures.Server
	audit      *audit.Server
	hub        *events.Hub
	readiness  singleflight.Group
	alarmTests sync.Mutex // held while a test of the alarms is in progress
	heavy      api.Places // of calls that read or compute much
	// ending is cancelled by end when streams must end.
	ending context.Context
	end    context.CancelFunc
	// description returns the OpenAPI document, which is built when somebody first asks for it.
	description func() api.Object
}

// New returns the handler. The error names a field of the options that has to be set.
func New(opts Options) (*Server, error) {
	switch {
	case opts.Store == nil:
		return nil, errors.New("admin: Options.Store is nil, must be set")
	case opts.Completer == nil:
		return nil, errors.New("admin: Options.Completer is nil, must be set")
	}
	if opts.Planned == nil {
		opts.Planned = func(xxladapter.Fire) {}
	}
	if opts.JobChanged == nil {
		opts.JobChanged = func() {}
	}
	if opts.Backfilling == nil {
		opts.Backfilling = func() {}
	}
	if opts.JobRemoved == nil {
		opts.JobRemoved = func() {}
	}
	if opts.Zone == nil {
		opts.Zone = time.Local
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Addresses == nil {
		opts.Addresses = new(access.Addresses)
	}
	if opts.Tokens == nil {
		opts.Tokens = access.NewExecutors(opts.AccessToken, func(ctx context.Context) ([]*xxladapter.Group, error) {
			return opts.Store.Groups(ctx)
		})
	}
	full := slices.DeleteFunc(slices.Clone(opts.OperatorTokens), func(token string) bool { return token == "" })
	if len(full) == 0 {
		full = []string{opts.AccessToken}
	}
	s := &Server{
		opts: opts, mux: http.NewServeMux(),
		heavy: make(api.Places, api.HeavyPlaces),
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.hub = events.NewHub(opts.Store, opts.Logger)
	s.opts.Store = guard{opts.Store}
	operators := access.NewOperators(full, opts.ReadTokens)
	s.callers = &users.Authenticator{
		Operators: operators, Pages: opts.pages(operators.Open()), Accounts: opts.Accounts,
		Provided: opts.Provider != nil,
	}
	s.users = users.New(users.Options{
		Store: s.opts.Store, Accounts: opts.Accounts, Provider: opts.Provider, PublicURL: opts.PublicURL,
		Logger: opts.Logger,
	})
	s.answers = &api.Answerer{Callers: s.callers, Logger: opts.Logger}
	s.executors = executorapi.New(executorapi.Options{
		Completer: opts.Completer, Queue: opts.Queue, Registry: s.opts.Store, Groups: forExecutors{s},
		Jobs:   forExecutors{s},
		Tokens: opts.Tokens, Addresses: opts.Addresses, Pages: opts.pages(opts.AccessToken == ""), Logger: opts.Logger,
	})
	s.executors.Register(s.mux)
	s.runs = runs.New(runs.Options{
		Store: s.opts.Store, Executors: opts.Executors, Purger: opts.Purger, Job: s.job, Ending: s.ending,
		Logger: opts.Logger,
	})
	s.nodes = nodes.New(nodes.Options{Store: s.opts.Store, Elector: opts.Elector})
	s.figures = figures.New(s.opts.Store)
	s.audit = audit.New(audit.Options{Store: s.opts.Store, Heavy: s.heavy, Logger: opts.Logger})
	s.routes()
	return s, nil
}

// pages returns the rule for calls that need no token if open is true. It names no listener,
// because a process without a token listens only on the loopback interface.
func (o *Options) pages(open bool) *access.Pages {
	return access.NewPages(access.PagesOptions{
		Open: open, Hosts: o.AllowHosts, Setting: "the allowed hosts (xxlwheel serve --allow-host)",
	})
}

// ServeHTTP answers one request. A panic in a handler is logged, and the server continues. The
// answer has status 500; one that has begun is cut off instead, so that nobody takes the part for
// the whole. Calls of the management API recover on their own, to answer with the body of an error,
// and so do the goroutines that they start. A panic that arrives here is from an executor's call, a
// page, or the writing of an answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	answer := &answer{ResponseWriter: w}
	err := api.Recovered(func() error {
		s.mux.ServeHTTP(answer, r)
		return nil
	})
	var p *api.PanicError
	if errors.As(err, &p) {
		p.Log(s.opts.Logger, r)
		if answer.begun {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusInternalServerError)
	}
}

// An answer records whether it has begun, from when on its status can no longer change.
type answer struct {
	http.ResponseWriter
	begun bool
}

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	a.begun = true
	a.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(p)
}

// Unwrap lets an [http.ResponseController] reach the writer of the server.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
