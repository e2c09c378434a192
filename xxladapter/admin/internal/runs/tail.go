package runs

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// tailPace is the pause between two requests to the executor of a run that is watched.
	tailPace = 500 * time.Millisecond
	// tailKept is how many bytes of a text are kept for viewers that are slower or come later.
	tailKept = 1 << 20
	// maxTails bounds the runs that are watched at a time.
	maxTails = 200
)

// A TailForm is a part of what a run writes, or its end.
type TailForm struct {
	From    int64  `json:"fromLineNum,omitempty" doc:"The number of the first line; lines before it that were not sent are left out."`
	To      int64  `json:"toLineNum,omitempty"`
	Content string `json:"logContent,omitempty"`

	End     bool                 `json:"isEnd" doc:"True in the last event of the stream."`
	Status  xxladapter.LogStatus `json:"status,omitempty" doc:"How the run ended; in the last event."`
	Message string               `json:"message,omitempty" doc:"What the run reported; in the last event."`
	Note    string               `json:"note,omitempty" doc:"Why no more of the text can be read, or why a stored text is incomplete; in the last event."`
}

type tailQuery struct {
	api.IDPath
	From int64  `query:"from" doc:"The first line to send, counted from 1. Others may be watching the run already: then the stream begins with the first line that is still kept for them."`
	Last string `header:"Last-Event-ID" doc:"The number of the last line that was received; it replaces from."`
}

// tails are the runs that are watched, by their ids.
type tails struct {
	mu   sync.Mutex // guards the fields below
	open map[int64]*tail
}

// Watched returns the number of runs that are watched.
func (s *Server) Watched() int {
	s.tails.mu.Lock()
	defer s.tails.mu.Unlock()
	return len(s.tails.open)
}

// A tail reads the text of one run for all its viewers.
//
// Lock order: the locks of tails and of a tail are never held together.
type tail struct {
	begun   int64 // the first line that is read
	stop    context.CancelFunc
	ended   chan struct{} // closed when the reading has ended; the last viewer waits for it
	viewers int           // guarded by tails.mu

	mu    sync.Mutex // guards the fields below
	parts []TailForm
	size  int           // of the contents of parts, in bytes
	moved chan struct{} // closed when parts were added
}

// tailRun streams the text of a run while it is written, and ends with the run.
func (s *Server) tailRun(ctx context.Context, q tailQuery) (no api.Stream, err error) {
	if _, err := s.Log(ctx, q.ID); err != nil {
		return no, err
	}
	next := max(q.From, 1)
	if q.Last != "" {
		last, err := strconv.ParseInt(q.Last, 10, 64)
		if err != nil || last < 0 || last == math.MaxInt64 || strconv.FormatInt(last, 10) != q.Last {
			return no, xxladapter.Invalidf(errorrule.EventID, "%s is %q, must be the number of a line",
				"Last-Event-ID", q.Last)
		}
		next = last + 1
	}
	t, err := s.watch(ctx, q.ID, next)
	if err != nil {
		return no, err
	}
	return api.Stream{
		Kind: api.EventStream, Release: func() { s.unwatch(q.ID, t) },
		Write: func(w *api.StreamWriter) error { return s.sendTail(ctx, w, t, next) },
	}, nil
}

// sendTail sends the parts from a line on until the last one, until the stream has lasted for
// [api.StreamLife], or until the server ends its streams.
func (s *Server) sendTail(ctx context.Context, w *api.StreamWriter, t *tail, next int64) error {
	ctx, cancel := context.WithTimeout(ctx, api.StreamLife)
	defer cancel()
	ticker := time.NewTicker(api.Heartbeat)
	defer ticker.Stop()
	for {
		parts, moved := t.from(next)
		for _, p := range parts {
			if err := w.Event("", strconv.FormatInt(max(p.To, next-1), 10), p); err != nil || p.End {
				return err
			}
			next = p.To + 1
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.opts.Ending.Done():
			return nil
		case <-moved:
		case <-ticker.C:
			if err := w.Beat(); err != nil {
				return err
			}
		}
	}
}

