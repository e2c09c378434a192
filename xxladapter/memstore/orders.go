package memstore

import (
	"context"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// PlanOrder implements [xxladapter.Store].
func (s *Store) PlanOrder(
	ctx context.Context, f xxladapter.Fire, key, request string,
) (*xxladapter.Order, xxladapter.Fire, error) {
	if err := s.enter(ctx); err != nil {
		return nil, xxladapter.Fire{}, err
	}
	defer s.mu.Unlock()
	if err := xxladapter.CheckOverride(f.Param); err != nil {
		return nil, xxladapter.Fire{}, err
	}
	if key != "" {
		if s.jobs[f.JobID] == nil {
			return nil, xxladapter.Fire{}, noJob(f.JobID)
		}
		if o := s.orderByKey(f.JobID, key); o != nil {
			return s.showOrder(o), xxladapter.Fire{}, nil
		}
	}
	fire := s.plan(f)
	s.lastOrder++
	o := &xxladapter.Order{
		ID: s.lastOrder, JobID: f.JobID, FireID: fire.ID, Key: key, Request: request, Created: toMilli(s.clock()),
	}
	s.orders[o.ID] = o
	s.record(ctx, s.auditedJob(f.JobID), nil, o.Fields(&fire))
	return s.showOrder(o), fire, nil
}

// orderByKey returns the order with key that the job has, or nil.
//
// REQUIRES: s.mu is held.
func (s *Store) orderByKey(jobID int64, key string) *xxladapter.Order {
	for _, o := range s.orders {
		if o.JobID == jobID && o.Key == key {
			return o
		}
	}
	return nil
}

// auditedJob returns the job as the object of a change, even if it does not exist.
func (s *Store) auditedJob(id int64) xxladapter.AuditObject {
	if j := s.jobs[id]; j != nil {
		return j.Audited()
	}
	return (&xxladapter.Job{ID: id}).Audited()
}

// OrderByKey implements [xxladapter.Store].
func (s *Store) OrderByKey(ctx context.Context, jobID int64, key string) (*xxladapter.Order, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if o := s.orderByKey(jobID, key); o != nil {
		return s.showOrder(o), nil
	}
	return nil, nil
}

// Order implements [xxladapter.Store].
func (s *Store) Order(ctx context.Context, id int64) (*xxladapter.Order, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if o := s.orders[id]; o != nil {
		return s.showOrder(o), nil
	}
	return nil, noOrder(id)
}

// showOrder returns a copy that says whether the fire is open.
func (s *Store) showOrder(o *xxladapter.Order) *xxladapter.Order {
	c := *o
	c.LogIDs, c.Open = slices.Clone(o.LogIDs), s.fires[o.FireID] != nil
	return &c
}

// claimOrder records the log rows of an ordered fire.
func (s *Store) claimOrder(fireID int64, claimed []xxladapter.Fire) {
	for _, o := range s.orders {
		if o.FireID == fireID {
			for _, f := range claimed {
				o.LogIDs = append(o.LogIDs, f.LogID)
			}
		}
	}
}

func noOrder(id int64) error {
	return xxladapter.Absent("order", id)
}
