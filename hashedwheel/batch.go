package hashedwheel

import (
	"errors"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// maxDue is the most payloads that one call of a Batch's function gets.
const maxDue = 1024

// A Ticket names one payload of a Batch. It can be copied, compared and kept: once the payload has
// been delivered or cancelled, the ticket names nothing. The zero Ticket names nothing. A Ticket
// must not be given to another Batch, which may have a payload of its own under it.
type Ticket struct{ id id }

// A Batch is the generic engine: payloads of type T, delivered to one function when they are due,
// many at a time. It needs neither an interface nor a closure for each timeout, and allocates
// nothing once it has grown; if T has no pointers, the garbage collector does not scan what is
// pending.
//
// Its precision is that of HashedWheelTimer: never early, and late by less than a tick while the
// function keeps up. There is one worker and no hand-over, so a slow function delays the payloads
// that are due after it, unless an Executor runs it; and so does a burst of additions, since the
// worker files up to 100,000 before it delivers what is due. All methods may be called from any
// goroutine, also from inside the function.
//
// A Batch that is no longer referenced continues with what is pending and is reported in the log:
// only Stop ends its worker.
type Batch[T any] struct {
	// The worker refers to the inside only, so that the collector can find out that the Batch is no
	// longer referenced.
	*batch[T]
}

// A batch is the inside of a Batch, to which its worker refers.
type batch[T any] struct {
	// Immutable after NewBatch, so any goroutine uses them. Those with a state synchronise
	// themselves.
	clock    clock
	fire     func(due []T)
	executor Executor
	logger   *slog.Logger
	refusals sparseLog // batches that the executor refused
	limit    limit

	intake intake[id]
	table  *slotTable[T]

	// Atomics, which any goroutine reads.
	life  life
	fired atomic.Int64 // delivered, or returned by Stop

	// The fields up to mu belong to the worker.
	wheel    wheel.Wheel[uint32]
	timeouts queue[id]
	cancels  queue[id]
	active   uint64
	slots    []uint32 // due
	due      []T
	freed    []uint32

	mu struct { // orders start and stop
		sync.Mutex
		worker uint64 // goroutine id
	}
	ended chan struct{} // closed by the worker; made by start
}

// NewBatch returns a Batch that delivers to fire. The slice that fire gets is valid until it
// returns. The worker calls it, one call at a time, unless there is an Executor: then each call has
// a slice of its own, and calls may overlap. A panic is recovered and logged; the payloads of that
// call are not delivered again.
//
// It returns an error if an option is out of its range or fire is nil.
func NewBatch[T any](opts Options, fire func(due []T)) (*Batch[T], error) {
	if fire == nil {
		return nil, errors.New("hashedwheel: NewBatch: fire is nil, must not be nil")
	}
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	b := &batch[T]{
		fire:     fire,
		executor: opts.Executor,
		logger:   opts.Logger,
		refusals: sparseLog{logger: opts.Logger},
		limit:    limit{most: opts.MaxPendingTimeouts},
		intake:   newIntake[id](),
		slots:    make([]uint32, 0, maxDue),
		due:      make([]T, 0, maxDue),
		freed:    make([]uint32, 0, maxDue),
	}
	b.clock.ticker = newTicker(opts.TickDuration)
	b.table = newSlotTable[T](len(b.intake.stripes))
	b.wheel = wheel.New(opts.TicksPerWheel, opts.Layered, func(n uint32, l wheel.Location) { b.table.slot(n).at = l })
	public := &Batch[T]{b}
	runtime.AddCleanup(public, (*batch[T]).dropped, b)
	return public, nil
}

// Add has payload delivered after delay. A negative delay counts as zero; a delay that overflows
// means never. It starts the worker if need be. It returns ErrStopped if the Batch has stopped, and
// ErrTooManyPending if it is full.
func (b *Batch[T]) Add(payload T, delay time.Duration) (Ticket, error) {
	if b.life.Load() != started {
		if err := b.start(); err != nil {
			return Ticket{}, err
		}
	}
	if !b.limit.reserve() {
		return Ticket{}, ErrTooManyPending
	}
	due := b.clock.due(b.clock.now(), delay).tick()
	i := b.intake.index()
	st := &b.intake.stripes[i]
	st.mu.Lock()
	if st.mu.closed {
		st.mu.Unlock()
		b.limit.release(1)
		return Ticket{}, ErrStopped
	}
	n := b.table.takeLocked(i)
	s := b.table.slot(n)
	gen := uint32(s.word.Load() >> 32)
	if gen == 0 {
		gen = 1 // generation 0 is the zero Ticket's
	}
	who := newID(gen, n)
	s.payload, s.due = payload, due
	s.word.Store(who.word(slotQueued))
	waiting := st.pushLocked(laneTimeouts, who)
	st.mu.started++
	st.mu.Unlock()
	if waiting >= wakeBacklog {
		b.clock.wakeFromSleep()
	}
	b.clock.alarm(due)
	return Ticket{who}, nil
}

// Cancel prevents the delivery of t's payload. It reports whether this call did so: false means
// that it was delivered, is being delivered, was cancelled before, or was returned by Stop.
func (b *Batch[T]) Cancel(t Ticket) bool {
	if t.id == 0 {
		return false
	}
	s := b.table.lookup(t.id.slot())
	if s == nil {
		return false
	}
	for {
		done := false
		switch s.word.Load() {
		case t.id.word(slotQueued):
			done = b.withdraw(s, t.id)
		case t.id.word(slotLinked):
			done = b.disown(s, t.id)
		default:
			return false
		}
		if done {
			b.limit.release(1)
			return true
		}
	}
}

// withdraw cancels a payload that is in a queue. The slot is free at once: if the worker comes to
// the queue's entry, it finds another generation in the slot. withdraw returns false if the worker
// has already filed the slot.
func (b *batch[T]) withdraw(s *slot[T], who id) bool {
	if !s.clear(who, slotQueued, who.nextGeneration()) {
		return false
	}
	i := b.intake.index()
	st := &b.intake.stripes[i]
	st.mu.Lock()
	b.table.putLocked(i, who.slot())
	if newest := st.newestLocked(); newest != nil && *newest == who {
		st.withdrawLocked()
	}
	st.mu.cancelled++
	st.mu.Unlock()
	return true
}

// disown cancels a payload that is in the wheel. The slot is not free until the worker finds it
// among the cancelled ones, because clearing the payload must not hit the slot's next use. disown
// returns false if the payload is being delivered.
func (b *batch[T]) disown(s *slot[T], who id) bool {
	if !s.clear(who, slotLinked, who.word(slotCancelled)) {
		return false
	}
	st := b.intake.pick()
	st.mu.Lock()
	st.mu.cancelled++
	if !st.mu.closed {
		st.pushLocked(laneCancels, who)
	}
	st.mu.Unlock()
	b.clock.wakeFromSleep()
	return true
}

// Pending returns how many payloads are added, not delivered and not cancelled. It is exact
// whenever no other call is in progress.
func (b *Batch[T]) Pending() int64 {
	fired := b.fired.Load()
	started, cancelled, _ := b.intake.counts()
	return max(started-cancelled-fired, 0)
}

func (b *batch[T]) start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.life.Load() {
	case started:
		return nil
	case stopped:
		return ErrStopped
	}
	b.clock.start()
	b.ended = make(chan struct{})
	b.life.Store(started)
	go b.work() // Stop waits for ended
	return nil
}

