package journaled

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The calls below go to the tables and say what they need there.

// EditJobs implements [xxladapter.Store].
func (s *Store) EditJobs(ctx context.Context, edits []xxladapter.JobEdit, whole bool) ([]xxladapter.JobEdited, error) {
	var jobs []int64
	for i := range edits {
		if id := edits[i].ID(); id != 0 {
			jobs = append(jobs, id)
		}
	}
	at := apart
	if len(jobs) > 0 {
		at = changesJobs(jobs)
	}
	return s.Store.EditJobs(with(ctx, at), edits, whole)
}

// Jobs implements [xxladapter.Store].
func (s *Store) Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	return s.Store.Jobs(with(ctx, readsJobs), f)
}

// GlueVersions implements [xxladapter.Store].
func (s *Store) GlueVersions(ctx context.Context, jobID int64) ([]*xxladapter.GlueVersion, error) {
	return s.Store.GlueVersions(with(ctx, apart), jobID)
}

// SaveGroup implements [xxladapter.Store].
func (s *Store) SaveGroup(ctx context.Context, g *xxladapter.Group) (int64, error) {
	return s.Store.SaveGroup(with(ctx, grouping), g)
}

// RemoveGroup implements [xxladapter.Store].
func (s *Store) RemoveGroup(ctx context.Context, id int64) error {
	return s.Store.RemoveGroup(with(ctx, grouping), id)
}

// Groups implements [xxladapter.Store].
func (s *Store) Groups(ctx context.Context) ([]*xxladapter.Group, error) {
	return s.Store.Groups(with(ctx, apart))
}

// Register implements [xxladapter.Store].
func (s *Store) Register(ctx context.Context, appName, address string) error {
	return s.Store.Register(with(ctx, grouping), appName, address)
}

// Unregister implements [xxladapter.Store].
func (s *Store) Unregister(ctx context.Context, appName, address string) error {
	return s.Store.Unregister(with(ctx, grouping), appName, address)
}

// Registrations implements [xxladapter.Store].
func (s *Store) Registrations(ctx context.Context, appName string) ([]xxladapter.Registration, error) {
	return s.Store.Registrations(with(ctx, apart), appName)
}

// ExpireRegistrations implements [xxladapter.Store].
func (s *Store) ExpireRegistrations(
	ctx context.Context, life time.Duration, queued bool,
) ([]xxladapter.Registration, error) {
	return s.Store.ExpireRegistrations(with(ctx, grouping), life, queued)
}

// AgreeZone implements [xxladapter.Store].
func (s *Store) AgreeZone(ctx context.Context, zone string) (string, error) {
	return s.Store.AgreeZone(with(ctx, apart), zone)
}

// ChangeZone implements [xxladapter.Store].
func (s *Store) ChangeZone(ctx context.Context, zone string) error {
	return s.Store.ChangeZone(with(ctx, apart), zone)
}

// Misfires implements [xxladapter.Store].
func (s *Store) Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	return s.Store.Misfires(with(ctx, reads), f)
}

// PurgeMisfires implements [xxladapter.Store].
func (s *Store) PurgeMisfires(ctx context.Context, before time.Time, limit int) (int, error) {
	return s.Store.PurgeMisfires(with(ctx, marksRuns), before, limit)
}

// PlanOrder implements [xxladapter.Store].
func (s *Store) PlanOrder(
	ctx context.Context, f xxladapter.Fire, key, request string,
) (*xxladapter.Order, xxladapter.Fire, error) {
	return s.Store.PlanOrder(with(ctx, changesJob(f.JobID)), f, key, request)
}

// OrderByKey implements [xxladapter.Store].
func (s *Store) OrderByKey(ctx context.Context, jobID int64, key string) (*xxladapter.Order, error) {
	return s.Store.OrderByKey(with(ctx, reads), jobID, key)
}

// Order implements [xxladapter.Store].
func (s *Store) Order(ctx context.Context, id int64) (*xxladapter.Order, error) {
	return s.Store.Order(with(ctx, reads), id)
}

// Retire implements [xxladapter.Store].
func (s *Store) Retire(ctx context.Context, term xxladapter.Term, why xxladapter.MoveCause) error {
	return errors.Join(s.Store.Retire(with(ctx, leasing), term, why), s.front.learnLeases(ctx))
}

