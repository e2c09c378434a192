//go:build linux

package faults

import (
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
)

// A lateness says how late runs came, in ascending order.
type lateness []time.Duration

// lateness returns how late the selected runs came.
//
// REQUIRES: judge has been called.
func (c *cluster) lateness(selected func(checker.Run) bool) lateness {
	c.t.Helper()
	var late lateness
	for _, r := range c.judged.Runs {
		if selected(r) {
			late = append(late, r.At.Sub(r.Due))
		}
	}
	slices.Sort(late)
	return late
}

// p99 returns the 99th percentile.
//
// REQUIRES: l is not empty.
func (l lateness) p99() time.Duration { return l[len(l)*99/100] }

// most returns the largest lateness.
//
// REQUIRES: l is not empty.
func (l lateness) most() time.Duration { return l[len(l)-1] }

// String says in a few words how many runs there were, and how late they came.
func (l lateness) String() string {
	if len(l) == 0 {
		return "no runs"
	}
	return fmt.Sprintf("%d runs late by %v, p99 %v, most %v", len(l), l[len(l)/2], l.p99(), l.most())
}

// verdict says in a few words what the checker found.
//
// REQUIRES: the report is clean.
func verdict(r *checker.Report) string {
	return fmt.Sprintf("clean, %d of %d due times matched", r.Matched, r.Targets)
}

// dueWithin selects the runs that became due more than from and less than to after one of the
// moments.
func dueWithin(moments []time.Time, from, to time.Duration) func(checker.Run) bool {
	return func(run checker.Run) bool {
		return slices.ContainsFunc(moments, func(m time.Time) bool {
			since := run.Due.Sub(checker.At(m))
			return since > from && since < to
		})
	}
}
