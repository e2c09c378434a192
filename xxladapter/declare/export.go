package declare

import (
	"cmp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An Export selects what [State.Export] declares.
type Export struct {
	App   string // one app name; empty means all
	Owner string // one owner; empty means all jobs, and a document without owner
	// WithoutRunning leaves out whether schedules are on.
	WithoutRunning bool
}

// Export returns a document that declares the groups and jobs of a state, by app name and key, and
// the stored calendars that these jobs name. Fields with their defaults are left out, as are
// children that the state does not have. Groups with one app name are declared once, as the first
// of them.
func (s *State) Export(e Export) *Document {
	x := newIndex(s)
	doc := &Document{Owner: e.Owner}
	used, named := map[string]bool{}, map[string]bool{}
	for _, j := range s.Jobs {
		n, known := x.names[j.ID]
		if !known || e.App != "" && n.app != e.App || e.Owner != "" && x.keys[j.ID].Owner != e.Owner {
			continue
		}
		used[n.app], named[j.Settings.Calendar] = true, true
		doc.Jobs = append(doc.Jobs, x.entryOf(j, e))
	}
	for _, c := range s.Calendars {
		if named[c.Name] {
			doc.Calendars = append(doc.Calendars, CalendarEntryOf(c))
		}
	}
	for _, g := range s.Groups {
		if e.App != "" && g.AppName != e.App || e.Owner != "" && !used[g.AppName] || x.groups[g.AppName] != g {
			continue
		}
		entry := GroupEntry{AppName: g.AppName, Title: g.Title}
		if g.AddressType == xxladapter.AddressManual {
			entry.AddressList = g.Addresses
		}
		doc.Groups = append(doc.Groups, entry)
	}
	slices.SortFunc(doc.Calendars, func(a, b CalendarEntry) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(doc.Groups, func(a, b GroupEntry) int { return cmp.Compare(a.AppName, b.AppName) })
	slices.SortFunc(doc.Jobs, func(a, b JobEntry) int {
		return cmp.Or(cmp.Compare(a.AppName, b.AppName), cmp.Compare(a.Key, b.Key))
	})
	return doc
}

func (x *index) entryOf(j *xxladapter.Job, e Export) JobEntry {
	n := x.names[j.ID]
	var usual xxladapter.Job
	usual.SetDefaults()
	entry := JobEntry{
		AppName: n.app, Key: n.key, Name: unless(j.Name, n.key), Author: j.Author, AlarmEmail: j.AlarmEmail,
		ScheduleType: unless(j.ScheduleType, usual.ScheduleType), ScheduleConf: j.ScheduleConf,
		MisfireStrategy:       unless(j.Misfire, usual.Misfire),
		ExecutorRouteStrategy: unless(j.Route, usual.Route), ExecutorHandler: j.Handler, ExecutorParam: j.Param,
		ExecutorBlockStrategy: unless(j.Block, usual.Block), ExecutorTimeout: int64(j.Timeout / time.Second),
		ExecutorFailRetryCount: j.RetryCount,
		GlueType:               unless(j.GlueType, usual.GlueType), GlueSource: j.GlueSource, GlueRemark: j.GlueRemark,
		Children: x.refs(n.app, j.ChildIDs), Tags: j.Tags,
	}
	if j.Settings != (xxladapter.Settings{}) {
		settings := j.Settings
		entry.Settings = &settings
	}
	if running := j.Running; !e.WithoutRunning {
		entry.Running = &running
	}
	return entry
}

// unless returns value, or the zero value if value is the usual one.
func unless[T comparable](value, usual T) T {
	var zero T
	if value == usual {
		return zero
	}
	return value
}

// refs returns references to the jobs, without those that the state does not have.
func (x *index) refs(app string, ids []int64) (refs []string) {
	for _, id := range ids {
		if n, known := x.names[id]; known {
			refs = append(refs, n.ref(app))
		}
	}
	return refs
}
