package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// day returns the day of a row, in UTC.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// forget deletes a row with its text. Its outcome is still counted, in the figures of its day and
// in the statistics.
func (s *Store) forget(l *xxladapter.Log) {
	s.count(l)
	delete(s.counted, l.ID)
	delete(s.logs, l.ID)
	delete(s.wanted, l.ID)
	delete(s.texts, l.ID)
	delete(s.runs, l.ID)
	if l.Status() != xxladapter.LogRunning {
		s.gone = append(s.gone, goneLog{l.TriggerTime, l.Status()})
	}
}

// A goneLog is what is kept of a deleted row.
type goneLog struct {
	triggered time.Time
	status    xxladapter.LogStatus
}

// Reports implements [xxladapter.Store] by counting all rows. Days are days of UTC.
func (s *Store) Reports(ctx context.Context, from, to time.Time) ([]xxladapter.DailyReport, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	days := map[string]*xxladapter.DailyReport{}
	count := func(triggered time.Time, status xxladapter.LogStatus) {
		d := day(triggered)
		if triggered.IsZero() || !from.IsZero() && d < day(from) || !to.IsZero() && d > day(to) {
			return
		}
		if days[d] == nil {
			days[d] = &xxladapter.DailyReport{Day: d}
		}
		days[d].Add(status, 1)
	}
	for _, l := range s.logs {
		count(l.TriggerTime, l.Status())
	}
	for _, l := range s.gone {
		count(l.triggered, l.status)
	}
	var reports []xxladapter.DailyReport
	for _, r := range days {
		reports = append(reports, *r)
	}
	slices.SortFunc(reports, func(a, b xxladapter.DailyReport) int { return cmp.Compare(a.Day, b.Day) })
	return reports, nil
}

// FoldReports implements [xxladapter.Store]. There is nothing to fold.
func (s *Store) FoldReports(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	s.mu.Unlock()
	return nil
}
