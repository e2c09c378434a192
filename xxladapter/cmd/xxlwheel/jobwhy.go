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
