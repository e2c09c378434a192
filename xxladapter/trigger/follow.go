package trigger

import (
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// This file derives the fires that follow from the outcome of a run. They are planned in the
// transaction that stores the outcome, so that a crash neither loses nor doubles them; upstream
// submits them to a pool in memory first.

// retry returns the next attempt of a failed run, or none if l has no attempt left. It keeps shard
// and parameter of the row and takes everything else from the job as it is now
// (JobFailAlarmMonitorHelper). addrs are the addresses that the trigger was restricted to, if any.
// The pause is part of the stored due time, so that it outlives this process; jitter is a random
// number from 0 to 1.
func retry(l *xxladapter.Log, job *xxladapter.Job, addrs []string, now time.Time, jitter float64) []xxladapter.Fire {
	if l.RetryCount <= 0 {
		return nil
	}
	param := l.Param
	done := max(job.RetryCount-l.RetryCount, 0) // retries up to now
	f := xxladapter.Fire{
		JobID: l.JobID, Due: now.Add(backoff(&job.Settings, done, jitter)), Type: xxladapter.TriggerRetry,
		State:      xxladapter.FirePlanned,
		RetryCount: l.RetryCount - 1, Param: &param, Addresses: addrs,
	}
	f.ShardIndex, f.ShardTotal = parseSharding(l.Sharding)
	return []xxladapter.Fire{f}
}

// backoff returns the pause before a retry, given the number of retries before it. Half of it is
// fixed, so that it never vanishes; the other half is random, so that runs which failed together do
// not come back together. The random part is subtracted and not added, so that the limit holds.
//
// A job that sets no pause has its first retry at once and further ones after 1, 2, 4 s and so on,
// up to 10 s. XXL-JOB's monitor paces the retries of every job by 10 s; without any pace a handler
// that fails at once uses up thousands of attempts in a second.
func backoff(s *xxladapter.Settings, retries int, jitter float64) time.Duration {
	limit := s.RetryBackoffLimit.Duration()
	if limit <= 0 {
		limit = xxladapter.DefaultRetryBackoffLimit
	}
	pause := s.RetryBackoff.Duration()
	if pause <= 0 {
		if retries == 0 {
			return 0
		}
		pause, limit, retries = xxladapter.DefaultRetryBackoff, min(limit, xxladapter.MaxDefaultRetryBackoff), retries-1
	}
	for range retries {
		if pause >= limit {
			break
		}
		pause *= 2
	}
	pause = min(pause, limit)
	return (pause - time.Duration(jitter*float64(pause/2))).Truncate(time.Millisecond)
}

// attempt returns the number of the run's attempt, and how many attempts there can be.
func (r *run) attempt() (n, of int) {
	n = max(r.fire.Attempt, 1)
	return n, n + r.log.RetryCount
}

// ResumeAfter continues the schedule of a FIX_DELAY job after a run that ended at end. For other
// schedule types it returns the zero Resume. The store checks that this was the last run. A
// schedule that cannot be read is left to the scan, which stops the job.
func ResumeAfter(job *xxladapter.Job, end time.Time) xxladapter.Resume {
	if job.ScheduleType != xxladapter.ScheduleFixDelay {
		return xxladapter.Resume{}
	}
	next := end
	if plan, err := cron.ParsePlan(string(job.ScheduleType), job.ScheduleConf, end.Location()); err == nil {
		next = plan.Next(end)
	}
	return xxladapter.Resume{JobID: job.ID, Next: next}
}

// parseSharding reads "index/total", and returns 0 and 0 for any other text.
func parseSharding(text string) (index, total int) {
	first, second, ok := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(first)
	total, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || index < 0 || total < 1 {
		return 0, 0
	}
	return index, total
}

// children returns the fires of the child jobs after a run of job succeeded. Every shard of a
// broadcast that succeeds triggers them, as in upstream (JobCompleteHelper.complete).
func children(job *xxladapter.Job, now time.Time) []xxladapter.Fire {
	var fires []xxladapter.Fire
	for _, id := range job.ChildIDs {
		if id != job.ID {
			fires = append(fires, xxladapter.Fire{
				JobID: id, Due: now, Type: xxladapter.TriggerParent, State: xxladapter.FirePlanned, RetryCount: -1,
			})
		}
	}
	return fires
}
