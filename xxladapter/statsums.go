package xxladapter

import (
	"cmp"
	"slices"
	"time"
)

// StatSums divides figures as [StatFilter.By] says. Its zero value makes one sum.
type StatSums struct {
	By   StatBy
	sums map[statKey]*Stat
}

// A statKey is what figures are divided by: at most one of the fields is set.
type statKey struct{ hour, group, job int64 }

// Add adds the figures of an hour, group and job.
func (s *StatSums) Add(hour time.Time, group, job int64, f *Figures) {
	var key statKey
	var stat Stat
	switch s.By {
	case StatByHour:
		key.hour, stat.Hour = hour.Unix(), hour
	case StatByGroup:
		key.group, stat.GroupID = group, group
	case StatByJob:
		key.job, stat.JobID = job, job
	}
	if s.sums == nil {
		s.sums = map[statKey]*Stat{}
	}
	if s.sums[key] == nil {
		s.sums[key] = &stat
	}
	s.sums[key].Merge(f)
}

// List returns the sums in the order of [StatStore.Stats]. limit is that of jobs; 0 means no limit.
func (s *StatSums) List(limit int) (list []Stat) {
	for _, stat := range s.sums {
		list = append(list, *stat)
	}
	if s.By == "" && len(list) == 0 {
		return []Stat{{}}
	}
	slices.SortFunc(list, func(a, b Stat) int {
		if s.By == StatByJob {
			return cmp.Or(cmp.Compare(b.Unsuccessful(), a.Unsuccessful()), cmp.Compare(a.JobID, b.JobID))
		}
		return cmp.Or(a.Hour.Compare(b.Hour), cmp.Compare(a.GroupID, b.GroupID))
	})
	if s.By == StatByJob && limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}
