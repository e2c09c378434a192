package hashedwheel

import (
	"fmt"
	"runtime/debug"
	"time"

	"go.uber.org/atomic"
)

// minStall is the least time that a task runs before it counts as stalling the
// wheel. A preempted goroutine is off its processor for about as long.
const minStall = 10 * time.Millisecond

// A turn says which worker serves the wheel, whether it is among user code, and how
// many batch entries all workers have taken.
//
//	63       40   39    38               0
//	┌──────────┬──────┬──────────────────┐
//	│  worker  │ user │      taken       │
//	└──────────┴──────┴──────────────────┘
//
// A worker takes due timeouts out of the wheel in batches. While it goes through
// a batch it is among user code: it touches its batch, states of timeouts and this
// word, and nothing else of the engine. So at any moment of that time the wheel
// can be given to a new worker, with the rest of the batch, by one
// compare-and-swap; the old worker notices when its next one fails, and ends. That is
// how a task that takes long delays nobody else, without a goroutine for each task.
//
// Taken never repeats (it wraps after 2^39), so two equal turns seen apart are the
// same task.
type turn uint64

const (
	takenBits = 39
	takenMask = turn(1)<<takenBits - 1
	userTurn  = turn(1) << takenBits
)

func (t turn) worker() uint32 { return uint32(t >> (takenBits + 1)) }
func (t turn) taken() uint64  { return uint64(t & takenMask) }
func (t turn) user() bool     { return t&userTurn != 0 }

func newTurn(worker uint32, taken uint64) turn {
	return turn(worker)<<(takenBits+1) | turn(taken)&takenMask
}

// A worker is one goroutine's claim on the wheel. Its fields are its own, except
// that the one who takes over reads the batch, which does not change while
// the worker is among user code.
type worker struct {
	engine *engine
	id     uint32

	batch   []*Timeout
	notices bool   // the batch is to be told of cancellations, not to be fired
	base    uint64 // taken, when the batch began

	tick    uint64   // the tick being worked on
	current *Timeout // whose task is running
	late    lateness
}

func (w *worker) load() turn { return turn(w.engine.turn.Load()) }
func (w *worker) cas(from, to turn) bool {
	return w.engine.turn.CompareAndSwap(uint64(from), uint64(to))
}

// next is the batch index that turn t stands for.
func (w *worker) next(t turn) int { return int((t.taken() - w.base) & uint64(takenMask)) }

// rest returns what the worker has not taken of its batch.
func (w *worker) rest() []*Timeout { return w.batch[min(w.next(w.load()), len(w.batch)):] }

// begin makes batch the worker's batch.
//
// REQUIRES: it is w's turn, and w is not among user code.
func (w *worker) begin(batch []*Timeout, notices bool) {
	w.batch, w.notices = batch, notices
	w.base = w.load().taken()
	w.engine.watch.Reset(w.engine.stall)
}

// finishBatch goes through what is left of the batch. It returns false if another worker
// has taken over. Afterwards w is not among user code.
func (w *worker) finishBatch() bool {
	for {
		switch w.runBatch() {
		case batchDone:
			return true
		case turnLost:
			return false
		case taskPanicked:
		}
	}
}

type batchEnd int

const (
	batchDone batchEnd = iota
	turnLost
	taskPanicked
)

// runBatch goes through the batch until its end, the loss of the turn or a panic.
// One recover serves the whole batch: a deferred call for each task would cost more than
// the rest.
func (w *worker) runBatch() (end batchEnd) {
	e := w.engine
	defer func() {
		if r := recover(); r != nil {
			t := w.current
			w.current = nil
			e.panicked(t, r)
			e.rearm(t)
			end = taskPanicked
		}
		w.late.publish(&e.tally)
	}()
	for {
		tn := w.load()
		if tn.worker() != w.id {
			return turnLost
		}
		i := w.next(tn)
		if i >= len(w.batch) || e.halting.Load() {
			if tn.user() && !w.cas(tn, tn&^userTurn) {
				return turnLost
			}
			if i >= len(w.batch) {
				clear(w.batch)
				w.batch = w.batch[:0]
			}
			return batchDone
		}
		t := w.batch[i]
		if w.notices {
			if !w.cas(tn, w.after(tn)|userTurn) {
				return turnLost
			}
			w.current = t
			t.task.(canceller).Cancelled(t)
			w.current = nil
			continue
		}
		s := t.load()
		switch {
		case s&linked == 0:
			// The worker before this one fired it and lost its turn to the watch.
			if !w.cas(tn, w.after(tn)) {
				return turnLost
			}

		case s.phase() != armed:
			// Cancelled since it was filed.
			if t.cas(s, s&^linked) && !w.cas(tn, w.after(tn)) {
				return turnLost
			}

		case s.tick() > w.tick:
			// Armed again, for later, since it was filed. The wheel is the
			// worker's own only outside user code.
			if tn.user() {
				if !w.cas(tn, tn&^userTurn) {
					return turnLost
				}
				tn &^= userTurn
			}
			t.at = e.wheel.add(s.tick(), t)
			if !w.cas(tn, w.after(tn)) {
				return turnLost
			}

		default:
			if !w.fire(t, s, tn) {
				return turnLost
			}
		}
	}
}

