package memstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// PurgeLogs implements [xxladapter.Store].
func (s *Store) PurgeLogs(ctx context.Context, p xxladapter.LogPurge, limit int) (xxladapter.Purged, error) {
	if err := s.enter(ctx); err != nil {
		return xxladapter.Purged{}, err
	}
	defer s.mu.Unlock()

	begin := time.Now()
	if p.Removed {
		return s.purgeRemoved(p, limit), nil
	}
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(s.logs)), func(id int64) bool {
		l := s.logs[id]
		return p.JobID != 0 && l.JobID != p.JobID || p.GroupID != 0 && l.GroupID != p.GroupID
	})
	ids = ids[:max(0, len(ids)-p.KeepNewest)]
	ids = slices.DeleteFunc(ids, func(id int64) bool {
		return id <= p.AfterID || p.UntilID != 0 && id > p.UntilID || !s.purgeable(s.logs[id], p)
	})
	done := len(ids) < limit
	if p.Orders() {
		maps.DeleteFunc(s.orders, func(_ int64, o *xxladapter.Order) bool {
			return o.Created.Before(p.Before) && s.fires[o.FireID] == nil && !s.backfilling(o.JobID)
		})
	}
	for _, id := range ids[:min(limit, len(ids))] {
		s.forget(s.logs[id])
		p.AfterID = id
	}
	if len(ids) > 0 {
		s.record(ctx, p.Audited(), nil, p.Fields())
	}
	return xxladapter.Purged{Rows: min(limit, len(ids)), Held: time.Since(begin), Next: p, Done: done}, nil
}

func (s *Store) purgeRemoved(p xxladapter.LogPurge, limit int) xxladapter.Purged {
	if p.UntilID == 0 {
		for _, id := range slices.Sorted(maps.Keys(s.removed)) {
			if s.removed[id] > 0 {
				p.JobID, p.AfterID, p.UntilID = id, 0, s.removed[id]
				break
			}
		}
	}
	now := s.clock().UnixMilli()
	if p.UntilID == 0 {
		maps.DeleteFunc(s.removed, func(_, since int64) bool { return since < 0 && now+since >= time.Minute.Milliseconds() })
		return xxladapter.Purged{Next: p, Done: true}
	}
	begin, rows := time.Now(), 0
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		if l := s.logs[id]; rows < limit && l.JobID == p.JobID && id > p.AfterID && id <= p.UntilID {
			s.forget(l)
			p.AfterID = id
			rows++
		}
	}
	if rows < limit {
		s.removed[p.JobID] = -now // for a minute
		if s.jobs[p.JobID] == nil {
			s.forgetAlarms(p.JobID)
			delete(s.results, p.JobID)
		}
		p = xxladapter.LogPurge{Removed: true, Unalarmed: p.Unalarmed}
	}
	return xxladapter.Purged{Rows: rows, Held: time.Since(begin), Next: p}
}

func (s *Store) purgeable(l *xxladapter.Log, p xxladapter.LogPurge) bool {
	_, recovering := s.claims[claimKey{l.ID, true}]
	switch {
	case l.Status() == xxladapter.LogRunning, s.firesOf[l.ID] != nil, recovering && !p.Unalarmed:
		return false
	case !p.Unalarmed && l.Status() == xxladapter.LogFail && (l.AlarmStatus == xxladapter.AlarmOpen ||
		l.AlarmStatus == xxladapter.AlarmTaken):
		return false
	case !p.Before.IsZero() && (l.TriggerTime.IsZero() || !l.TriggerTime.Before(p.Before)):
		return false
	case p.Successes:
		return l.HandleCode == xxladapter.ResultOK && !s.endsFailures(l)
	}
	return true
}

// endsFailures reports whether a row is the first success after a failure that the alarm state
// remembers.
func (s *Store) endsFailures(l *xxladapter.Log) bool {
	state, known := s.alarms[l.JobID]
	if !known || l.ID <= state.LastID {
		return false
	}
	for id, other := range s.logs {
		if other.JobID == l.JobID && id > state.LastID && id < l.ID && other.HandleCode == xxladapter.ResultOK {
			return false
		}
	}
	return true
}
