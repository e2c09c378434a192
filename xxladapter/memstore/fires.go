package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// PlanFires implements [xxladapter.Store].
func (s *Store) PlanFires(ctx context.Context, fires []xxladapter.Fire) ([]xxladapter.Fire, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var planned []xxladapter.Fire
	for _, f := range fires {
		planned = append(planned, s.plan(f))
	}
	return planned, nil
}

// plan stores f as a planned fire, at the first free millisecond from its due time on.
//
// Invariant: the open fires of a job with the same due time are the shards of one claimed fire. So
// any of them occupies the due time, whatever its shard.
func (s *Store) plan(f xxladapter.Fire) xxladapter.Fire {
	s.lastFire++
	c := copyFire(&f)
	c.ID = s.lastFire
	c.State = xxladapter.FirePlanned
	c.GroupID = 0
	if j := s.jobs[f.JobID]; j != nil {
		c.GroupID = j.GroupID
	}
	c.Owner, c.LogID, c.Claimed = xxladapter.Term{}, 0, time.Time{}
	c.Due = toMilli(f.Due)
	for len(s.firesAt[keyOf(&c)]) > 0 {
		c.Due = c.Due.Add(time.Millisecond)
	}
	s.addFire(&c)
	return copyFire(&c)
}

// dropPlanned deletes the planned fires of a job whose type is selected.
func (s *Store) dropPlanned(jobID int64, selected func(xxladapter.TriggerType) bool) {
	for _, f := range s.fires {
		if f.JobID == jobID && f.State == xxladapter.FirePlanned && selected(f.Type) {
			s.removeFire(f)
		}
	}
}

func keyOf(f *xxladapter.Fire) dueKey { return dueKey{f.JobID, f.Due.UnixMilli()} }

func (s *Store) addFire(f *xxladapter.Fire) {
	s.fires[f.ID] = f
	s.firesAt[keyOf(f)] = append(s.firesAt[keyOf(f)], f)
}

func (s *Store) removeFire(f *xxladapter.Fire) {
	delete(s.fires, f.ID)
	delete(s.firesOf, f.LogID)
	key := keyOf(f)
	s.firesAt[key] = slices.DeleteFunc(s.firesAt[key], func(other *xxladapter.Fire) bool { return other == f })
	if len(s.firesAt[key]) == 0 {
		delete(s.firesAt, key)
	}
}

// OpenFires implements [xxladapter.Store].
func (s *Store) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.Fire
	for _, fire := range s.fires {
		switch {
		case f.JobID != 0 && fire.JobID != f.JobID,
			f.Groups != nil && !s.jobIn(fire.JobID, f.Groups),
			f.State != "" && fire.State != f.State,
			f.Owner != xxladapter.Term{} && fire.Owner != f.Owner,
			f.IDs != nil && !slices.Contains(f.IDs, fire.ID),
			f.Partitions != 0 && !f.Partitions.HasJob(fire.JobID),
			!f.DueBefore.IsZero() && !fire.Due.Before(f.DueBefore),
			f.AfterID != 0 && cmp.Or(fire.Due.Compare(f.AfterDue), cmp.Compare(fire.ID, f.AfterID)) <= 0:
			continue
		}
		found = append(found, copyFire(fire))
	}
	slices.SortFunc(found, func(a, b xxladapter.Fire) int {
		return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID))
	})
	if f.Limit > 0 && len(found) > f.Limit {
		found = found[:f.Limit]
	}
	return found, nil
}

// rows returns the fire and the log row, as far as they exist, for [transition].
func (s *Store) rows(by xxladapter.Term, fireID, logID int64) transition.Rows {
	r := transition.Rows{Holds: s.holds(by), Fire: s.fires[fireID]}
	if l := s.logs[logID]; l != nil {
		state := transition.StateOf(l)
		r.Log, r.Address = &state, l.Address
	}
	if h := s.runs[logID]; h != nil {
		r.Attempt = h.Attempt
	}
	return r
}

// applyChange applies a change and returns the fires that it planned.
func (s *Store) applyChange(c transition.Change, fireID, logID int64) (planned []xxladapter.Fire) {
	switch fire := s.fires[fireID]; c.Fire {
	case transition.DoubtFire:
		fire.State = xxladapter.FireAmbiguous
	case transition.RemoveFire:
		s.removeFire(fire)
	}
	l := s.logs[logID]
	switch c.Log.Columns {
	case transition.TriggerColumns:
		l.TriggerCode, l.TriggerMsg = c.Log.After.TriggerCode, c.Log.Msg
	case transition.AcceptColumns:
		l.Address, l.TriggerCode, l.TriggerMsg = c.Log.Address, c.Log.After.TriggerCode, c.Log.Msg
	case transition.HandleColumns:
		l.TriggerCode = c.Log.After.TriggerCode
		l.HandleTime, l.HandleCode, l.HandleMsg = toSecond(c.Log.At), c.Log.After.HandleCode, c.Log.Msg
	}
	s.addHistory(c.Run)
	for _, f := range c.Next {
		planned = append(planned, s.plan(f))
	}
	s.resume(c.Resume)
	if c.WantText {
		s.wanted[logID] = wantedText{due: toMilli(s.clock().Add(xxladapter.TextDelay))}
	}
	return planned
}

// ClaimFire implements [xxladapter.Store].
func (s *Store) ClaimFire(
	ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log,
) ([]xxladapter.Fire, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	claimed, err := transition.Claim(s.rows(by, id, 0), by, id, len(logs), s.clock())
	if err != nil {
		return nil, err
	}
	for i := range claimed {
		shard := &claimed[i]
		if i == 0 {
			s.removeFire(s.fires[id])
		} else {
			s.lastFire++
			shard.ID = s.lastFire
		}
		shard.LogID = s.addLog(logs[i].Fitted())
		kept := copyFire(shard)
		s.addFire(&kept)
		s.firesOf[shard.LogID] = &kept
	}
	if claimed[0].Type.Ordered() {
		s.claimOrder(id, claimed)
	}
	return claimed, nil
}

// TakeFire implements [xxladapter.Store].
func (s *Store) TakeFire(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	if err := transition.TakeFire(s.rows(by, id, 0), by, id, from, s.holds(from)); err != nil {
		return err
	}
	s.addHistory(transition.TakenOver(*s.fires[id], by, s.clock()))
	s.fires[id].Owner = by
	return nil
}

// SettleFire implements [xxladapter.Store].
func (s *Store) SettleFire(
	ctx context.Context, by xxladapter.Term, settled xxladapter.Settlement,
) ([]xxladapter.Fire, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	change, err := transition.Settle(s.rows(by, settled.FireID, settled.LogID), by, settled)
	if err != nil {
		return nil, err
	}
	return s.applyChange(change, settled.FireID, settled.LogID), nil
}
