package journaled

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// A memory holds the state that the store has without asking the tables. It is a plain value: a
// call and the replay of the journal change it through the same methods. Its front guards it.
//
// Invariants: it has every open fire and every lease. A job or a log row in it is at least as new
// as that of the tables. One that it lacks is in the tables, up to date.
type memory struct {
	fires
	jobs     map[int64]*job
	dirtyJob map[int64]*job // the tables have older times
	// No running job of dirtyJob has its next trigger time before soonest, except for those that
	// dueDirty has returned since soonest was zero.
	soonest  time.Time
	runs     map[int64]*run
	runsOf   map[int64]map[int64]*run // by job, then log id
	dirtyRun map[int64]*run           // the tables have no version or an older one
	misfires []xxladapter.Misfire     // that the tables do not have yet
	orders   [][]xxladapter.Fire      // claimed shards of ordered fires; likewise
	stops    []stop                   // of schedules that have ended; likewise

	leases map[string]lease // by node; may have lapsed
	owners [xxladapter.Partitions]string
	// restrictions are as the tables have them; nil if there are none.
	restrictions *xxladapter.Restrictions

	lastFire, lastLog int64 // the ids that were given last
	// doubt is the end of the due times that may have been sent, because a shared log was lost;
	// zero if none was.
	doubt time.Time
}

// A job is a job with its times, which change without the tables.
type job struct {
	*xxladapter.Job
	version  int
	tables   database.MovedJob // its times in the tables
	clean    int64             // it stays until those who read the tables before this transaction are done
	position journal.Position  // of its last change
}

// isDue reports whether the job runs and is due by a time.
func (j *job) isDue(by time.Time) bool { return j.Running && !j.TriggerNext.After(by) }

// A run is a log row that may still change, or that the tables do not have yet.
type run struct {
	xxladapter.Log
	stored   bool
	base     transition.LogState  // of the stored row
	began    time.Time            // when it came into memory
	history  transition.RunChange // what the tables do not have yet of its history
	attempt  int                  // of its history; below 0 while it is not known
	wantText int64                // when its text may be fetched, in ms; 0 if nobody wants it
	version  int
	clean    int64            // as that of a job
	position journal.Position // of its last change
}

// A lease is a node's right to act.
type lease struct {
	number int64
	until  int64 // in ms
}

func newMemory() memory {
	return memory{
		fires: newFires(),
		jobs:  map[int64]*job{}, dirtyJob: map[int64]*job{},
		runs: map[int64]*run{}, runsOf: map[int64]map[int64]*run{}, dirtyRun: map[int64]*run{},
		leases: map[string]lease{},
	}
}

// holds reports whether a term is its node's current one and its lease holds at now.
func (m *memory) holds(term xxladapter.Term, now time.Time) bool {
	l, leased := m.leases[term.Node]
	return leased && l.number == term.Number && now.UnixMilli() < l.until
}

// dead returns the terms that own open fires and do not hold at now, by node and number.
func (m *memory) dead(now time.Time) (terms []xxladapter.Term) {
	owners := map[xxladapter.Term]bool{}
	for _, f := range m.byLog {
		owners[f.Owner] = true
	}
	for term := range owners {
		if !m.holds(term, now) {
			terms = append(terms, term)
		}
	}
	slices.SortFunc(terms, func(a, b xxladapter.Term) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Number, b.Number))
	})
	return terms
}

func (m *memory) partitionsOf(node string) (set xxladapter.PartitionSet) {
	for partition, owner := range m.owners {
		if owner == node {
			set = set.With(partition)
		}
	}
	return set
}

// addJob keeps a job as the tables have it, unless the memory has it. The memory owns j then.
func (m *memory) addJob(j *xxladapter.Job) *job {
	if m.jobs[j.ID] == nil {
		m.jobs[j.ID] = &job{Job: j, tables: records.MovedJobOf(j)}
	}
	return m.jobs[j.ID]
}

// moveJob sets the times of a job.
func (m *memory) moveJob(j *job, last, next time.Time, running bool) {
	j.TriggerLast, j.TriggerNext, j.Running = milli(last), milli(next), running
	j.version++
	if running && (len(m.dirtyJob) == 0 || j.TriggerNext.Before(m.soonest)) {
		m.soonest = j.TriggerNext
	}
	m.dirtyJob[j.ID] = j
}

// dueDirty returns the jobs of dirtyJob that are due by a time. If all of them have been returned
// before and have not moved since, it returns none.
func (m *memory) dueDirty(by time.Time) (due []int64) {
	if m.soonest.After(by) {
		return nil
	}
	m.soonest = farAway
	for id, j := range m.dirtyJob {
		if j.isDue(by) {
			due = append(due, id)
		} else if j.Running && j.TriggerNext.Before(m.soonest) {
			m.soonest = j.TriggerNext
		}
	}
	return due
}

