package executor

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// errStopping refuses runs while the executor stops.
var errStopping = errors.New(wire.MsgStopping)

// A refusal is the text with which a run is refused.
type refusal string

func (r refusal) Error() string { return string(r) }

// jobs holds the queue of every job that has runs, or had some a short while ago. One lock guards
// all of them: no operation under it waits for the disk or a handler, and accepting a run, an idle
// job's end, a kill and a stop exclude each other.
//
// Lock order: mu before that of the journal, and before that of a run's log.
type jobs struct {
	journal *journal
	logs    *runLogs
	opts    *Options
	keep    bool // keep results, for an admin
	// ended is called for each result while mu is held: it must not wait, and must not call jobs.
	// Nil calls nothing. It is set before the first run; the fields above never change.
	ended func()

	mu       sync.Mutex // guards the fields below, and every job, binding and jobRun that they lead to
	byID     map[int64]*job
	queued   int // waiting runs of all jobs
	pumps    int // jobs whose pump is running
	stopping bool
	drained  chan struct{} // closed once stopping is set and pumps is 0
}

func newJobs(j *journal, logs *runLogs, o *Options) *jobs {
	return &jobs{
		journal: j, logs: logs, opts: o, keep: o.hasSchedulers(),
		byID: map[int64]*job{}, drained: make(chan struct{}),
	}
}

// job is the queue of one job. At most one goroutine, its pump, takes runs from it.
//
// Invariant: the runs in waiting belong to binding, up to the first one that has a binding of its
// own to replace it; those from there on belong to that one, up to the next such run.
type job struct {
	id      int64
	binding *binding // nil means none; the next run creates one
	waiting []*jobRun
	running *jobRun // nil means none, or only abandoned ones
	orphans int     // abandoned runs that have not returned
	pumping bool
	ended   []*binding  // the pump has to call their destroy
	idle    *time.Timer // ends the binding; nil while the pump runs
}

// binding binds a job to a handler for a while: from the first run to the next idle end, kill,
// cover or change. It corresponds to a job thread of XXL-JOB; init and destroy are called once in
// its life.
type binding struct {
	handler *handler
	glue    glueVersion // zero for BEAN
	inited  bool
	closed  bool
	users   int // runs that have not returned, including abandoned ones
}

// jobRun is one accepted run, from its acceptance to its result.
type jobRun struct {
	req     *wire.RunRequest
	binding *binding
	batch   *batch
	ends    string // why it ends the runs before it once it is on disk; empty if it does not

	// Unset until the run starts. Nothing changes once over is set.
	ctx       context.Context
	cancel    context.CancelCauseFunc
	cause     *stopCause  // nil means that it was not stopped
	limit     *time.Timer // executorTimeout
	patience  *time.Timer // AbandonAfter
	abandoned bool
	over      bool
}

// submit accepts a run for a handler, or says why not. The returned function waits until the log id
// is on disk: runs that are submitted before the first of them is waited for share a sync.
func (s *jobs) submit(req *wire.RunRequest, h *handler, glue glueVersion) (wait func() error) {
	r, err := s.enqueue(req, h, glue, nil)
	return func() error {
		for {
			if err == nil {
				return s.stored(r, h)
			}
			if !errors.Is(err, errSeen) {
				return err
			}
			// The earlier request may still fail to reach the disk; then this one takes its place.
			if s.journal.accepted(int64(req.LogID), int64(req.LogTime)) {
				return errSeen
			}
			r, err = s.enqueue(req, h, glue, nil)
		}
	}
}

// stored waits until a run is on disk. Only then may it end the runs before it.
func (s *jobs) stored(r *jobRun, h *handler) error {
	err := r.batch.wait()
	switch {
	case err != nil:
		s.withdraw(r)
	case r.ends != "":
		s.replace(r, h)
	}
	return err
}

// withdraw takes a run that cannot be stored out of its job's queue: whatever ends the runs before
// it must not report it. One that the pump has taken ends there.
func (s *jobs) withdraw(r *jobRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.byID[int64(r.req.JobID)]
	if j == nil {
		return
	}
	if i := slices.Index(j.waiting, r); i >= 0 {
		j.waiting = slices.Delete(j.waiting, i, i+1)
		s.queued--
	}
}

// A resolved holds the handler for a request, or the reason for refusing it.
type resolved struct {
	handler *handler
	glue    glueVersion
	refused string // empty means that handler is set
}

