package memstore

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The reference keeps no more precision than the tables, so that it returns what every store
// returns: due times in whole milliseconds, and values of upstream's datetime columns in whole
// seconds, all in UTC.

// toMilli truncates t to whole milliseconds; zero stays zero.
func toMilli(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// toSecond truncates t to whole seconds; zero stays zero.
func toSecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.Unix(t.Unix(), 0).UTC()
}

// list returns a copy that distinguishes no more than the columns do: an empty list and nil are the
// same.
func list[T any](items []T) []T {
	if len(items) == 0 {
		return nil
	}
	return slices.Clone(items)
}

func copyJob(j *xxladapter.Job) *xxladapter.Job {
	c := *j
	c.ChildIDs = list(j.ChildIDs)
	c.SetTags(j.Tags)
	return &c
}

func copyGroup(g *xxladapter.Group) *xxladapter.Group {
	c := *g
	c.Base = nil
	c.Addresses, c.Drains = list(g.Addresses), list(g.Drains)
	return &c
}

func copyFire(f *xxladapter.Fire) xxladapter.Fire {
	c := *f
	c.Addresses = list(f.Addresses)
	if f.Param != nil {
		param := *f.Param
		c.Param = &param
	}
	return c
}

func copyLog(l *xxladapter.Log) *xxladapter.Log {
	c := *l
	return &c
}
