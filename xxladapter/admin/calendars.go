package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A calendarForm is a calendar as the management API shows and accepts it.
type calendarForm struct {
	Name    string               `json:"name,omitempty" doc:"As in the path."`
	Note    string               `json:"note,omitempty" doc:"At most 500 characters."`
	Weekend []xxladapter.Weekday `json:"weekend" doc:"The weekdays without work; empty means none."`
	Years   []calendarYear       `json:"years" doc:"The years that the calendar knows, in ascending order. In any other year only the weekend has no work."`
	BuiltIn bool                 `json:"builtIn,omitempty" doc:"Read-only. The calendar is part of the program; a stored one with its name replaces it."`
	Updated *time.Time           `json:"updateTime,omitempty" doc:"When it was changed last; give it back with a change, so that no change in between is lost."`
}

type calendarYear struct {
	Year   int      `json:"year" doc:"1970 to 9999."`
	Source string   `json:"source,omitempty" doc:"Where the days come from; at most 500 characters."`
	Off    []string `json:"off" doc:"Days without work besides the weekend, in ascending order." example:"2026-05-01"`
	Work   []string `json:"work" doc:"Make-up days: days of the weekend with work, in ascending order." example:"2026-05-09"`
}

func showCalendar(c *xxladapter.Calendar) calendarForm {
	e := declare.CalendarEntryOf(c)
	form := calendarForm{
		Name: e.Name, Note: e.Note, Weekend: e.Weekend, Years: []calendarYear{},
		BuiltIn: c.Updated.IsZero(), Updated: api.Given(c.Updated),
	}
	for _, y := range e.Years {
		form.Years = append(form.Years, calendarYear(y))
	}
	return form
}

// calendar returns the calendar that the form describes.
func (f *calendarForm) calendar(name string) (*xxladapter.Calendar, error) {
	switch {
	case f.Name != "" && f.Name != name:
		return nil, xxladapter.Invalidf(errorrule.AsInPath, "%s is %q, must be %q as in the path", "name", f.Name, name)
	case f.BuiltIn:
		return nil, xxladapter.Invalidf(errorrule.ReadOnly, "%s is true, must be omitted: it is read-only", "builtIn")
	}
	e := declare.CalendarEntry{Name: name, Note: f.Note, Weekend: f.Weekend}
	for _, y := range f.Years {
		e.Years = append(e.Years, declare.CalendarYear(y))
	}
	return e.Calendar()
}

type calendarList struct {
	Calendars []calendarForm `json:"calendars"`
}

type calendarPath struct {
	Name string `path:"name" doc:"The name of the calendar, such as cn."`
}

// restrictions returns the pauses that are visible to the caller, and all calendars.
func (s *Server) restrictions(ctx context.Context) (*xxladapter.Restrictions, error) {
	calendars, err := s.opts.Store.Calendars(ctx)
	if err != nil {
		return nil, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	pauses, err := s.opts.Store.Pauses(ctx, xxladapter.PauseFilter{Since: now.Add(-xxladapter.PauseMemory)})
	slices.Reverse(pauses) // they are listed newest first
	return &xxladapter.Restrictions{Pauses: pauses, Calendars: calendars}, err
}

func (s *Server) listCalendars(ctx context.Context, _ api.None) (no calendarList, err error) {
	stored, err := s.opts.Store.Calendars(ctx)
	if err != nil {
		return no, err
	}
	list := calendarList{[]calendarForm{}}
	for _, c := range (&xxladapter.Restrictions{Calendars: stored}).AllCalendars() {
		list.Calendars = append(list.Calendars, showCalendar(c))
	}
	return list, nil
}

// calendar returns a calendar, stored or built in.
func (s *Server) calendar(ctx context.Context, name string) (*xxladapter.Calendar, error) {
	stored, err := s.opts.Store.Calendars(ctx)
	if err != nil {
		return nil, err
	}
	c := (&xxladapter.Restrictions{Calendars: stored}).Calendar(name)
	if c == nil {
		return nil, xxladapter.NotFoundf(errorrule.NotFound, "%s %q does not exist", "calendar", name)
	}
	return c, nil
}

func (s *Server) showCalendar(ctx context.Context, path calendarPath) (no calendarForm, err error) {
	c, err := s.calendar(ctx, path.Name)
	if err != nil {
		return no, err
	}
	return showCalendar(c), nil
}

func (s *Server) saveCalendar(ctx context.Context, path calendarPath, form calendarForm) (no calendarForm, err error) {
	c, err := form.calendar(path.Name)
	if err != nil {
		return no, err
	}
	var seen time.Time
	if form.Updated != nil {
		seen = *form.Updated
	}
	if c.Updated, err = s.opts.Store.SaveCalendar(ctx, c, seen); err != nil {
		return no, err
	}
	return showCalendar(c), nil
}

// removeCalendar deletes a stored calendar, unless jobs would be left without one.
func (s *Server) removeCalendar(ctx context.Context, path calendarPath) (no api.None, err error) {
	if (*xxladapter.Restrictions)(nil).Calendar(path.Name) == nil {
		n, err := s.opts.Store.CountJobs(ctx, xxladapter.JobFilter{Calendar: path.Name}, api.MaxCount)
		if err != nil {
			return no, err
		}
		if n > 0 {
			return no, xxladapter.Conflictf(errorrule.CalendarUsed,
				"calendar %q is named by %d jobs, must be named by none to be deleted",
				path.Name, n)
		}
	}
	return no, s.opts.Store.RemoveCalendar(ctx, path.Name)
}

// checkCalendar refuses a calendar that does not exist.
func (s *Server) checkCalendar(ctx context.Context, name string) error {
	_, err := s.namedCalendar(ctx, name)
	return err
}

// namedCalendar returns the calendar that a field names; for an empty name, one on which every day
// has work.
func (s *Server) namedCalendar(ctx context.Context, name string) (*xxladapter.Calendar, error) {
	if name == "" {
		return &xxladapter.Calendar{}, nil
	}
	c, err := s.calendar(ctx, name)
	if errors.Is(err, xxladapter.ErrNotFound) {
		err = xxladapter.Invalidf(errorrule.Calendar, "%s is %q, must be the name of a calendar such as %s",
			"calendar", name, xxladapter.ChinaCalendar)
	}
	return c, err
}
