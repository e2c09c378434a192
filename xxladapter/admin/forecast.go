package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/forecast"
)

type forecastQuery struct {
	Hours int       `query:"hours" doc:"How far to look ahead, 1 to 168 hours (default 24)."`
	Group int64     `query:"group" doc:"Only jobs of this group."`
	At    time.Time `query:"at" doc:"Also list the jobs of the cell that contains this instant."`
}

// A forecastForm shows which fires are to be expected.
type forecastForm struct {
	Minutes int            `json:"minutes" doc:"The length of a cell."`
	Cells   []forecastCell `json:"cells" doc:"From the cell that contains now on."`
	Jobs    int            `json:"jobs" doc:"The number of jobs whose schedule is on."`
	// A job without a known duration adds fires and no run time.
	Unknown    int           `json:"unknownDurations" doc:"Jobs with fires, but without a run among the newest 100000: their run time is missing in runSeconds."`
	Unreadable int           `json:"unreadable,omitempty" doc:"Jobs whose schedule or zone cannot be read, and which are left out."`
	In         *forecastJobs `json:"in,omitempty" doc:"The jobs of the cell that at names."`
}

type forecastCell struct {
	At         time.Time `json:"at" doc:"The beginning of the cell."`
	Fires      int64     `json:"fires" doc:"A sharded run counts once."`
	RunSeconds float64   `json:"runSeconds" doc:"How long the runs that begin in the cell are expected to take together, from the mean durations of past runs."`
}

type forecastJobs struct {
	Count int           `json:"count" doc:"The number of jobs in the cell."`
	Jobs  []forecastJob `json:"jobs" doc:"At most 100 of them, those with the longest run time first."`
}

type forecastJob struct {
	ID         int64   `json:"id"`
	Name       string  `json:"name"`
	Fires      int64   `json:"fires"`
	RunSeconds float64 `json:"runSeconds"`
}

const (
	// durationRows is the number of newest runs from which expected durations come.
	durationRows = 100_000
	// maxShares is the largest number of jobs of a cell in an answer.
	maxShares = 100
)

func (s *Server) forecast(ctx context.Context, q forecastQuery) (no forecastForm, err error) {
	span, err := forecast.SpanOf(q.Hours)
	if err != nil {
		return no, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return no, err
	}
	jobs, names, err := s.jobsToForecast(ctx, q.Group)
	if err != nil {
		return no, err
	}
	opts := forecast.Options{Zone: s.opts.Zone, Profile: s.opts.CronProfile}
	if opts.Restrictions, err = s.restrictions(ctx); err != nil {
		return no, err
	}
	f := forecast.Of(jobs, now, span, opts)
	form := showForecast(f, len(jobs))
	if q.At.IsZero() {
		return form, nil
	}
	if err := f.CheckAt(q.At); err != nil {
		return no, err
	}
	form.In = showShares(forecast.Within(jobs, now, span, opts, q.At), names)
	return form, nil
}

// jobsToForecast returns the jobs whose schedule is on, of one group or, for 0, of all, and their
// names by id.
func (s *Server) jobsToForecast(
	ctx context.Context, group int64,
) (jobs []forecast.Job, names map[int64]string, err error) {
	means, err := s.opts.Store.MeanDurations(ctx, durationRows)
	if err != nil {
		return nil, nil, err
	}
	names = map[int64]string{}
	on := true
	err = s.eachJob(ctx, xxladapter.JobFilter{GroupID: group, Running: &on}, func(j *xxladapter.Job) {
		mean, ran := means[j.ID]
		jobs = append(jobs, forecast.JobOf(j, mean, ran))
		names[j.ID] = j.Name
	})
	return jobs, names, err
}

func showForecast(f forecast.Forecast, jobs int) forecastForm {
	form := forecastForm{
		Minutes: int(forecast.Step / time.Minute), Cells: make([]forecastCell, len(f.Cells)),
		Jobs: jobs, Unknown: f.Unknown, Unreadable: f.Unreadable,
	}
	for i, c := range f.Cells {
		form.Cells[i] = forecastCell{c.At, c.Fires, c.Run.Seconds()}
	}
	return form
}

func showShares(shares []forecast.Share, names map[int64]string) *forecastJobs {
	form := &forecastJobs{Count: len(shares), Jobs: []forecastJob{}}
	for _, share := range shares[:min(maxShares, len(shares))] {
		form.Jobs = append(form.Jobs, forecastJob{share.JobID, names[share.JobID], share.Fires, share.Run.Seconds()})
	}
	return form
}

// eachJob calls use for each job that f selects, in the order of ids. The jobs lack their large
// texts.
func (s *Server) eachJob(ctx context.Context, f xxladapter.JobFilter, use func(*xxladapter.Job)) error {
	f.Light, f.Limit = true, 10*api.MaxPage
	for {
		jobs, err := s.opts.Store.Jobs(ctx, f)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			use(j)
			f.AfterID = j.ID
		}
		if len(jobs) < f.Limit {
			return nil
		}
	}
}
