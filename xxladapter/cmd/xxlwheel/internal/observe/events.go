package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// eventsRetry is the pause before a stream that broke is asked for again.
const eventsRetry = time.Second

// EventsCmd prints what changes, as it happens.
type EventsCmd struct {
	client.Flags

	Topic []string `placeholder:"TOPIC" enum:"all,job,run,misfire,group,node,pause" help:"Only events of these topics: job, run, misfire, group, node or pause. Those of the topic all are always printed, because they mean that events may be missing."`
	Count int      `short:"n" placeholder:"N" help:"End after this many events (default: when interrupted)."`
}

// An eventView is an event as the API streams it.
type eventView struct {
	Topic string `json:"topic"`
	ID    int64  `json:"id"`
}

func (c *EventsCmd) Run(inv *command.Invocation) error {
	if c.Count < 0 {
		return command.Usagef("--count is %d, must not be negative", c.Count)
	}
	left := c.Count
	out := command.NewOutput(inv.Stdout)
	if !c.Structured() && !c.Quiet {
		fmt.Fprintf(out, "%-25s  %-7s  %s\n", "TIME", "TOPIC", "ID")
	}
	each := func(data []byte) error {
		var e eventView
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("read event: %w", err)
		}
		if len(c.Topic) > 0 && e.Topic != "all" && !slices.Contains(c.Topic, e.Topic) {
			return nil
		}
		switch {
		case c.Quiet:
			fmt.Fprintln(out, e.ID)
		case c.Structured():
			if err := c.PrintRaw(out, data); err != nil {
				return err
			}
		default:
			fmt.Fprintf(out, "%-25s  %-7s  %d\n", printing.Instant(time.Now()), e.Topic, e.ID)
		}
		if err := out.Err(); err != nil {
			return err
		}
		if left--; left == 0 {
			return errEnough
		}
		return nil
	}
	for last, connected := "", false; ; {
		err := c.API().Events(inv.Context, "/events", &last, &connected, each)
		switch {
		case errors.Is(err, errEnough) || inv.Context.Err() != nil:
			return nil
		case out.Err() != nil:
			return nil // the end of the command reports it; asking again would print nothing either
		case err != nil && !connected:
			return err
		case err != nil:
			c.Note(inv, "%v; asking again", err)
		}
		select { // without an error the server has ended an old stream
		case <-inv.Context.Done():
			return nil
		case <-time.After(eventsRetry):
		}
	}
}

// errEnough ends a stream whose reader has what it wanted.
var errEnough = errors.New("enough")
