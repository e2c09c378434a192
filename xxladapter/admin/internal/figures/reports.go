package figures

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A ReportForm holds the figures of a day as the management API shows them.
type ReportForm struct {
	Day     string `json:"triggerDay"`
	Running int64  `json:"runningCount"`
	Success int64  `json:"sucCount"`
	Failed  int64  `json:"failCount"`
}

type reportQuery struct {
	From string `query:"from" doc:"The first day, such as 2026-03-01; defaults to the first one stored."`
	To   string `query:"to" doc:"The last day; defaults to the last one stored."`
}

// A ReportList holds the figures of days.
type ReportList struct {
	Reports []ReportForm `json:"reports"`
}

// reports returns the figures of days in the store's zone.
func (s *Server) reports(ctx context.Context, q reportQuery) (list ReportList, err error) {
	from, err := parseDay("from", q.From)
	if err != nil {
		return list, err
	}
	to, err := parseDay("to", q.To)
	if err != nil {
		return list, err
	}
	// A day has the same name everywhere, but not the same hours: ask for one more at each end, and
	// select by name. Stores compare names, and the year 10000 would sort before all others.
	first, last := from, to
	if !from.IsZero() {
		first = from.AddDate(0, 0, -1)
	}
	if next := to.AddDate(0, 0, 1); !to.IsZero() && next.Year() <= api.LastYear {
		last = next
	}
	found, err := s.store.Reports(ctx, first, last)
	if err != nil {
		return list, err
	}
	list.Reports = []ReportForm{}
	for _, f := range found {
		if (from.IsZero() || f.Day >= from.Format(time.DateOnly)) && (to.IsZero() ||
			f.Day <= to.Format(time.DateOnly)) {
			list.Reports = append(list.Reports, ReportForm{
				Day: f.Day, Running: f.Running, Success: f.Success, Failed: f.Failed,
			})
		}
	}
	return list, nil
}

// parseDay parses a day. An empty text is the zero time.
func parseDay(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, xxladapter.Invalidf(errorrule.Day, "%s is %q, must be a day such as 2026-03-01", name, text)
	}
	return day, api.CheckYear(name, day)
}
