// Package executorapi serves the calls of executors. XXL-JOB's are registration, removal and
// callback, which executors of all generations make, and those of XXL-JOB 3.5 by which an executor
// manages jobs. This project's own are feed, accept and declare.
//
// Calls are answered as by XXL-JOB's admin: with HTTP status 200, except 413 for a body that is too
// large, and the outcome in the code of a [wire.Reply]. A caller acts for its own app, or for all
// apps if it has the common token. What is done with jobs is decided by [Jobs], with the rules of
// the management API.
package executorapi

import (
	"context"
	"log/slog"
	"net/http"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Completer stores the results of runs, and gives runs to executors; see admin.Completer.
type Completer interface {
	Complete(ctx context.Context, callbacks []wire.Callback) error
	CompleteOwn(ctx context.Context, callbacks []wire.Callback, own trigger.Own) error
	Accept(ctx context.Context, list []xxladapter.Accept) ([]bool, error)
}

// A Queue creates in a broker the queue from which the executor at an address takes its runs.
type Queue interface {
	Prepare(ctx context.Context, at xxladapter.QueueAddress) error
}

// A Registry keeps the beats of executors.
type Registry interface {
	Register(ctx context.Context, appName, address string) error
	Unregister(ctx context.Context, appName, address string) error
}

// Groups says which apps have a group.
type Groups interface {
	// AppOf returns the app name of a group, or "" if the group is gone.
	AppOf(ctx context.Context, groupID int64) (string, error)
	// HasApp reports whether a group has the app name.
	HasApp(ctx context.Context, app string) (bool, error)
}

// Jobs carries out what executors ask to be done with jobs. A method refuses a job that the caller
// may not touch, and returns the payload of the reply, or nil.
type Jobs interface {
	AddJob(ctx context.Context, by access.Caller, form wire.AddJob) (any, error)
	UpdateJob(ctx context.Context, by access.Caller, form wire.UpdateJob) (any, error)
	RemoveJob(ctx context.Context, by access.Caller, form wire.JobID) (any, error)
	StartJob(ctx context.Context, by access.Caller, form wire.JobID) (any, error)
	StopJob(ctx context.Context, by access.Caller, form wire.JobID) (any, error)
	TriggerJob(ctx context.Context, by access.Caller, form wire.TriggerJob) (any, error)
	Declare(ctx context.Context, by access.Caller, body []byte) (any, error)
}

// Options configures a [Server]. All fields but Queue must be set.
type Options struct {
	Completer Completer
	Queue     Queue // nil means that this scheduler has no queue
	Registry  Registry
	Groups    Groups
	Jobs      Jobs
	Tokens    *access.Executors
	Addresses *access.Addresses // where executors may be
	Pages     *access.Pages     // refuses requests of foreign web pages
	Logger    *slog.Logger
}

// A Server serves the calls of executors. Create it with [New].
type Server struct {
	opts Options
	// JobCalls limits the calls that concern jobs, for all callers together.
	JobCalls *rate.Limiter

	large *semaphore.Weighted // one place, for the only body above [wire.MaxBody] that is in memory
}

// New returns the server.
func New(opts Options) *Server {
	return &Server{
		opts: opts, JobCalls: rate.NewLimiter(jobCallRate, jobCallRate), large: semaphore.NewWeighted(1),
	}
}

// Register registers the calls below both paths that XXL-JOB's executors use.
func (s *Server) Register(mux *http.ServeMux) {
	for _, base := range []string{wire.AdminPath, wire.AdminContextPath} {
		mux.HandleFunc(base+"{op...}", s.answer)
	}
}
