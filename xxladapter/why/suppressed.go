package why

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// suppressed explains a due time that a pause or a calendar suppresses; nil if none does.
func (f *Facts) suppressed(due time.Time) *Finding {
	k, ok := f.Restrictions.Suppression(f.Job, due, f.From.Location())
	if !ok {
		return nil
	}
	found := Finding{}
	if k.Pause != nil {
		found = f.paused(due, k.Pause)
	} else {
		found = f.excluded(due, k.Calendar.Name, k.Calendar)
	}
	return &found
}

// paused explains a due time in a pause.
func (f *Facts) paused(due time.Time, p *xxladapter.Pause, more ...Record) Finding {
	scope := "all"
	if p.GroupID != 0 {
		scope = "group"
	}
	record := Record{"pause", p.ID, params(
		"from", utc(p.From), "until", utc(p.Until), "by", p.By, "endedBy", p.EndedBy, "note", p.Note, "scope", scope,
	)}
	return Finding{Paused,
		params("due", f.local(due), "from", f.local(p.From), "until", f.local(p.Until), "by", p.By, "note", p.Note),
		append([]Record{record}, more...)}
}

// excluded explains a due time on a day without work. c is nil if the calendar is gone.
func (f *Facts) excluded(due time.Time, name string, c *xxladapter.Calendar, more ...Record) Finding {
	day := due.In(f.From.Location()).Format(time.DateOnly)
	facts := params("name", name, "day", day)
	if c != nil {
		for _, y := range c.Years {
			if y.Year == due.In(f.From.Location()).Year() && y.Source != "" {
				facts["source"] = y.Source
			}
		}
	}
	return Finding{Excluded, params("due", f.local(due), "day", day, "calendar", name),
		append([]Record{{"calendar", 0, facts}}, more...)}
}