// begin queues a run that the journal accepted in batch b. A run that is refused at this point gets
// a failed result, because a scheduler has given it to this executor.
func (s *jobs) begin(req *wire.RunRequest, b *batch, by resolved) {
	msg := by.refused
	if msg == "" {
		_, err := s.enqueue(req, by.handler, by.glue, b)
		if err == nil {
			return
		}
		msg = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report(&jobRun{req: req}, wire.CodeFail, msg)
}

// enqueue puts a run into its job's queue. accepted is the batch of the journal that has it; nil
// means that it is not in the journal yet.
func (s *jobs) enqueue(req *wire.RunRequest, h *handler, glue glueVersion, accepted *batch) (*jobRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, logID, logTime := int64(req.JobID), int64(req.LogID), int64(req.LogTime)
	// Checked before any other refusal: a scheduler that sends a run again because it got no answer
	// must learn that the run was accepted.
	if accepted == nil && s.journal.seen(logID, logTime) {
		return nil, errSeen
	}
	if s.stopping {
		return nil, errStopping
	}
	j := s.byID[id]
	last := j.last()
	same := last != nil && last.glue == glue &&
		(last.handler == h || glue != glueVersion{}) // one version may have several handlers
	busy := same && (j.running != nil || len(j.waiting) > 0)
	covers := xxladapter.BlockStrategy(req.BlockStrategy) == xxladapter.BlockCoverEarly
	switch {
	case busy && xxladapter.BlockStrategy(req.BlockStrategy) == xxladapter.BlockDiscardLater:
		return nil, refusal(wire.MsgDiscardLater)
	case s.queued >= s.opts.MaxQueued && !(busy && covers):
		return nil, refusal("executor queue is full")
	}
	b := accepted
	if b == nil {
		var err error
		if b, err = s.journal.accept(logID, id, logTime, time.Now()); err != nil {
			return nil, err
		}
	}
	if j == nil {
		j = &job{id: id}
		s.byID[id] = j
	}
	r := &jobRun{req: req, binding: last, batch: b}
	switch {
	case last != nil && !same && glue == (glueVersion{}):
		r.ends = reasonHandlerChanged
	case last != nil && !same:
		r.ends = reasonSourceChanged
	case busy && covers:
		r.ends = wire.MsgCoverEarly
	}
	if r.ends != "" && accepted != nil { // it is on disk
		s.unbind(j, r.ends)
		r.ends, same = "", false
	}
	if !same {
		r.binding = &binding{handler: h, glue: glue}
	}
	if j.binding == nil {
		j.binding = r.binding
	}
	j.waiting = append(j.waiting, r)
	s.queued++
	s.startPump(j)
	return r, nil
}

// last returns the binding of the job's latest run; nil if there is none.
//
// REQUIRES: the mutex of jobs is held.
func (j *job) last() *binding {
	switch {
	case j == nil:
		return nil
	case len(j.waiting) > 0:
		return j.waiting[len(j.waiting)-1].binding
	}
	return j.binding
}

// replace ends the runs of the job before r, with their binding, now that r is on disk.
func (s *jobs) replace(r *jobRun, h *handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.byID[int64(r.req.JobID)]
	if j == nil {
		return
	}
	i := slices.Index(j.waiting, r)
	if i < 0 {
		return // it has begun, or was ended
	}
	was, later := j.binding, j.waiting[i:]
	j.waiting = j.waiting[:i]
	s.unbind(j, r.ends)
	j.binding = r.binding
	if j.binding == was { // covered, by the same handler
		j.binding = &binding{handler: h, glue: was.glue}
		for _, w := range later {
			if w.binding == was {
				w.binding = j.binding
			}
		}
	}
	j.waiting = later
}

// Reasons why runs are stopped, in addition to those in wire. The texts are XXL-JOB's.
const (
	reasonHandlerChanged = "change jobhandler or glue type, and terminate the old job thread."
	reasonSourceChanged  = "change job source or glue type, and terminate the old job thread."
	reasonStopping       = "web container destroy and kill the job."

	suffixRunning = " [job running, killed]"
	suffixWaiting = " [job not executed, in the job queue, killed.]"
)

// kill ends the running and the waiting runs of a job. It returns false if there was nothing, not
// even an idle handler. It does not wait.
func (s *jobs) kill(jobID int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.byID[jobID]
	if j == nil || j.binding == nil {
		return false
	}
	s.unbind(j, wire.MsgKilledByAdmin)
	s.rest(j)
	return true
}

// busy reports whether a job has a running or waiting run.
func (s *jobs) busy(jobID int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.byID[jobID]
	return j != nil && (j.running != nil || len(j.waiting) > 0)
}

func (s *jobs) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// unbind stops all runs of the job's binding and removes it.
//
// REQUIRES: s.mu is held.
func (s *jobs) unbind(j *job, reason string) {
	s.dropWaiting(j, reason)
	if r := j.running; r != nil && r.binding == j.binding {
		s.stop(r, &stopCause{wire.CodeFail, reason + suffixRunning})
	}
	s.closeBinding(j)
}

// dropWaiting reports every waiting run as not executed, except those that the journal could not
// store. It forgets the result of one that it cannot store later.
//
// REQUIRES: s.mu is held.
func (s *jobs) dropWaiting(j *job, reason string) {
	waiting := j.waiting
	j.waiting = nil
	s.queued -= len(waiting)
	for _, r := range waiting {
		if r.batch.written() && r.batch.err != nil {
			continue
		}
		s.report(r, wire.CodeFail, reason+suffixWaiting)
	}
}

// closeBinding removes the binding from the job. Its destroy is called once no run uses it.
//
// REQUIRES: s.mu is held.
func (s *jobs) closeBinding(j *job) {
	b := j.binding
	j.binding = nil
	b.closed = true
	s.retire(j, b)
}

// retire hands a closed binding without users to the pump.
//
// REQUIRES: s.mu is held.
func (s *jobs) retire(j *job, b *binding) {
	if !b.closed || b.users > 0 || !b.inited {
		return
	}
	b.inited = false // destroyed once
	if b.handler.destroy == nil {
		return
	}
	j.ended = append(j.ended, b)
	s.startPump(j)
}

// report stores a run's result.
//
// REQUIRES: s.mu is held.
func (s *jobs) report(r *jobRun, code int, msg string) {
	if s.ended != nil {
		s.ended()
	}
	if !s.keep {
		s.journal.done(int64(r.req.LogID))
		return
	}
	s.journal.finish(result{
		logID: int64(r.req.LogID), jobID: int64(r.req.JobID), logTime: int64(r.req.LogTime),
		code: int64(code), msg: cutMsg(msg),
	})
}

// stop cancels a run in progress. Only the first cause counts.
//
// REQUIRES: s.mu is held.
func (s *jobs) stop(r *jobRun, cause *stopCause) {
	if r.over || r.abandoned || r.cause != nil {
		return
	}
	r.cause = cause
	r.cancel(cause)
	if s.opts.AbandonAfter > 0 {
		r.patience = time.AfterFunc(s.opts.AbandonAfter, func() { s.abandon(r) })
	}
}

// abandon gives up a run whose handler ignores its cancellation: the run is reported, and another
// pump starts the job's next run.
func (s *jobs) abandon(r *jobRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.over || r.abandoned {
		return
	}
	r.abandoned = true
	j := s.byID[int64(r.req.JobID)]
	s.opts.Logger.Warn("handler ignores that its context is cancelled; the job continues without it",
		"job", j.id, "run", int64(r.req.LogID), "handler", r.binding.handler.name, "cause", r.cause.msg)
	s.report(r, r.cause.code, r.cause.msg)
	j.running = nil
	j.orphans++
	// The new pump takes the old one's place in pumps, and awaitHandlers waits for it. Nothing
	// waits for the old goroutine, which belongs to the handler until it returns: Go cannot end it.
	go s.pump(j)
}

// drain refuses further runs, reports those that wait, and closes every binding. The returned
// channel is closed when no handler is running, apart from abandoned ones.
func (s *jobs) drain() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return s.drained
	}
	s.stopping = true
	for _, j := range s.byID {
		s.dropWaiting(j, reasonStopping)
		if j.binding != nil {
			s.closeBinding(j)
		}
		s.rest(j)
	}
	s.noteDrained()
	return s.drained
}

