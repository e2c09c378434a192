// Package runs serves the calls about runs of the management API: lists of runs and of fires, what
// became of one and what it wrote, a stream of that text, killing a run, and deleting ended ones.
// Runs are shown from the store; an executor is asked for a text that the store does not have yet.
package runs

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Store shows runs, what they wrote, and what is still to run.
type Store interface {
	xxladapter.Clock
	xxladapter.LogStore
	xxladapter.RunHistoryStore
	xxladapter.RunListStore
	RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error)
	OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error)
	Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error)

	Job(ctx context.Context, id int64) (*xxladapter.Job, error)
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
	Groups(ctx context.Context) ([]*xxladapter.Group, error)
	api.Trail
}

// Executors asks executors for the texts of runs, and to kill runs.
type Executors interface {
	Log(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error)
	Kill(ctx context.Context, addr, appName string, jobID int64) error
}

// A Purger deletes log rows; it stops after limit with done false.
type Purger interface {
	Purge(ctx context.Context, what xxladapter.LogPurge, limit time.Duration) (rows int64, done bool, err error)
}

// Options configures a [Server]. All fields but Executors and Purger must be set.
type Options struct {
	Store     Store
	Executors Executors // nil means that calls which need one fail
	Purger    Purger    // nil means that runs cannot be deleted
	// Job returns a job for which the caller has the role that the call needs.
	Job    func(ctx context.Context, id int64) (*xxladapter.Job, error)
	Ending context.Context // is cancelled when streams must end
	Logger *slog.Logger
}

// A Server serves the calls about runs. Create it with [New].
type Server struct {
	opts  Options
	tails tails
}

// New returns the server.
func New(opts Options) *Server {
	return &Server{opts: opts, tails: tails{open: map[int64]*tail{}}}
}
