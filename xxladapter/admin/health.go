package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A Check is one condition without which the process cannot do its work.
type Check struct {
	Name string
	// Do returns what is wrong, or nil. All checks of an answer together have two seconds. The text
	// of an [xxladapter.Error] is shown; any other error is only logged, since its text may be
	// confidential.
	Do func(ctx context.Context) error
}

// checkLimit limits the duration of all checks together.
const checkLimit = 2 * time.Second

// healthz reports that the process is alive. It checks nothing else: restarting a process does not
// help while its database is away.
func healthz(w http.ResponseWriter, _ *http.Request) {
	_, _ = w.Write([]byte("ok\n"))
}

// readyz answers 503 with one line for each failing check. Callers at the same time share the
// checks: they need no token, and each check takes a connection that the scheduler may need.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	text, _, _ := s.readiness.Do("", func() (any, error) {
		return s.failing(context.WithoutCancel(r.Context())), nil // others wait if this caller leaves
	})
	if failing := text.(string); failing != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(failing))
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

// failing makes the checks, and returns a line for each that fails.
func (s *Server) failing(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	var failing strings.Builder
	for _, c := range s.opts.Checks {
		err := c.Do(ctx)
		var forUser *xxladapter.Error
		switch {
		case err == nil:
		case errors.As(err, &forUser):
			fmt.Fprintf(&failing, "%s: %s\n", c.Name, forUser.Message)
		case errors.Is(err, context.DeadlineExceeded):
			fmt.Fprintf(&failing, "%s: no answer within %v\n", c.Name, checkLimit)
		default:
			s.opts.Logger.Warn("not ready", "check", c.Name, "err", err)
			fmt.Fprintf(&failing, "%s: fails, see the log\n", c.Name)
		}
	}
	return failing.String()
}

// metrics serves the metrics to callers who may read everything, because the metrics name all
// groups.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	ctx, err := s.callers.Authenticate(r)
	if err == nil {
		r, err = api.Admit(r.WithContext(ctx), api.Viewer.ForAll())
	}
	if err != nil {
		status, refused := s.answers.Refuse(r, err)
		api.SetRetryAfter(w, err)
		http.Error(w, refused.Message, status)
		return
	}
	s.opts.Metrics.ServeHTTP(w, r)
}
