package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// record appends the row of a change, if ctx has a call and any field differs.
func (s *Store) record(ctx context.Context, o xxladapter.AuditObject, before, after xxladapter.Fields) {
	if xxladapter.CallOf(ctx) == "" {
		return
	}
	if changes := xxladapter.DiffFields(before, after); len(changes) > 0 {
		s.audit = append(s.audit, xxladapter.NewAuditRow(ctx, s.auditLast(), s.clock(), o, changes))
	}
}

func (s *Store) auditLast() xxladapter.AuditPosition {
	if len(s.audit) == 0 {
		return s.auditAnchor
	}
	return s.audit[len(s.audit)-1].Position()
}

// AppendAudit implements [xxladapter.Store].
func (s *Store) AppendAudit(ctx context.Context, o xxladapter.AuditObject, fields xxladapter.Fields) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.record(ctx, o, nil, fields)
	return nil
}

// AuditRows implements [xxladapter.Store].
func (s *Store) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var found []xxladapter.AuditRow
	for _, row := range s.audit {
		behind := row.ID > f.AfterID
		if f.Newest {
			behind = f.AfterID == 0 || row.ID < f.AfterID
		}
		if behind && f.Selects(&row) {
			row.Changes = slices.Clone(row.Changes)
			found = append(found, row)
		}
	}
	if f.Newest {
		slices.Reverse(found)
	}
	if f.Limit > 0 {
		found = found[:min(f.Limit, len(found))]
	}
	return found, nil
}

// AuditEnds implements [xxladapter.Store].
func (s *Store) AuditEnds(ctx context.Context) (xxladapter.AuditEnds, error) {
	if err := s.enter(ctx); err != nil {
		return xxladapter.AuditEnds{}, err
	}
	defer s.mu.Unlock()
	return xxladapter.AuditEnds{Anchor: s.auditAnchor, Last: s.auditLast()}, nil
}

// PurgeAudit implements [xxladapter.Store].
func (s *Store) PurgeAudit(ctx context.Context, before time.Time, limit int) (rows int, err error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	for rows < min(limit, len(s.audit)) && s.audit[rows].At.Before(before) {
		s.auditAnchor = s.audit[rows].Position()
		rows++
	}
	s.audit = slices.Delete(s.audit, 0, rows)
	return rows, nil
}
