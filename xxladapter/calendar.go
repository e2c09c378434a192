package xxladapter

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A Calendar says on which days jobs with its name in [Settings.Calendar] fire. A due time on a day
// without work gives no fire and is recorded as a [Misfire] of the calendar. Days begin at midnight
// in the time zone of the job's schedule.
type Calendar struct {
	// Name identifies the calendar: 1 to 64 lower-case letters, digits, dots, hyphens and
	// underscores, beginning with a letter.
	Name string `json:"name"`
	Note string `json:"note"` // at most 500 characters
	// Weekend are the weekdays without work; empty means none.
	Weekend []Weekday `json:"weekend"`
	// Years are the years that the calendar knows, in ascending order. In any other year only the
	// weekend has no work.
	Years []CalendarYear `json:"years"`
	// Updated is the time of the last change, in whole milliseconds; zero for a calendar that is
	// built in.
	Updated time.Time `json:"-"`
}

// A CalendarYear holds the days off and the make-up days of one year.
type CalendarYear struct {
	Year int `json:"year"` // 1970 to 9999
	// Source says where the days come from; at most 500 characters.
	Source string `json:"source"`
	// Off are days without work, and Work make-up days: days of the weekend with work. Both are in
	// ascending order and have no day in common.
	Off  []Day `json:"off"`
	Work []Day `json:"work"`
}

// A Day is a day of a year as four digits, month before day: "0501" is the first of May.
type Day string

// A Weekday is a day of the week by its English name in capitals.
type Weekday string

// Values lists all weekdays, from Sunday on as package time counts them.
func (Weekday) Values() []Weekday {
	return []Weekday{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}
}

// MaxCalendarYears is the number of years that a calendar may have.
const MaxCalendarYears = 100

var calendarName = regexp.MustCompile(`^[a-z][a-z0-9._-]{0,63}$`)

// checkCalendarName refuses what no calendar can be named.
func checkCalendarName(field, name string) error {
	if !calendarName.MatchString(name) {
		return Invalidf(errorrule.CalendarName,
			"%s is %q, must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, beginning with a "+
				"letter",
			field, name)
	}
	return nil
}

// Validate checks the calendar and returns the first rule that it breaks.
func (c *Calendar) Validate() error {
	if err := checkCalendarName("name", c.Name); err != nil {
		return err
	}
	if err := checkText("note", c.Note, 0, 500); err != nil {
		return err
	}
	for i, d := range c.Weekend {
		if err := CheckOneOf("weekend", d); err != nil {
			return err
		}
		if slices.Contains(c.Weekend[:i], d) {
			return Invalidf(errorrule.WeekdayTwice, "%s names %s twice, must name each weekday once", "weekend", d)
		}
	}
	if len(c.Weekend) == len(Weekday("").Values()) {
		return Invalidf(errorrule.WeekendWhole, "%s has all seven weekdays, must leave at least one", "weekend")
	}
	if len(c.Years) > MaxCalendarYears {
		return Invalidf(errorrule.EntriesAtMost, "%s has %d years, must have at most %d",
			"years", len(c.Years), MaxCalendarYears)
	}
	for i, y := range c.Years {
		if i > 0 && y.Year <= c.Years[i-1].Year {
			return Invalidf(errorrule.YearsAscending, "%s has %d after %d, must be in ascending order",
				"years", y.Year, c.Years[i-1].Year)
		}
		if err := y.validate(); err != nil {
			return err
		}
	}
	return nil
}

func (y *CalendarYear) validate() error {
	if y.Year < 1970 || y.Year > 9999 {
		return Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "year", y.Year, 1970, 9999)
	}
	if err := checkText("source", y.Source, 0, 500); err != nil {
		return err
	}
	for _, list := range []struct {
		name string
		days []Day
	}{{"off", y.Off}, {"work", y.Work}} {
		for i, d := range list.days {
			if d.In(y.Year).IsZero() {
				return Invalidf(errorrule.DayOfYear,
					"%s of %d has %q, must be a day of that year as month and day, such as 0501",
					list.name, y.Year, d)
			}
			if i > 0 && d <= list.days[i-1] {
				return Invalidf(errorrule.DaysAscending, "%s of %d has %s after %s, must be in ascending order",
					list.name, y.Year, d, list.days[i-1])
			}
		}
	}
	for _, d := range y.Work {
		if slices.Contains(y.Off, d) {
			return Invalidf(errorrule.OffAndWork, "%s of %d both have %s, must have no day in common",
				errorrule.And{"off", "work"}, y.Year, d)
		}
	}
	return nil
}

