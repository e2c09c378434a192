package metrics

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The calls that are only timed.

func (s *measured) Now(ctx context.Context) (value time.Time, err error) {
	defer s.done("now", time.Now(), &err)
	return s.Store.Now(ctx)
}

func (s *measured) AgreeZone(ctx context.Context, zone string) (value string, err error) {
	defer s.done("agree_zone", time.Now(), &err)
	return s.Store.AgreeZone(ctx, zone)
}

func (s *measured) ChangeZone(ctx context.Context, zone string) (err error) {
	defer s.done("change_zone", time.Now(), &err)
	return s.Store.ChangeZone(ctx, zone)
}

func (s *measured) CreateJob(ctx context.Context, j *xxladapter.Job) (value int64, err error) {
	defer s.done("create_job", time.Now(), &err)
	return s.Store.CreateJob(ctx, j)
}

func (s *measured) UpdateJob(ctx context.Context, j *xxladapter.Job, reschedule bool) (err error) {
	defer s.done("update_job", time.Now(), &err)
	return s.Store.UpdateJob(ctx, j, reschedule)
}

func (s *measured) StartJob(ctx context.Context, id int64, seen time.Time, first func(time.Time) time.Time) (value time.Time, err error) {
	defer s.done("start_job", time.Now(), &err)
	return s.Store.StartJob(ctx, id, seen, first)
}

func (s *measured) StopJob(ctx context.Context, id int64, seen time.Time) (err error) {
	defer s.done("stop_job", time.Now(), &err)
	return s.Store.StopJob(ctx, id, seen)
}

func (s *measured) RemoveJob(ctx context.Context, id int64) (err error) {
	defer s.done("remove_job", time.Now(), &err)
	return s.Store.RemoveJob(ctx, id)
}

func (s *measured) Job(ctx context.Context, id int64) (value *xxladapter.Job, err error) {
	defer s.done("job", time.Now(), &err)
	return s.Store.Job(ctx, id)
}

func (s *measured) Jobs(ctx context.Context, f xxladapter.JobFilter) (value []*xxladapter.Job, err error) {
	defer s.done("jobs", time.Now(), &err)
	return s.Store.Jobs(ctx, f)
}

func (s *measured) SaveGroup(ctx context.Context, g *xxladapter.Group) (value int64, err error) {
	defer s.done("save_group", time.Now(), &err)
	return s.Store.SaveGroup(ctx, g)
}

func (s *measured) RemoveGroup(ctx context.Context, id int64) (err error) {
	defer s.done("remove_group", time.Now(), &err)
	return s.Store.RemoveGroup(ctx, id)
}

func (s *measured) Group(ctx context.Context, id int64) (value *xxladapter.Group, err error) {
	defer s.done("group", time.Now(), &err)
	return s.Store.Group(ctx, id)
}

func (s *measured) Groups(ctx context.Context) (value []*xxladapter.Group, err error) {
	defer s.done("groups", time.Now(), &err)
	return s.Store.Groups(ctx)
}

func (s *measured) Register(ctx context.Context, appName, address string) (err error) {
	defer s.done("register", time.Now(), &err)
	return s.Store.Register(ctx, appName, address)
}

func (s *measured) Unregister(ctx context.Context, appName, address string) (err error) {
	defer s.done("unregister", time.Now(), &err)
	return s.Store.Unregister(ctx, appName, address)
}

func (s *measured) ExpireRegistrations(ctx context.Context, life time.Duration) (value []xxladapter.Registration, err error) {
	defer s.done("expire_registrations", time.Now(), &err)
	return s.Store.ExpireRegistrations(ctx, life)
}

func (s *measured) Lease(ctx context.Context, node string, life time.Duration) (value xxladapter.Lease, err error) {
	defer s.done("lease", time.Now(), &err)
	return s.Store.Lease(ctx, node, life)
}

func (s *measured) Retire(ctx context.Context, term xxladapter.Term) (err error) {
	defer s.done("retire", time.Now(), &err)
	return s.Store.Retire(ctx, term)
}

func (s *measured) Resign(ctx context.Context, term xxladapter.Term) (err error) {
	defer s.done("resign", time.Now(), &err)
	return s.Store.Resign(ctx, term)
}

func (s *measured) Leases(ctx context.Context) (value []xxladapter.Lease, err error) {
	defer s.done("leases", time.Now(), &err)
	return s.Store.Leases(ctx)
}

func (s *measured) TakeOver(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) (err error) {
	defer s.done("take_over", time.Now(), &err)
	return s.Store.TakeOver(ctx, by, id, from)
}

func (s *measured) SettleFire(ctx context.Context, by xxladapter.Term, o xxladapter.Settlement) (value []xxladapter.Fire, err error) {
	defer s.done("settle_fire", time.Now(), &err)
	return s.Store.SettleFire(ctx, by, o)
}

func (s *measured) PlanFires(ctx context.Context, fires []xxladapter.Fire) (value []xxladapter.Fire, err error) {
	defer s.done("plan_fires", time.Now(), &err)
	return s.Store.PlanFires(ctx, fires)
}

func (s *measured) OpenFires(ctx context.Context, f xxladapter.FireFilter) (value []xxladapter.Fire, err error) {
	defer s.done("open_fires", time.Now(), &err)
	return s.Store.OpenFires(ctx, f)
}

