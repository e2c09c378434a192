package admin

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A guard is a store in which the groups that are not granted to the caller do not exist. The
// caller's rights are in the context; without rights nothing exists. It has a method of its own
// for each method of [Store], so that a new one is not forgotten.
//
// Methods that write, except Retire, do not check the rights: a handler writes what it has read
// from here before.
type guard struct{ store Store }

var _ Store = guard{}

// Now implements [xxladapter.Clock].
func (g guard) Now(ctx context.Context) (time.Time, error) { return g.store.Now(ctx) }

// Describe implements [xxladapter.DescriptionStore].
func (g guard) Describe(ctx context.Context) (xxladapter.StoreDescription, error) {
	return g.store.Describe(ctx)
}

// Job returns a job of a granted group.
func (g guard) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	j, err := g.store.Job(ctx, id)
	if err == nil && !api.Sees(ctx, j.GroupID) {
		return nil, xxladapter.Absent("job", id)
	}
	return j, err
}

// Jobs lists jobs of granted groups.
func (g guard) Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.Jobs(ctx, f)
}

// CountJobs counts jobs of granted groups.
func (g guard) CountJobs(ctx context.Context, f xxladapter.JobFilter, limit int) (int, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.CountJobs(ctx, f, limit)
}

// CountTags lists the tags of jobs of granted groups.
func (g guard) CountTags(ctx context.Context, _ []int64) ([]xxladapter.TagCount, error) {
	return g.store.CountTags(ctx, access.RightsOf(ctx).Groups())
}

// GlueVersions lists the versions of a job of a granted group.
func (g guard) GlueVersions(ctx context.Context, jobID int64) ([]*xxladapter.GlueVersion, error) {
	if err := g.seeJob(ctx, jobID); err != nil {
		return nil, err
	}
	return g.store.GlueVersions(ctx, jobID)
}

// seeJob refuses a job that does not exist for the caller. It reads the job only for callers who
// do not see all groups.
func (g guard) seeJob(ctx context.Context, id int64) error {
	if api.SeesAll(ctx) {
		return nil
	}
	_, err := g.Job(ctx, id)
	return err
}

// SaveGroup implements [xxladapter.GroupStore].
func (g guard) SaveGroup(ctx context.Context, group *xxladapter.Group) (int64, error) {
	return g.store.SaveGroup(ctx, group)
}

// RemoveGroup implements [xxladapter.GroupStore].
func (g guard) RemoveGroup(ctx context.Context, id int64) error {
	return g.store.RemoveGroup(ctx, id)
}

// Group returns a granted group.
func (g guard) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	if !api.Sees(ctx, id) && !api.SeesAll(ctx) {
		return nil, xxladapter.Absent("group", id)
	}
	return g.store.Group(ctx, id)
}

// Groups lists granted groups.
func (g guard) Groups(ctx context.Context) ([]*xxladapter.Group, error) {
	all, err := g.store.Groups(ctx)
	var granted []*xxladapter.Group
	for _, group := range all {
		if api.Sees(ctx, group.ID) {
			granted = append(granted, group)
		}
	}
	return granted, err
}

// DrainExecutor implements [xxladapter.DrainStore].
func (g guard) DrainExecutor(ctx context.Context, groupID int64, d xxladapter.Drain) error {
	return g.store.DrainExecutor(ctx, groupID, d)
}

// UndrainExecutor implements [xxladapter.DrainStore].
func (g guard) UndrainExecutor(ctx context.Context, groupID int64, address string) error {
	return g.store.UndrainExecutor(ctx, groupID, address)
}

// Register implements [xxladapter.RegistryStore].
func (g guard) Register(ctx context.Context, appName, address string) error {
	return g.store.Register(ctx, appName, address)
}

// Unregister implements [xxladapter.RegistryStore].
func (g guard) Unregister(ctx context.Context, appName, address string) error {
	return g.store.Unregister(ctx, appName, address)
}

// Registrations lists the registrations of a granted group's app.
func (g guard) Registrations(ctx context.Context, appName string) ([]xxladapter.Registration, error) {
	if api.SeesAll(ctx) {
		return g.store.Registrations(ctx, appName)
	}
	granted, err := g.Groups(ctx)
	if err != nil ||
		!slices.ContainsFunc(granted, func(group *xxladapter.Group) bool { return group.AppName == appName }) {
		return nil, err
	}
	return g.store.Registrations(ctx, appName)
}

// ExpireRegistrations implements [xxladapter.RegistryStore].
func (g guard) ExpireRegistrations(
	ctx context.Context, life time.Duration, queued bool,
) ([]xxladapter.Registration, error) {
	return g.store.ExpireRegistrations(ctx, life, queued)
}

// PlanOrder implements [xxladapter.OrderStore].
func (g guard) PlanOrder(
	ctx context.Context, f xxladapter.Fire, key, request string,
) (*xxladapter.Order, xxladapter.Fire, error) {
	return g.store.PlanOrder(ctx, f, key, request)
}

