package journaled

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A level says how much of the memory must be in the tables before a call reads them.
type level int

const (
	nothing   level = iota // what the call is about is always in the tables
	settled                // what allRuns says, except young runs without a result
	allRuns                // all but planned fires and the times of jobs with deferred ones
	allTimes               // all but planned fires
	all                    // everything
	unchanged level = -1   // the call knows what the tables lack; its transaction writes nothing of that
)

// A scope says what a call that goes to the tables reads and changes there.
type scope struct {
	needs level
	// changes is set if the call changes what the memory also holds. The memory then reads again
	// what load says.
	changes bool
	// beside is set if other calls may run while the call changes the tables, as if they had run
	// before it: the call does not depend on what they change, and they do not overwrite what it
	// changes.
	beside bool
	// closing is set if the call is the last one of a store with a shared journal; see closeLimit.
	closing bool
	load    load
}

// A load says what the memory reads again after a call has changed the tables.
type load struct {
	everything bool
	leases     bool
	runs       bool       // forget the runs that the tables have
	jobs       []int64    // these jobs, with their fires
	claims     []*[]int64 // the jobs that calls of ClaimDue have claimed, once they have run
	groups     bool
	// pauses and calendars
	restrictions bool
}

// add merges another call's load into l.
func (l *load) add(other load) {
	l.everything = l.everything || other.everything
	l.leases = l.leases || other.leases
	l.runs = l.runs || other.runs
	l.claims = append(l.claims, other.claims...)
	l.groups = l.groups || other.groups
	l.restrictions = l.restrictions || other.restrictions
	l.jobs = append(l.jobs, other.jobs...)
}

// Scopes of calls. A call without a scope finds everything in the tables and may change anything
// there: it is correct, but slow.
var (
	readsJobs  = scope{needs: allTimes}  // rows of jobs
	reads      = scope{needs: allRuns}   // rows of logs, misfires, orders, figures
	apart      = scope{needs: nothing}   // rows that are always up to date in the tables
	counts     = scope{needs: settled}   // log rows that are not young, and tables of which the memory holds nothing
	own        = scope{needs: unchanged} // the store's own reads
	marksRuns  = scope{needs: allRuns}   // changed columns and tables that the memory does not hold
	changesRun = scope{needs: allRuns, changes: true, load: load{runs: true}}
	// A deleted row that a run changes meanwhile stays deleted, with its figures.
	purging = scope{needs: allRuns, changes: true, beside: true, load: load{runs: true}}
	// The memory itself checks the instant at which a term ends, and it knows a new term before the
	// first call under that term. What a lease says about fires comes from the memory, too, so a
	// renewal does not wait until the tables have caught up.
	leasing  = scope{needs: unchanged, changes: true, beside: true, load: load{leases: true}}
	grouping = scope{needs: nothing, load: load{groups: true}}
	unknown  = scope{needs: all, changes: true, load: load{everything: true}}
)

// changesJob returns the scope of a call that changes one job and its fires.
func changesJob(id int64) scope { return changesJobs([]int64{id}) }

func changesJobs(ids []int64) scope {
	return scope{needs: all, changes: true, load: load{jobs: ids}}
}

// claims returns the scope of a call that writes the ids of the jobs that it has claimed to ids.
func claims(ids *[]int64) scope {
	return scope{needs: all, changes: true, load: load{claims: []*[]int64{ids}}}
}

// known returns l with the jobs that were claimed.
func (l load) known() load {
	l.jobs = slices.Clone(l.jobs)
	for _, ids := range l.claims {
		l.jobs = append(l.jobs, *ids...)
	}
	return l
}

// declares returns the scope of a declaration. The memory does not yet have the jobs that the
// declaration creates.
func declares(d *xxladapter.Declaration) scope {
	s := scope{needs: all, changes: true, load: load{groups: len(d.Groups) > 0, restrictions: len(d.Calendars) > 0}}
	for _, gone := range d.Remove {
		s.load.jobs = append(s.load.jobs, gone.ID)
	}
	for i := range d.Jobs {
		if id := d.Jobs[i].ID; id != 0 {
			s.load.jobs = append(s.load.jobs, id)
		}
	}
	return s
}

type scopeKey struct{}

// with returns ctx for a call with a scope.
func with(ctx context.Context, s scope) context.Context { return context.WithValue(ctx, scopeKey{}, s) }

// scopeOf returns the scope of a call.
func scopeOf(ctx context.Context) scope {
	if s, ok := ctx.Value(scopeKey{}).(scope); ok {
		return s
	}
	return unknown
}
