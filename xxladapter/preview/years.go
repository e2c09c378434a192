package preview

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// maxUnknown is the largest number of years that UnknownYears lists.
const maxUnknown = 20

// UnknownYears returns the years for which a calendar has no days, from the start of the preview to
// its last time or day, at most 20. In these years only the calendar's weekend counts.
func (p Preview) UnknownYears(c *xxladapter.Calendar, from time.Time, zone *time.Location) (years []int) {
	last := from
	if n := len(p.Times); n > 0 {
		last = p.Times[n-1].At
	}
	if n := len(p.Days); n > 0 {
		if day := p.Days[n-1].In(zone); day.After(last) {
			last = day
		}
	}
	for year := from.In(zone).Year(); year <= last.In(zone).Year() && len(years) < maxUnknown; year++ {
		if !c.Knows(year) {
			years = append(years, year)
		}
	}
	return years
}

// In returns noon of the day in a zone. Clocks may skip midnight, and package time then may choose
// an instant of the day before.
func (d Day) In(zone *time.Location) time.Time {
	noon, _ := time.ParseInLocation(time.DateTime, d.Date+" 12:00:00", zone) // Date was formatted by this package
	return noon
}