// after is turn t with one more taken.
func (w *worker) after(t turn) turn { return t&^takenMask | (t+1)&takenMask }

// fire runs the task of t, which is due, unless somebody has just changed its state. It
// returns false if the turn is lost.
func (w *worker) fire(t *Timeout, s state, tn turn) bool {
	e := w.engine
	n := s.in(expired) &^ linked
	if s&periodic != 0 {
		n = s.in(running) &^ linked
	}
	if !t.cas(s, n) {
		return true // look again
	}
	// From here on this worker owns the run, with or without the turn.
	kept := w.cas(tn, w.after(tn)|userTurn)
	if s&periodic == 0 {
		e.finished.Inc()
		e.release()
	}
	w.late.add(e, s)
	w.current = t
	if e.executor == nil {
		t.task.Run(t)
	} else {
		e.execute(t)
	}
	w.current = nil
	if s&periodic != 0 && e.executor == nil {
		e.rearm(t)
	}
	return kept
}

// panicked reports a panic in user code.
func (e *engine) panicked(t *Timeout, r any) {
	e.tally.panicked.Inc()
	var task TimerTask
	if t != nil {
		task = t.task
	}
	e.logger.Error("hashedwheel: task panicked", "task", fmt.Sprintf("%T", task), "panic", r, "stack", string(debug.Stack()))
}

// tellCancelled calls the Cancelled method of t's task, outside the worker.
func (e *engine) tellCancelled(t *Timeout) {
	defer func() {
		if r := recover(); r != nil {
			e.panicked(t, r)
		}
	}()
	t.task.(canceller).Cancelled(t)
}

// launchLocked starts w, whose turn it must be.
//
// REQUIRES: e.mu is held.
func (e *engine) launchLocked(w *worker) {
	if w.batch == nil {
		w.batch = make([]*Timeout, 0, batchLen)
	}
	e.mu.current = w
	e.ended.Add(1)
	go func() {
		id := goroutineID()
		e.mu.Lock()
		e.mu.workers[id] = struct{}{}
		e.mu.Unlock()
		defer func() {
			e.mu.Lock()
			delete(e.mu.workers, id)
			e.mu.Unlock()
			e.ended.Done()
		}()
		w.work()
	}()
}

// leave is the end of a worker. If its task has called runtime.Goexit, a new
// worker goes on.
func (w *worker) leave() {
	e := w.engine
	tn := w.load()
	if tn.worker() == w.id && tn.user() {
		e.mu.Lock()
		e.takeOverLocked(tn)
		e.mu.Unlock()
	}
	if t := w.current; t != nil {
		e.rearm(t)
	}
}

// takeOverLocked gives the wheel to a new worker if the turn is still tn.
//
// REQUIRES: e.mu is held; tn is among user code.
func (e *engine) takeOverLocked(tn turn) {
	old := e.mu.current
	if old.id != tn.worker() {
		return
	}
	w := &worker{engine: e, id: (old.id + 1) & (1<<(63-takenBits) - 1), notices: old.notices, base: tn.taken(), tick: old.tick}
	w.batch = append(make([]*Timeout, 0, batchLen), old.batch[min(old.next(tn), len(old.batch)):]...)
	if !old.cas(tn, newTurn(w.id, tn.taken())) {
		return
	}
	e.tally.handOvers.Inc()
	e.launchLocked(w)
}

// checkStall runs while a batch is under way. If the same task is running as the
// last time, it gives the wheel to a new worker.
func (e *engine) checkStall() {
	e.mu.Lock()
	defer e.mu.Unlock()
	tn := turn(e.turn.Load())
	if !tn.user() || e.halting.Load() {
		return
	}
	if e.mu.sampled == uint64(tn) {
		e.takeOverLocked(tn)
	}
	e.mu.sampled = uint64(tn)
	e.watch.Reset(e.stall)
}

// A tally holds what the worker counts, for Stats.
type tally struct {
	fired     atomic.Int64 // runs, periodic ones included
	panicked  atomic.Int64
	refused   atomic.Int64 // by the executor
	handOvers atomic.Int64
	wakeUps   atomic.Int64
	late      [lateBuckets]atomic.Int64
	maxLate   atomic.Int64
	lag       atomic.Int64 // how late the last batch began
}
