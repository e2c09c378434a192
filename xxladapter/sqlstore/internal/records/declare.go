package records

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// Declare implements [xxladapter.Store].
func (s *Store) Declare(ctx context.Context, d *xxladapter.Declaration) (ids []int64, err error) {
	for _, g := range d.Groups {
		if err := s.Dialect.Widths.CheckGroup(g); err != nil {
			return nil, err
		}
	}
	for i := range d.Jobs {
		if err := s.Dialect.Widths.CheckJob(&d.Jobs[i].Job); err != nil {
			return nil, err
		}
	}
	err = s.Write(ctx, func(ctx context.Context, tx *database.Tx) (err error) {
		ids, err = s.declare(ctx, tx, d)
		return err
	})
	s.others.edited(editsOf(d, nil))
	if err != nil {
		return nil, err
	}
	return ids, nil
}

// declare carries out a declaration. It locks calendars, app names, groups and jobs in a fixed
// order, so that two declarations do not deadlock, and the end of the audit last.
func (s *Store) declare(ctx context.Context, tx *database.Tx, d *xxladapter.Declaration) ([]int64, error) {
	changes, err := s.declareCalendars(ctx, tx, d)
	if err != nil {
		return nil, err
	}
	for _, app := range appsOf(d) {
		if err := registry.LockApp(ctx, tx, app); err != nil {
			return nil, err
		}
	}
	groups := map[string]int64{}
	for _, g := range d.Groups {
		before, is, err := s.SaveWithin(ctx, tx, g)
		if err != nil {
			return nil, err
		}
		groups[g.AppName] = is.ID
		changes = audit.AppendChange(changes, is.Audited(), before, is.Fields())
	}
	edits := editsOf(d, groups)
	rows, err := rowsOfEdits(ctx, tx, edits)
	if err != nil {
		return nil, err
	}
	now := s.Clock()
	var work jobWork
	for _, gone := range d.Remove {
		c, err := transition.RemoveSeen(gone, rows.jobs[gone.ID])
		if err != nil {
			return nil, err
		}
		work.all, work.removed = append(work.all, &c), append(work.removed, gone.ID)
	}
	made, jobs := make([]xxladapter.JobEdited, len(edits)), make([]*transition.JobChange, len(d.Jobs))
	for i := range d.Jobs {
		declared := d.Jobs[i]
		declared.Job = *edits[i].Job
		c, err := transition.DeclareJob(&declared, rows.of(&edits[i]), now)
		if err != nil {
			return nil, err
		}
		jobs[i], made[i].ID = &c, declared.ID
		work.declare(i, &declared, &c)
	}
	if err := removeJobs(ctx, tx, s.Clock(), work.removed); err != nil {
		return nil, err
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
	keys, err := setKeys(ctx, tx, d, jobs)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(jobs))
	for i, c := range jobs {
		ids[i] = c.Is.ID
	}
	return ids, s.recordDeclared(ctx, tx, changes, work.all, jobs, keys)
}

// declareCalendars stores the calendars of a declaration. Without any it waits for no scan.
func (s *Store) declareCalendars(
	ctx context.Context, tx *database.Tx, d *xxladapter.Declaration,
) (changes []audit.Change, err error) {
	if len(d.Calendars) == 0 {
		return nil, nil
	}
	if err := changeRestrictions(ctx, tx); err != nil {
		return nil, err
	}
	for _, c := range d.Calendars {
		before, _, err := saveCalendar(ctx, tx, c, s.Clock(), func(stored *xxladapter.Calendar) error {
			return xxladapter.CheckCalendarDeclared(c, stored)
		})
		if err != nil {
			return nil, err
		}
		changes = audit.AppendChange(changes, c.Audited(), before, c.Fields())
	}
	return changes, nil
}

// recordDeclared stores the versions of the jobs, and the audit of a declaration: the calendars and
// groups that changed, the removed jobs, and the declared jobs.
func (s *Store) recordDeclared(
	ctx context.Context, tx *database.Tx, changes []audit.Change, all, jobs []*transition.JobChange, keys []keyChange,
) error {
	if xxladapter.CallOf(ctx) == "" {
		return nil
	}
	if err := s.RecordVersions(ctx, tx, all); err != nil {
		return err
	}
	for _, c := range all {
		if c.Is == nil {
			changes = audit.AppendChange(changes, c.Was.Audited(), c.Was.Fields(), nil)
		}
	}
	for i, c := range jobs {
		before, after := keys[i].before.Fields(), append(c.Is.Fields(), keys[i].after.Fields()...)
		if c.Was != nil {
			before = append(c.Was.Fields(), before...)
		}
		changes = audit.AppendChange(changes, c.Is.Audited(), before, after)
	}
	return s.RecordAll(ctx, tx, changes)
}

// appsOf returns the app names that a declaration concerns, in order.
func appsOf(d *xxladapter.Declaration) (apps []string) {
	for _, g := range d.Groups {
		apps = append(apps, g.AppName)
	}
	for i := range d.Jobs {
		apps = append(apps, d.Jobs[i].App)
	}
	slices.Sort(apps)
	return slices.Compact(apps)
}

// editsOf returns edits that lock and read what a declaration needs: the declared jobs, with their
// groups, before those to remove.
func editsOf(d *xxladapter.Declaration, groups map[string]int64) (edits []xxladapter.JobEdit) {
	for i := range d.Jobs {
		j := d.Jobs[i].Job
		if j.GroupID == 0 {
			j.GroupID = groups[d.Jobs[i].App]
		}
		act := xxladapter.ActReschedule
		if j.ID == 0 {
			act = xxladapter.ActCreate
		}
		edits = append(edits, xxladapter.JobEdit{Act: act, Job: &j})
	}
	for _, gone := range d.Remove {
		edits = append(edits, xxladapter.JobEdit{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: gone.ID}})
	}
	return edits
}

// declare adds what a declared job changes.
func (w *jobWork) declare(place int, d *xxladapter.DeclaredJob, c *transition.JobChange) {
	if c.Unchanged {
		return
	}
	act := xxladapter.ActUpdate
	switch {
	case c.Was == nil:
		act = xxladapter.ActCreate
	case !d.Edit:
		act = xxladapter.ActStart
	}
	w.add(place, &xxladapter.JobEdit{Act: act}, c)
	was := c.Was != nil && c.Was.Running
	switch {
	case was != c.Is.Running && act != xxladapter.ActStart:
		w.switched = append(w.switched, c)
	case was && c.Is.Running && c.Drop:
		w.nexts = append(w.nexts, []any{c.Is.ID, database.ToMilli(c.Is.TriggerNext)})
	}
}
