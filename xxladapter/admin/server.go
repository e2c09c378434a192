package admin

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Completer stores the results of runs; trigger.HandOver is one. After nil
// they are durable.
type Completer interface {
	Complete(ctx context.Context, callbacks []wire.Callback) error
}

// Executors calls executors; trigger.Client is one.
type Executors interface {
	Log(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error)
	Kill(ctx context.Context, addr, appName string, jobID int64) error
	Probe(ctx context.Context, addr, appName string) (trigger.Probe, error)
}

// A Store is what this package needs of [xxladapter.Store]. It edits jobs and groups, takes beats
// and orders, and reads everything else: only schedulers claim and settle.
type Store interface {
	xxladapter.Clock
	xxladapter.JobStore
	xxladapter.GlueStore
	xxladapter.GroupStore
	xxladapter.RegistryStore
	xxladapter.OrderStore
	xxladapter.LogStore
	OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error)
	Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error)
	Leases(ctx context.Context) ([]xxladapter.Lease, error)
	RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error)
	Reports(ctx context.Context, from, to time.Time) ([]xxladapter.Report, error)
}

// Options configures a [Server].
type Options struct {
	Store     Store
	Completer Completer
	// Executors is asked for the logs of runs and told to kill them. Without it
	// those two calls fail.
	Executors Executors
	// Purger deletes runs for the call that clears the log; without it that
	// fails.
	Purger Purger
	// Planned is told of fires that a management call planned, so that they are
	// handed out at once; nil leaves them to the scheduler's sweep.
	Planned func(xxladapter.Fire)
	// JobChanged is told that a schedule was started or changed; nil: nobody is.
	JobChanged func()
	// JobRemoved is told that a job was removed, whose log rows are still to go;
	// nil: nobody is.
	JobRemoved func()
	// AccessToken is what all executors send, and what operators send too unless
	// they have tokens of their own. Empty: no call is checked, beside those for
	// groups that have their own.
	AccessToken string
	// OperatorTokens open the management API; with any of them the access token
	// does not open it any more. ReadTokens let look and not change.
	OperatorTokens, ReadTokens []string
	// AllowHosts are further names, without ports, by which this process may be
	// called where no token is needed; localhost and loopback addresses are names of
	// it. See [access.Pages].
	AllowHosts []string
	// Tokens knows the tokens of executors; nil: it is made of AccessToken and
	// Store.
	Tokens *access.Executors
	// Addresses says where executors may be; nil: as its zero value does.
	Addresses *access.Addresses
	// Metrics is served at /metrics to those who may read the API; nil: there
	// is no such page.
	Metrics http.Handler
	// Checks decide whether /readyz says yes.
	Checks []Check
	// Zone is where cron expressions are read. The default is time.Local.
	Zone *time.Location
	// CronProfile is how they are read; see package cron.
	CronProfile cron.Profile
	Logger      *slog.Logger // nil: slog.Default()
}

// A Server is the admin's HTTP handler. Create it with [New].
type Server struct {
	opts Options
	mux  *http.ServeMux

	operators access.Operators
	// apiPages and executorPages refuse what comes from a page in a browser, by
	// whether the management API and the executors' calls need a token.
	apiPages, executorPages *access.Pages
	jobCalls                *rate.Limiter
	// description is the OpenAPI document.
	description object
}

// New returns the handler. REQUIRES: Store and Completer are set.
func New(opts Options) *Server {
	if opts.Planned == nil {
		opts.Planned = func(xxladapter.Fire) {}
	}
	if opts.JobChanged == nil {
		opts.JobChanged = func() {}
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
		opts: opts, mux: http.NewServeMux(), operators: access.NewOperators(full, opts.ReadTokens), jobCalls: newJobCallLimiter(),
	}
	s.apiPages = opts.pages(s.operators.Open())
	s.executorPages = opts.pages(opts.AccessToken == "")
	for _, base := range []string{wire.AdminPath, wire.AdminContextPath} {
		s.mux.HandleFunc(base+"{op...}", s.executorCall)
	}
	s.routes()
	return s
}

// pages is the rule for the calls of one kind. Without a token a process listens
// on the loopback interface only.
func (o *Options) pages(open bool) *access.Pages {
	return access.NewPages(access.PagesOptions{Open: open, Hosts: o.AllowHosts, Setting: "the allowed hosts (--allow-host)"})
}

// ServeHTTP answers one request. A panic in a handler is logged and answered
// with status 500, and the server goes on.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			s.opts.Logger.Error("handler panicked", "method", r.Method, "path", r.URL.Path, "panic", p)
			w.WriteHeader(http.StatusInternalServerError)
		}
	}()
	s.mux.ServeHTTP(w, r)
}

// bearer is the token that a call carries, in either of two headers.
func bearer(r *http.Request) string {
	if token := r.Header.Get(wire.HeaderToken); token != "" {
		return token
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// mayCall refuses a management call that its token is not for.
func (s *Server) mayCall(r *http.Request) error {
	if err := s.apiPages.Check(r); err != nil {
		return &xxladapter.Error{Code: xxladapter.CodeForbidden, Message: err.Error()}
	}
	switch scope := s.operators.Scope(bearer(r)); {
	case scope == access.Nothing:
		return &xxladapter.Error{Code: xxladapter.CodeUnauthorized, Message: wire.MsgWrongToken}
	case scope == access.Read && r.Method != http.MethodGet && r.Method != http.MethodHead:
		return &xxladapter.Error{
			Code:    xxladapter.CodeForbidden,
			Message: fmt.Sprintf("the access token may only read, must be an operator's for %s %s", r.Method, r.URL.Path),
		}
	}
	return nil
}
