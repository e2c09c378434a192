package admin

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
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
}

// Options configures a [Server].
type Options struct {
	Store     xxladapter.Store
	Completer Completer
	// Executors is asked for the logs of runs and told to kill them. Without it
	// those two calls fail.
	Executors Executors
	// Planned is told of fires that a management call planned, so that they are
	// handed out at once; nil leaves them to the scheduler's sweep.
	Planned func(xxladapter.Fire)
	// JobChanged is told that a schedule was started or changed; nil: nobody is.
	JobChanged func()
	// AccessToken must be sent with every call. Empty: no call is checked.
	AccessToken string
	// Zone is where cron expressions are read. The default is time.Local.
	Zone   *time.Location
	Logger *slog.Logger // nil: slog.Default()
}

// A Server is the admin's HTTP handler. Create it with [New].
type Server struct {
	opts  Options
	token [sha256.Size]byte
	mux   *http.ServeMux
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
	if opts.Zone == nil {
		opts.Zone = time.Local
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	s := &Server{opts: opts, token: sha256.Sum256([]byte(opts.AccessToken)), mux: http.NewServeMux()}
	for _, base := range []string{wire.AdminPath, wire.AdminContextPath} {
		s.mux.HandleFunc(base+"{op...}", s.executorCall)
	}
	s.routes()
	return s
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

// authorized checks the token that executors and the command line send. The
// comparison takes the same time for every wrong token, of any length.
func (s *Server) authorized(r *http.Request) bool {
	if s.opts.AccessToken == "" {
		return true
	}
	got := r.Header.Get(wire.HeaderToken)
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && got == "" {
		got = bearer
	}
	sum := sha256.Sum256([]byte(got))
	return subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1
}
