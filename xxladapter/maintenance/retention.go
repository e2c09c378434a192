package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// retentionStart is how long after its start a node first deletes old rows. XXL-JOB does so at
	// once (JobLogReportHelper), when there is most other work.
	retentionStart = 2 * time.Minute
	// retentionHour is the time of day for later deletions: an hour that most schedules avoid, and
	// not a full hour, which most jobs prefer.
	retentionHour = 3*time.Hour + 40*time.Minute

	successPace = time.Minute
)

// SuccessAge is the age at which the row of a successful run is deleted if its job keeps failures
// only, unless [Retention.KeepSuccesses] is set. Until then a user may be looking at it.
const SuccessAge = 10 * time.Minute

// A RetentionStore is the part of [xxladapter.Store] that [Retention] needs.
type RetentionStore interface {
	xxladapter.PurgeStore
	xxladapter.Clock
	PurgeAudit(ctx context.Context, before time.Time, limit int) (int, error)
	PurgeJobVersions(ctx context.Context, before time.Time, limit int) (int, error)
	PurgeMisfires(ctx context.Context, before time.Time, limit int) (int, error)
	PurgeStats(ctx context.Context, before time.Time, limit int) (int, error)
	Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error)
}

// Retention deletes log rows: old ones once a day, those of successful runs soon if their job keeps
// failures only, and those of removed jobs at once. It also deletes old misfires, old rows of the
// audit and old statistics once a day. Several nodes may do so at the same time; all but one find
// the rows deleted.
type Retention struct {
	Store RetentionStore
	// Keep is how long rows are kept after their trigger, and misfires after they were recorded; 0
	// or less keeps them forever.
	Keep time.Duration
	// KeepSuccesses is how long successful runs of jobs that keep failures only are kept; 0 means
	// ten minutes, and negative values are refused. Beside a Java admin it must be more than three
	// days, since the admin counts the rows of three days for its report.
	KeepSuccesses time.Duration
	// KeepAudit is how long rows of the audit and replaced versions of jobs are kept; 0 or less
	// keeps them forever.
	KeepAudit time.Duration
	// KeepStats is how long statistics are kept; 0 or less keeps them forever.
	KeepStats time.Duration
	// Zone is the zone whose nights are used to delete old rows; nil means time.Local.
	Zone *time.Location
	// NoAlarms is as in [Purger].
	NoAlarms bool
	// Removed signals that a job was removed and that its rows should be deleted now. If it is nil,
	// or another node removed the job, they are deleted within a minute.
	Removed <-chan struct{}
	Logger  *slog.Logger
}

// Run works until ctx ends. Errors of the store are logged, and the next turn tries again.
func (r *Retention) Run(ctx context.Context) error {
	if err := check(&r.Logger, need{"Retention.Store", r.Store == nil}); err != nil {
		return err
	}
	if err := checkNotNegative("Retention.KeepSuccesses", r.KeepSuccesses); err != nil {
		return err
	}
	// A purge of old rows may take hours, for which other rows must not wait.
	var nights sync.WaitGroup
	nights.Go(func() { r.dropAtNight(ctx) })
	defer nights.Wait()
	successes := time.NewTicker(successPace)
	defer successes.Stop()
	for after := int64(0); ; {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-successes.C:
			after, err = r.dropSuccesses(ctx, after)
			err = errors.Join(err, r.dropRemoved(ctx))
		case <-r.Removed:
			err = r.dropRemoved(ctx)
		}
		r.report(ctx, err)
	}
}

// dropAtNight deletes old rows soon after the start and then each night, until ctx ends.
func (r *Retention) dropAtNight(ctx context.Context) {
	for pause := retentionStart; wait(ctx, pause); {
		r.report(ctx, errors.Join(r.dropOld(ctx), r.dropOldAudit(ctx), r.dropOldStats(ctx)))
		zone := r.Zone
		if zone == nil {
			zone = time.Local
		}
		pause = time.Until(nextNight(time.Now(), zone))
	}
}

// report logs an error that is not due to the end of ctx.
func (r *Retention) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.Logger.Error("deletion of old rows failed", "err", err)
	}
}

