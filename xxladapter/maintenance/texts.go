package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

const (
	// textPace is how often texts are looked for that nobody has announced: those of
	// other nodes that died. Until it is stored, a text is read from its executor.
	textPace = 30 * time.Second
	// textSoon is when a text is looked for that was announced, and may be fetched by then.
	textSoon = xxladapter.TextDelay + 100*time.Millisecond
	// leastTextPause is the pause between two looks while there is a backlog, for
	// those who need the processor more.
	leastTextPause = 20 * time.Millisecond
	// textYield is how long hand-overs that wait hold up texts at most, and
	// textPatience how long it takes to see that none waits any more.
	textYield    = time.Second
	textPatience = 20 * time.Millisecond
	// textWorkers is how many texts are fetched at the same time: few, since nobody
	// waits for them.
	textWorkers = 16
	// textBatch is how many runs are claimed together. Even if each takes as
	// long as it may, all are done before the first of them is offered again.
	textBatch = 4 * textWorkers
	// textsTogether is how many bytes of texts are stored with one call, and not
	// much more, so that neither it nor what is held in memory grows large.
	textsTogether = 1 << 20
	// textTime bounds the reading of one text.
	textTime = 10 * time.Second
	// DefaultTextLimit is how many bytes of a text are stored.
	DefaultTextLimit = 1 << 20
)

// nextTextPause is the pause after a look that found so many texts and could
// have taken limit; pause is the one before it. Most looks find a part of what
// they could take: runs that end evenly have their texts fetched evenly, and not
// in bursts that others feel.
func nextTextPause(pause time.Duration, found, limit int) time.Duration {
	switch {
	case found == limit: // there may be more
		return leastTextPause
	case found > limit/2:
		pause /= 2
	case found < limit/4:
		pause *= 2
	}
	return min(max(pause, leastTextPause), textPace)
}

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
	// Busy says that hand-overs wait, which come first; nil: never. While that does
	// not end, a few texts are still fetched each second.
	Busy func() bool
	// Wanted says that a result asked for its text. A channel with room for one
	// value is enough. nil: texts are found at the next look, half a minute later at most.
	Wanted <-chan struct{}
	// Limit is how many bytes of a text are stored, half of them from its begin
	// and half from its end; 0: [DefaultTextLimit].
	Limit  int
	Logger *slog.Logger
}

// Run fetches until ctx ends. Failures of the store are logged and tried again
// at the next turn.
func (t *Texts) Run(ctx context.Context) error {
	pause := textPace
	for t.rest(ctx, pause) {
		limit := textBatch
		if !t.yield(ctx) {
			limit = textWorkers
		}
		found, err := t.fetchDue(ctx, limit)
		switch {
		case err == nil:
			pause = nextTextPause(pause, found, limit)
		case ctx.Err() == nil:
			t.Logger.Error("texts of runs not stored", "err", err)
			pause = textPace
		}
	}
	return nil
}

// rest returns after pause, or when a text that was announced may be fetched, or
// with false when ctx has ended. An announcement during a short pause is left for
// the next long one: the look after the short one may come too early for it.
func (t *Texts) rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	wanted := t.Wanted
	if pause <= textSoon {
		wanted = nil
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-wanted:
			wanted = nil
			timer.Reset(textSoon)
		}
	}
}

// wait returns after d, or with false when ctx has ended.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// yield lets waiting hand-overs go first, and returns whether all have.
func (t *Texts) yield(ctx context.Context) bool {
	if t.Busy == nil {
		return true
	}
	for begin := time.Now(); t.Busy(); {
		if time.Since(begin) >= textYield || !wait(ctx, textPatience) {
			return false
		}
	}
	return true
}

// fetchDue fetches up to limit texts that are due, stores them, and returns how
// many there were.
func (t *Texts) fetchDue(ctx context.Context, limit int) (found int, err error) {
	claims, err := t.Store.ClaimTexts(ctx, limit, textAgain)
	if err != nil || len(claims) == 0 {
		return 0, err
	}
	appNames, err := t.appNames(ctx, claims)
	if err != nil {
		return 0, err
	}
	read := readTexts{save: t.Store.SaveTexts}
	var workers errgroup.Group
	workers.SetLimit(textWorkers)
	for _, c := range claims {
		workers.Go(func() error {
			text, ok := t.fetch(ctx, c, appNames[c.Log.GroupID])
			if !ok {
				return nil // it is offered again
			}
			return read.add(ctx, text)
		})
	}
	err = workers.Wait()
	return len(claims), errors.Join(err, read.flush(ctx))
}

// appNames are those of the claims' groups, by their ids. Generations before G4
// need none, and a group may be gone.
func (t *Texts) appNames(ctx context.Context, claims []xxladapter.TextClaim) (map[int64]string, error) {
	names := map[int64]string{}
	for _, c := range claims {
		id := c.Log.GroupID
		if _, known := names[id]; known {
			continue
		}
		names[id] = ""
		group, err := t.Store.Group(ctx, id)
		switch {
		case err == nil:
			names[id] = group.AppName
		case !errors.Is(err, xxladapter.ErrNotFound):
			return nil, err
		}
	}
	return names, nil
}

// readTexts are texts that wait to be stored together.
type readTexts struct {
	save func(context.Context, []xxladapter.RunText) error

	mu    sync.Mutex
	texts []xxladapter.RunText
	size  int // bytes
}

// add takes a text, and stores what has come together if that is enough.
func (r *readTexts) add(ctx context.Context, t xxladapter.RunText) error {
	r.mu.Lock()
	r.texts = append(r.texts, t)
	r.size += len(t.Text)
	enough := r.size >= textsTogether
	r.mu.Unlock()
	if !enough {
		return nil
	}
	return r.flush(ctx)
}

func (r *readTexts) flush(ctx context.Context) error {
	r.mu.Lock()
	texts := r.texts
	r.texts, r.size = nil, 0
	r.mu.Unlock()
	if len(texts) == 0 {
		return nil
	}
	return r.save(ctx, texts)
}

// fetch returns the text of one run to store, or why there is none if it was the
// last attempt; false: nothing is to be stored now.
func (t *Texts) fetch(ctx context.Context, c xxladapter.TextClaim, appName string) (text xxladapter.RunText, ok bool) {
	text, err := t.read(ctx, c.Log, appName)
	switch {
	case err == nil:
		return text, true
	case ctx.Err() != nil:
		return text, false
	case c.Attempts < textAttempts:
		t.Logger.Debug("text of a run not read", "log", c.Log.ID, "attempt", c.Attempts, "err", err)
		return text, false
	}
	t.Logger.Warn("text of a run given up", "job", c.Log.JobID, "log", c.Log.ID, "address", c.Log.Address, "err", err)
	text.Complete = false
	text.Note = fmt.Sprintf("given up after %d attempts: %v", c.Attempts, err)
	return text, true
}

// read returns what the executor has. With an error it is what was read before.
func (t *Texts) read(ctx context.Context, l *xxladapter.Log, appName string) (xxladapter.RunText, error) {
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