// farAway is later than the next trigger time of any job.
var farAway = time.UnixMilli(math.MaxInt64)

// addRun keeps a log row unless the memory has it.
func (m *memory) addRun(l xxladapter.Log, stored bool, now time.Time) *run {
	if r := m.runs[l.ID]; r != nil {
		return r
	}
	r := &run{Log: l, stored: stored, began: now, attempt: -1}
	if f := m.byLog[l.ID]; f != nil {
		r.attempt = f.Attempt
	}
	if stored {
		r.base = transition.StateOf(&l)
	} else {
		m.dirtyRun[l.ID] = r
	}
	m.runs[l.ID] = r
	if m.runsOf[l.JobID] == nil {
		m.runsOf[l.JobID] = map[int64]*run{}
	}
	m.runsOf[l.JobID][l.ID] = r
	return r
}

// addHistory adds a change to the part of the run's history that the tables lack.
func (r *run) addHistory(c transition.RunChange) {
	if c.Kind == transition.RecordRun && r.attempt < 0 {
		r.attempt = c.History.Attempt // the fire, which had it, may be gone
	}
	switch {
	case r.history.Kind == transition.KeepRun:
		r.history = c
	case r.history.Kind == transition.ExtendRun && c.Kind == transition.RecordRun:
		earlier := r.history
		r.history = c
		r.history.History = *earlier.Add(&c.History)
	default:
		r.history.History = *c.Add(&r.history.History)
	}
}

// A stop is the end of a schedule, for the audit.
type stop struct {
	node   string
	at     time.Time
	jobID  int64
	group  int64
	name   string
	reason string
}

// runChanged notes that a row is no longer as the tables have it.
func (m *memory) runChanged(r *run) {
	r.version++
	m.dirtyRun[r.ID] = r
}

func (m *memory) forgetRun(r *run) {
	delete(m.runs, r.ID)
	delete(m.dirtyRun, r.ID)
	delete(m.runsOf[r.JobID], r.ID)
	if len(m.runsOf[r.JobID]) == 0 {
		delete(m.runsOf, r.JobID)
	}
}

// keptJobs and keptRuns limit the jobs and log rows that are kept although the tables have them. A
// job takes some 0.7 KiB. If more than keptJobs fire within seconds, fires read their jobs from the
// tables again.
const (
	keptJobs = 50_000
	keptRuns = 20_000
)

const (
	// keptAhead is how long before its next due time a job is kept. So a job that is due each
	// minute is read once, and one that is due less often is read for each due time.
	keptAhead = time.Minute
	// lookedAt limits the jobs at which evict looks for those that are due later, because it holds
	// up every call. The order of a map begins anywhere, so that each job is looked at in time.
	// Redis 7 finds expired keys by such samples too (expire.c, activeExpireCycle).
	lookedAt = 1000
)

// evict forgets rows that the tables got by a transaction up to last: ended runs, which are in
// order, jobs that are not due soon after now, and what is beyond the limits. It returns the ended
// runs that it must keep for now.
func (m *memory) evict(ended []*run, last int64, now time.Time) (rest []*run) {
	n := 0
	for ; n < len(ended) && ended[n].clean <= last; n++ {
		if r := ended[n]; m.runs[r.ID] == r && m.dirtyRun[r.ID] == nil {
			m.forgetRun(r)
		}
	}
	rest = slices.Delete(ended, 0, n)
	for _, r := range m.runs {
		if len(m.runs) <= keptRuns {
			break
		}
		if m.dirtyRun[r.ID] == nil && r.clean <= last {
			m.forgetRun(r)
		}
	}
	looks := 0
	for id, j := range m.jobs {
		if len(m.jobs) <= keptJobs && looks == lookedAt {
			break
		}
		looks++
		if m.dirtyJob[id] == nil && j.clean <= last && (len(m.jobs) > keptJobs || m.rests(j, now)) {
			delete(m.jobs, id)
		}
	}
	return rest
}

// rests reports whether nothing will ask for a job soon: it is not due within keptAhead, and has no
// fire or run in memory.
func (m *memory) rests(j *job, now time.Time) bool {
	return !j.isDue(now.Add(keptAhead)) && len(m.byJob[j.ID]) == 0 && len(m.runsOf[j.ID]) == 0
}

// forgetClean forgets the log rows that the tables have, because somebody else changes them there.
func (m *memory) forgetClean() {
	for _, r := range m.runs {
		if m.dirtyRun[r.ID] == nil {
			m.forgetRun(r)
		}
	}
}

// forgetJobs forgets the jobs whose times the tables have.
func (m *memory) forgetJobs() {
	maps.DeleteFunc(m.jobs, func(id int64, _ *job) bool { return m.dirtyJob[id] == nil })
}
