package cron

import (
	"sort"
	"time"
)

// Last returns the last due time of p that is not later than until, among first and the due times
// that follow it.
//
// For the plans of this package it takes at most about forty calls of Next, however many due times
// lie between. In the XXL34 profile with W, whose due times depend on where the search starts, it
// takes about as many for each day of a month that has due times. Any other plan is followed for a
// thousand due times; if it has more, Last returns until.
//
// REQUIRES: first is a due time of p, and not later than until.
func Last(p Plan, first, until time.Time) time.Time {
	switch p := p.(type) {
	case zoned:
		if s := p.schedule; s.profile == XXL34 && s.nearest|s.lastNearest != 0 {
			return lastNearest(p, first, until)
		}
		return lastOf(p, first, until)
	case interval:
		return p.last(first, until)
	}
	const limit = 1000
	last := first
	for range limit {
		next := p.Next(last)
		if next.IsZero() || !next.After(last) || next.After(until) {
			return last
		}
		last = next
	}
	return until
}

// lastOf bisects the interval in which the last due time lies. The due times of an expression do
// not depend on where the search starts, so "there is a due time after t and not after until" holds
// before the last due time and is false from there on.
//
// Invariant: last is a due time that is not after until; no due time lies in (none, until].
//
// REQUIRES: if p is an XXL34 plan with W, first and until are on the same day, with a due time
// before first.
func lastOf(p zoned, first, until time.Time) time.Time {
	last, none := first, until
	for none.Sub(last) > time.Millisecond {
		mid := last.Add(none.Sub(last) / 2)
		if next := p.Next(mid); next.IsZero() || next.After(until) {
			none = mid
		} else {
			last = next
		}
	}
	return last
}

// lastNearest does what lastOf does, for XXL34 with W. There a search that reaches a new month
// begins at the first instant of the month, wherever the search started. Within a month each due
// time has to be searched from the one before, but if two are on one day, all later times of that
// day are due.
func lastNearest(p zoned, first, until time.Time) time.Time {
	begin, end := first.In(p.zone), until.In(p.zone)
	months := 12*(end.Year()-begin.Year()) + int(end.Month()-begin.Month())
	from := func(month int) time.Time { // the first due time from the start of a month on
		start := time.Date(begin.Year(), begin.Month()+time.Month(month), 1, 0, 0, 0, 0, p.zone)
		return p.Next(start.Add(-time.Second))
	}
	last := first
	if n := sort.Search(months, func(i int) bool {
		next := from(i + 1)
		return next.IsZero() || next.After(until)
	}); n > 0 {
		last = from(n)
	}
	for {
		next := p.Next(last)
		if next.IsZero() || next.After(until) {
			return last
		}
		year, month, day := next.Date()
		if y, m, d := last.In(p.zone).Date(); y == year && m == month && d == day {
			next = lastOf(p, next, earlier(until, time.Date(year, month, day+1, 0, 0, 0, -1, p.zone)))
		}
		last = next
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// last computes the answer without a search: after the first step, which may be rounded up, all
// steps have the same length. It counts in milliseconds, since a Duration ends after 292 years. Due
// times from the second one on are whole milliseconds.
func (i interval) last(first, until time.Time) time.Time {
	second := i.Next(first)
	if second.After(until) {
		return first
	}
	step := i.Next(second).Sub(second).Milliseconds()
	passed := until.UnixMilli() - second.UnixMilli()
	return time.UnixMilli(second.UnixMilli() + passed/step*step).In(i.zone)
}
