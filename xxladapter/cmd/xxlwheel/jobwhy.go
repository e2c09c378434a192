package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

type jobWhyCmd struct {
	jobID
	At   string `required:"" placeholder:"TIME" help:"When it should have run: 02:00 or 02:00:30 (the last time that this machine's clock showed it), an RFC 3339 instant, or a duration before now such as 3h."`
	Lang string `default:"en" enum:"en,zh" placeholder:"LANGUAGE" help:"Language of the answer: en (default) or zh."`
}

func (c *jobWhyCmd) Run(inv *invocation, parent *jobCmd) error {
	at, err := clockTime(c.At, time.Now())
	if err != nil {
		return err
	}
	var raw json.RawMessage
	query := url.Values{"at": {at.Format(time.RFC3339)}}
	if err := parent.api().call(inv.ctx, "GET", c.path("/why?")+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printRaw(inv.stdout, raw)
	}
	var answer struct {
		From, To          time.Time
		ScheduleIsPresent bool
		Findings          []struct {
			Code     string
			Words    map[string]string
			Evidence []struct {
				Record string
				ID     int64
				Facts  map[string]string
			}
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return err
	}
	for _, f := range answer.Findings {
		if parent.Quiet {
			fmt.Fprintln(inv.stdout, f.Code)
			continue
		}
		fmt.Fprintf(inv.stdout, "%s  %s\n", f.Code, oneLine(f.Words[c.Lang]))
		for _, r := range f.Evidence {
			what := r.Record
			if r.ID != 0 {
				what += fmt.Sprintf(" %d", r.ID)
			}
			var facts []string
			for _, name := range slices.Sorted(maps.Keys(r.Facts)) {
				facts = append(facts, name+" "+firstLine(r.Facts[name]))
			}
			fmt.Fprintf(inv.stdout, "    %s: %s\n", what, oneLine(strings.Join(facts, ", ")))
		}
	}
	if answer.ScheduleIsPresent {
		parent.note(inv, "the job was changed since %s, and its schedule of that time is not known: the answer is by the present one", instantOf(answer.From))
	}
	return nil
}

// clockTime parses a time of the day, which is the last time until now that a clock showed it, or
// what [instant] parses.
func clockTime(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"15:04", time.TimeOnly} {
		of, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		for day := now.Day(); ; day-- {
			at := time.Date(now.Year(), now.Month(), day, of.Hour(), of.Minute(), of.Second(), 0, now.Location())
			for _, shown := range sameOnClock(at) {
				if !shown.After(now) {
					return shown, nil
				}
			}
		}
	}
	at, err := instant(text)
	if err != nil {
		return at, usagef("--at is %q, must be a time such as 02:00, an RFC 3339 instant such as 2026-01-02T15:04:05Z, or a duration such as 24h", text)
	}
	return at, nil
}

// sameOnClock returns the instants at which a clock shows the same date and time as at one, the
// latest first: two if the clock is set back over it, otherwise the given one. [time.Date] may
// return either of the two.
func sameOnClock(at time.Time) (instants []time.Time) {
	_, before := at.Add(-2 * time.Hour).Zone()
	_, after := at.Add(2 * time.Hour).Zone()
	back := time.Duration(max(before-after, 0)) * time.Second
	for _, shift := range []time.Duration{back, 0, -back} {
		same := at.Add(shift)
		if same.Format(time.DateTime) == at.Format(time.DateTime) && !slices.Contains(instants, same) {
			instants = append(instants, same)
		}
	}
	return instants
}
