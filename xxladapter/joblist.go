package xxladapter

import (
	"context"
	"strconv"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A JobSort is what a list of jobs is ordered by. Jobs with equal values are ordered by id. Texts
// are compared by their bytes, so upper case comes before lower case.
type JobSort string

const (
	SortByID      JobSort = "ID"
	SortByName    JobSort = "NAME"
	SortByGroup   JobSort = "GROUP" // by the group's id
	SortByAuthor  JobSort = "AUTHOR"
	SortByHandler JobSort = "HANDLER"
	SortByRoute   JobSort = "ROUTE"
	SortByType    JobSort = "TYPE"
	SortByStatus  JobSort = "STATUS" // stopped before running
	SortByNext    JobSort = "NEXT"   // by TriggerNext; jobs without one are last
	SortByLast    JobSort = "LAST"   // by TriggerLast; jobs without one are first
	SortByUpdated JobSort = "UPDATED"
	// SortByResult orders by the result of the newest run that has ended: failed jobs, then
	// successful ones, then those without a result.
	SortByResult JobSort = "RESULT"
)

// Values lists all orders.
func (JobSort) Values() []JobSort {
	return []JobSort{SortByID, SortByName, SortByGroup, SortByAuthor, SortByHandler, SortByRoute, SortByType,
		SortByStatus,
		SortByNext, SortByLast, SortByUpdated, SortByResult}
}

// Validate refuses an order that does not exist; the empty one means [SortByID].
func (s JobSort) Validate() error { return checkOneOfOrEmpty("sort", s) }

// Text reports whether s compares texts. All other orders compare whole numbers.
func (s JobSort) Text() bool {
	switch s {
	case SortByName, SortByAuthor, SortByHandler, SortByRoute, SortByType:
		return true
	}
	return false
}

// SortKey returns the value by which s orders the job: a text, or a whole number in decimal. Times
// are Unix milliseconds. With the job's id it names a position in the list, see
// [JobFilter.AfterKey]. It is empty for [SortByID]. For [SortByResult] the job must come from a
// list in that order, which sets LastResult.
func (j *Job) SortKey(s JobSort) string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	switch s {
	case SortByName:
		return j.Name
	case SortByGroup:
		return number(j.GroupID)
	case SortByAuthor:
		return j.Author
	case SortByHandler:
		return j.Handler
	case SortByRoute:
		return string(j.Route)
	case SortByType:
		return string(j.ScheduleType)
	case SortByStatus:
		if j.Running {
			return "1"
		}
		return "0"
	case SortByNext:
		if j.TriggerNext.IsZero() {
			return number(AfterRun.UnixMilli())
		}
		return number(j.TriggerNext.UnixMilli())
	case SortByLast:
		return number(milli(j.TriggerLast))
	case SortByUpdated:
		return number(milli(j.Updated))
	case SortByResult:
		return number(int64(j.LastResult.rank()))
	}
	return ""
}

func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// CheckPosition refuses an AfterKey that is no value of Sort.
func (f *JobFilter) CheckPosition() error {
	if f.AfterKey == "" || f.Sort.Text() {
		return nil
	}
	n, err := strconv.ParseInt(f.AfterKey, 10, 64)
	noResult := f.Sort == SortByResult && (n < 0 || n >= int64(len(f.LastResult.Ranked())))
	if err != nil || f.Sort == "" || f.Sort == SortByID || noResult {
		return Invalidf(errorrule.Cursor, "%s is %q, must be nextKey of the previous page, with the same sort",
			"afterKey", f.AfterKey)
	}
	return nil
}

// A TagCount is a tag and the number of jobs that have it.
type TagCount struct {
	Tag  string
	Jobs int
}

// A CountStore is the part of [Store] that counts what lists would show.
type CountStore interface {
	// CountJobs counts up to limit jobs that f selects. The position, order and limit of f are
	// ignored.
	//
	// REQUIRES: limit is above 0.
	CountJobs(ctx context.Context, f JobFilter, limit int) (int, error)
	// CountTags lists the tags of jobs in these groups, ordered by their bytes. Nil means all
	// groups.
	CountTags(ctx context.Context, groups []int64) ([]TagCount, error)
}
