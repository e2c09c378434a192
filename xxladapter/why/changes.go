package why

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A change is one change of a job, from the audit or from a comparison of versions.
type change struct {
	at     time.Time // what is due at this instant is due by the schedule before the change
	fields []xxladapter.FieldChange
	// unknown is true if nothing shows what the job was like before the change.
	unknown bool
}

// changesOf returns the changes of a job, newest first. Most are in the audit. The others are found
// by comparing versions: another program made them, or their audit rows were deleted. rows are in
// ascending order, and versions newest first.
func changesOf(j *xxladapter.Job, rows []xxladapter.AuditRow, versions []*xxladapter.JobVersion) []change {
	m := merging{job: j, rows: slices.DeleteFunc(slices.Clone(rows), isOfBackfill)}
	if len(versions) > 0 && !versions[0].Shows(j) {
		m.found(j.Updated, &versions[0].Job, j)
	}
	for i, v := range versions {
		var before *xxladapter.Job
		if i+1 < len(versions) {
			before = &versions[i+1].Job
		}
		if v.Call == "" {
			m.found(v.At, before, &v.Job)
		} else {
			m.edited(v, before)
		}
	}
	m.take(0)
	return m.changes
}

// isOfBackfill reports whether a row is about a backfill: that changes nothing of the job.
func isOfBackfill(r xxladapter.AuditRow) bool {
	return len(r.Changes) > 0 && r.Changes[0].Field == "backfill"
}

// A merging puts the rows of an audit and the versions of a job in one order.
type merging struct {
	job     *xxladapter.Job
	rows    []xxladapter.AuditRow // that are not among changes yet
	changes []change
}

// take moves m.rows[n:] to changes, newest first.
func (m *merging) take(n int) {
	for i := range slices.Backward(m.rows[n:]) {
		row := &m.rows[n+i]
		m.changes = append(m.changes, change{at: row.At, fields: row.Changes})
	}
	m.rows = m.rows[:n]
}

// endsSchedule reports whether the last of rows is about the end of a schedule. Such a change has
// no version of its own.
func (m *merging) endsSchedule() bool {
	n := len(m.rows)
	return n > 0 && m.rows[n-1].Actor.Kind == xxladapter.ActorScheduler
}

// found adds a change that has no row. It first takes the rows about an end of the schedule that
// came later. before is the job before the change; nil if no version has it.
func (m *merging) found(at time.Time, before, after *xxladapter.Job) {
	for m.endsSchedule() && m.rows[len(m.rows)-1].At.After(at) {
		m.take(len(m.rows) - 1)
	}
	switch {
	case before != nil:
		was := *before
		was.Running = was.Running && !m.endsSchedule()
		m.changes = append(m.changes, change{at: at, fields: xxladapter.DiffFields(was.Fields(), after.Fields())})
	case !m.job.Added.After(at.Add(-time.Second)): // a change within a second may be the creation
		m.changes = append(m.changes, change{at: at, unknown: true})
	}
}

// edited takes the row of the edit that made the version v, and all later rows. If no row is left,
// because old rows were deleted, it compares v with the version before.
func (m *merging) edited(v *xxladapter.JobVersion, before *xxladapter.Job) {
	for n := range slices.Backward(m.rows) {
		if m.rows[n].Call == v.Call {
			m.take(n)
			return
		}
	}
	if len(m.rows) == 0 && (before != nil || v.Number > 1) { // otherwise v creates the job
		m.found(v.At, before, &v.Job)
	}
}
