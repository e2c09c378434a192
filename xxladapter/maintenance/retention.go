package maintenance

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// retentionStart is how long after its start a node cleans up for the first
	// time. XXL-JOB does so at once (JobLogReportHelper), when there is most to do.
	retentionStart = 2 * time.Minute
	// retentionHour is when it does so from then on: an hour that most schedules
	// leave alone, off the full hours that all like.
	retentionHour = 3*time.Hour + 40*time.Minute

	successPace = time.Minute
	// successAge is how old the row of a successful run must be before it goes,
	// for jobs that keep failures only: somebody may be looking at it.
	successAge = 10 * time.Minute
)

// A RetentionStore is what [Retention] needs of [xxladapter.Store].
type RetentionStore interface {
	xxladapter.PurgeStore
	xxladapter.Clock
	Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error)
}

// Retention lets old log rows go, once a day, those of successful runs soon if
// their job keeps failures only, and those of removed jobs at once. Several nodes may do so at the same time:
// one of them finds the rows gone.
type Retention struct {
	Store RetentionStore
	// Keep is how long rows stay after their trigger; 0 or less: for ever.
	Keep time.Duration
	// KeepSuccesses is how long successful runs stay whose job keeps failures
	// only; 0: ten minutes. Beside a Java admin it must be more than three days,
	// since that counts the rows of as many to make its report.
	KeepSuccesses time.Duration
	// Zone is where the day begins in whose night old rows go; nil: time.Local.
	Zone *time.Location
	// NoAlarms is as in [Purger].
	NoAlarms bool
	// Removed says that a job was removed and that its rows should go now; nil, or
	// if another node removed it: they go within a minute.
	Removed <-chan struct{}
	Logger  *slog.Logger
}

// Run works until ctx ends. Failures of the store are logged and tried again
// at the next turn.
func (r *Retention) Run(ctx context.Context) error {
	successes := time.NewTicker(successPace)
	defer successes.Stop()
	old := time.NewTimer(retentionStart)
	defer old.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-successes.C:
			err = errors.Join(r.dropSuccesses(ctx), r.dropRemoved(ctx))
		case <-r.Removed:
			err = r.dropRemoved(ctx)
		case <-old.C:
			err = r.dropOld(ctx)
			zone := r.Zone
			if zone == nil {
				zone = time.Local
			}
			old.Reset(time.Until(nextNight(time.Now(), zone)))
		}
		if err != nil && ctx.Err() == nil {
			r.Logger.Error("old log rows not deleted", "err", err)
		}
	}
}

// nextNight is the next time to clean up that is at least an hour away.
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
		r.Logger.Info("old log rows deleted", "rows", rows, "triggered_before", before.UTC().Truncate(time.Second), "took", time.Since(begin))
	}
	return err
}

// dropRemoved ends after a while, so that the rest is not held up; it goes on in
// the next minute.
func (r *Retention) dropRemoved(ctx context.Context) error {
	begin := time.Now()
	purger := Purger{Store: r.Store, NoAlarms: r.NoAlarms, Logger: r.Logger}
	rows, done, err := purger.Purge(ctx, xxladapter.LogPurge{Removed: true}, successPace)
	if rows > 0 {
		r.Logger.Info("log rows of removed jobs deleted", "rows", rows, "all", done, "took", time.Since(begin))
	}
	return err
}

// dropSuccesses does not look at all jobs' rows: those that keep failures only
// have few left.
func (r *Retention) dropSuccesses(ctx context.Context) error {
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	age := r.KeepSuccesses
	if age <= 0 {
		age = successAge
	}
	const page = 1000
	purger := Purger{Store: r.Store, NoAlarms: r.NoAlarms, Logger: r.Logger}
	for after := int64(0); ; {
		jobs, err := r.Store.Jobs(ctx, xxladapter.JobFilter{KeepLogs: xxladapter.KeepFailures, AfterID: after, Limit: page})
		if err != nil {
			return err
		}
		for _, j := range jobs {
			after = j.ID
			_, _, err := purger.Purge(ctx, xxladapter.LogPurge{JobID: j.ID, Successes: true, Before: now.Add(-age)}, successPace)
			if err != nil {
				return err
			}
		}
		if len(jobs) < page {
			return nil
		}
	}
}