// watch adds a viewer to a run. For the first viewer, it begins to read the text, from line next
// on. For a viewer who wants earlier lines than that, it begins anew at the first line, so that
// this happens once; earlier viewers keep the reading that they have.
func (s *Server) watch(ctx context.Context, id, next int64) (*tail, error) {
	s.tails.mu.Lock()
	defer s.tails.mu.Unlock()
	t := s.tails.open[id]
	switch {
	case t != nil && t.begun <= next:
	case t == nil && len(s.tails.open) >= maxTails:
		return nil, xxladapter.Conflictf(errorrule.TooManyListeners, "%d runs are watched, must be fewer than %d",
			len(s.tails.open), maxTails)
	default:
		// reading has the rights of the first viewer, and outlasts the call of that viewer.
		reading, stop := context.WithCancel(context.WithoutCancel(ctx))
		begin := next
		if t != nil {
			begin = 1
		}
		t = &tail{begun: begin, stop: stop, ended: make(chan struct{}), moved: make(chan struct{})}
		s.tails.open[id] = t
		go s.readTail(reading, t, id, begin) // the last viewer waits for it, see unwatch
	}
	t.viewers++
	return t, nil
}

// unwatch removes a viewer. The last one ends the reading and waits for that.
func (s *Server) unwatch(id int64, t *tail) {
	s.tails.mu.Lock()
	t.viewers--
	last := t.viewers == 0
	if last && s.tails.open[id] == t {
		delete(s.tails.open, id)
	}
	s.tails.mu.Unlock()
	if last {
		t.stop()
		<-t.ended
	}
}

// readTail reads the text until it has ended, nobody watches it, or the server ends its streams. A
// panic ends the text.
func (s *Server) readTail(ctx context.Context, t *tail, id, next int64) {
	defer close(t.ended)
	var last TailForm
	ended := false
	err := api.Recovered(func() error {
		last, ended = s.readParts(ctx, t, id, next)
		return nil
	})
	if err != nil {
		last, ended = TailForm{End: true, Note: s.unforeseen(id, err)}, true
	}
	if !ended {
		return
	}
	s.tails.mu.Lock()
	if s.tails.open[id] == t {
		delete(s.tails.open, id) // a later viewer starts a new tail
	}
	s.tails.mu.Unlock()
	t.add(last)
}

// readParts adds the parts of the text to t. It returns the last event if the text has ended.
func (s *Server) readParts(ctx context.Context, t *tail, id, next int64) (last TailForm, ended bool) {
	for {
		part, err := s.runLog(ctx, textQuery{api.IDPath{ID: id}, next})
		if ctx.Err() != nil {
			return last, false
		}
		if err == nil && part.To >= next && part.Content != "" {
			t.add(TailForm{From: part.From, To: part.To, Content: part.Content})
			next = part.To + 1
			if !part.End {
				continue // a long text comes in parts
			}
		}
		if last, ended = s.endOfTail(ctx, id, part, err); ended {
			return last, true
		}
		select {
		case <-ctx.Done():
			return last, false
		case <-s.opts.Ending.Done():
			return last, false
		case <-time.After(tailPace):
		}
	}
}

// endOfTail returns the last event if no more of a text will come. More may come while a run waits
// to be accepted by an executor, or its executor does not answer for a while.
func (s *Server) endOfTail(ctx context.Context, id int64, part textForm, err error) (last TailForm, ended bool) {
	var refused *xxladapter.Error
	waits := errors.As(err, &refused) && (refused.Code == xxladapter.CodeConflict ||
		refused.Code == xxladapter.CodeUnreachable)
	if err == nil && !part.End {
		return last, false
	}
	l, logErr := s.Log(ctx, id)
	switch {
	case logErr != nil:
		return TailForm{End: true, Note: api.OneLine(logErr.Error())}, true
	case waits && l.Status() == xxladapter.LogRunning:
		return last, false
	}
	last = TailForm{End: true, Status: l.Status(), Message: l.HandleMsg, Note: part.Note}
	switch {
	case refused != nil:
		last.Note = api.OneLine(refused.Message)
	case err != nil:
		last.Note = s.unforeseen(id, err)
	}
	return last, true
}

// unforeseen logs why a text could not be read, and returns the note that viewers get in its place.
func (s *Server) unforeseen(id int64, err error) (note string) {
	api.LogError(s.opts.Logger, "reading the log of a run failed", err, "run", id)
	return "internal error"
}

// add appends a part and wakes the viewers. The oldest parts are dropped beyond tailKept.
func (t *tail) add(p TailForm) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parts = append(t.parts, p)
	t.size += len(p.Content)
	for t.size > tailKept && len(t.parts) > 1 {
		t.size -= len(t.parts[0].Content)
		t.parts = t.parts[1:]
	}
	close(t.moved)
	t.moved = make(chan struct{})
}

// from returns the parts that have the line next or later ones, and a channel that is closed when
// there are more.
func (t *tail) from(next int64) (parts []TailForm, moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.parts {
		if p.To >= next || p.End {
			parts = append(parts, p)
		}
	}
	return parts, t.moved
}
