package hashedwheel

import (
	"fmt"
	"runtime/debug"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// A worker is one goroutine's claim on the wheel. Only that goroutine uses the fields, except that
// a take-over reads some of them while the worker is inside user code, where it does not change
// those.
type worker struct {
	engine *engine

	// owned is the ownership that the worker last stored in the engine, on the way into user code.
	// Worker numbers wrap at 1<<16; the counts of runs and calls beside the number keep a worker
	// from meeting its own ownership again.
	owned ownership

	batch   []*Timeout // taken out of the wheel, still linked, not yet processed
	notices []call     // calls of Cancelled still to be made
	room    []*Timeout // the memory of batches
	tick    uint64     // the tick being worked on
	since   uint64     // the tick at which the worker took over
	busiest int        // the largest size of the wheel before a sleep, since the last shrink
	late    lateness

	// current is the call that the worker is inside, and telling says that it is one of Cancelled,
	// which is no run. Both stay the worker's own when another takes over.
	current call
	telling bool
}

type batchEnd int

const (
	batchDone batchEnd = iota
	wheelLost
	taskPanicked
)

const (
	// maxTransfersPerPass bounds how many queued timeouts one pass files, so that a goroutine
	// adding in a loop cannot keep the pass from cancellations or, in a Batch, from what is due.
	// Netty has the same value, but waits for the next tick before it files more; here a pass
	// follows at once while a backlog remains.
	maxTransfersPerPass = 100_000

	// transfersPerCheck is how many timeouts the worker files before it checks again what is due,
	// so that a burst delays that by the filing of so many at most.
	transfersPerCheck = 4096

	// batchLen is how many timeouts are taken out of the wheel at a time. Their states are
	// independent loads, which overlap; 256 showed no gain over 128.
	batchLen = 128
)

// work makes passes, and sleeps where there is nothing to do; each worker goroutine runs it.
func (w *worker) work() {
	defer w.leave()
	e := w.engine
	for w.finishBatch() {
		if e.underWay.Load() {
			e.relax() // another worker had the wheel in the middle of the batch that is now done
		}
		if e.clock.halting.Load() {
			return
		}
		if !w.pass(e.clock.floor(e.clock.now())) {
			return
		}
		if e.timeouts.n == 0 && e.cancels.n == 0 {
			if e.wheel.Size() == 0 && w.tick >= e.active+awakeTicks && w.busiest > segmentLen {
				e.wheel.Shrink()
				e.intake.trim()
				e.group, w.busiest = nil, 0
			}
			w.busiest = max(w.busiest, e.wheel.Size())
			e.clock.park(w.tick, e.active, e.wheel.Next(), e.intake.empty)
		}
	}
}

// pass brings the wheel to a tick: it files what callers have left, fires what is due, and takes
// out what was cancelled. It returns false if the timer ends or another worker has taken over.
func (w *worker) pass(tick uint64) bool {
	e := w.engine
	w.tick = tick
	e.clock.hand.Store(tick)
	transferred := e.take(laneTimeouts, &e.timeouts)
	for left := maxTransfersPerPass; ; {
		n := e.transfer(&e.timeouts, min(left, transfersPerCheck))
		transferred += n
		left -= n
		// If the timer's end has interrupted a batch, its timeouts are linked but not in the wheel,
		// and nothing more may be filed.
		if !w.expire() || e.clock.halting.Load() {
			return false
		}
		if left == 0 || e.timeouts.n == 0 {
			break
		}
		w.tick = max(w.tick, e.clock.floor(e.clock.now()))
	}
	transferred += e.take(laneCancels, &e.cancels)
	transferred += e.transfer(&e.cancels, maxTransfersPerPass)
	if !w.callNotices() {
		return false
	}
	if transferred > 0 {
		e.active = w.tick
	}
	return true
}

// transfer processes the timeouts in a queue that was taken from the intake, at most limit, and
// returns their number.
func (e *engine) transfer(q *queue[*Timeout], limit int) (n int) {
	n = q.groups(limit, e.fileAll, e.intake.recycle)
	if n > 0 {
		e.publishWaiting()
	}
	return n
}

// take moves what callers have left in one lane to the worker's own queue. It returns how many
// entries they have withdrawn since the last time.
func (e *engine) take(l lane, q *queue[*Timeout]) (withdrawn int) {
	had := q.n
	withdrawn = e.intake.take(l, q)
	if q.n != had {
		e.publishWaiting()
	}
	return withdrawn
}

// publishWaiting publishes, for Stats, how many entries the worker has taken and not yet processed.
func (e *engine) publishWaiting() {
	e.waiting.Store(int64(e.timeouts.n + e.cancels.n + len(e.notices)))
}

// fileAll brings the wheel in line with the states of a group of timeouts.
//
// Those that were armed relatively become linked, one after the other, before the clock is read
// once for all of them. A caller that arms one of them again after the swap finds it linked, and
// reads the clock itself. In the other order a caller could arm with the same delay between the
// reading and the swap: the word would be the same, and the reading too old for it.
func (e *engine) fileAll(group []*Timeout) {
	for _, t := range group {
		_ = t.load() // loads overlap, and swaps do not: this fills the cache
	}
	taken := e.group[:0]
	for _, t := range group {
		if settle, filed := e.file(t); settle {
			taken = append(taken, unsettled{t, filed})
		}
	}
	if len(taken) == 0 {
		return
	}
	now := e.clock.now()
	for _, u := range taken {
		e.settle(u, now)
	}
	clear(taken)
	e.group = taken[:0]
}

// An unsettled timeout was relative when the worker took it from a queue, and is linked now.
type unsettled struct {
	t     *Timeout
	filed bool // it was linked before, and is in a bucket
}

// settle files a timeout for which the clock showed now after it was taken from its queue.
func (e *engine) settle(u unsettled, now int64) {
	t := u.t
	for {
		s := t.load()
		switch {
		case s&queued != 0 || s.phase() != relative && s.phase() != armed:
			// t was armed again or cancelled since it was taken, and is in a queue unless the timer
			// is stopping. If it is relative, it may have been armed after now was read, so now
			// must not be used.
			at := t.at // before the swap, after which another timer may file t
			if !t.cas(s, s&^linked) {
				continue
			}
			if u.filed {
				e.wheel.Remove(at)
			}
			return
		case s.phase() == relative:
			due := e.clock.due(now, s.delay()) | armed
			if !t.cas(s, due|s&^(dueMask|phaseMask)) {
				continue
			}
			s = due
		}
		e.place(t, s.tick(), u.filed) // by now, or by a caller's reading of the clock
		return
	}
}

// place files t, which is linked, under a tick. If it is filed already, it stays under a tick that
// is not later.
func (e *engine) place(t *Timeout, tick uint64, filed bool) {
	if filed {
		if e.wheel.DueAt(t.at) <= tick {
			return
		}
		e.wheel.Remove(t.at)
	}
	t.at = e.wheel.Add(tick, t)
}

// file brings the wheel in line with the state of t, unless t is relative: then it only makes t
// linked, and returns whether it was filed before.
func (e *engine) file(t *Timeout) (settle, filed bool) {
	for {
		s := t.load()
		if s.phase() != armed && s.phase() != relative {
			var at wheel.Location
			if s&linked != 0 {
				at = t.at // before the swap, after which another timer may file t
			}
			if !t.cas(s, s&^(queued|linked)) {
				continue
			}
			if s&linked != 0 {
				e.wheel.Remove(at)
			}
			return false, false
		}
		if !t.cas(s, s&^queued|linked) {
			continue
		}
		filed = s&linked != 0
		if s.phase() == relative {
			return true, filed
		}
		e.place(t, s.tick(), filed)
		return false, false
	}
}

// expire fires what is due. It returns false if another worker has taken over.
func (w *worker) expire() bool {
	e := w.engine
	first := e.wheel.Next()
	if first > w.tick {
		_, _ = e.wheel.Collect(w.tick, nil) // moves the hand
		return true
	}
	e.tally.lag.Store(e.clock.now() - e.clock.at(first))
	for {
		batch, done := e.wheel.Collect(w.tick, w.room[:0])
		if len(batch) > 0 {
			for _, t := range batch {
				_ = t.load() // loads overlap, and fires do not: this fills the cache
			}
			w.begin(batch, nil)
			if !w.finishBatch() {
				return false
			}
		}
		if done || e.clock.halting.Load() {
			break
		}
	}
	e.relax()
	return true
}

// callNotices runs the Cancelled methods that are wanted. It returns false if another worker has
// taken over.
func (w *worker) callNotices() bool {
	e := w.engine
	e.notices = e.intake.takeNotices(e.notices)
	if len(e.notices) == 0 {
		return true
	}
	for len(e.notices) > 0 && !e.clock.halting.Load() {
		e.publishWaiting()
		n := min(batchLen, len(e.notices))
		calls := e.notices[:n:n]
		e.notices = e.notices[n:]
		w.begin(nil, calls)
		if !w.finishBatch() {
			return false
		}
	}
	if len(e.notices) == 0 {
		e.notices = nil
	}
	e.publishWaiting()
	e.relax()
	return true
}

// begin sets what finishBatch will work through.
func (w *worker) begin(batch []*Timeout, notices []call) {
	w.batch, w.notices = batch, notices
	if w.tick > w.since+awakeTicks && w.engine.pace.Load() != 0 {
		w.engine.pace.Store(0)
	}
	w.engine.guard()
}

// finishBatch goes through what is left of the batch. It returns false if another worker has taken
// over.
func (w *worker) finishBatch() bool {
	for {
		switch w.runBatch() {
		case batchDone:
			w.late.publish(&w.engine.tally)
			return true
		case wheelLost:
			w.late.publish(&w.engine.tally)
			return false
		case taskPanicked:
		}
	}
}

// runBatch goes through the batch until its end, the loss of the wheel or a panic. One recover
// serves the whole batch: a deferred call for each task would cost more than the rest.
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
				end = wheelLost
			}
			if !w.telling {
				e.ran(c)
			}
		}
	}()
	for len(w.batch) > 0 {
		if e.clock.halting.Load() {
			return batchDone
		}
		t := w.batch[0]
		s := t.load()
		switch {
		case s.phase() != armed: // cancelled since it was filed, or relative and in a queue
			if t.cas(s, s&^linked) {
				w.pop()
			}
		case s.tick() > w.tick: // armed again, for later, since it was filed
			w.pop()
			t.at = e.wheel.Add(s.tick(), t)
		default:
			if !w.fire(t, s) {
				return wheelLost
			}
		}
	}
	for len(w.notices) > 0 {
		if e.clock.halting.Load() {
			return batchDone
		}
		w.current, w.notices[0] = w.notices[0], call{}
		w.notices = w.notices[1:]
		w.enter(true)
		w.current.task.(canceller).Cancelled(w.current.t)
		w.current = call{}
		if !w.exit() {
			return wheelLost
		}
	}
	return batchDone
}

