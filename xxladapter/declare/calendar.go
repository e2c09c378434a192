package declare

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A CalendarEntry declares a calendar of days without work.
type CalendarEntry struct {
	Name    string               `json:"name" doc:"1 to 64 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter. Jobs name it in settings.calendar."`
	Note    string               `json:"note,omitempty" doc:"At most 500 characters."`
	Weekend []xxladapter.Weekday `json:"weekend,omitempty" doc:"The weekdays without work; omitted, none."`
	Years   []CalendarYear       `json:"years,omitempty" doc:"The years that the calendar knows, in ascending order. In any other year only the weekend has no work."`
}

// A CalendarYear declares the days of one year that differ from the weekly rule.
type CalendarYear struct {
	Year   int      `json:"year" doc:"1970 to 9999."`
	Source string   `json:"source,omitempty" doc:"Where the days come from; at most 500 characters."`
	Off    []string `json:"off,omitempty" doc:"Days without work besides the weekend, in ascending order, such as 2026-05-01."`
	Work   []string `json:"work,omitempty" doc:"Make-up days: days of the weekend with work, in ascending order, such as 2026-05-09."`
}

// Calendar returns the calendar that the entry describes, or the first rule that it breaks.
func (e *CalendarEntry) Calendar() (*xxladapter.Calendar, error) {
	c := &xxladapter.Calendar{Name: e.Name, Note: e.Note, Weekend: e.Weekend}
	for _, y := range e.Years {
		year := xxladapter.CalendarYear{Year: y.Year, Source: y.Source}
		for _, list := range []struct {
			field string
			texts []string
			days  *[]xxladapter.Day
		}{{"off", y.Off, &year.Off}, {"work", y.Work, &year.Work}} {
			for _, text := range list.texts {
				day, err := dayOf(y.Year, text)
				if err != nil {
					return nil, xxladapter.Invalidf(errorrule.DayOfYear,
						"%s of %d has %q, must be a day of that year such as %d-05-01",
						list.field, y.Year, text, y.Year)
				}
				*list.days = append(*list.days, day)
			}
		}
		c.Years = append(c.Years, year)
	}
	return c, c.Validate()
}

var errNoDay = errors.New("no day of the year")

// dayOf parses a day such as 2026-05-01.
func dayOf(year int, text string) (xxladapter.Day, error) {
	of, _, _ := strings.Cut(text, "-")
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || of != strconv.Itoa(year) {
		return "", errNoDay
	}
	return xxladapter.Day(at.Format("0102")), nil
}

// CalendarEntryOf returns the entry that declares a calendar. Its lists are not nil.
func CalendarEntryOf(c *xxladapter.Calendar) CalendarEntry {
	e := CalendarEntry{
		Name: c.Name, Note: c.Note, Weekend: append([]xxladapter.Weekday{}, c.Weekend...), Years: []CalendarYear{},
	}
	for _, y := range c.Years {
		e.Years = append(e.Years, CalendarYear{y.Year, y.Source, datesOf(y.Year, y.Off), datesOf(y.Year, y.Work)})
	}
	return e
}

func datesOf(year int, days []xxladapter.Day) []string {
	dates := make([]string, len(days))
	for i, d := range days {
		dates[i] = d.In(year).Format(time.DateOnly)
	}
	return dates
}

// calendars compares the declared calendars. A stored one that is not declared is kept, even when
// jobs are pruned: calendars have no owner.
func (c *comparison) calendars(stored []*xxladapter.Calendar) {
	is := map[string]*xxladapter.Calendar{}
	for _, s := range stored {
		is[s.Name] = s
	}
	seen := map[string]bool{}
	for i := range c.doc.Calendars {
		e, at := &c.doc.Calendars[i], fmt.Sprintf("calendars[%d]", i)
		if seen[e.Name] {
			c.report(at+".name", xxladapter.Invalidf(errorrule.DeclaredTwice, "%s is %q, must be declared once",
				"name", e.Name))
			continue
		}
		seen[e.Name] = true
		after, err := e.Calendar()
		if err != nil {
			c.report(at+"."+fieldOf(err.Error()), err)
			continue
		}
		before, action, fields := is[e.Name], Create, xxladapter.Fields(nil)
		if before != nil {
			action, fields, after.Updated = Edit, shownCalendar(before), before.Updated
		}
		changes := xxladapter.DiffFields(fields, shownCalendar(after))
		if len(changes) == 0 {
			c.plan.Unchanged++
			continue
		}
		c.plan.Changes = append(
			c.plan.Changes, Change{Action: action, Kind: xxladapter.AuditCalendar, Name: after.Name, Fields: changes},
		)
		c.plan.Edits = append(c.plan.Edits, Edited{Calendar: after, At: at})
		c.plan.Declaration.Calendars = append(c.plan.Declaration.Calendars, after)
	}
}

// shownCalendar returns the fields of a calendar with its days as they are declared.
func shownCalendar(c *xxladapter.Calendar) xxladapter.Fields {
	e := CalendarEntryOf(c)
	return xxladapter.Fields{
		{Name: "note", Value: e.Note}, {Name: "weekend", Value: e.Weekend}, {Name: "years", Value: e.Years},
	}
}
