package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type logCmd struct {
	RunID
	From   int64 `default:"1" help:"First line to print (default ${default})."`
	Follow bool  `short:"f" help:"Continue printing until the run has ended."`
	Raw    bool  `help:"Print the log unfiltered, including terminal control sequences."`
}

func (c *logCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.From < 1 {
		return command.Usagef("--from is %d, must be at least 1", c.From)
	}
	reader := logReader{client: &parent.Flags, id: c.RunID, next: c.From, raw: c.Raw}
	if c.Follow {
		return reader.follow(inv)
	}
	_, err := reader.read(inv, inv.Stdout)
	return err
}

// Follow prints what a run writes, until the run has ended.
//
// REQUIRES: the scheduler has answered this command.
func Follow(inv *command.Invocation, client *client.Flags, run RunID) error {
	reader := logReader{client: client, id: run, next: 1, reached: true}
	return reader.follow(inv)
}

// A logReader prints what a run wrote, part by part.
type logReader struct {
	client *client.Flags
	id     RunID
	next   int64 // line
	raw    bool

	reached bool // the scheduler has answered
}

// read prints what is there from the next line on. ended reports that no more will come.
func (r *logReader) read(inv *command.Invocation, out io.Writer) (ended bool, err error) {
	for {
		var part struct {
			From    int64  `json:"fromLineNum"`
			To      int64  `json:"toLineNum"`
			Content string `json:"logContent"`
			End     bool   `json:"isEnd"`
			Stored  bool   `json:"stored,omitempty"`
			Size    int64  `json:"size,omitempty"`
			Note    string `json:"note,omitempty"`
		}
		if err := r.client.API().Call(
			inv.Context, "GET", fmt.Sprintf("%s?from=%d", r.id.Path("/log"), r.next), nil, &part,
		); err != nil {
			return false, err
		}
		r.reached = true
		switch {
		case r.client.Structured():
			if part.Content != "" || part.Note != "" {
				err = r.client.PrintValue(out, part)
			}
		case r.raw:
			_, err = io.WriteString(out, part.Content)
		default:
			_, err = io.WriteString(out, printing.Plain(part.Content))
		}
		if err != nil {
			return false, err
		}
		if part.Note != "" {
			r.client.Note(inv, "%s", part.Note)
		}
		if part.End || part.Content == "" || part.To < r.next { // nothing more for now
			return part.End, nil
		}
		r.next = part.To + 1
	}
}

// followPace is the pause between two polls of a growing log.
const followPace = 500 * time.Millisecond

// follow prints until the run has ended. While the run waits to be accepted by an executor, or its
// executor does not answer, follow asks again. It also asks again while a scheduler that has
// answered before cannot be reached, for up to outage.
func (r *logReader) follow(inv *command.Invocation) error {
	out, away := command.NewOutput(inv.Stdout), time.Time{}
	for over := false; ; {
		ended, err := r.read(inv, out)
		var refusal *client.Error
		if errors.As(err, &refusal) && (refusal.Code == "conflict" || refusal.Code == "unreachable") {
			r.reached = true
			var run View
			getErr := r.client.API().Call(inv.Context, "GET", r.id.Path(""), nil, &run)
			if getErr == nil && run.Status != "RUNNING" {
				if over {
					return err
				}
				over = true // the run may have been accepted and have ended since its log was read
				continue
			}
			err = getErr
		}
		switch {
		case inv.Context.Err() != nil:
			return nil // Ctrl-C ends it
		case err == nil && ended:
			return nil
		case err == nil:
			away = time.Time{}
		case errors.As(err, &refusal) || out.Err() != nil || !r.reached || !away.IsZero() && time.Since(away) > outage:
			return err
		case away.IsZero():
			away = time.Now()
		}
		if !sleep(inv.Context, followPace) {
			return nil
		}
	}
}

// sleep pauses for d. It reports false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
