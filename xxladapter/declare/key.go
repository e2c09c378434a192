package declare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// KeyFrom returns a key made of a name: in lower case, with a hyphen in place of characters that a
// key must not contain, and truncated to [xxladapter.MaxJobKey] characters. A name of such
// characters alone gives "job".
func KeyFrom(name string) string {
	var key []rune
	gap := false
	for _, r := range strings.ToValidUTF8(name, "") {
		if !xxladapter.InJobKey(r) || r == '-' {
			gap = len(key) > 0
			continue
		}
		if gap {
			key, gap = append(key, '-'), false
		}
		key = append(key, unicode.ToLower(r))
	}
	if len(key) == 0 {
		return "job"
	}
	return string(key[:min(len(key), xxladapter.MaxJobKey)])
}

// keysOf returns the key of each job by its id: the one that it has, or one made of its name, with
// a number at its end if another job has that key. Two jobs have the same key only if they are in
// two groups of one app name; then the first one keeps it.
//
// REQUIRES: jobs are all those of one app name, in the order of their groups and ids.
func keysOf(jobs []*xxladapter.Job, has map[int64]xxladapter.JobKey) map[int64]string {
	keys := make(map[int64]string, len(jobs))
	taken := map[string]bool{}
	for _, j := range jobs {
		if k, keyed := has[j.ID]; keyed && !taken[k.Key] {
			keys[j.ID], taken[k.Key] = k.Key, true
		}
	}
	for _, j := range jobs {
		if keys[j.ID] != "" {
			continue
		}
		base := has[j.ID].Key
		if base == "" {
			base = KeyFrom(j.Name)
		}
		key := base
		for n := 2; taken[key]; n++ {
			number := fmt.Sprint("-", n)
			runes := []rune(base)
			key = string(runes[:min(len(runes), xxladapter.MaxJobKey-len(number))]) + number
		}
		keys[j.ID], taken[key] = key, true
	}
	return keys
}

// A name identifies a job in every environment.
type name struct{ app, key string }

// parseRef parses a reference to a job from one of the group app: a key, or an app name, a slash
// and a key.
func parseRef(app, ref string) name {
	if i := strings.LastIndexByte(ref, '/'); i >= 0 {
		return name{ref[:i], ref[i+1:]}
	}
	return name{app, ref}
}

// ref returns the reference to n from a job of the group app.
func (n name) ref(app string) string {
	if n.app == app {
		return n.key
	}
	return n.app + "/" + n.key
}

// A State holds the contents of a store that exist for the caller.
type State struct {
	Calendars []*xxladapter.Calendar // stored ones, which exist for everybody
	Groups    []*xxladapter.Group    // by id; of those with one app name, the first gets new jobs
	Jobs      []*xxladapter.Job      // all jobs of each group that matters, by id
	Keys      []xxladapter.JobKey
}

// An index finds the groups and jobs of a state.
type index struct {
	groups map[string]*xxladapter.Group // by app name
	apps   map[int64]string             // by group id
	jobs   map[name]*xxladapter.Job
	names  map[int64]name              // by job id
	keys   map[int64]xxladapter.JobKey // by job id; without those that are made of names
}

func newIndex(s *State) *index {
	x := &index{
		map[string]*xxladapter.Group{}, map[int64]string{}, map[name]*xxladapter.Job{}, map[int64]name{},
		map[int64]xxladapter.JobKey{},
	}
	for _, g := range s.Groups {
		x.apps[g.ID] = g.AppName
		if x.groups[g.AppName] == nil {
			x.groups[g.AppName] = g
		}
	}
	for _, k := range s.Keys {
		x.keys[k.JobID] = k
	}
	of := map[string][]*xxladapter.Job{}
	for _, j := range s.Jobs {
		if app, shown := x.apps[j.GroupID]; shown {
			of[app] = append(of[app], j)
		}
	}
	for app, jobs := range of {
		slices.SortFunc(jobs, func(a, b *xxladapter.Job) int {
			return cmp.Or(cmp.Compare(a.GroupID, b.GroupID), cmp.Compare(a.ID, b.ID))
		})
		keys := keysOf(jobs, x.keys)
		for _, j := range jobs {
			n := name{app, keys[j.ID]}
			x.jobs[n], x.names[j.ID] = j, n
		}
	}
	return x
}

// MissingKeys returns a declaration that stores the keys that jobs have by their names alone, so
// that they stay when a job is renamed.
func MissingKeys(s *State) *xxladapter.Declaration {
	x := newIndex(s)
	d := &xxladapter.Declaration{}
	for _, j := range s.Jobs {
		if _, keyed := x.keys[j.ID]; !keyed && x.names[j.ID].key != "" {
			n := x.names[j.ID]
			d.Jobs = append(d.Jobs, xxladapter.DeclaredJob{Job: *j, App: n.app, Key: n.key})
		}
	}
	return d
}
