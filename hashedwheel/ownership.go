package hashedwheel

import (
	"slices"
	"time"
)

// minStall is the least time that a task runs before it counts as stalling the wheel. A preempted
// goroutine is off its processor for about as long.
const minStall = 10 * time.Millisecond

// quickPace is the pause of the watch after a hand-over.
const quickPace = time.Millisecond

// An ownership says which worker owns the wheel, whether it is inside user code, and how many
// timeouts all workers have fired.
//
//	63       48   47   46     39 38              0
//	┌──────────┬──────┬─────────┬──────────────────┐
//	│  worker  │ user │ notices │      fired       │
//	└──────────┴──────┴─────────┴──────────────────┘
//
// The worker sets the user bit when it calls a task, and clears it when the task returns. In
// between it touches nothing that belongs to the owner of the wheel, so one compare-and-swap can
// give the wheel and the rest of the batch to a new worker. The old worker notices when it cannot
// clear its bit, and ends. Thus a slow task delays the others only until the watch notices it,
// without a goroutine for each task.
//
// Two polls that see the same ownership with the user bit see the same call: each run changes
// fired, and each call of Cancelled changes notices. Only a multiple of 256 calls of Cancelled in
// between, without a run, would escape notice.
type ownership uint64

const (
	firedBits  = 39
	firedMask  = ownership(1)<<firedBits - 1
	noticeBits = 8
	oneNotice  = ownership(1) << firedBits
	noticeMask = oneNotice * (1<<noticeBits - 1)
	userBit    = ownership(1) << (firedBits + noticeBits)
	oneWorker  = userBit << 1
)

func (o ownership) worker() uint16 { return uint16(o / oneWorker) }

func (o ownership) fired() int64 { return int64(o & firedMask) }

func (o ownership) user() bool { return o&userBit != 0 }

// enter marks the beginning of user code: of a run if notice is false, of a call of Cancelled
// otherwise.
//
// REQUIRES: w owns the wheel and is outside user code.
func (w *worker) enter(notice bool) {
	if notice {
		w.owned = w.owned&^noticeMask | (w.owned+oneNotice)&noticeMask
	} else {
		w.owned = w.owned&^firedMask | (w.owned+1)&firedMask
	}
	w.owned |= userBit
	w.telling = notice
	w.engine.owner.Store(uint64(w.owned))
}

// exit marks the end of user code. It returns false if another worker has taken over; w must then
// no longer touch what belongs to the owner of the wheel.
func (w *worker) exit() bool {
	return w.engine.owner.CompareAndSwap(uint64(w.owned), uint64(w.owned&^userBit))
}

// guard starts the watch over the coming calls, if it is not running.
func (e *engine) guard() {
	if !e.underWay.Load() {
		e.underWay.Store(true)
		e.watch.Reset(e.patience())
	}
}

// patience returns the time until the watch's next poll.
func (e *engine) patience() time.Duration {
	if pace := time.Duration(e.pace.Load()); pace != 0 {
		return pace
	}
	return e.stall
}

// relax stops the watch that guard started.
func (e *engine) relax() {
	e.underWay.Store(false)
	e.watch.Stop()
}

// launchLocked starts w, which must own the wheel.
//
// REQUIRES: e.mu is held.
func (e *engine) launchLocked(w *worker) {
	if w.room == nil {
		w.room = make([]*Timeout, 0, batchLen)
	}
	e.mu.current = w
	e.ended.Add(1)
	go func() { // Stop waits for ended
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

// leave runs when the goroutine of w ends. If a task has ended it by runtime.Goexit, leave gives
// the wheel to a new worker.
func (w *worker) leave() {
	e := w.engine
	c := w.current
	if c.t == nil {
		return
	}
	e.mu.Lock()
	if now := ownership(e.owner.Load()); now.worker() == w.owned.worker() {
		e.takeOverLocked(now)
	}
	e.mu.Unlock()
	w.late.publish(&e.tally)
	if !w.telling && e.executor == nil { // runGuarded has ended the run of a task that was refused
		e.ran(c)
	}
}

// takeOverLocked gives the wheel to a new worker if the ownership is still now.
//
// REQUIRES: e.mu is held; now is inside user code.
func (e *engine) takeOverLocked(now ownership) {
	old := e.mu.current
	next := ownership(now.worker()+1)*oneWorker | now&(noticeMask|firedMask)
	if !e.owner.CompareAndSwap(uint64(now), uint64(next)) {
		return // the task has returned
	}
	w := &worker{engine: e, owned: next, room: make([]*Timeout, 0, batchLen), tick: old.tick, since: old.tick}
	w.batch = append(w.room, old.batch...)
	w.notices = slices.Clone(old.notices)
	e.tally.handOvers.Add(1)
	e.launchLocked(w)
}

// checkStall polls the worker while a batch is in progress. If the same call is running as at the
// last poll, it gives the wheel to a new worker.
//
// When one task has stalled the worker, others may follow, and each would hold up the rest for two
// polls. So the pause after a hand-over is quickPace. It doubles with each poll that finds nothing,
// up to what it was, so a task that stalls right after another one holds up the rest for up to
// 3 ms.
func (e *engine) checkStall() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := ownership(e.owner.Load())
	if e.clock.halting.Load() {
		return
	}
	pace := e.patience()
	if now.user() && e.mu.sampled == uint64(now) {
		e.takeOverLocked(now)
		pace = quickPace
	} else {
		pace *= 2
	}
	if pace >= e.stall || pace < 0 {
		pace = 0
	}
	e.pace.Store(int64(pace))
	e.mu.sampled = uint64(now)
	if e.underWay.Load() {
		e.watch.Reset(e.patience())
	}
}
