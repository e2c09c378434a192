package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const (
	// textPace is how often texts are looked for. Nobody waits for it: until it
	// is stored, a text is read from its executor.
	textPace = 5 * time.Second
	// textWorkers is how many texts are fetched at the same time: few, since nobody
	// waits for them.
	textWorkers = 16
	// textBatch is how many runs are claimed together. Even if each takes as
	// long as it may, all are done before the first of them is offered again.
	textBatch = 4 * textWorkers
	// textTime bounds the reading of one text.
	textTime = 10 * time.Second
	// DefaultTextLimit is how many bytes of a text are stored.
	DefaultTextLimit = 1 << 20
)

// textAttempts is how often an executor is asked before its text is given up.
const textAttempts = 5

// textAgain is when a text is asked for again: after 1, 4, 16 and 64 minutes.
func textAgain(attempts int) time.Duration {
	return time.Minute << (2 * min(attempts-1, 3))
}

// A TextStore is what [Texts] needs of [xxladapter.Store].
type TextStore interface {
	xxladapter.RunTextStore
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
}

// Texts fetches what runs have written, as far as their results asked for it,
// so that it can be read when the executor is gone. A text that is being fetched
// by a node that dies is fetched by another one.
type Texts struct {
	Store TextStore
	// Fetch reads lines of a log; trigger.Client.Log does.
	Fetch func(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error)
	// Busy says that hand-overs wait, which come first; nil: never.
	Busy func() bool
	// Limit is how many bytes of a text are stored, half of them from its begin
	// and half from its end; 0: [DefaultTextLimit].
	Limit  int
	Logger *slog.Logger
}

// Run fetches until ctx ends. Failures of the store are logged and tried again
// at the next turn.
func (t *Texts) Run(ctx context.Context) error {
	return every(ctx, textPace, t.Logger, "texts of runs not stored", t.fetchDue)
}

// fetchDue works until nothing is due, or hand-overs need the executors.
func (t *Texts) fetchDue(ctx context.Context) error {
	for ctx.Err() == nil && (t.Busy == nil || !t.Busy()) {
		claims, err := t.Store.ClaimTexts(ctx, textBatch, textAgain)
		if err != nil {
			return err
		}
		var workers errgroup.Group
		workers.SetLimit(textWorkers)
		for _, c := range claims {
			workers.Go(func() error { return t.keep(ctx, c) })
		}
		if err := workers.Wait(); err != nil || len(claims) < textBatch {
			return err
		}
	}
	return nil
}

// keep stores the text of one run, or why there is none if it was the last
// attempt.
func (t *Texts) keep(ctx context.Context, c xxladapter.TextClaim) error {
	text, err := t.read(ctx, c.Log)
	if err != nil {
		if ctx.Err() != nil {
			return nil // it is offered again
		}
		if c.Attempts < textAttempts {
			t.Logger.Debug("text of a run not read", "log", c.Log.ID, "attempt", c.Attempts, "err", err)
			return nil
		}
		t.Logger.Warn("text of a run given up", "job", c.Log.JobID, "log", c.Log.ID, "address", c.Log.Address, "err", err)
		text.Complete = false
		text.Note = fmt.Sprintf("given up after %d attempts: %v", c.Attempts, err)
	}
	err = t.Store.SaveText(ctx, text)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil // the row has left the log meanwhile
	}
	return err
}

// read returns what the executor has. With an error it is what was read before.
func (t *Texts) read(ctx context.Context, l *xxladapter.Log) (xxladapter.RunText, error) {
	appName := "" // generations before G4 need none
	group, err := t.Store.Group(ctx, l.GroupID)
	if err == nil {
		appName = group.AppName
	} else if !errors.Is(err, xxladapter.ErrNotFound) {
		return xxladapter.RunText{LogID: l.ID}, err
	}
	limit := t.Limit
	if limit <= 0 {
		limit = DefaultTextLimit
	}
	clip := newClip(limit)
	done := func(note string) xxladapter.RunText {
		text := xxladapter.RunText{LogID: l.ID, Text: clip.text(), Size: clip.size, Complete: clip.whole() && note == "", Note: note}
		if note == "" && !clip.whole() {
			text.Note = fmt.Sprintf("the text has %d bytes, of which at most %d are stored", clip.size, limit)
		}
		return text
	}
	deadline := time.Now().Add(textTime)
	for from := wire.Int(1); ; {
		page, err := t.Fetch(ctx, l.Address, appName, wire.LogRequest{LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: from})
		if err != nil {
			return done(""), err
		}
		if page.End && page.Content == wire.MsgNoLogFile {
			return done("the executor has no log file of this run"), nil
		}
		clip.write(page.Content)
		// Executors say in different ways that there is no more: most of them with
		// nothing, and some give a last line number that lies before the first.
		if page.Content == "" || page.End || page.ToLine < from {
			return done(""), nil
		}
		from = page.ToLine + 1
		if time.Now().After(deadline) {
			return done(fmt.Sprintf("reading took longer than %v, what follows line %d is missing", textTime, page.ToLine)), nil
		}
	}
}
