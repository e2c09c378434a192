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

// startPump starts a pump for the job's next run, unless one is running.
//
// REQUIRES: s.mu is held.
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
	go s.pump(j) // awaitHandlers waits for drained, which the last pump closes
}

// pump does a job's runs one after the other until there are none. Handlers run on its goroutine;
// [jobs.abandon] may take the job away from it.
func (s *jobs) pump(j *job) {
	for s.step(j) {
	}
}

// step does one run, or destroys an ended binding. It reports whether the pump continues.
func (s *jobs) step(j *job) bool {
	s.mu.Lock()
	if len(j.ended) > 0 {
		b := j.ended[0]
		j.ended = j.ended[1:]
		s.mu.Unlock()
		s.destroy(j, b)
		return true
	}
	if len(j.waiting) == 0 {
		j.pumping = false
		s.pumps--
		s.rest(j)
		s.noteDrained()
		s.mu.Unlock()
		return false
	}
	r := j.waiting[0]
	if r.binding != j.binding { // it need not end the runs before it, which have ended
		s.closeBinding(j)
		j.binding = r.binding
		s.mu.Unlock()
		return true
	}
	j.waiting[0] = nil
	j.waiting = j.waiting[1:]
	if len(j.waiting) == 0 {
		j.waiting = nil
	}
	s.queued--
	j.running = r
	r.binding.users++
	init := !r.binding.inited
	r.binding.inited = true
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	s.mu.Unlock()

	// The handler starts once the log id is on disk: otherwise the run could start a second time
	// after a crash.
	if r.batch.wait() != nil {
		if init { // not called: that is left to the next run
			s.mu.Lock()
			r.binding.inited = false
			s.mu.Unlock()
		}
		return s.settle(j, r, nil, 0, "")
	}
	log := s.logs.begin(int64(r.req.LogID), int64(r.req.LogTime))
	log.mark("run %d of job %d starts: handler %s, shard %d/%d, param %q", r.req.LogID, r.req.JobID,
		r.binding.handler.name, r.req.BroadcastIndex, r.req.BroadcastTotal, r.req.Params)
	returned := false
	defer func() {
		if !returned { // runtime.Goexit ends this goroutine
			if s.settle(j, r, log, wire.CodeFail, msgNotReturned) {
				go s.pump(j) // in place of this one; awaitHandlers waits for it as before
			}
		}
	}()
	if init && r.binding.handler.init != nil {
		safely(s.opts.Logger, "handler's init", r.binding.handler, func() error { return r.binding.handler.init(r.ctx) })
	}
	code, msg := wire.CodeFail, ""
	if r.ctx.Err() == nil { // else it was stopped before its handler began, and settle knows why
		r.startLimit(s)
		code, msg = s.do(r, log)
	}
	returned = true
	return s.settle(j, r, log, code, msg)
}

// destroy destroys the handler of an ended binding.
func (s *jobs) destroy(j *job, b *binding) {
	returned := false
	defer func() {
		if !returned { // runtime.Goexit ends this goroutine
			go s.pump(j) // in place of this one; awaitHandlers waits for it as before
		}
	}()
	safely(s.opts.Logger, "handler's destroy", b.handler, func() error { b.handler.destroy(); return nil })
	returned = true
}

// startLimit starts the timer of the run's time limit.
func (r *jobRun) startLimit(s *jobs) {
	limit := r.timeout()
	if limit == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.limit = time.AfterFunc(limit, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stop(r, &stopCause{wire.CodeTimeout, wire.MsgTimeout})
	})
}

func (r *jobRun) timeout() time.Duration {
	seconds := min(int64(r.req.Timeout), math.MaxInt64/int64(time.Second))
	return time.Duration(max(seconds, 0)) * time.Second
}

// msgNotReturned is the result of a run whose handler has called runtime.Goexit.
const msgNotReturned = "handler ended its goroutine without returning"

// do calls the handler and turns its outcome into a result.
func (s *jobs) do(r *jobRun, log *runLog) (code int, msg string) {
	code, msg = wire.CodeFail, msgNotReturned // for end, unless the handler returns or panics
	run := &Run{
		JobID: int64(r.req.JobID), LogID: int64(r.req.LogID), Handler: r.binding.handler.name, Param: r.req.Params,
		ShardIndex: int(r.req.BroadcastIndex), ShardTotal: int(r.req.BroadcastTotal),
		Triggered: time.UnixMilli(int64(r.req.LogTime)),
		Timeout:   r.timeout(), TraceParent: r.req.TraceParent,
		Logger: slog.New(&runHandler{log: log}),
		log:    log,
	}
	if r.req.ScheduledTime != 0 {
		run.Due = time.UnixMilli(int64(r.req.ScheduledTime))
	}
	var end func(code int, msg string)
	defer func() {
		if end != nil {
			safely(s.opts.Logger, "end of Options.Trace", r.binding.handler, func() error {
				end(s.outcome(r, code, msg))
				return nil
			})
		}
	}()
	defer func() {
		if p := recover(); p != nil {
			text := cutMsg(fmt.Sprint(p))
			log.mark("handler panics: %s\n%s", text, debug.Stack())
			code, msg = wire.CodeFail, "panic: "+text
		}
	}()
	ctx := r.ctx
	if s.opts.Trace != nil {
		safely(s.opts.Logger, "Options.Trace", r.binding.handler, func() error {
			ctx, end = s.opts.Trace(ctx, run)
			return nil
		})
	}
	if run.Timeout > 0 {
		ctx = deadlineContext{ctx, time.Now().Add(run.Timeout)}
	}
	err := r.binding.handler.run(ctx, run)
	switch {
	case errors.Is(err, ErrTimeout):
		return wire.CodeTimeout, err.Error()
	case err != nil:
		return wire.CodeFail, err.Error()
	}
	return run.takeResult()
}

// outcome returns the result to report for a run whose handler has ended with the given one. From
// then on the run can no longer be stopped.
func (s *jobs) outcome(r *jobRun, code int, msg string) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.over = true
	if r.cause != nil {
		return r.cause.code, r.cause.msg
	}
	return code, cutMsg(msg)
}

// deadlineContext reports a deadline that another timer enforces.
type deadlineContext struct {
	context.Context
	at time.Time
}

func (c deadlineContext) Deadline() (time.Time, bool) { return c.at, true }

// settle reports the run, unless that was done when it was abandoned. It reports whether this pump
// continues. log is nil for a run that was not accepted after all.
func (s *jobs) settle(j *job, r *jobRun, log *runLog, code int, msg string) bool {
	msg = cutMsg(msg) // the run's log has no limit for the executor's own lines
	s.mu.Lock()
	r.over = true
	cause, abandoned := r.cause, r.abandoned
	s.mu.Unlock()
	for _, t := range []*time.Timer{r.limit, r.patience} {
		if t != nil {
			t.Stop()
		}
	}
	r.cancel(nil)
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
		s.report(r, code, msg)
	}
	r.binding.users--
	if abandoned {
		j.orphans--
	} else {
		j.running = nil
	}
	s.retire(j, r.binding)
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