// noteDrained closes drained, unless a pump is running. A pump may start and end after that, to
// destroy the handler of an abandoned run that returns late.
//
// REQUIRES: s.mu is held.
func (s *jobs) noteDrained() {
	if !s.stopping || s.pumps > 0 {
		return
	}
	select {
	case <-s.drained:
	default:
		close(s.drained)
	}
}

// stopRunning cancels every run in progress.
func (s *jobs) stopRunning() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.byID {
		if j.running != nil {
			s.stop(j.running, &stopCause{wire.CodeFail, reasonStopping + suffixRunning})
		}
	}
}

// rest lets a job that has nothing to do wait for its next run or its idle end, or forgets it. A
// job that is at work stays as it is.
//
// REQUIRES: s.mu is held.
func (s *jobs) rest(j *job) {
	switch {
	case j.pumping:
	case j.binding != nil && j.idle == nil:
		b := j.binding
		j.idle = time.AfterFunc(s.opts.IdleAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if j.binding == b && !j.pumping {
				s.closeBinding(j)
				s.rest(j)
			}
		})
	case j.binding == nil && j.orphans == 0:
		if j.idle != nil {
			j.idle.Stop()
			j.idle = nil
		}
		delete(s.byID, j.id)
	}
}

// safely calls a function whose failures are only logged: a handler's init or destroy, or the trace
// of a run of it.
func safely(logger *slog.Logger, what string, h *handler, f func() error) {
	defer func() {
		if p := recover(); p != nil {
			logger.Error(what+" panicked", "handler", h.name, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	if err := f(); err != nil {
		logger.Error(what+" failed", "handler", h.name, "err", err)
	}
}
