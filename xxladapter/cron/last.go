package cron

import "time"

// Last returns the last due time of p that is not later than until, among first and the due times
// that follow it.
//
// For the plans of this package it takes at most about forty calls of Next, however many due times
// lie between. In the XXL34 profile with W, whose due times depend on where the search starts, it
// may return an earlier due time. Any other plan is followed for a thousand due times; if it has
// more, Last returns until.
//
// REQUIRES: first is a due time of p, and not later than until.
func Last(p Plan, first, until time.Time) time.Time {
	switch p := p.(type) {
	case zoned:
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

// lastOf bisects the interval in which the last due time lies. Except in XXL34 with W, the due
// times of an expression do not depend on where the search starts, so "there is a due time after t
// and not after until" holds before the last due time and is false from there on.
//
// Invariant: last is a due time that is not after until; no due time lies in (none, until].
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
