package hashedwheel

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// minStall is the least time that a task runs before it counts as stalling the
// wheel. A preempted goroutine is off its processor for about as long.
const minStall = 10 * time.Millisecond

const (
	// quickPace is the time between two looks of the watch after a hand-over, and leastPace the
	// least that it falls to while hand-overs follow each other.
	quickPace = time.Millisecond
	leastPace = time.Millisecond / 8
)

// A turn says which worker serves the wheel, whether it is inside user code, and how
// many timeouts all workers have fired.
//
//	63       48   47   46     39 38              0
//	┌──────────┬──────┬─────────┬──────────────────┐
//	│  worker  │ user │  told   │      fired       │
//	└──────────┴──────┴─────────┴──────────────────┘
//
// The worker sets the user bit when it calls a task, and clears it when the task
// returns. In between it touches nothing of the engine, so the wheel can be given
// to a new worker, with the rest of the batch, by one compare-and-swap; the old
// worker notices when it cannot clear its bit, and ends. That is how a task that
// takes long delays nobody else, without a goroutine for each task.
//
// Two equal turns with the user bit, seen apart, are the same call: fired counts the runs, and
// told the calls of Cancelled, which would have to be a multiple of 256 in between.
type turn uint64

const (
	firedBits = 39
	firedMask = turn(1)<<firedBits - 1
	toldBits  = 8
	oneTold   = turn(1) << firedBits
	toldMask  = oneTold * (1<<toldBits - 1)
	userTurn  = turn(1) << (firedBits + toldBits)
	oneWorker = userTurn << 1
)

func (t turn) worker() uint16 { return uint16(t / oneWorker) }
func (t turn) fired() int64   { return int64(t & firedMask) }
func (t turn) user() bool     { return t&userTurn != 0 }

// A worker is one goroutine's claim on the wheel. Its fields are its own, except
// that the one who takes over reads them, while the worker is inside user code and
// they do not change.
type worker struct {
	engine *engine

	// turn is what the worker has last made of the engine's turn, on the way into user code. Its
	// worker counts modulo 1<<16: with the runs and calls that are counted beside it, no worker
	// finds its own turn again.
	turn turn

	batch   []*Timeout // taken out of the wheel, linked all the same, not yet looked at
	notices []call     // cancellations still to be told of
	room    []*Timeout // where batches lie
	tick    uint64     // the tick being worked on
	since   uint64     // the tick at which the worker took over
	busiest int        // the most that the wheel held, when the worker lay down, since it shrank
	late    lateness

	// current is the call that the worker is inside. It stays the worker's own when
	// another takes over.
	current call
}

// enter marks the beginning of user code: of a run if told is false, of a call of Cancelled
// otherwise.
//
// REQUIRES: it is w's turn, outside user code.
func (w *worker) enter(told bool) {
	if told {
		w.turn = w.turn&^toldMask | (w.turn+oneTold)&toldMask
	} else {
		w.turn = w.turn&^firedMask | (w.turn+1)&firedMask
	}
	w.turn |= userTurn
	w.engine.turn.Store(uint64(w.turn))
}

// exit marks the end of user code. It returns false if another worker has taken
// over; w must not touch the engine any more.
func (w *worker) exit() bool {
	return w.engine.turn.CompareAndSwap(uint64(w.turn), uint64(w.turn&^userTurn))
}

// begin makes batch, and notices, the worker's batch.
func (w *worker) begin(batch []*Timeout, notices []call) {
	w.batch, w.notices = batch, notices
	if w.tick > w.since+awakeTicks && w.engine.pace.Load() != 0 {
		w.engine.pace.Store(0)
	}
	w.engine.guard()
}

// guard sets the watch over what is about to be called, if it is not set.
func (e *engine) guard() {
	if !e.underWay.Load() {
		e.underWay.Store(true)
		e.watch.Reset(e.patience())
	}
}

// patience returns the time until the watch's next look.
func (e *engine) patience() time.Duration {
	if pace := time.Duration(e.pace.Load()); pace != 0 {
		return pace
	}
	return e.stall
}

// relax ends what guard has begun.
func (e *engine) relax() {
	e.underWay.Store(false)
	e.watch.Stop()
}

