package records

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// EditJobs implements [xxladapter.Store]. The transaction has a few statements for every hundred
// edits, and a few more for each changed source: it locks and reads all rows, decides all edits,
// and writes what they change, each kind of rows together. Single edits are made in the same way.
func (s *Store) EditJobs(
	ctx context.Context, edits []xxladapter.JobEdit, whole bool,
) (made []xxladapter.JobEdited, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := xxladapter.CheckJobEdits(edits, whole); err != nil {
		return nil, err
	}
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) error {
		made, err = s.editJobs(ctx, tx, edits, whole)
		return err
	})
	s.others.edited(edits)
	if err != nil {
		return nil, err
	}
	return made, nil
}

func (s *Store) editJobs(
	ctx context.Context, tx *database.Tx, edits []xxladapter.JobEdit, whole bool,
) ([]xxladapter.JobEdited, error) {
	rows, err := rowsOfEdits(ctx, tx, edits)
	if err != nil {
		return nil, err
	}
	made, now := make([]xxladapter.JobEdited, len(edits)), s.Clock()
	var work jobWork
	for i := range edits {
		e, m := &edits[i], &made[i]
		m.ID = e.ID()
		if e.Stores() {
			m.Err = s.Dialect.Widths.CheckJob(e.Job)
		}
		var c transition.JobChange
		if m.Err == nil {
			c, m.Err = transition.EditJob(e, rows.of(e), now)
			m.Next = c.Next
		}
		switch {
		case m.Err != nil && whole:
			return nil, m.Err
		case m.Err == nil && !c.Unchanged:
			work.add(i, e, &c)
		}
	}
	if err := work.create(ctx, tx, made); err != nil {
		return nil, err
	}
	if err := work.nameCreated(ctx, tx, edits, made); err != nil {
		return nil, err
	}
	if err := work.change(ctx, tx, now); err != nil {
		return nil, err
	}
	if err := removeJobs(ctx, tx, s.Clock(), work.removed); err != nil {
		return nil, err
	}
	return made, s.recordEdits(ctx, tx, work.all)
}

// editRows holds the rows on which edits depend.
type editRows struct {
	jobs             map[int64]*xxladapter.Job
	groups           map[int64]bool
	lastDue, claimed map[int64]time.Time // of a job's fires, as [transition.JobRows] has them
}

// of returns the rows of one edit.
func (r editRows) of(e *xxladapter.JobEdit) transition.JobRows {
	id := e.ID()
	return transition.JobRows{
		Job: r.jobs[id], Group: r.groups[e.Job.GroupID], LastDue: r.lastDue[id], Claimed: r.claimed[id],
	}
}

const (
	selectGroupIDs = `SELECT id FROM xxl_job_group WHERE `
	// lastDues and scheduledFires are completed with the jobs. The second locks what it reads, and
	// so waits for claims that are being made.
	lastDues       = `SELECT job_id, MAX(due_ms) FROM xxlwheel_fire WHERE trigger_type = 'CRON' AND `
	scheduledFires = `SELECT job_id, due_ms, state FROM xxlwheel_fire`
)

// rowsOfEdits locks and reads the rows on which the edits depend: jobs before groups and fires,
// each in the order of their ids.
func rowsOfEdits(ctx context.Context, t *database.Tx, edits []xxladapter.JobEdit) (rows editRows, err error) {
	var jobs, groups, starts, reschedules []int64
	for i := range edits {
		e := &edits[i]
		if id := e.ID(); id != 0 {
			jobs = append(jobs, id)
		}
		if e.Stores() {
			groups = append(groups, e.Job.GroupID)
		}
		switch e.Act {
		case xxladapter.ActStart:
			starts = append(starts, e.Job.ID)
		case xxladapter.ActReschedule:
			reschedules = append(reschedules, e.Job.ID)
		}
	}
	rows = editRows{
		jobs: map[int64]*xxladapter.Job{}, groups: map[int64]bool{}, lastDue: map[int64]time.Time{},
		claimed: map[int64]time.Time{},
	}
	err = t.EachOf(ctx, `SELECT `+JobColumns+` FROM xxl_job_info`+t.Dialect.JobsByID+
		` WHERE `, "id", jobs, ` ORDER BY id`+t.Dialect.Lock, func(r database.Row) error {
		j, err := ScanJob(r)
		rows.jobs[j.ID] = j
		return err
	})
	if err != nil {
		return rows, err
	}
	err = t.EachOf(ctx, selectGroupIDs, "id", groups, ` ORDER BY id`+t.Dialect.Share, func(r database.Row) error {
		var id int64
		err := r.Scan(&id)
		rows.groups[id] = true
		return err
	})
	if err != nil {
		return rows, err
	}
	due := func(of map[int64]time.Time) func(database.Row) error {
		return func(r database.Row) error {
			var job int64
			var at time.Time
			err := r.Scan(&job, database.Milli(&at))
			of[job] = at
			return err
		}
	}
	if err := t.EachOf(ctx, lastDues, "job_id", starts, ` GROUP BY job_id`, due(rows.lastDue)); err != nil {
		return rows, err
	}
	return rows, t.EachOf(ctx, scheduledFires+t.Dialect.FiresByJob+` WHERE `, "job_id", reschedules,
		` AND trigger_type IN ('CRON', 'MISFIRE') ORDER BY id`+t.Dialect.Lock, func(r database.Row) error {
			var job int64
			var at time.Time
			var state xxladapter.FireState
			err := r.Scan(&job, database.Milli(&at), database.Text(&state))
			if state != xxladapter.FirePlanned && at.After(rows.claimed[job]) {
				rows.claimed[job] = at
			}
			return err
		})
}

