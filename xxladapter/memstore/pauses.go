package memstore

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// restrictions returns the pauses and calendars for a decision at now.
func (s *Store) restrictions(now time.Time) *xxladapter.Restrictions {
	r := &xxladapter.Restrictions{Calendars: s.allCalendars()}
	for _, p := range s.pauses {
		if p.HoldsAt(now.Add(-xxladapter.PauseMemory)) {
			r.Pauses = append(r.Pauses, p)
		}
	}
	if len(r.Pauses)+len(r.Calendars) == 0 {
		return nil
	}
	return r
}

// CreatePause implements [xxladapter.Store].
func (s *Store) CreatePause(ctx context.Context, p xxladapter.Pause) (xxladapter.Pause, error) {
	if err := s.enter(ctx); err != nil {
		return xxladapter.Pause{}, err
	}
	defer s.mu.Unlock()

	if p.GroupID != 0 && s.groups[p.GroupID] == nil {
		return xxladapter.Pause{}, noGroup(p.GroupID)
	}
	now := toMilli(s.clock())
	s.lastPause++
	p.ID, p.From, p.Until = s.lastPause, now, toMilli(p.Until)
	p.By, p.EndedBy = xxladapter.ActorOf(ctx).Text(), ""
	s.pauses = append(s.pauses, p)
	s.dropPaused(&p, now)
	s.record(ctx, p.Audited(), nil, p.Fields())
	return p, nil
}

// dropPaused replaces the planned fires of the schedules that a pause concerns by misfires, unless
// they are due at its end or later.
func (s *Store) dropPaused(p *xxladapter.Pause, now time.Time) {
	dropped := map[int64]xxladapter.Misfire{}
	for _, f := range s.fires {
		j := s.jobs[f.JobID]
		if j == nil || f.State != xxladapter.FirePlanned || !f.Type.Scheduled() || p.GroupID != 0 &&
			p.GroupID != j.GroupID || !p.HoldsAt(f.Due) {
			continue
		}
		due := f.Due
		if f.Type == xxladapter.TriggerMisfire && due.After(now) {
			due = now // it makes up for an earlier one
		}
		m, more := dropped[f.JobID]
		if !more {
			m = xxladapter.Misfire{
				JobID: f.JobID, Due: due, Until: due, Strategy: xxladapter.MisfireDoNothing, At: now, PauseID: p.ID,
			}
		}
		if due.Before(m.Due) {
			m.Due = due
		}
		if due.After(m.Until) {
			m.Until = due
		}
		dropped[f.JobID] = m
		s.removeFire(f)
	}
	for id, m := range dropped {
		s.addMisfire(m)
		if j := s.jobs[id]; j.Waits() {
			j.TriggerNext = now
		}
	}
}

// EndPause implements [xxladapter.Store].
func (s *Store) EndPause(ctx context.Context, id int64) (xxladapter.Pause, error) {
	if err := s.enter(ctx); err != nil {
		return xxladapter.Pause{}, err
	}
	defer s.mu.Unlock()

	i := slices.IndexFunc(s.pauses, func(p xxladapter.Pause) bool { return p.ID == id })
	if i < 0 {
		return xxladapter.Pause{}, xxladapter.Absent("pause", id)
	}
	p := &s.pauses[i]
	now := toMilli(s.clock())
	if !p.HoldsAt(now) {
		return *p, nil
	}
	before := p.Fields()
	p.Until, p.EndedBy = now, xxladapter.ActorOf(ctx).Text()
	s.record(ctx, p.Audited(), before, p.Fields())
	return *p, nil
}

// Pauses implements [xxladapter.Store].
func (s *Store) Pauses(ctx context.Context, f xxladapter.PauseFilter) ([]xxladapter.Pause, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	var found []xxladapter.Pause
	for _, p := range slices.Backward(s.pauses) {
		switch {
		case f.Open && !p.HoldsAt(now),
			!f.Since.IsZero() && !p.HoldsAt(toMilli(f.Since)),
			f.Groups != nil && p.GroupID != 0 && !slices.Contains(f.Groups, p.GroupID),
			f.AfterID != 0 && p.ID >= f.AfterID,
			f.Limit > 0 && len(found) == f.Limit:
			continue
		}
		found = append(found, p)
	}
	return found, nil
}

// allCalendars returns copies of the stored calendars, by name.
func (s *Store) allCalendars() []*xxladapter.Calendar {
	var all []*xxladapter.Calendar
	for _, c := range s.calendars {
		all = append(all, copyCalendar(c))
	}
	slices.SortFunc(all, func(a, b *xxladapter.Calendar) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func copyCalendar(c *xxladapter.Calendar) *xxladapter.Calendar {
	kept, _ := xxladapter.ParseCalendar(c.Text()) // what Text wrote can be parsed
	kept.Updated = c.Updated
	return kept
}

// SaveCalendar implements [xxladapter.Store].
func (s *Store) SaveCalendar(ctx context.Context, c *xxladapter.Calendar, seen time.Time) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.mu.Unlock()

	if err := xxladapter.CheckCalendarSeen(c.Name, s.calendars[c.Name], seen); err != nil {
		return time.Time{}, err
	}
	return s.saveCalendar(ctx, c), nil
}

// saveCalendar stores a calendar and returns the time of the change.
func (s *Store) saveCalendar(ctx context.Context, c *xxladapter.Calendar) time.Time {
	old := s.calendars[c.Name]
	var before xxladapter.Fields
	kept := copyCalendar(c)
	kept.Updated = toMilli(s.clock())
	if old != nil {
		before = old.Fields()
		if !kept.Updated.After(old.Updated) {
			kept.Updated = old.Updated.Add(time.Millisecond)
		}
	}
	s.calendars[c.Name] = kept
	s.record(ctx, kept.Audited(), before, kept.Fields())
	return kept.Updated
}

// RemoveCalendar implements [xxladapter.Store].
func (s *Store) RemoveCalendar(ctx context.Context, name string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	c := s.calendars[name]
	if c == nil {
		return xxladapter.NotFoundf(errorrule.NotFound, "%s %q is not stored", "calendar", name)
	}
	delete(s.calendars, name)
	s.record(ctx, c.Audited(), c.Fields(), nil)
	return nil
}

// Calendars implements [xxladapter.Store].
func (s *Store) Calendars(ctx context.Context) ([]*xxladapter.Calendar, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.allCalendars(), nil
}