// In returns the beginning of the day in UTC, or the zero time if the year has no such day.
func (d Day) In(year int) time.Time {
	at, err := time.Parse("20060102", time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006")+string(d))
	if err != nil {
		return time.Time{}
	}
	return at
}

// dayOf returns the day of an instant in its own location.
func dayOf(at time.Time) Day { return Day(at.Format("0102")) }

// year returns the calendar's days of a year, or nil if it does not know the year.
func (c *Calendar) year(number int) *CalendarYear {
	i, found := slices.BinarySearchFunc(
		c.Years, number, func(y CalendarYear, n int) int { return cmp.Compare(y.Year, n) },
	)
	if !found {
		return nil
	}
	return &c.Years[i]
}

// Knows reports whether the calendar has the days of a year.
func (c *Calendar) Knows(year int) bool { return c.year(year) != nil }

// Excludes reports whether the day of an instant, in its own location, has no work.
func (c *Calendar) Excludes(at time.Time) bool {
	day := dayOf(at)
	if y := c.year(at.Year()); y != nil {
		if _, off := slices.BinarySearch(y.Off, day); off {
			return true
		}
		if _, work := slices.BinarySearch(y.Work, day); work {
			return false
		}
	}
	return slices.Contains(c.Weekend, Weekday("").Values()[at.Weekday()])
}

// Text returns the calendar as stores keep it: JSON without its time.
func (c *Calendar) Text() string {
	text, _ := json.Marshal(c) // texts and numbers only: cannot fail
	return string(text)
}

// ParseCalendar parses what [Calendar.Text] returned.
func ParseCalendar(text string) (*Calendar, error) {
	c := &Calendar{}
	err := json.Unmarshal([]byte(text), c)
	return c, err
}

// Fields returns what people edit of a calendar.
func (c *Calendar) Fields() Fields {
	return Fields{{Name: "note", Value: c.Note}, {Name: "weekend", Value: append([]Weekday{}, c.Weekend...)},
		{Name: "years", Value: append([]CalendarYear{}, c.Years...)}}
}

// Audited returns the calendar as the object of a change.
func (c *Calendar) Audited() AuditObject { return AuditObject{Kind: AuditCalendar, Name: c.Name} }

// A CalendarStore is the part of [Store] that keeps the calendars that people have made. A stored
// calendar replaces the one that is built in under its name. ClaimDue waits for these methods, as
// it does for those of [PauseStore].
type CalendarStore interface {
	// SaveCalendar stores a calendar in place of the stored one with its name, and returns the time
	// of the change. seen is the Updated of the calendar that the caller read; the zero time skips
	// the check. The error is [ErrConflict] if the calendar was changed or deleted since.
	SaveCalendar(ctx context.Context, c *Calendar, seen time.Time) (time.Time, error)
	// RemoveCalendar deletes a stored calendar. The error is [ErrNotFound] if there is none. Jobs
	// that name it follow the one that is built in, and otherwise none.
	RemoveCalendar(ctx context.Context, name string) error
	// Calendars lists the stored calendars by name.
	Calendars(ctx context.Context) ([]*Calendar, error)
}

// CheckCalendarSeen returns [ErrConflict] if stored, which is nil if no calendar is stored, was not
// last changed at seen. The zero time skips the check.
func CheckCalendarSeen(name string, stored *Calendar, seen time.Time) error {
	switch {
	case seen.IsZero():
		return nil
	case stored == nil:
		return Conflictf(errorrule.CalendarChanged, "calendar %q was deleted meanwhile", name)
	case !stored.Updated.Equal(seen):
		return Conflictf(errorrule.CalendarChanged, "calendar %q was changed meanwhile", name)
	}
	return nil
}

// CheckCalendarDeclared returns [ErrConflict] if stored, which is nil if no calendar is stored, is
// not what the caller who declares c has read; see [Declaration].
func CheckCalendarDeclared(c, stored *Calendar) error {
	if c.Updated.IsZero() && stored != nil {
		return Conflictf(errorrule.CalendarChanged, "calendar %q was created meanwhile", c.Name)
	}
	return CheckCalendarSeen(c.Name, stored, c.Updated)
}