// ReportNode implements [xxladapter.Store].
func (s *Store) ReportNode(ctx context.Context, term xxladapter.Term, r xxladapter.NodeReport) error {
	return s.Store.ReportNode(with(ctx, leasing), term, r)
}

// PresenceEnded implements [xxladapter.Store].
func (s *Store) PresenceEnded(ctx context.Context, term xxladapter.Term) error {
	return s.Store.PresenceEnded(with(ctx, leasing), term)
}

// PartitionMoves implements [xxladapter.Store].
func (s *Store) PartitionMoves(ctx context.Context, limit int) ([]xxladapter.PartitionMove, error) {
	return s.Store.PartitionMoves(with(ctx, apart), limit)
}

// Resign implements [xxladapter.Store].
func (s *Store) Resign(ctx context.Context, term xxladapter.Term) error {
	return errors.Join(s.Store.Resign(with(ctx, leasing), term), s.front.learnLeases(ctx))
}

// Leases implements [xxladapter.Store].
func (s *Store) Leases(ctx context.Context) ([]xxladapter.Lease, error) {
	return s.Store.Leases(with(ctx, apart))
}

// Logs implements [xxladapter.Store].
func (s *Store) Logs(ctx context.Context, f xxladapter.LogFilter) ([]*xxladapter.Log, error) {
	return s.Store.Logs(with(ctx, reads), f)
}

// LostRuns implements [xxladapter.Store].
func (s *Store) LostRuns(ctx context.Context, age time.Duration, after int64, limit int) ([]*xxladapter.Log, error) {
	return s.Store.LostRuns(with(ctx, reads), age, after, limit)
}

// WriteOffStuck implements [xxladapter.Store].
func (s *Store) WriteOffStuck(
	ctx context.Context, age time.Duration, limit, code int, msg string,
) ([]*xxladapter.Log, error) {
	return s.Store.WriteOffStuck(with(ctx, changesRun), age, limit, code, msg)
}

// ClaimTexts implements [xxladapter.Store].
func (s *Store) ClaimTexts(
	ctx context.Context, limit int, again func(attempts int) time.Duration,
) ([]xxladapter.TextClaim, error) {
	return s.Store.ClaimTexts(with(ctx, marksRuns), limit, again)
}

// SaveTexts implements [xxladapter.Store].
func (s *Store) SaveTexts(ctx context.Context, texts []xxladapter.RunText) error {
	return s.Store.SaveTexts(with(ctx, marksRuns), texts)
}

// RunText implements [xxladapter.Store].
func (s *Store) RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error) {
	return s.Store.RunText(with(ctx, apart), logID)
}

// Reports implements [xxladapter.Store].
func (s *Store) Reports(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error) {
	return s.Store.Reports(with(ctx, reads), from, to)
}

// FoldReports implements [xxladapter.Store].
func (s *Store) FoldReports(ctx context.Context) error {
	return s.Store.FoldReports(with(ctx, apart))
}

// PurgeLogs implements [xxladapter.Store].
func (s *Store) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	return s.Store.PurgeLogs(with(ctx, purging), p, limit)
}

// FailedRuns implements [xxladapter.Store].
func (s *Store) FailedRuns(ctx context.Context, after int64, limit int) ([]xxladapter.FailedRun, error) {
	return s.Store.FailedRuns(with(ctx, reads), after, limit)
}

// AlarmStates implements [xxladapter.Store].
func (s *Store) AlarmStates(ctx context.Context, jobIDs []int64) ([]xxladapter.AlarmState, error) {
	return s.Store.AlarmStates(with(ctx, reads), jobIDs)
}

// DecideAlarms implements [xxladapter.Store].
func (s *Store) DecideAlarms(
	ctx context.Context, node string, decisions []xxladapter.AlarmDecision,
) ([]xxladapter.AlarmClaim, error) {
	return s.Store.DecideAlarms(with(ctx, marksRuns), node, decisions)
}

// StaleAlarms implements [xxladapter.Store].
func (s *Store) StaleAlarms(ctx context.Context, age time.Duration, limit int) ([]xxladapter.AlarmClaim, error) {
	return s.Store.StaleAlarms(with(ctx, reads), age, limit)
}