func (s *measured) FinishRun(ctx context.Context, r xxladapter.RunResult) (applied bool, planned []xxladapter.Fire, err error) {
	defer s.done("finish_run", time.Now(), &err)
	return s.Store.FinishRun(ctx, r)
}

func (s *measured) LostRuns(ctx context.Context, age time.Duration, after int64, limit int) (value []*xxladapter.Log, err error) {
	defer s.done("lost_runs", time.Now(), &err)
	return s.Store.LostRuns(ctx, age, after, limit)
}

func (s *measured) WriteOffStuck(ctx context.Context, age time.Duration, limit, code int, msg string) (value []*xxladapter.Log, err error) {
	defer s.done("write_off_stuck", time.Now(), &err)
	return s.Store.WriteOffStuck(ctx, age, limit, code, msg)
}

func (s *measured) Log(ctx context.Context, id int64) (value *xxladapter.Log, err error) {
	defer s.done("log", time.Now(), &err)
	return s.Store.Log(ctx, id)
}

func (s *measured) Logs(ctx context.Context, f xxladapter.LogFilter) (value []*xxladapter.Log, err error) {
	defer s.done("logs", time.Now(), &err)
	return s.Store.Logs(ctx, f)
}

func (s *measured) Misfires(ctx context.Context, f xxladapter.MisfireFilter) (value []xxladapter.Misfire, err error) {
	defer s.done("misfires", time.Now(), &err)
	return s.Store.Misfires(ctx, f)
}

func (s *measured) FailedRuns(ctx context.Context, after int64, limit int) (value []xxladapter.FailedRun, err error) {
	defer s.done("failed_runs", time.Now(), &err)
	return s.Store.FailedRuns(ctx, after, limit)
}

func (s *measured) AlarmStates(ctx context.Context, jobIDs []int64) (value []xxladapter.AlarmState, err error) {
	defer s.done("alarm_states", time.Now(), &err)
	return s.Store.AlarmStates(ctx, jobIDs)
}

func (s *measured) DecideAlarms(ctx context.Context, node string, decisions []xxladapter.AlarmDecision) (value []xxladapter.AlarmClaim, err error) {
	defer s.done("decide_alarms", time.Now(), &err)
	return s.Store.DecideAlarms(ctx, node, decisions)
}

func (s *measured) StaleAlarms(ctx context.Context, age time.Duration, limit int) (value []xxladapter.AlarmClaim, err error) {
	defer s.done("stale_alarms", time.Now(), &err)
	return s.Store.StaleAlarms(ctx, age, limit)
}

func (s *measured) RenewAlarms(ctx context.Context, node string, claims []xxladapter.AlarmClaim) (value []xxladapter.AlarmClaim, err error) {
	defer s.done("renew_alarms", time.Now(), &err)
	return s.Store.RenewAlarms(ctx, node, claims)
}

func (s *measured) SettleAlarms(ctx context.Context, claims []xxladapter.AlarmClaim, status int) (err error) {
	defer s.done("settle_alarms", time.Now(), &err)
	return s.Store.SettleAlarms(ctx, claims, status)
}

func (s *measured) Reports(ctx context.Context, from, to time.Time) (value []xxladapter.Report, err error) {
	defer s.done("reports", time.Now(), &err)
	return s.Store.Reports(ctx, from, to)
}

func (s *measured) FoldReports(ctx context.Context) (err error) {
	defer s.done("fold_reports", time.Now(), &err)
	return s.Store.FoldReports(ctx)
}

func (s *measured) ClaimTexts(ctx context.Context, limit int, again func(attempts int) time.Duration) (value []xxladapter.TextClaim, err error) {
	defer s.done("claim_texts", time.Now(), &err)
	return s.Store.ClaimTexts(ctx, limit, again)
}

func (s *measured) SaveTexts(ctx context.Context, texts []xxladapter.RunText) (err error) {
	defer s.done("save_texts", time.Now(), &err)
	return s.Store.SaveTexts(ctx, texts)
}

func (s *measured) RunText(ctx context.Context, logID int64) (value *xxladapter.RunText, err error) {
	defer s.done("run_text", time.Now(), &err)
	return s.Store.RunText(ctx, logID)
}

func (s *measured) ResumeJob(ctx context.Context, r xxladapter.Resume) (resumed bool, err error) {
	defer s.done("resume_job", time.Now(), &err)
	return s.Store.ResumeJob(ctx, r)
}

func (s *measured) GlueVersions(ctx context.Context, jobID int64) (value []*xxladapter.GlueVersion, err error) {
	defer s.done("glue_versions", time.Now(), &err)
	return s.Store.GlueVersions(ctx, jobID)
}

func (s *measured) PlanOrder(ctx context.Context, f xxladapter.Fire, key, request string) (o *xxladapter.Order, fire xxladapter.Fire, err error) {
	defer s.done("plan_order", time.Now(), &err)
	return s.Store.PlanOrder(ctx, f, key, request)
}

func (s *measured) Order(ctx context.Context, id int64) (value *xxladapter.Order, err error) {
	defer s.done("order", time.Now(), &err)
	return s.Store.Order(ctx, id)
}
