package memstore

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Jobs implements [xxladapter.Store].
func (s *Store) Jobs(ctx context.Context, f xxladapter.JobFilter) ([]*xxladapter.Job, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []*xxladapter.Job
	for _, j := range s.jobs {
		if f.Sort == xxladapter.SortByResult {
			j = copyJob(j)
			j.LastResult = s.lastResult(j.ID)
		}
		if s.selects(f, j) && (f.AfterID == 0 || comparePositions(f, j, f.AfterKey, f.AfterID) > 0) {
			found = append(found, j)
		}
	}
	slices.SortFunc(found, func(a, b *xxladapter.Job) int { return comparePositions(f, a, b.SortKey(f.Sort), b.ID) })
	if f.Limit > 0 {
		found = found[:min(f.Limit, len(found))]
	}
	for i, j := range found {
		j = copyJob(j)
		if f.Light {
			j.Param, j.GlueSource, j.GlueRemark = "", "", ""
		}
		found[i] = j
	}
	return found, nil
}

// selects reports whether f selects the job, wherever its position is.
func (s *Store) selects(f xxladapter.JobFilter, j *xxladapter.Job) bool {
	switch {
	case f.GroupID != 0 && j.GroupID != f.GroupID,
		!ofGroups(f.Groups, j.GroupID),
		!strings.Contains(j.Name, f.Name),
		!strings.Contains(j.Handler, f.Handler),
		!strings.Contains(j.Author, f.Author),
		f.Tag != "" && !slices.Contains(j.Tags, f.Tag),
		f.Type != "" && j.ScheduleType != f.Type,
		f.Running != nil && j.Running != *f.Running,
		f.Waiting && !j.Waits(),
		f.KeepLogs != "" && j.Settings.KeepLogs != f.KeepLogs,
		f.Calendar != "" && j.Settings.Calendar != f.Calendar,
		f.LastResult != "" && s.lastResult(j.ID) != f.LastResult:
		return false
	}
	return true
}

// lastResult returns the status of a job's newest run that has ended, whether it is deleted or not.
func (s *Store) lastResult(jobID int64) xxladapter.LastResult {
	newest, status := s.results[jobID].logID, xxladapter.LastNone
	switch s.results[jobID].result {
	case "":
	case xxladapter.StatSuccess:
		status = xxladapter.LastSuccess
	default:
		status = xxladapter.LastFail
	}
	for id, l := range s.logs {
		if l.JobID == jobID && id >= newest && l.Status() != xxladapter.LogRunning {
			newest, status = id, xxladapter.LastResult(l.Status())
		}
	}
	return status
}

// comparePositions compares the job with a position in the list.
func comparePositions(f xxladapter.JobFilter, j *xxladapter.Job, key string, id int64) int {
	order := 0
	if mine := j.SortKey(f.Sort); f.Sort.Text() {
		order = strings.Compare(mine, key)
	} else if mine != "" {
		order = cmp.Compare(toInt(mine), toInt(key))
	}
	if order == 0 {
		order = cmp.Compare(j.ID, id)
	}
	if f.Descending {
		return -order
	}
	return order
}

func toInt(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// CountJobs implements [xxladapter.Store].
func (s *Store) CountJobs(ctx context.Context, f xxladapter.JobFilter, limit int) (int, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()

	n := 0
	for _, j := range s.jobs {
		if n < limit && s.selects(f, j) {
			n++
		}
	}
	return n, nil
}