// OrderByKey returns an order for a job of a granted group.
func (g guard) OrderByKey(ctx context.Context, jobID int64, key string) (*xxladapter.Order, error) {
	if err := g.seeJob(ctx, jobID); err != nil {
		return nil, err
	}
	return g.store.OrderByKey(ctx, jobID, key)
}

// Order returns an order for a job of a granted group.
func (g guard) Order(ctx context.Context, id int64) (*xxladapter.Order, error) {
	o, err := g.store.Order(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := g.seeJob(ctx, o.JobID); err != nil {
		return nil, err
	}
	return o, nil
}

// CreateBackfill implements part of [xxladapter.BackfillStore].
func (g guard) CreateBackfill(ctx context.Context, b *xxladapter.Backfill) (int64, error) {
	return g.store.CreateBackfill(ctx, b)
}

// CancelBackfill implements part of [xxladapter.BackfillStore].
func (g guard) CancelBackfill(ctx context.Context, id int64) error {
	return g.store.CancelBackfill(ctx, id)
}

// Backfill returns a backfill of a job of a granted group.
func (g guard) Backfill(ctx context.Context, id int64) (*xxladapter.Backfill, error) {
	b, err := g.store.Backfill(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := g.seeJob(ctx, b.JobID); err != nil {
		return nil, err
	}
	return b, nil
}

// Backfills lists backfills of jobs of granted groups.
func (g guard) Backfills(ctx context.Context, f xxladapter.BackfillFilter) ([]*xxladapter.Backfill, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.Backfills(ctx, f)
}

// RunHistories implements [xxladapter.RunHistoryStore]. A handler asks for the histories of log
// rows that it has read from here.
func (g guard) RunHistories(ctx context.Context, logIDs []int64) (map[int64]xxladapter.RunHistory, error) {
	return g.store.RunHistories(ctx, logIDs)
}

// RunsDue lists runs of a job of a granted group.
func (g guard) RunsDue(ctx context.Context, f xxladapter.RunsDueFilter) ([]xxladapter.DueRun, error) {
	if err := g.seeJob(ctx, f.JobID); err != nil {
		return nil, err
	}
	return g.store.RunsDue(ctx, f)
}

// Log returns a log row of a granted group.
func (g guard) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	l, err := g.store.Log(ctx, id)
	if err == nil && !api.SeesAll(ctx) && !api.Sees(ctx, l.GroupID) {
		return nil, xxladapter.Absent("run", id)
	}
	return l, err
}

// Logs lists log rows of granted groups.
func (g guard) Logs(ctx context.Context, f xxladapter.LogFilter) ([]*xxladapter.Log, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.Logs(ctx, f)
}

// Runs lists log rows of granted groups.
func (g guard) Runs(ctx context.Context, f xxladapter.RunFilter) ([]*xxladapter.Log, int64, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.Runs(ctx, f)
}

// CountRuns counts log rows of granted groups.
func (g guard) CountRuns(ctx context.Context, f xxladapter.RunFilter, limit int) (int, bool, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.CountRuns(ctx, f, limit)
}

// JobNames returns the names of jobs of granted groups.
func (g guard) JobNames(ctx context.Context, ids, _ []int64) (map[int64]string, error) {
	return g.store.JobNames(ctx, ids, access.RightsOf(ctx).Groups())
}

// LastRuns implements [xxladapter.RecentRunStore]. A handler asks for the runs of jobs that it has
// read from here.
func (g guard) LastRuns(ctx context.Context, jobIDs []int64) (map[int64]xxladapter.LastRun, error) {
	return g.store.LastRuns(ctx, jobIDs)
}

// RecentRuns implements [xxladapter.RecentRunStore], for jobs that a handler has read from here.
func (g guard) RecentRuns(ctx context.Context, jobIDs []int64, limit int) (map[int64][]xxladapter.LastRun, error) {
	return g.store.RecentRuns(ctx, jobIDs, limit)
}

// MeanDurations implements [xxladapter.RecentRunStore]. A handler uses those of jobs that it has
// read from here.
func (g guard) MeanDurations(ctx context.Context, rows int) (map[int64]time.Duration, error) {
	return g.store.MeanDurations(ctx, rows)
}

// OpenFires lists fires of jobs of granted groups.
func (g guard) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.OpenFires(ctx, f)
}

// Misfires lists misfires of a job of a granted group.
func (g guard) Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	if err := g.seeJob(ctx, f.JobID); err != nil {
		return nil, err
	}
	return g.store.Misfires(ctx, f)
}

// Pauses lists pauses of granted groups, and those of all jobs.
func (g guard) Pauses(ctx context.Context, f xxladapter.PauseFilter) ([]xxladapter.Pause, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.Pauses(ctx, f)
}

// CreatePause implements [xxladapter.PauseStore].
func (g guard) CreatePause(ctx context.Context, p xxladapter.Pause) (xxladapter.Pause, error) {
	return g.store.CreatePause(ctx, p)
}

// EndPause implements [xxladapter.PauseStore].
func (g guard) EndPause(ctx context.Context, id int64) (xxladapter.Pause, error) {
	return g.store.EndPause(ctx, id)
}