// RenewAlarms implements [xxladapter.Store].
func (s *Store) RenewAlarms(
	ctx context.Context, node string, claims []xxladapter.AlarmClaim,
) ([]xxladapter.AlarmClaim, error) {
	return s.Store.RenewAlarms(with(ctx, marksRuns), node, claims)
}

// SettleAlarms implements [xxladapter.Store].
func (s *Store) SettleAlarms(ctx context.Context, claims []xxladapter.AlarmClaim, status int) error {
	return s.Store.SettleAlarms(with(ctx, marksRuns), claims, status)
}

// CountJobs implements [xxladapter.Store].
func (s *Store) CountJobs(ctx context.Context, f xxladapter.JobFilter, limit int) (int, error) {
	return s.Store.CountJobs(with(ctx, readsJobs), f, limit)
}

// RunHistories implements [xxladapter.Store].
func (s *Store) RunHistories(ctx context.Context, logIDs []int64) (map[int64]xxladapter.RunHistory, error) {
	return s.Store.RunHistories(with(ctx, reads), logIDs)
}

// RunsDue implements [xxladapter.Store].
func (s *Store) RunsDue(ctx context.Context, f xxladapter.RunsDueFilter) ([]xxladapter.DueRun, error) {
	return s.Store.RunsDue(with(ctx, reads), f)
}

// AppendAudit implements [xxladapter.Store].
func (s *Store) AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error {
	return s.Store.AppendAudit(with(ctx, marksRuns), o, fields)
}

// AuditRows implements [xxladapter.Store].
func (s *Store) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	return s.Store.AuditRows(with(ctx, reads), f)
}

// AuditEnds implements [xxladapter.Store].
func (s *Store) AuditEnds(ctx context.Context) (xxladapter.AuditEnds, error) {
	return s.Store.AuditEnds(with(ctx, reads))
}

// PurgeAudit implements [xxladapter.Store].
func (s *Store) PurgeAudit(ctx context.Context, before time.Time, limit int) (rows int, err error) {
	return s.Store.PurgeAudit(with(ctx, marksRuns), before, limit)
}

// DrainExecutor implements [xxladapter.Store].
func (s *Store) DrainExecutor(ctx context.Context, groupID int64, d xxladapter.Drain) error {
	return s.Store.DrainExecutor(with(ctx, grouping), groupID, d)
}

// UndrainExecutor implements [xxladapter.Store].
func (s *Store) UndrainExecutor(ctx context.Context, groupID int64, address string) error {
	return s.Store.UndrainExecutor(with(ctx, grouping), groupID, address)
}

// JobKeys implements [xxladapter.Store].
func (s *Store) JobKeys(ctx context.Context, groupID int64) ([]xxladapter.JobKey, error) {
	return s.Store.JobKeys(with(ctx, apart), groupID)
}

// Declare implements [xxladapter.Store].
func (s *Store) Declare(ctx context.Context, d *xxladapter.Declaration) ([]int64, error) {
	return s.Store.Declare(with(ctx, declares(d)), d)
}

// CreateBackfill implements [xxladapter.Store].
func (s *Store) CreateBackfill(ctx context.Context, b *xxladapter.Backfill) (int64, error) {
	return s.Store.CreateBackfill(with(ctx, marksRuns), b)
}

// AdvanceBackfill implements [xxladapter.Store].
func (s *Store) AdvanceBackfill(ctx context.Context, b *xxladapter.Backfill) ([]xxladapter.Fire, error) {
	return s.Store.AdvanceBackfill(with(ctx, changesJob(b.JobID)), b)
}

// CancelBackfill implements [xxladapter.Store].
func (s *Store) CancelBackfill(ctx context.Context, id int64) error {
	b, err := s.Store.Backfill(with(ctx, apart), id)
	if err != nil {
		return err
	}
	return s.Store.CancelBackfill(with(ctx, changesJob(b.JobID)), id)
}

// Backfill implements [xxladapter.Store].
func (s *Store) Backfill(ctx context.Context, id int64) (*xxladapter.Backfill, error) {
	return s.Store.Backfill(with(ctx, apart), id)
}

// Backfills implements [xxladapter.Store].
func (s *Store) Backfills(ctx context.Context, f xxladapter.BackfillFilter) ([]*xxladapter.Backfill, error) {
	return s.Store.Backfills(with(ctx, apart), f)
}
