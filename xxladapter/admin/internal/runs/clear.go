package runs

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// clearLimit limits the duration of one call. The caller repeats it.
const clearLimit = 10 * time.Second

// maxCountRows limits how many rows a dry run reads to count the runs of a group, because no index
// serves that count.
const maxCountRows = 1_000_000

// A clearForm says which runs to delete.
type clearForm struct {
	JobID      int64      `json:"jobId,omitempty" doc:"Delete only runs of this job."`
	JobGroup   int64      `json:"jobGroup,omitempty" doc:"Delete only runs of this group."`
	Before     *time.Time `json:"before,omitempty" doc:"Delete only runs triggered before this instant."`
	KeepNewest int        `json:"keepNewest,omitempty" doc:"How many of the newest runs to keep."`
	All        bool       `json:"all,omitempty" doc:"Must be true if neither before nor keepNewest is given."`
	DryRun     bool       `json:"dryRun,omitempty" doc:"Only count the runs that the call selects."`
}

type clearAnswer struct {
	Deleted  int64 `json:"deleted"`
	Done     bool  `json:"done" doc:"False if there is more to delete; repeat the call."`
	Selected *int  `json:"selected,omitempty" doc:"With dryRun: how many runs are selected, exact up to 10000. Those that have not ended, and failures that were not reported yet, are kept."`
	More     bool  `json:"more,omitempty" doc:"With dryRun: more runs are selected, or may be: a count by group reads a million rows at most."`
}

// clearRuns deletes runs that have ended. Rows that are still needed are kept: open ones, and
// failures that were not reported yet.
func (s *Server) clearRuns(ctx context.Context, _ api.None, form clearForm) (answer clearAnswer, err error) {
	what := xxladapter.LogPurge{JobID: form.JobID, GroupID: form.JobGroup, KeepNewest: form.KeepNewest}
	if form.Before != nil {
		what.Before = *form.Before
	}
	restricted := !what.Before.IsZero() || what.KeepNewest > 0
	if err := what.Validate(); err != nil {
		return answer, err
	}
	switch {
	case form.Before != nil && form.Before.IsZero():
		return answer, xxladapter.Invalidf(errorrule.After, "%s is %s, must be after %d",
			"before", form.Before.Format(time.RFC3339), 1970)
	case !restricted && !form.All:
		return answer, xxladapter.Invalidf(errorrule.AllNeeded,
			"neither before nor keepNewest is given, %s must be true to delete every run",
			"all")
	case restricted && form.All:
		return answer, xxladapter.Invalidf(errorrule.AllAlone, "%s is true, must not be together with %s",
			"all", errorrule.Or{"before", "keepNewest"})
	}
	if err := s.mayClear(ctx, &form); err != nil {
		return answer, err
	}
	if form.DryRun {
		return s.countPurge(ctx, what)
	}
	if s.opts.Purger == nil {
		return answer, errors.New("server was made without Options.Purger")
	}
	answer.Deleted, answer.Done, err = s.opts.Purger.Purge(ctx, what, clearLimit)
	return answer, err
}

// countPurge counts the runs that a purge selects. It leaves out as many of the newest as
// KeepNewest says.
func (s *Server) countPurge(ctx context.Context, what xxladapter.LogPurge) (answer clearAnswer, err error) {
	f := xxladapter.RunFilter{
		LogFilter: xxladapter.LogFilter{JobID: what.JobID, GroupID: what.GroupID}, Examine: maxCountRows,
	}
	all, more, err := s.opts.Store.CountRuns(ctx, f, api.MaxCount+what.KeepNewest)
	if err != nil {
		return answer, err
	}
	n := max(0, all-what.KeepNewest)
	if !what.Before.IsZero() {
		f.Before = what.Before
		old, moreOld, err := s.opts.Store.CountRuns(ctx, f, api.MaxCount)
		if err != nil {
			return answer, err
		}
		// Both the rows beyond the newest to keep and the rows before the instant are the oldest
		// ones, so the smaller count is that of the purge. A count that was cut off may be too
		// small.
		switch {
		case old < n:
			n, more = old, moreOld
		case old == n:
			more = more && moreOld
		}
	}
	n = min(n, api.MaxCount)
	return clearAnswer{Done: true, Selected: &n, More: more}, nil
}

// mayClear refuses to delete runs unless the caller may do that for the job, the group or all
// groups that the form names. If a job was moved, its present group decides about all of its runs.
func (s *Server) mayClear(ctx context.Context, form *clearForm) error {
	if form.JobID == 0 && form.JobGroup == 0 {
		return api.Allow(ctx, access.Everywhere, nil)
	}
	// A removed job belongs to no group, so its runs need the role for all groups.
	if form.JobID != 0 && api.Allow(ctx, access.Everywhere, nil) != nil {
		if _, err := s.opts.Job(ctx, form.JobID); err != nil {
			return err
		}
	}
	if form.JobGroup != 0 {
		return api.Allow(ctx, form.JobGroup, xxladapter.Absent("group", form.JobGroup))
	}
	return api.Allow(ctx, access.Somewhere, nil)
}
