package main

import (
	"fmt"
	"slices"
	"time"
)

// A window is the time in which all jobs are due once a second.
type window struct {
	first   time.Time
	seconds int
	cron    string // in Quartz' form
}

// windowOf returns the next window of the plan's duration that leaves the time prepare before it. A
// window of less than a minute lies within one minute; a longer one is whole minutes of one hour.
func windowOf(now time.Time, prepare, duration time.Duration) (window, error) {
	w := window{seconds: int(duration / time.Second)}
	w.first = now.UTC().Add(prepare).Truncate(time.Second).Add(time.Second)
	if w.seconds < 60 {
		if w.first.Second()+w.seconds > 60 {
			w.first = w.first.Truncate(time.Minute).Add(time.Minute)
		}
		w.cron = fmt.Sprintf(
			"%d-%d %d %d * * ?", w.first.Second(), w.first.Second()+w.seconds-1, w.first.Minute(), w.first.Hour(),
		)
		return w, nil
	}
	minutes := w.seconds / 60
	if w.seconds%60 != 0 || minutes > 60 {
		return w, fmt.Errorf("-for is %v, must be below a minute, or whole minutes up to an hour", duration)
	}
	w.first = w.first.Add(time.Minute - 1).Truncate(time.Minute)
	if w.first.Minute()+minutes > 60 {
		w.first = w.first.Truncate(time.Hour).Add(time.Hour)
	}
	w.cron = fmt.Sprintf("* %d-%d %d * * ?", w.first.Minute(), w.first.Minute()+minutes-1, w.first.Hour())
	return w, nil
}

func (w window) end() time.Time { return w.first.Add(time.Duration(w.seconds) * time.Second) }

// A sight is what became of the due times of a window.
type sight struct {
	run, missed, doubled, early int
	late                        []time.Duration
}

// figures returns what became of the due times; due is their number.
func (s sight) figures(due int) []figure {
	return []figure{
		{100 * float64(s.run) / float64(due), "%-run"}, {float64(s.missed), "missed"}, {float64(s.doubled), "doubled"},
		{float64(s.early), "early"},
	}
}

// lateness returns how late the runs were, and nothing if any was missed.
func (s sight) lateness() []figure {
	if s.missed > 0 {
		return nil
	}
	at := func(q float64) float64 { return milliseconds(quantile(s.late, q)) }
	return []figure{{at(0.50), "late-p50-ms"}, {at(0.99), "late-p99-ms"}, {at(1), "late-max-ms"}}
}

// match compares the runs with the due times of the window; jobs is the number of jobs.
func (w window) match(runs []receipt, jobs int) (s sight) {
	perJob := map[int64][]int64{}
	for _, r := range runs {
		perJob[r.Job] = append(perJob[r.Job], r.At)
	}
	for _, at := range perJob {
		slices.Sort(at)
		s.doubled += max(len(at)-w.seconds, 0)
		for k, micros := range at[:min(len(at), w.seconds)] {
			late := time.UnixMicro(micros).Sub(w.first.Add(time.Duration(k) * time.Second))
			s.run++
			s.late = append(s.late, late)
			if late < 0 {
				s.early++
			}
		}
	}
	s.missed = w.seconds*jobs - s.run
	return s
}
