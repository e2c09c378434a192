package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// eventsRetry is the pause before a stream that broke is asked for again.
const eventsRetry = time.Second

type eventsCmd struct {
	clientFlags

	Topic []string `placeholder:"TOPIC" enum:"all,job,run,misfire,group,node,pause" help:"Print these topics only, besides all: job, run, misfire, group, node or pause. The topic all means that events may be missing."`
	Count int      `short:"n" placeholder:"N" help:"End after so many events (default: until it is interrupted)."`
}

// An eventView is an event as the API streams it.
type eventView struct {
	Topic string `json:"topic"`
	ID    int64  `json:"id"`
}

func (c *eventsCmd) Run(inv *invocation) error {
	if c.Count < 0 {
		return usagef("--count is %d, must not be negative", c.Count)
	}
	left := c.Count
	if !c.structured() && !c.Quiet {
		fmt.Fprintf(inv.stdout, "%-25s  %-7s  %s\n", "TIME", "TOPIC", "ID")
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
			fmt.Fprintln(inv.stdout, e.ID)
		case c.structured():
			if err := c.printRaw(inv.stdout, data); err != nil {
				return err
			}
		default:
			fmt.Fprintf(inv.stdout, "%-25s  %-7s  %d\n", instantOf(time.Now()), e.Topic, e.ID)
		}
		if left--; left == 0 {
			return errEnough
		}
		return nil
	}
	for last, connected := "", false; ; {
		err := c.api().events(inv.ctx, "/events", &last, &connected, each)
		switch {
		case errors.Is(err, errEnough) || inv.ctx.Err() != nil:
			return nil
		case err != nil && !connected:
			return err
		case err != nil:
			c.note(inv, "%v; asking again", err)
		}
		select { // without an error the server has ended an old stream
		case <-inv.ctx.Done():
			return nil
		case <-time.After(eventsRetry):
		}
	}
}

// errEnough ends a stream whose reader has what it wanted.
var errEnough = errors.New("enough")

// events calls each with the data of every server-sent event of a stream, until the stream ends or
// each returns an error. last is the id of the last event, from which the stream continues, and
// connected becomes true with the first answer. A refusal sets connected to false.
//
// The format is that of the HTML Living Standard, 9.2.6; an event here has one line of data.
func (c apiClient) events(ctx context.Context, path string, last *string, connected *bool, each func(data []byte) error) error {
	c.patient, c.lastEvent = true, *last
	resp, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		var refusal *apiError
		*connected = *connected && !errors.As(err, &refusal)
		return err
	}
	defer resp.Body.Close()
	*connected = true
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			*last = value
		case "data":
			if err := each([]byte(value)); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}
