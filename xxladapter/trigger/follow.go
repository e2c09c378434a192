package trigger

import (
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// This file says which fires follow from what became of a run. They are planned
// in the transaction that stores the outcome, so that a crash neither loses nor
// doubles them; upstream submits them to a pool in memory first.

// retry is the next attempt of a run that failed, or none if l allows no more.
// It keeps shard and parameter of the row and takes all else from the job as it
// is then (JobFailAlarmMonitorHelper). Addresses are those that the trigger was
// restricted to, if any.
func retry(l *xxladapter.Log, addrs []string, now time.Time) []xxladapter.Fire {
	if l.RetryCount <= 0 {
		return nil
	}
	param := l.Param
	f := xxladapter.Fire{
		JobID: l.JobID, Due: now, Type: xxladapter.TriggerRetry, State: xxladapter.FirePlanned,
		RetryCount: l.RetryCount - 1, Param: &param, Addresses: addrs,
	}
	f.ShardIndex, f.ShardTotal = parseSharding(l.Sharding)
	return []xxladapter.Fire{f}
}

// parseSharding reads "index/total"; 0 and 0 for anything else.
func parseSharding(text string) (index, total int) {
	first, second, ok := strings.Cut(text, "/")
	index, err1 := strconv.Atoi(first)
	total, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || index < 0 || total < 1 {
		return 0, 0
	}
	return index, total
}

// children are the fires of a job's child jobs after a run of it succeeded. With
// a sharding broadcast every shard that succeeds has them, as upstream does
// (JobCompleteHelper.complete).
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