// pop takes the first timeout out of the batch. The collector must no longer find it there.
func (w *worker) pop() {
	w.batch[0] = nil
	w.batch = w.batch[1:]
}

// fire runs the task of t, which is due, unless its state has just changed. It returns false if
// another worker has taken over in the meantime.
func (w *worker) fire(t *Timeout, s state) bool {
	e := w.engine
	var task TimerTask
	var ok bool
	if s&periodic == 0 {
		n := s.in(expired) &^ linked
		if e.limit.most > 0 {
			n |= placed
		}
		task, ok = t.claim(s, n)
	} else {
		task, ok = e.claimPeriodic(t, s)
	}
	if !ok {
		return true // load the state again
	}
	if e.limit.most > 0 {
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
	if e.executor == nil && (s&periodic != 0 || e.limit.most > 0) { // others have nothing to end
		e.ran(c)
	}
	return kept
}

// ran ends a run: it arms a timeout again that is periodic, and gives back the place of one that is
// not, unless its task has armed it.
func (e *engine) ran(c call) {
	e.rearm(c)
	if e.limit.most == 0 {
		return
	}
	e.inside.Add(-1)
	for {
		s := c.t.load()
		if s&placed == 0 {
			return
		}
		if c.t.cas(s, s&^placed) {
			e.limit.release(1)
			return
		}
	}
}

// panicked reports a panic in user code.
func (e *engine) panicked(c call, r any) {
	e.tally.panicked.Add(1)
	e.logger.Error(
		"hashedwheel: task panicked", "task", fmt.Sprintf("%T", c.task), "panic", r, "stack", string(debug.Stack()),
	)
}

// callCancelled calls the Cancelled method of a task, outside the worker.
func (e *engine) callCancelled(c call) {
	defer func() {
		if r := recover(); r != nil {
			e.panicked(c, r)
		}
	}()
	c.task.(canceller).Cancelled(c.t)
}
