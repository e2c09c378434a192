package memstore

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// AgreeZone implements [xxladapter.Store].
func (s *Store) AgreeZone(ctx context.Context, zone string) (string, error) {
	if err := s.enter(ctx); err != nil {
		return "", err
	}
	defer s.mu.Unlock()

	if s.zone == "" {
		s.zone = zone
	}
	return s.zone, nil
}

// ChangeZone implements [xxladapter.Store].
func (s *Store) ChangeZone(ctx context.Context, zone string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	for node, l := range s.leases {
		if now.Before(l.until) {
			return xxladapter.Conflictf(errorrule.NodeRuns,
				"node %q runs, the zone of a store can be changed only while no node runs",
				node)
		}
	}
	before := s.zone
	s.zone = zone
	s.record(
		ctx, xxladapter.AuditObject{Kind: xxladapter.AuditZone}, xxladapter.ZoneFields(before),
		xxladapter.ZoneFields(zone),
	)
	return nil
}
