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
	// textPace is the pause between two polls for texts that were not announced: those of other
	// nodes that died. Until a text is stored, it is read from its executor.
	textPace = 30 * time.Second
	// textSoon is the delay of the poll for an announced text, after which the text may be fetched.
	textSoon = xxladapter.TextDelay + 100*time.Millisecond
	// leastTextPause is the pause between two polls during a backlog. It leaves the processor to
	// more urgent work.
	leastTextPause = 20 * time.Millisecond
	// textYield limits the time for which waiting hand-overs delay texts; textPatience is the pause
	// between two checks whether any still wait.
	textYield    = time.Second
	textPatience = 20 * time.Millisecond
	// textWorkers is how many texts are fetched concurrently: few, since nothing waits for them.
	textWorkers = 16
	// textBatch is how many runs are claimed together. Even if each takes as long as it may, all
	// are done before the first of them is offered again.
	textBatch = 4 * textWorkers
	// textsTogether is how many bytes of fetched texts cause a call that stores them all. It limits
	// both the call and the texts held in memory, which may exceed it by one text of each worker.
	textsTogether = 1 << 20
	// textTime limits the reading of one text.
	textTime = 10 * time.Second
	// DefaultTextLimit is how many bytes of a text are stored by default.
	DefaultTextLimit = 1 << 20
)

// nextTextPause returns the pause after a poll that found some texts and could have taken limit;
// pause is the previous pause. Most polls find a part of what they could take, so runs that end
// evenly have their texts fetched evenly, not in bursts that disturb other work.
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

// textAgain returns how long to wait before a text is fetched again: 1, 4, 16 and 64 minutes.
func textAgain(attempts int) time.Duration {
	return time.Minute << (2 * min(attempts-1, 3))
}

// A TextStore is the part of [xxladapter.Store] that [Texts] needs.
type TextStore interface {
	xxladapter.RunTextStore
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
}

// Texts fetches what runs have written, if their results asked for it, so that it can be read when
// the executor is gone. If a node dies while it fetches a text, another node fetches it.
type Texts struct {
	Store TextStore
	// Fetch reads lines of a log; trigger.Client.Log does that.
	Fetch func(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error)
	// Busy reports that hand-overs wait, which have priority; nil means never. While Busy stays
	// true, a few texts are still fetched each second.
	Busy func() bool
	// Wanted signals that a result asked for its text. A channel with room for one value is enough.
	// If it is nil, a poll finds the texts, half a minute later at most.
	Wanted <-chan struct{}
	// Limit is how many bytes of a text are stored, half of them from its beginning and half from
	// its end; 0 means [DefaultTextLimit], and negative values are refused.
	Limit  int
	Logger *slog.Logger
}

// Run fetches until ctx ends. Errors of the store are logged, and the next turn tries again.
func (t *Texts) Run(ctx context.Context) error {
	if err := check(&t.Logger, need{"Texts.Store", t.Store == nil}, need{"Texts.Fetch", t.Fetch == nil}); err != nil {
		return err
	}
	if err := checkNotNegative("Texts.Limit", t.Limit); err != nil {
		return err
	}
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
			t.Logger.Error("storing texts of runs failed", "err", err)
			pause = textPace
		}
	}
	return nil
}

// rest returns true after pause, or when an announced text may be fetched. It returns false if ctx
// has ended. An announcement during a short pause is left for the next long one: the poll after the
// short one may come too early for it.
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

// wait returns true after d, or false if ctx has ended.
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

// yield lets waiting hand-overs go first. It reports whether none waits now.
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

// fetchDue fetches up to limit texts that are due, stores them, and returns how many were due.
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

// appNames returns the app names of the claims' groups, by group id. Generations before G4 need
// none, and a group may be gone.
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

// readTexts holds texts that wait to be stored together.
type readTexts struct {
	save func(context.Context, []xxladapter.RunText) error

	mu    sync.Mutex // guards the fields below
	texts []xxladapter.RunText
	size  int // bytes
}

// add adds a text, and stores the texts once there are enough.
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

// fetch returns the text to store of one run: after the last attempt, what was read, with a note
// why the rest is missing. ok is false if there is nothing to store now.
func (t *Texts) fetch(ctx context.Context, c xxladapter.TextClaim, appName string) (text xxladapter.RunText, ok bool) {
	text, err := t.read(ctx, c.Log, appName)
	switch {
	case err == nil:
		return text, true
	case ctx.Err() != nil:
		return text, false
	case c.Attempts < textAttempts:
		t.Logger.Debug("log of a run not read", "run", c.Log.ID, "attempt", c.Attempts, "err", err)
		return text, false
	}
	t.Logger.Warn("log of a run given up", "job", c.Log.JobID, "run", c.Log.ID, "address", c.Log.Address, "err", err)
	text.Complete = false
	text.Note = fmt.Sprintf("given up after %d attempts: %v", c.Attempts, err)
	return text, true
}

// read returns the text that the executor has. With an error, it returns what was read before it.
func (t *Texts) read(ctx context.Context, l *xxladapter.Log, appName string) (xxladapter.RunText, error) {
	limit := t.Limit
	if limit <= 0 {
		limit = DefaultTextLimit
	}
	clip := newClip(limit)
	done := func(note string) xxladapter.RunText {
		text := xxladapter.RunText{
			LogID: l.ID, Text: clip.text(), Size: clip.size, Complete: clip.whole() && note == "", Note: note,
		}
		if note == "" && !clip.whole() {
			text.Note = fmt.Sprintf("the text has %d bytes, of which at most %d are stored", clip.size, limit)
		}
		return text
	}
	deadline := time.Now().Add(textTime)
	for from := wire.Int(1); ; {
		page, err := t.Fetch(ctx, l.Address, appName, wire.LogRequest{
			LogID: wire.Int(l.ID), LogTime: wire.Int(l.TriggerTime.UnixMilli()), FromLine: from,
		})
		if err != nil {
			return done(""), err
		}
		if page.End && page.Content == wire.MsgNoLogFile {
			return done("the executor has no log file of this run"), nil
		}
		clip.write(page.Content)
		// Executors mark the end in different ways: most with an empty text, some with a last line
		// number that is less than the first.
		if page.Content == "" || page.End || page.ToLine < from {
			return done(""), nil
		}
		from = page.ToLine + 1
		if time.Now().After(deadline) {
			return done(
				fmt.Sprintf("reading took longer than %v, the text after line %d is missing", textTime, page.ToLine),
			), nil
		}
	}
}