// nextNight returns the next time to delete old rows that is at least an hour away.
func nextNight(now time.Time, zone *time.Location) time.Time {
	year, month, day := now.In(zone).Date()
	for ; ; day++ {
		night := time.Date(year, month, day, 0, 0, 0, 0, zone).Add(retentionHour)
		if night.Sub(now) >= time.Hour {
			return night
		}
	}
}

func (r *Retention) dropOld(ctx context.Context) error {
	if r.Keep <= 0 {
		return nil
	}
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	begin, before := time.Now(), now.Add(-r.Keep)
	purger := Purger{Store: r.Store, NoAlarms: r.NoAlarms, Logger: r.Logger}
	rows, _, err := purger.Purge(ctx, xxladapter.LogPurge{Before: before}, 0)
	if rows > 0 {
		r.Logger.Info(
			"old log rows deleted",
			"rows", rows, "triggered_before", before.UTC().Truncate(time.Second), "took", time.Since(begin),
		)
	}
	return errors.Join(err, r.dropInChunks(ctx, "old misfires deleted", before, r.Store.PurgeMisfires))
}

// auditChunk is how many misfires, rows of the audit, versions or statistics one transaction
// deletes. Edits wait for it.
const auditChunk = 1000

func (r *Retention) dropOldAudit(ctx context.Context) error {
	if r.KeepAudit <= 0 {
		return nil
	}
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	before := now.Add(-r.KeepAudit)
	return errors.Join(
		r.dropInChunks(ctx, "old rows of the audit deleted", before, r.Store.PurgeAudit),
		r.dropInChunks(ctx, "old versions of jobs deleted", before, r.Store.PurgeJobVersions))
}

func (r *Retention) dropOldStats(ctx context.Context) error {
	if r.KeepStats <= 0 {
		return nil
	}
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	return r.dropInChunks(ctx, "old statistics deleted", now.Add(-r.KeepStats), r.Store.PurgeStats)
}

// dropInChunks deletes until a chunk is not full, and logs message if there was anything.
func (r *Retention) dropInChunks(ctx context.Context, message string, before time.Time,
	purge func(ctx context.Context, before time.Time, limit int) (int, error)) error {

	for total := 0; ; {
		rows, err := purge(ctx, before, auditChunk)
		total += rows
		if err == nil && rows >= auditChunk {
			continue
		}
		if total > 0 {
			r.Logger.Info(message, "rows", total, "before", before.UTC().Truncate(time.Second))
		}
		return err
	}
}

// dropRemoved deletes log rows of removed jobs. It stops after a while, so that it does not delay
// the other work, and continues in the next minute.
func (r *Retention) dropRemoved(ctx context.Context) error {
	begin := time.Now()
	purger := Purger{Store: r.Store, NoAlarms: r.NoAlarms, Logger: r.Logger}
	rows, done, err := purger.Purge(ctx, xxladapter.LogPurge{Removed: true}, successPace)
	if rows > 0 {
		r.Logger.Info("log rows of removed jobs deleted", "rows", rows, "all", done, "took", time.Since(begin))
	}
	return err
}

// dropSuccesses deletes old rows of successful runs of jobs that keep failures only, starting with
// the job after an id. It reads the rows of these jobs alone, which are few. It stops after a
// while, as dropRemoved does, and returns the job after which it continues in the next minute.
func (r *Retention) dropSuccesses(ctx context.Context, after int64) (last int64, err error) {
	now, err := r.Store.Now(ctx)
	if err != nil {
		return after, err
	}
	age := r.KeepSuccesses
	if age <= 0 {
		age = SuccessAge
	}
	const page = 1000
	begin := time.Now()
	purger := Purger{Store: r.Store, NoAlarms: r.NoAlarms, Logger: r.Logger}
	for {
		jobs, err := r.Store.Jobs(
			ctx, xxladapter.JobFilter{KeepLogs: xxladapter.KeepFailures, AfterID: after, Limit: page},
		)
		if err != nil {
			return after, err
		}
		for _, j := range jobs {
			left := successPace - time.Since(begin)
			if left <= 0 {
				return after, nil
			}
			after = j.ID
			_, _, err := purger.Purge(
				ctx, xxladapter.LogPurge{JobID: j.ID, Successes: true, Before: now.Add(-age)}, left,
			)
			if err != nil {
				return after, err
			}
		}
		if len(jobs) < page {
			return 0, nil
		}
	}
}
