package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// JobKeys implements [xxladapter.Store].
func (s *Store) JobKeys(ctx context.Context, groupID int64) ([]xxladapter.JobKey, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.JobKey
	for _, id := range slices.Sorted(maps.Keys(s.keys)) {
		if k := s.keys[id]; groupID == 0 || k.GroupID == groupID {
			found = append(found, k)
		}
	}
	return found, nil
}

// Declare implements [xxladapter.Store]. It works on a draft, which replaces what the store has
// once everything has succeeded.
func (s *Store) Declare(ctx context.Context, d *xxladapter.Declaration) ([]int64, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	draft := s.draft()
	ids, err := draft.declare(ctx, d)
	if err != nil {
		return nil, err
	}
	s.adopt(draft)
	return ids, nil
}

// draft returns a copy of all that a declaration changes.
func (s *Store) draft() *Store {
	d := New(s.clock)
	for id, j := range s.jobs {
		d.jobs[id] = copyJob(j)
	}
	for _, f := range s.fires {
		c := copyFire(f)
		d.addFire(&c)
		if c.LogID != 0 {
			d.firesOf[c.LogID] = &c
		}
	}
	for id, versions := range s.glue {
		d.glue[id] = slices.Clone(versions)
	}
	for id, versions := range s.versions {
		d.versions[id] = slices.Clone(versions)
	}
	d.calendars = maps.Clone(s.calendars)
	d.groups, d.keys, d.orders = maps.Clone(s.groups), maps.Clone(s.keys), maps.Clone(s.orders)
	d.removed, d.alarms, d.claims = maps.Clone(s.removed), maps.Clone(s.alarms), maps.Clone(s.claims)
	d.backfills = maps.Clone(s.backfills)
	d.misfires, d.audit, d.auditAnchor = slices.Clone(s.misfires), slices.Clone(s.audit), s.auditAnchor
	d.logs, d.beats = s.logs, s.beats // read only
	d.lastJob, d.lastGroup, d.lastGlue = s.lastJob, s.lastGroup, s.lastGlue
	return d
}

// adopt replaces all that a declaration changes by what a draft has.
func (s *Store) adopt(d *Store) {
	s.jobs, s.groups, s.keys, s.glue, s.versions = d.jobs, d.groups, d.keys, d.glue, d.versions
	s.fires, s.firesAt, s.firesOf, s.orders = d.fires, d.firesAt, d.firesOf, d.orders
	s.removed, s.alarms, s.claims, s.backfills = d.removed, d.alarms, d.claims, d.backfills
	s.misfires, s.audit, s.calendars = d.misfires, d.audit, d.calendars
	s.lastJob, s.lastGroup, s.lastGlue = d.lastJob, d.lastGroup, d.lastGlue
}

// declare carries out a declaration. If it returns an error, it may have carried out a part.
func (s *Store) declare(ctx context.Context, d *xxladapter.Declaration) ([]int64, error) {
	for _, c := range d.Calendars {
		if err := xxladapter.CheckCalendarDeclared(c, s.calendars[c.Name]); err != nil {
			return nil, err
		}
		s.saveCalendar(ctx, c)
	}
	groups := map[string]int64{}
	for _, g := range d.Groups {
		before, c, err := s.saveGroup(g)
		if err != nil {
			return nil, err
		}
		groups[c.AppName] = c.ID
		s.record(ctx, c.Audited(), before, c.Fields())
	}
	for _, gone := range d.Remove {
		c, err := transition.RemoveSeen(gone, s.jobs[gone.ID])
		if err != nil {
			return nil, err
		}
		s.carryOut(ctx, c)
	}
	changes, made := make([]transition.JobChange, len(d.Jobs)), make([]xxladapter.JobEdited, len(d.Jobs))
	for i := range d.Jobs {
		j := d.Jobs[i]
		if j.GroupID == 0 {
			j.GroupID = groups[j.App]
		}
		edit := xxladapter.JobEdit{Act: xxladapter.ActReschedule, Job: &j.Job}
		c, err := transition.DeclareJob(&j, s.rowsOf(&edit), s.clock())
		if err != nil {
			return nil, err
		}
		if c.Was == nil {
			s.lastJob++
			c.Is.ID = s.lastJob
		}
		changes[i], made[i].ID = c, c.Is.ID
	}
	ids := make([]int64, len(changes))
	for i, c := range changes {
		ids[i] = c.Is.ID
		c.Is.ChildIDs = list(xxladapter.ChildrenOf(c.Is.ChildIDs, made))
		if err := s.declareJob(ctx, c, d.Jobs[i].Key, d.Jobs[i].Owner); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (s *Store) declareJob(ctx context.Context, c transition.JobChange, key, owner string) error {
	if !c.Unchanged {
		s.write(c)
	}
	before, after, err := s.setKey(xxladapter.JobKey{JobID: c.Is.ID, GroupID: c.Is.GroupID, Key: key, Owner: owner})
	if err != nil || xxladapter.CallOf(ctx) == "" {
		return err
	}
	if c.Was != nil {
		before = append(c.Was.Fields(), before...)
	}
	s.record(ctx, c.Is.Audited(), before, append(c.Is.Fields(), after...))
	if !c.Unchanged {
		s.addVersions(ctx, c.Was, c.Is)
	}
	return nil
}

// setKey gives a job a key and an owner, and returns what that changes. An empty key changes
// nothing.
func (s *Store) setKey(is xxladapter.JobKey) (before, after xxladapter.Fields, err error) {
	was := s.keys[is.JobID]
	if is.Key == "" || was == is {
		return nil, nil, nil
	}
	if !s.keyIsFree(is) {
		return nil, nil, xxladapter.Conflictf(errorrule.KeyTaken, "%s is %q, must not be that of another job of group %d",
			"key", is.Key, is.GroupID)
	}
	s.keys[is.JobID] = is
	return was.Fields(), is.Fields(), nil
}

func (s *Store) keyIsFree(k xxladapter.JobKey) bool {
	for id, other := range s.keys {
		if id != k.JobID && other.GroupID == k.GroupID && other.Key == k.Key {
			return false
		}
	}
	return true
}

// moveKey lets a key follow its job to another group. If another job has the key there, the job has
// none.
func (s *Store) moveKey(j *xxladapter.Job) {
	k, has := s.keys[j.ID]
	if !has || k.GroupID == j.GroupID {
		return
	}
	delete(s.keys, j.ID)
	if k.GroupID = j.GroupID; s.keyIsFree(k) {
		s.keys[j.ID] = k
	}
}
