package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// startPump has somebody take the job's next run.
func (s *jobs) startPump(j *job) {
	if j.idle != nil {
		j.idle.Stop()
		j.idle = nil
	}
	if j.pumping {
		return
	}
	j.pumping = true
	s.pumps++
	go s.pump(j)
}

// pump does a job's runs one after the other until there are none. Its
// goroutine is the handlers' own; [jobs.abandon] may take the job away from it.
func (s *jobs) pump(j *job) {
	for s.step(j) {
	}
}

// step does one run, or destroys what has ended. It reports whether the pump
// goes on.
func (s *jobs) step(j *job) bool {
	s.mu.Lock()
	if ended := j.ended; len(ended) > 0 {
		j.ended = nil
		s.mu.Unlock()
		for _, w := range ended {
			safely(s.opts.Logger, "destroy", w.handler, func() error { w.handler.destroy(); return nil })
		}
		return true
	}
	if len(j.waiting) == 0 {
		j.pumping = false
		s.pumps--
		s.rest(j)
		if s.stopping && s.pumps == 0 {
			close(s.drained)
		}
		s.mu.Unlock()
		return false
	}
	e := j.waiting[0]
	j.waiting[0] = nil
	j.waiting = j.waiting[1:]
	if len(j.waiting) == 0 {
		j.waiting = nil
	}
	s.queued--
	j.running = e
	e.worker.users++
	init := !e.worker.inited
	e.worker.inited = true
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	s.mu.Unlock()

	// Not before the log id is on disk: otherwise it could run a second time
	// after a crash.
	if e.batch.wait() != nil {
		return s.settle(j, e, nil, 0, "")
	}
	log := s.logs.begin(int64(e.req.LogID), int64(e.req.LogTime))
	log.mark("run %d of job %d begins: handler %s, shard %d/%d, param %q", e.req.LogID, e.req.JobID,
		e.worker.handler.name, e.req.BroadcastIndex, e.req.BroadcastTotal, e.req.Params)
	if init && e.worker.handler.init != nil {
		safely(s.opts.Logger, "init", e.worker.handler, func() error { return e.worker.handler.init(e.ctx) })
	}
	e.startLimit(s)

	returned := false
	defer func() {
		if !returned { // by runtime.Goexit: this goroutine ends
			if s.settle(j, e, log, wire.CodeFail, "handler ended its goroutine without returning") {
				go s.pump(j)
			}
		}
	}()
	code, msg := e.do(log)
	returned = true
	return s.settle(j, e, log, code, msg)
}

// startLimit arms the run's time-out.
func (e *entry) startLimit(s *jobs) {
	limit := e.timeout()
	if limit == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.limit = time.AfterFunc(limit, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stop(e, &stopCause{wire.CodeTimeout, wire.MsgTimeout})
	})
}

func (e *entry) timeout() time.Duration {
	seconds := min(int64(e.req.Timeout), math.MaxInt64/int64(time.Second))
	return time.Duration(max(seconds, 0)) * time.Second
}

// do calls the handler and turns what it does into a result.
func (e *entry) do(log *runLog) (code int, msg string) {
	run := &Run{
		JobID: int64(e.req.JobID), LogID: int64(e.req.LogID), Param: e.req.Params,
		ShardIndex: int(e.req.BroadcastIndex), ShardTotal: int(e.req.BroadcastTotal),
		Triggered: time.UnixMilli(int64(e.req.LogTime)),
		Timeout:   e.timeout(),
		Logger:    slog.New(&runHandler{log: log}),
		log:       log,
	}
	if e.req.ScheduledTime != 0 {
		run.Due = time.UnixMilli(int64(e.req.ScheduledTime))
	}
	defer func() {
		if p := recover(); p != nil {
			log.mark("handler panics: %v\n%s", p, debug.Stack())
			code, msg = wire.CodeFail, fmt.Sprintf("panic: %v", p)
		}
	}()
	ctx := e.ctx
	if run.Timeout > 0 {
		ctx = deadlineContext{ctx, time.Now().Add(run.Timeout)}
	}
	err := e.worker.handler.run(ctx, run)
	switch {
	case errors.Is(err, ErrTimeout):
		return wire.CodeTimeout, err.Error()
	case err != nil:
		return wire.CodeFail, err.Error()
	}
	return run.takeResult()
}

// deadlineContext tells a deadline that somebody else keeps.
type deadlineContext struct {
	context.Context
	at time.Time
}

func (c deadlineContext) Deadline() (time.Time, bool) { return c.at, true }

// settle reports the run, unless that was done when it was abandoned. It
// reports whether this pump goes on. log is nil for a run that was not accepted
// after all.
func (s *jobs) settle(j *job, e *entry, log *runLog, code int, msg string) bool {
	s.mu.Lock()
	e.over = true
	cause, abandoned := e.cause, e.abandoned
	s.mu.Unlock()
	for _, t := range []*time.Timer{e.limit, e.patience} {
		if t != nil {
			t.Stop()
		}
	}
	e.cancel(nil)
	if cause != nil {
		if code == wire.CodeFail && msg != "" && log != nil {
			log.mark("the handler's own result was: %s", msg)
		}
		code, msg = cause.code, cause.msg
	}
	if log != nil {
		log.mark("run ends: code %d%s", code, ifAny(", ", msg))
		log.end(code == wire.CodeOK)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if log != nil && !abandoned {
		s.report(e, code, msg)
	}
	e.worker.users--
	if abandoned {
		j.orphans--
	} else {
		j.running = nil
	}
	s.retire(j, e.worker)
	if abandoned {
		s.rest(j)
	}
	return !abandoned
}

func ifAny(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}