// finishBatch goes through what is left of the batch. It returns false if another worker
// has taken over.
func (w *worker) finishBatch() bool {
	for {
		switch w.runBatch() {
		case batchDone:
			w.late.publish(&w.engine.tally)
			return true
		case turnLost:
			w.late.publish(&w.engine.tally)
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
		if w.current.t == nil {
			return
		}
		if r := recover(); r != nil {
			c := w.current
			w.current = call{}
			e.panicked(c, r)
			end = taskPanicked
			if !w.exit() {
				end = turnLost
			}
			e.ran(c)
		}
	}()
	for len(w.batch) > 0 {
		if e.halting.Load() {
			return batchDone
		}
		t := w.batch[0]
		s := t.load()
		switch {
		case s.phase() != armed: // cancelled since it was filed
			if t.cas(s, s&^linked) {
				w.pop()
			}
		case s.tick() > w.tick: // armed again, for later, since it was filed
			w.pop()
			t.at = e.wheel.Add(s.tick(), t)
		default:
			if !w.fire(t, s) {
				return turnLost
			}
		}
	}
	for len(w.notices) > 0 {
		if e.halting.Load() {
			return batchDone
		}
		w.current, w.notices[0] = w.notices[0], call{}
		w.notices = w.notices[1:]
		w.enter(true)
		w.current.task.(canceller).Cancelled(w.current.t)
		w.current = call{}
		if !w.exit() {
			return turnLost
		}
	}
	return batchDone
}

// pop takes the first timeout out of the batch. The collector shall not see it there any more.
func (w *worker) pop() {
	w.batch[0] = nil
	w.batch = w.batch[1:]
}

// fire runs the task of t, which is due, unless somebody has just changed its state. It
// returns false if another worker has taken over in the meantime.
func (w *worker) fire(t *Timeout, s state) bool {
	e := w.engine
	var task TimerTask
	var ok bool
	if s&periodic == 0 {
		n := s.in(expired) &^ linked
		if e.limit > 0 {
			n |= placed
		}
		task, ok = t.claim(s, n)
	} else {
		task, ok = e.claimPeriodic(t, s)
	}
	if !ok {
		return true // look again
	}
	if e.limit > 0 {
		e.inside.Add(1)
	}
	w.pop()
	if s&periodic != 0 {
		e.repeats.Add(1)
	}
	w.late.add(e, s)
	c := call{t, task}
	w.current = c
	w.enter(false)
	if e.executor == nil {
		task.Run(t)
	} else {
		e.execute(c)
	}
	w.current = call{}
	kept := w.exit()
	if e.executor == nil && (s&periodic != 0 || e.limit > 0) { // others have nothing to end
		e.ran(c)
	}
	return kept
}

// panicked reports a panic in user code.
func (e *engine) panicked(c call, r any) {
	e.tally.panicked.Add(1)
	e.logger.Error("hashedwheel: task panicked", "task", fmt.Sprintf("%T", c.task), "panic", r, "stack", string(debug.Stack()))
}

// tellCancelled calls the Cancelled method of a task, outside the worker.
func (e *engine) tellCancelled(c call) {
	defer func() {
		if r := recover(); r != nil {
			e.panicked(c, r)
		}
	}()
	c.task.(canceller).Cancelled(c.t)
}

// launchLocked starts w, whose turn it must be.
//
// REQUIRES: e.mu is held.
func (e *engine) launchLocked(w *worker) {
	if w.room == nil {
		w.room = make([]*Timeout, 0, batchLen)
	}
	e.mu.current = w
	e.ended.Add(1)
	go func() {
		id := goroutineID()
		e.mu.Lock()
		e.mu.workers[id] = w
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
	c := w.current
	if c.t == nil {
		return
	}
	e.mu.Lock()
	if tn := turn(e.turn.Load()); tn.worker() == w.turn.worker() {
		e.takeOverLocked(tn)
	}
	e.mu.Unlock()
	w.late.publish(&e.tally)
	e.ran(c)
}

// takeOverLocked gives the wheel to a new worker if the turn is still tn.
//
// REQUIRES: e.mu is held; tn is inside user code.
func (e *engine) takeOverLocked(tn turn) {
	old := e.mu.current
	next := turn(tn.worker()+1)*oneWorker | tn&(toldMask|firedMask)
	if !e.turn.CompareAndSwap(uint64(tn), uint64(next)) {
		return // the task has returned
	}
	w := &worker{engine: e, turn: next, room: make([]*Timeout, 0, batchLen), tick: old.tick, since: old.tick}
	w.batch = append(w.room, old.batch...)
	w.notices = slices.Clone(old.notices)
	e.tally.handOvers.Add(1)
	e.launchLocked(w)
}

// checkStall runs while a batch is under way, every pace. If the same call is running as the
// last time, it gives the wheel to a new worker.
//
// Where one task stalls the worker, others may follow, and each would hold up the rest for two
// looks. So after a hand-over the watch looks sooner, and sooner still after the next, and becomes
// as patient as before when it has found nothing for a few looks or ticks.
func (e *engine) checkStall() {
	e.mu.Lock()
	defer e.mu.Unlock()
	tn := turn(e.turn.Load())
	if e.halting.Load() {
		return
	}
	pace := e.patience()
	if tn.user() && e.mu.sampled == uint64(tn) {
		e.takeOverLocked(tn)
		pace = max(min(pace/2, quickPace), leastPace)
	} else {
		pace *= 2
	}
	if pace >= e.stall || pace < 0 {
		pace = 0
	}
	e.pace.Store(int64(pace))
	e.mu.sampled = uint64(tn)
	if e.underWay.Load() {
		e.watch.Reset(e.patience())
	}
}

// A tally holds what the worker counts, for Stats.
type tally struct {
	fired     atomic.Int64 // published after each batch
	panicked  atomic.Int64
	refused   atomic.Int64 // by the executor
	handOvers atomic.Int64
	late      [lateBuckets]atomic.Int64
	maxLate   atomic.Int64
	lag       atomic.Int64 // how late the last batch began
}