// A jobWork is what the edits of a transaction write.
type jobWork struct {
	all []*transition.JobChange // in the order of the edits
	// The changes in all, by the rows that they write. places are the indexes of the creations in
	// the edits.
	created, updated, glued, settings, switched []*transition.JobChange
	places                                      []int
	moved                                       map[int64][]int64 // jobs by their new group
	dropped, removed                            []int64           // ids of jobs
	nexts                                       [][]any           // id and next time
}

func (w *jobWork) add(place int, e *xxladapter.JobEdit, c *transition.JobChange) {
	w.all = append(w.all, c)
	switch e.Act {
	case xxladapter.ActCreate:
		w.created, w.places = append(w.created, c), append(w.places, place)
	case xxladapter.ActUpdate, xxladapter.ActReschedule:
		w.updated = append(w.updated, c)
		if w.moved == nil {
			w.moved = map[int64][]int64{}
		}
		w.moved[c.Is.GroupID] = append(w.moved[c.Is.GroupID], c.Is.ID)
		if c.Was.SettingsText() != c.Is.SettingsText() {
			w.settings = append(w.settings, c)
		}
	case xxladapter.ActStart, xxladapter.ActStop:
		w.switched = append(w.switched, c)
	case xxladapter.ActRemove:
		w.removed = append(w.removed, c.Was.ID)
	}
	if c.Glue {
		w.glued = append(w.glued, c)
	}
	if e.Act == xxladapter.ActReschedule {
		w.nexts = append(w.nexts, []any{c.Is.ID, database.ToMilli(c.Is.TriggerNext)})
	}
	if c.Drop {
		w.dropped = append(w.dropped, c.Is.ID)
	}
}

// create inserts new jobs and sets their ids.
func (w *jobWork) create(ctx context.Context, tx *database.Tx, made []xxladapter.JobEdited) error {
	ids, err := insertJobs(ctx, tx, w.created)
	if err != nil {
		return err
	}
	for i, c := range w.created {
		c.Is.ID, made[w.places[i]].ID = ids[i], ids[i]
	}
	return insertSettings(ctx, tx, w.created)
}

// nameCreated replaces the placeholders of new jobs among the children by the jobs' ids.
func (w *jobWork) nameCreated(
	ctx context.Context, tx *database.Tx, edits []xxladapter.JobEdit, made []xxladapter.JobEdited,
) error {
	if !slices.ContainsFunc(edits, func(e xxladapter.JobEdit) bool { return e.NamesCreated() }) {
		return nil
	}
	var rows [][]any
	for _, c := range w.all {
		if c.Is == nil || !slices.ContainsFunc(c.Is.ChildIDs, func(id int64) bool { return id < 0 }) {
			continue
		}
		c.Is.ChildIDs = xxladapter.ChildrenOf(c.Is.ChildIDs, made)
		rows = append(rows, []any{c.Is.ID, database.JoinIDs(c.Is.ChildIDs)})
	}
	_, err := tx.UpdateRows(ctx, "xxl_job_info", ChildColumns, rows)
	return err
}

// change writes the changes of jobs that exist.
func (w *jobWork) change(ctx context.Context, tx *database.Tx, now time.Time) error {
	if err := updateJobs(ctx, tx, w.updated); err != nil {
		return err
	}
	for _, group := range slices.Sorted(maps.Keys(w.moved)) {
		if err := moveFires(ctx, tx, group, w.moved[group]); err != nil {
			return err
		}
	}
	if err := moveKeys(ctx, tx, w.updated); err != nil {
		return err
	}
	for _, c := range w.glued {
		if err := saveGlue(ctx, tx, c.Was, c.Is, now); err != nil {
			return err
		}
	}
	if err := replaceSettings(ctx, tx, w.settings); err != nil {
		return err
	}
	if _, err := tx.UpdateRows(ctx, "xxl_job_info", nextColumns, w.nexts); err != nil {
		return err
	}
	if err := switchJobs(ctx, tx, w.switched); err != nil {
		return err
	}
	return dropFires(ctx, tx, w.dropped, DropScheduled)
}
