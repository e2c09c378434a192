package memstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
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

// plan stores f as a planned fire, at the first free millisecond from its due
// time on.
//
// Invariant: the open fires of a job with the same due time are the shards of
// one claimed fire. A due time is therefore taken by any of them, whatever its
// shard.
func (s *Store) plan(f xxladapter.Fire) xxladapter.Fire {
	s.lastFire++
	c := copyFire(&f)
	c.ID = s.lastFire
	c.State = xxladapter.FirePlanned
	c.Owner, c.LogID, c.Claimed = xxladapter.Term{}, 0, time.Time{}
	c.Due = toMilli(f.Due)
	for len(s.firesAt[keyOf(&c)]) > 0 {
		c.Due = c.Due.Add(time.Millisecond)
	}
	s.addFire(&c)
	return copyFire(&c)
}

// dropPlanned forgets the planned fires of a job whose type is selected.
func (s *Store) dropPlanned(jobID int64, selected func(xxladapter.TriggerType) bool) {
	for _, f := range s.fires {
		if f.JobID == jobID && f.State == xxladapter.FirePlanned && selected(f.Type) {
			s.removeFire(f)
		}
	}
}

// mayHaveFired reports whether the schedule of a job may have sent a fire for
// next or later, once its planned ones are dropped.
func (s *Store) mayHaveFired(jobID int64, next time.Time) bool {
	if !next.After(toMilli(s.clock())) {
		return true
	}
	for _, f := range s.fires {
		if f.JobID == jobID && f.State != xxladapter.FirePlanned && f.Type.Scheduled() && !f.Due.Before(next) {
			return true
		}
	}
	return false
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
			f.State != "" && fire.State != f.State,
			f.Owner != xxladapter.Term{} && fire.Owner != f.Owner,
			f.Shards != 0 && !f.Shards.HasJob(fire.JobID),
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

// ClaimFire implements [xxladapter.Store].
func (s *Store) ClaimFire(ctx context.Context, by xxladapter.Term, id int64, logs []*xxladapter.Log) ([]xxladapter.Fire, error) {
	if len(logs) == 0 {
		return nil, errors.New("memstore: claim of a fire without a log row")
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	if err := s.fence(by); err != nil {
		return nil, err
	}
	fire := s.fires[id]
	if fire == nil || fire.State != xxladapter.FirePlanned {
		return nil, xxladapter.Conflictf("fire %d is no longer planned", id)
	}
	if fire.ShardTotal > 0 && len(logs) > 1 {
		return nil, fmt.Errorf("memstore: fire %d is one shard, but has %d log rows", id, len(logs))
	}
	now := toMilli(s.clock())
	if now.Before(fire.Due) {
		return nil, &xxladapter.EarlyError{FireID: id, Due: fire.Due, Now: now}
	}
	fire.State = xxladapter.FireClaimed
	fire.Owner = by
	fire.Claimed = now
	if fire.ShardTotal == 0 {
		fire.ShardTotal = len(logs)
	}

	var claimed []xxladapter.Fire
	for i, l := range logs {
		shard := fire
		if i > 0 {
			s.lastFire++
			c := copyFire(fire)
			c.ID, c.ShardIndex = s.lastFire, i
			shard = &c
			s.addFire(shard)
		}
		shard.LogID = s.addLog(l.Fitted())
		s.firesOf[shard.LogID] = shard
		claimed = append(claimed, copyFire(shard))
	}
	if fire.Type.Ordered() {
		s.claimOrder(id, claimed)
	}
	return claimed, nil
}

// TakeOver implements [xxladapter.Store].
func (s *Store) TakeOver(ctx context.Context, by xxladapter.Term, id int64, from xxladapter.Term) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	if err := s.fence(by); err != nil {
		return err
	}
	fire := s.fires[id]
	if fire == nil || fire.State == xxladapter.FirePlanned || fire.Owner != from {
		return xxladapter.Conflictf("fire %d is not node %q's of term %d any more", id, from.Node, from.Number)
	}
	if from != by && s.holds(from) {
		return xxladapter.Conflictf("fire %d is node %q's, whose term %d holds", id, from.Node, from.Number)
	}
	fire.Owner = by
	return nil
}

// SettleFire implements [xxladapter.Store].
func (s *Store) SettleFire(ctx context.Context, by xxladapter.Term, settled xxladapter.Settlement) error {
	if settled.State != "" && settled.State != xxladapter.FireAmbiguous {
		return fmt.Errorf("memstore: fire %d settled as %q", settled.FireID, settled.State)
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	if err := s.fence(by); err != nil {
		return err
	}
	removed := false
	if fire := s.fires[settled.FireID]; fire != nil {
		removable := fire.State == xxladapter.FirePlanned && settled.State == ""
		if fire.Owner != by && !removable {
			return xxladapter.Conflictf("fire %d is not node %q's of term %d", fire.ID, by.Node, by.Number)
		}
		if settled.State == "" {
			s.removeFire(fire)
			removed = true
			for _, f := range settled.Next {
				s.plan(f)
			}
		} else {
			fire.State = settled.State
		}
	}
	if l := s.logs[settled.LogID]; l != nil && settled.Code != 0 {
		l.TriggerCode, l.TriggerMsg = settled.Code, xxladapter.CutText(xxladapter.ValidText(settled.Msg), xxladapter.MaxRowText)
	}
	if removed {
		s.resume(settled.Resume)
	}
	return nil
}
