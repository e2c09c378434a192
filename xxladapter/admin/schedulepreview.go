package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/preview"
)

type schedulePreviewQuery struct {
	Type     xxladapter.ScheduleType `query:"scheduleType" doc:"The meaning of scheduleConf; defaults to CRON."`
	Conf     string                  `query:"scheduleConf" doc:"What a job has in this field, at most 128 characters."`
	Zone     string                  `query:"zone" doc:"The IANA time zone; defaults to the scheduler's."`
	Profile  string                  `query:"profile" doc:"quartz, xxl34, sane or unix; defaults to the scheduler's."`
	From     time.Time               `query:"from" doc:"The instant after which to start; defaults to now."`
	Count    int                     `query:"count" doc:"Number of due times, 1 to 1000 (default 50)."`
	Calendar string                  `query:"calendar" doc:"The calendar whose days without work are marked."`
	Months   int                     `query:"months" doc:"Also count the due times of each day of this many months, up to 12; 0, the default, counts none."`
}

// A schedulePreview shows what a schedule will do.
type schedulePreview struct {
	Zone    string        `json:"zone" doc:"The time zone of all times and days."`
	Words   words         `json:"words" doc:"The schedule in words."`
	Times   []previewTime `json:"times" doc:"The next due times; fewer than requested if the schedule ends."`
	Assumed bool          `json:"assumed" doc:"True if each due time depends on the end of a run; runs are then assumed to take no time."`
	Changes []clockChange `json:"clockChanges" doc:"Changes of the zone's clock up to the last time or day, at most 24."`
	Days    []previewDay  `json:"days,omitempty" doc:"The days that have due times, if months is given."`
	Unknown []int         `json:"calendarLacksYears,omitempty" doc:"Years of these times and days of which the calendar has no days: only its weekend counts there."`
}

// words are one text in several languages.
type words struct {
	English string `json:"en"`
	Chinese string `json:"zh"`
}

// describeSchedule describes a schedule in each language. The error is that of [cron.ParsePlan].
func describeSchedule(kind, conf string, profile cron.Profile) (w words, err error) {
	if w.English, err = cron.DescribePlan(kind, conf, cron.English, profile); err != nil {
		return words{}, err
	}
	w.Chinese, err = cron.DescribePlan(kind, conf, cron.Chinese, profile)
	return w, err
}

type previewTime struct {
	At   time.Time    `json:"at"`
	Mark preview.Mark `json:"mark,omitempty" doc:"How a clock change concerns it. SHIFTED: the clock skips the time that was meant, this is right after the gap. FIRST_PASS, SECOND_PASS: the clock shows this time twice."`

	Excluded bool `json:"excluded,omitempty" doc:"The day has no work by the calendar: a job does not fire."`
}

type clockChange struct {
	At      time.Time `json:"at"`
	Before  string    `json:"before" doc:"The offset from UTC before the change." example:"+01:00"`
	After   string    `json:"after" doc:"The offset from UTC after it." example:"+02:00"`
	Skipped []string  `json:"skipped,omitempty" doc:"Times of day that the schedule matches and the clock skips, the first ten." example:"2026-03-29T02:30:00"`
}

type previewDay struct {
	Day   string `json:"day" example:"2026-03-29"`
	Times int    `json:"times" doc:"The number of due times, exact up to 100."`
	More  bool   `json:"more,omitempty" doc:"There are more than 100."`

	Excluded bool `json:"excluded,omitempty" doc:"The day has no work by the calendar."`
}

func (s *Server) previewSchedule(ctx context.Context, q schedulePreviewQuery) (no schedulePreview, err error) {
	schedule, count, err := preview.Request{
		Type: q.Type, Conf: q.Conf, Zone: q.Zone, Profile: q.Profile, Count: q.Count, Months: q.Months,
	}.Read(s.opts.Zone, s.opts.CronProfile)
	if err != nil {
		return no, err
	}
	calendar, err := s.namedCalendar(ctx, q.Calendar)
	if err != nil {
		return no, err
	}
	from := q.From
	if from.IsZero() {
		if from, err = s.opts.Store.Now(ctx); err != nil {
			return no, err
		}
	}
	if err := api.CheckYear("from", from); err != nil {
		return no, err
	}
	p, err := preview.Of(schedule, from, count, q.Months)
	if err != nil {
		return no, invalidConf(err)
	}
	shown := showPreview(p, schedule.Zone, calendar)
	if shown.Words, err = describeSchedule(schedule.Type, schedule.Conf, schedule.Profile); err != nil {
		return no, invalidConf(err)
	}
	if q.Calendar != "" {
		shown.Unknown = p.UnknownYears(calendar, from, schedule.Zone)
	}
	return shown, nil
}

// showPreview shows a preview, with the days without work of a calendar marked.
func showPreview(p preview.Preview, zone *time.Location, calendar *xxladapter.Calendar) schedulePreview {
	shown := schedulePreview{
		Zone: zone.String(), Times: []previewTime{}, Assumed: p.Assumed, Changes: []clockChange{},
	}
	for _, t := range p.Times {
		shown.Times = append(shown.Times, previewTime{t.At, t.Mark, calendar.Excludes(t.At.In(zone))})
	}
	for _, c := range p.Changes {
		shown.Changes = append(shown.Changes, showChange(c))
	}
	for _, d := range p.Days {
		shown.Days = append(shown.Days, previewDay{d.Date, d.Times, d.More, calendar.Excludes(d.In(zone))})
	}
	return shown
}

func showChange(c preview.Change) clockChange {
	offset := func(d time.Duration) string {
		return time.Time{}.In(time.FixedZone("", int(d/time.Second))).Format("-07:00")
	}
	shown := clockChange{At: c.At, Before: offset(c.Before), After: offset(c.After)}
	for _, at := range c.Skipped {
		shown.Skipped = append(shown.Skipped, at.Format("2006-01-02T15:04:05"))
	}
	return shown
}
