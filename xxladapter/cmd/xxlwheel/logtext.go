package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

type logTextCmd struct {
	logID
	From   int64 `default:"1" help:"First line to print (default ${default})."`
	Follow bool  `short:"f" help:"Continue printing until the run has ended."`
	Raw    bool  `help:"Print the text unfiltered, including terminal control sequences."`
}

func (c *logTextCmd) Run(inv *invocation, parent *logCmd) error {
	if c.From < 1 {
		return usagef("--from is %d, must be at least 1", c.From)
	}
	reader := textReader{client: &parent.clientFlags, id: c.logID, next: c.From, raw: c.Raw}
	if c.Follow {
		return reader.follow(inv)
	}
	_, err := reader.read(inv, inv.stdout)
	return err
}

// followText prints what a run writes, until the run has ended.
func followText(inv *invocation, client *clientFlags, run logID) error {
	reader := textReader{client: client, id: run, next: 1}
	return reader.follow(inv)
}

// A textReader prints what a run wrote, part by part.
type textReader struct {
	client *clientFlags
	id     logID
	next   int64 // line
	raw    bool
}

// read prints what is there from the next line on. ended reports that no more will come.
func (r *textReader) read(inv *invocation, out io.Writer) (ended bool, err error) {
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
		if err := r.client.api().call(inv.ctx, "GET", fmt.Sprintf("%s?from=%d", r.id.path("/text"), r.next), nil, &part); err != nil {
			return false, err
		}
		switch {
		case r.client.structured():
			if part.Content != "" || part.Note != "" {
				err = r.client.printValue(out, part)
			}
		case r.raw:
			_, err = io.WriteString(out, part.Content)
		default:
			_, err = io.WriteString(out, plainText(part.Content))
		}
		if err != nil {
			return false, err
		}
		if part.Note != "" {
			r.client.note(inv, "%s", part.Note)
		}
		if part.End || part.Content == "" || part.To < r.next { // nothing more for now
			return part.End, nil
		}
		r.next = part.To + 1
	}
}

// followPace is the pause between two polls of a growing text.
const followPace = 500 * time.Millisecond

// follow prints until the run has ended. A run that no executor has accepted yet has no text; a run
// that none accepted has ended.
func (r *textReader) follow(inv *invocation) error {
	for over := false; ; {
		ended, err := r.read(inv, inv.stdout)
		var refusal *apiError
		if errors.As(err, &refusal) && (refusal.Code == "conflict" || refusal.Code == "unreachable") {
			var run logView
			if getErr := r.client.api().call(inv.ctx, "GET", r.id.path(""), nil, &run); getErr != nil {
				return getErr
			}
			if run.Status != "RUNNING" {
				if over {
					return err
				}
				over = true // it may have been accepted and have ended since it was read
				continue
			}
			err = nil
		}
		if err != nil || ended {
			return err
		}
		if !sleep(inv.ctx, followPace) {
			return nil // Ctrl-C ends it
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