// Calendars implements [xxladapter.CalendarStore]. Calendars belong to no group.
func (g guard) Calendars(ctx context.Context) ([]*xxladapter.Calendar, error) {
	return g.store.Calendars(ctx)
}

// SaveCalendar implements [xxladapter.CalendarStore].
func (g guard) SaveCalendar(ctx context.Context, c *xxladapter.Calendar, seen time.Time) (time.Time, error) {
	return g.store.SaveCalendar(ctx, c, seen)
}

// RemoveCalendar implements [xxladapter.CalendarStore].
func (g guard) RemoveCalendar(ctx context.Context, name string) error {
	return g.store.RemoveCalendar(ctx, name)
}

// Leases implements part of [xxladapter.LeaseStore]. Leases belong to no group.
func (g guard) Leases(ctx context.Context) ([]xxladapter.Lease, error) { return g.store.Leases(ctx) }

// PartitionMoves implements part of [xxladapter.PartitionMoveStore]. Partitions belong to no group.
func (g guard) PartitionMoves(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error) {
	return g.store.PartitionMoves(ctx, limit)
}

// Retire implements part of [xxladapter.LeaseStore], for callers who may see all groups.
func (g guard) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	if !api.SeesAll(ctx) {
		return xxladapter.NotFoundf(errorrule.NoLease, "node %q holds no lease", term.Node)
	}
	return g.store.Retire(ctx, term, why)
}

// RunText returns the text of a run of a granted group.
func (g guard) RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error) {
	if !api.SeesAll(ctx) {
		if _, err := g.Log(ctx, logID); err != nil {
			return nil, err
		}
	}
	return g.store.RunText(ctx, logID)
}

// Reports implements part of [xxladapter.DailyReportStore]. The figures count all groups together:
// the call that shows them needs a role for all.
func (g guard) Reports(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error) {
	return g.store.Reports(ctx, from, to)
}

// Stats returns figures of granted groups.
func (g guard) Stats(ctx context.Context, f xxladapter.StatFilter) ([]xxladapter.Stat, error) {
	f.Groups = access.RightsOf(ctx).Groups()
	return g.store.Stats(ctx, f)
}

// JobVersions lists the versions of a job of a granted group.
func (g guard) JobVersions(ctx context.Context, f xxladapter.JobVersionFilter) ([]*xxladapter.JobVersion, error) {
	if err := g.seeJob(ctx, f.JobID); err != nil {
		return nil, err
	}
	return g.store.JobVersions(ctx, f)
}

// AppendAudit implements part of [xxladapter.AuditStore].
func (g guard) AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error {
	return g.store.AppendAudit(ctx, o, fields)
}

// AuditRows implements part of [xxladapter.AuditStore]. Rows concern all groups: the calls that
// list them need a role for all. An explanation reads those of a job that exists for the caller.
func (g guard) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	return g.store.AuditRows(ctx, f)
}

// AuditEnds implements part of [xxladapter.AuditStore].
func (g guard) AuditEnds(ctx context.Context) (xxladapter.AuditEnds, error) {
	return g.store.AuditEnds(ctx)
}

// Marks implements [xxladapter.ChangeStore]. Marks do not reveal what has changed in a group.
func (g guard) Marks(ctx context.Context) (xxladapter.Marks, error) { return g.store.Marks(ctx) }

// ChangedJobs lists jobs of granted groups.
func (g guard) ChangedJobs(ctx context.Context, since time.Time, limit int) ([]xxladapter.JobMark, error) {
	all, err := g.store.ChangedJobs(ctx, since, limit)
	return slices.DeleteFunc(all, func(m xxladapter.JobMark) bool { return !api.Sees(ctx, m.GroupID) }), err
}

// NewRuns lists runs of granted groups.
func (g guard) NewRuns(ctx context.Context, after int64, limit int) ([]xxladapter.RunMark, error) {
	all, err := g.store.NewRuns(ctx, after, limit)
	return slices.DeleteFunc(all, func(m xxladapter.RunMark) bool { return !api.Sees(ctx, m.GroupID) }), err
}

// RunMarks lists runs of granted groups.
func (g guard) RunMarks(ctx context.Context, ids []int64) ([]xxladapter.RunMark, error) {
	all, err := g.store.RunMarks(ctx, ids)
	return slices.DeleteFunc(all, func(m xxladapter.RunMark) bool { return !api.Sees(ctx, m.GroupID) }), err
}

// JobKeys lists keys of jobs of granted groups.
func (g guard) JobKeys(ctx context.Context, groupID int64) ([]xxladapter.JobKey, error) {
	all, err := g.store.JobKeys(ctx, groupID)
	return slices.DeleteFunc(all, func(k xxladapter.JobKey) bool { return !api.Sees(ctx, k.GroupID) }), err
}

// Declare implements part of [xxladapter.DeclarationStore].
func (g guard) Declare(ctx context.Context, d *xxladapter.Declaration) ([]int64, error) {
	return g.store.Declare(ctx, d)
}
