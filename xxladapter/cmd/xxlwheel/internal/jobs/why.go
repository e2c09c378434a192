package jobs

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type whyCmd struct {
	jobID
	At   string `required:"" placeholder:"TIME" help:"When it should have run: 02:00 or 02:00:30 (the last time that this machine's clock showed it), an RFC 3339 instant, or a duration before now such as 3h."`
	Lang string `default:"en" enum:"en,zh" placeholder:"LANGUAGE" help:"Language of the answer: en (default) or zh."`
}

func (c *whyCmd) Run(inv *command.Invocation, parent *Cmd) error {
	at, err := clockTime(c.At, time.Now())
	if err != nil {
		return err
	}
	var raw json.RawMessage
	query := url.Values{"at": {at.Format(time.RFC3339)}}
	if err := parent.API().Call(inv.Context, "GET", c.path("/why?")+query.Encode(), nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
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
			fmt.Fprintln(inv.Stdout, f.Code)
			continue
		}
		fmt.Fprintf(inv.Stdout, "%s  %s\n", f.Code, printing.OneLine(f.Words[c.Lang]))
		for _, r := range f.Evidence {
			what := r.Record
			if r.ID != 0 {
				what += fmt.Sprintf(" %d", r.ID)
			}
			var facts []string
			for _, name := range slices.Sorted(maps.Keys(r.Facts)) {
				facts = append(facts, name+" "+printing.FirstLine(r.Facts[name]))
			}
			fmt.Fprintf(inv.Stdout, "    %s: %s\n", what, printing.OneLine(strings.Join(facts, ", ")))
		}
	}
	if answer.ScheduleIsPresent {
		parent.Note(inv, "the job was changed since %s, and its schedule of that time is not known: the answer is by the present one", printing.Instant(answer.From))
	}
	return nil
}
