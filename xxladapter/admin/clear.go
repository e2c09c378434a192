package admin

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Purger deletes log rows without blocking the store for long; maintenance.Purger is one. It
// stops after limit with done false.
type Purger interface {
	Purge(ctx context.Context, what xxladapter.LogPurge, limit time.Duration) (rows int64, done bool, err error)
}

// clearLimit limits the duration of one call. The caller repeats it.
const clearLimit = 10 * time.Second

// A clearForm says which runs to delete.
type clearForm struct {
	Job        int64      `json:"jobId,omitempty" doc:"Delete only runs of this job."`
	JobGroup   int64      `json:"jobGroup,omitempty" doc:"Delete only runs of this group."`
	Before     *time.Time `json:"before,omitempty" doc:"Delete only runs triggered before this instant."`
	KeepNewest int        `json:"keepNewest,omitempty" doc:"How many of the newest runs to keep."`
	All        bool       `json:"all,omitempty" doc:"Must be true if neither before nor keepNewest is given."`
}

type clearAnswer struct {
	Deleted int64 `json:"deleted"`
	Done    bool  `json:"done" doc:"False if there is more to delete; repeat the call."`
}

// clearLogs deletes runs that have ended. Rows that are still needed are kept: open ones, and
// failures that were not reported yet.
func (s *Server) clearLogs(ctx context.Context, _ none, form clearForm) (answer clearAnswer, err error) {
	what := xxladapter.LogPurge{JobID: form.Job, GroupID: form.JobGroup, KeepNewest: form.KeepNewest}
	if form.Before != nil {
		what.Before = *form.Before
	}
	restricted := !what.Before.IsZero() || what.KeepNewest > 0
	switch {
	case s.opts.Purger == nil:
		return answer, errors.New("server was made without Options.Purger")
	case form.KeepNewest < 0:
		return answer, xxladapter.Invalidf("keepNewest is %d, must not be negative", form.KeepNewest)
	case !restricted && !form.All:
		return answer, xxladapter.Invalidf("neither before nor keepNewest is given, all must be true to delete every run")
	case restricted && form.All:
		return answer, xxladapter.Invalidf("all is true, must not be together with before or keepNewest")
	}
	answer.Deleted, answer.Done, err = s.opts.Purger.Purge(ctx, what, clearLimit)
	return answer, err
}