// Stop ends the Batch and returns the payloads that will never be delivered, in no order. It waits
// for a call of the function that is in progress, unless it is called from inside that function. A
// second Stop returns none, at once. Stop does not wait for calls that an Executor was given.
func (b *Batch[T]) Stop() []T {
	b.mu.Lock()
	was := b.life.Swap(stopped)
	inside := was == started && b.mu.worker != 0 && b.mu.worker == goroutineID()
	if was == started {
		b.clock.stop()
	}
	b.mu.Unlock()
	if was == stopped {
		return nil
	}
	b.intake.close()
	if was == created {
		return nil
	}
	if !inside {
		<-b.ended
	}
	var left []T
	end := func(who id) {
		s := b.table.lookup(who.slot())
		for s != nil {
			word := s.word.Load()
			if word != who.word(slotQueued) && word != who.word(slotLinked) {
				return
			}
			if s.word.CompareAndSwap(word, who.nextGeneration()) {
				left = append(left, s.payload)
				b.fired.Add(1) // no longer pending
				b.limit.release(1)
				return
			}
		}
	}
	b.wheel.Drain(func(n uint32) { end(newID(uint32(b.table.slot(n).word.Load()>>32), n)) })
	b.intake.take(laneTimeouts, &b.timeouts)
	b.timeouts.each(b.timeouts.n, end, func(*segment[id]) {})
	runtime.KeepAlive(b) // dropped is for callers that forget to call Stop
	return left
}

// dropped is called when the collector has found that the Batch is no longer referenced. No caller
// can add to it, and its goroutine stays.
func (b *batch[T]) dropped() {
	if b.life.Load() == started {
		b.logger.Warn("hashedwheel: a Batch was dropped without Stop; its goroutine stays")
	}
}

// work runs the batch's worker.
func (b *batch[T]) work() {
	b.mu.Lock()
	b.mu.worker = goroutineID()
	b.mu.Unlock()
	// A function that calls runtime.Goexit ends this goroutine; another continues.
	normal := false
	defer func() {
		if !normal && !b.clock.halting.Load() {
			go b.work() // Stop waits for ended, which the new goroutine closes
			return
		}
		close(b.ended)
	}()
	for !b.clock.halting.Load() {
		tick := b.clock.floor(b.clock.now())
		seen := b.transfer(laneTimeouts, &b.timeouts, b.file)
		for done := false; !done && !b.clock.halting.Load(); {
			b.slots, done = b.wheel.Collect(tick, b.slots[:0])
			b.deliver()
		}
		if b.clock.halting.Load() {
			break
		}
		seen += b.transfer(laneCancels, &b.cancels, b.unlink)
		b.giveBack()
		if seen > 0 {
			b.active = tick
		}
		if b.timeouts.n == 0 && b.cancels.n == 0 {
			if tick >= b.active+awakeTicks {
				b.shrink()
			}
			b.clock.park(tick, b.active, b.wheel.Next(), b.intake.empty)
		}
	}
	normal = true
}

func (b *batch[T]) transfer(l lane, q *queue[id], f func(id)) int {
	withdrawn := b.intake.take(l, q)
	if q.n == 0 {
		return withdrawn
	}
	return withdrawn + q.each(maxTransfersPerPass, f, b.intake.recycle)
}

// file puts a queued slot into the wheel, unless that use of the slot is over.
func (b *batch[T]) file(who id) {
	s := b.table.lookup(who.slot())
	if s == nil {
		return // withdrawn since, and its chunk dropped
	}
	// A cancellation between the load and the swap is found by the swap.
	if s.word.Load() != who.word(slotQueued) || !s.word.CompareAndSwap(who.word(slotQueued), who.word(slotLinked)) {
		return
	}
	s.at = b.wheel.Add(s.due, who.slot())
}

// unlink takes a cancelled slot out of the wheel and frees it.
func (b *batch[T]) unlink(who id) {
	s := b.table.slot(who.slot())
	if s.at != handedOver {
		b.wheel.Remove(s.at)
	}
	b.free(s, who)
}

// handedOver is the place of a cancelled slot whose tick came before the worker found it among the
// cancelled.
var handedOver = wheel.Nowhere

func (b *batch[T]) free(s *slot[T], who id) {
	s.word.Store(who.nextGeneration())
	b.freed = append(b.freed, who.slot())
	if len(b.freed) == maxDue {
		b.giveBack()
	}
}

func (b *batch[T]) giveBack() {
	if len(b.freed) > 0 {
		b.table.put(b.freed)
		b.freed = b.freed[:0]
	}
}

// shrink gives back the memory of a burst, when the worker is about to sleep for long.
func (b *batch[T]) shrink() {
	if !b.table.shrinkable(b.wheel.Size() == 0) {
		return
	}
	for i := range b.intake.stripes {
		st := &b.intake.stripes[i]
		st.mu.Lock()
		b.table.flushLocked(i)
		st.mu.spare, st.mu.spares = nil, 0
		st.mu.Unlock()
	}
	b.table.shrink()
	b.wheel.Shrink()
}

// deliver calls the function with the payloads of the slots that are due.
func (b *batch[T]) deliver() {
	if len(b.slots) == 0 {
		return
	}
	var zero T
	b.due = b.due[:0]
	for _, n := range b.slots {
		s := b.table.slot(n)
		word := s.word.Load()
		who := newID(uint32(word>>32), n)
		if word != who.word(slotLinked) || !s.word.CompareAndSwap(word, who.word(slotFree)) {
			s.at = handedOver // cancelled; unlink frees it
			continue
		}
		b.due = append(b.due, s.payload)
		s.payload = zero
		b.free(s, who)
	}
	if len(b.due) == 0 {
		return
	}
	b.fired.Add(int64(len(b.due)))
	b.limit.release(int64(len(b.due)))
	if b.executor != nil {
		due := append([]T(nil), b.due...)
		run := once(func() { b.call(due) })
		if err := offer(b.executor, run); err != nil {
			b.refusals.warn("hashedwheel: executor refused a batch; the worker runs it", "err", err)
			run()
		}
		return
	}
	b.call(b.due)
	clear(b.due)
}

// call runs the function and recovers its panic.
func (b *batch[T]) call(due []T) {
	defer func() {
		if r := recover(); r != nil {
			b.logger.Error("hashedwheel: batch function panicked", "panic", r, "stack", string(debug.Stack()))
		}
	}()
	b.fire(due)
}
