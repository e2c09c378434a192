//go:build interleave

package hashedwheel

import (
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/hashedwheel/internal/wheel"
)

// These tests run what a few callers and the worker do to one timeout in every order there is. The
// code is the real one: an actor is a coroutine that stops before each use of a word or a latch,
// and the search resumes one of them at a time, first in one order, then from each choice on in
// another. What the calls returned must be possible if each took effect at one instant, in some
// order: see linearizable.

// An act is one call of a timer's or timeout's method, or the run of a task.
type act struct {
	kind   actKind
	tick   uint64 // of a reset: the new due tick; of a run: the tick at which it happens
	task   uint64 // of a run: the number of the task
	answer bool

	// call is how many acts had ended when it was called, and end its number among those that
	// ended.
	call, end int
}

type actKind byte

const (
	reset  actKind = 'R' // with a deadline
	delay  actKind = 'D' // with a delay, from the time at which it is called
	cancel actKind = 'C'
	fired  actKind = 'F'
	finish actKind = 'S' // the timer's Stop; the answer says whether it returned the timeout
	bind   actKind = 'B' // the timer's Init, with another task than before
)

func (a act) String() string {
	switch a.kind {
	case cancel, finish, bind:
		return fmt.Sprintf("%c=%t[%d,%d]", a.kind, a.answer, a.call, a.end)
	default:
		return fmt.Sprintf("%c%d=%t[%d,%d]", a.kind, a.tick, a.answer, a.call, a.end)
	}
}

// A reference is what a timeout is, without queues, wheel and worker.
type reference struct {
	pending, stopped bool
	due              uint64
	task             uint64 // goes up by one with each Init
}

// after returns the reference after a, and whether a's answer is right there.
func (r reference) after(a act) (reference, bool) {
	was := r.pending
	switch a.kind {
	case reset, delay:
		if !r.stopped {
			r.pending, r.due = true, a.tick
		}
	case fired:
		r.pending = false
		return r, was && r.due <= a.tick && r.task == a.task
	case bind:
		r.task++
		return r, !was
	case cancel:
		r.pending = false
	case finish:
		r.pending, r.stopped = false, true
	}
	return r, a.answer == was
}

// linearizable reports whether there is an order of acts in which every answer is right, in which
// no act stands before one that had ended when it was called, and after which the timeout is
// pending or not as given.
func linearizable(r reference, acts []act, pending bool) bool {
	if len(acts) == 0 {
		return r.pending == pending
	}
	for i, a := range acts {
		if slices.ContainsFunc(acts, func(b act) bool { return b.end <= a.call }) {
			continue
		}
		rest := slices.Delete(slices.Clone(acts), i, i+1)
		if next, right := r.after(a); right && linearizable(next, rest, pending) {
			return true
		}
	}
	return false
}

// A scenario is where a timeout stands, and what happens to it from there.
type scenario struct {
	start   startKind
	callers []string // the acts of each: R and a tick, D and a number of ticks, C, S, B
	ticks   []uint64 // of the worker's passes
	sleeps  bool     // the worker goes to sleep after the last pass
	clock   uint64   // ticks that go by meanwhile, of which a pass reads the latest; 0 means none
}

func (s scenario) String() string {
	return fmt.Sprintf("%s,callers=%s,ticks=%v,sleeps=%t", s.start, strings.Join(s.callers, "|"), s.ticks, s.sleeps)
}

type startKind string

const (
	startIdle     startKind = "idle"
	startQueued   startKind = "queued"   // due at tick 2
	startFresh    startKind = "fresh"    // the same, armed when it was made
	startFar      startKind = "far"      // armed relatively, by two ticks at tick 0
	startLinked   startKind = "linked"   // due at tick 2, and filed
	startLater    startKind = "later"    // due at tick 4, and filed under tick 2
	startDropping startKind = "dropping" // cancelled, filed under tick 2, and among the cancelled
	startAgain    startKind = "again"    // filed under tick 2, and armed relatively by one tick at tick 0
)

// A stage is one run of a scenario.
type stage struct {
	engine  *engine
	worker  *worker
	timeout Timeout
	actors  []*actor
	current *actor
	before  reference

	acts   []act
	past   uint64 // hash of everything in acts
	task   uint64 // the number of the task that the timeout is bound to
	asleep bool
	until  uint64
	clock  int64 // nanoseconds
}

// An actor is a coroutine. What it does next depends on what it has seen since its act began; seen
// is the hash of that, without failed attempts: after a compare-and-swap that fails, all code here
// loads the word again and forgets what it saw before.
type actor struct {
	next     func() (struct{}, bool)
	yield    func(struct{}) bool
	begun    uint64 // acts
	seen     uint64
	reloaded uint64 // seen before the last load
	looks    bool   // into the queues, not only at whether they are closed, and at the task
	waits    *latch // nil means that it waits for none
	over     bool
}

// ready reports whether a can continue.
func (a *actor) ready() bool { return !a.over && (a.waits == nil || !a.waits.held) }

func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (s *stage) pause() {
	if s.current != nil {
		a := s.current
		a.seen = mix(a.seen, 4) // one step further
		a.yield(struct{}{})
	}
}

func (s *stage) wait(l *latch) {
	if a := s.current; a != nil {
		a.waits = l
		s.pause()
		a.waits = nil
	}
}

func (s *stage) now() int64 {
	s.pause()
	if a := s.current; a != nil {
		a.seen = mix(a.seen, uint64(s.clock))
	}
	return s.clock
}

func (s *stage) loaded(v uint64) {
	if a := s.current; a != nil {
		a.reloaded = a.seen
		a.seen = mix(a.seen, v)
		if a.looks {
			a.seen = mix(a.seen, s.task) // the worker may read the task next
		}
	}
}

func (s *stage) swapped(ok bool) {
	if a := s.current; a != nil && !ok {
		a.seen = a.reloaded
	}
}

func (s *stage) opened() {
	if a := s.current; a != nil && a.looks {
		a.seen = mix(a.seen, s.queues())
	} else if a != nil && s.engine.intake.stripes[0].mu.closed {
		a.seen = mix(a.seen, 5)
	}
}

// began marks the beginning of an act, and returns its call.
func (s *stage) began() int {
	a := s.current
	a.begun++
	a.seen = a.begun
	s.pause()
	a.seen = mix(a.seen, uint64(len(s.acts)))
	return len(s.acts)
}

// ended notes an act.
func (s *stage) ended(a act) {
	a.end = len(s.acts) + 1
	s.acts = append(s.acts, a)
	s.past = mix(mix(mix(mix(s.past, uint64(a.kind)), a.tick), a.task), uint64(a.call))
	if a.answer {
		s.past = mix(s.past, 2)
	}
}

// queues returns the hash of what waits in the intake.
func (s *stage) queues() uint64 {
	st := &s.engine.intake.stripes[0]
	h := mix(mix(mix(1, uint64(st.mu.timeouts.n)), uint64(st.mu.cancels.n)), uint64(len(st.mu.notices)))
	if st.mu.closed {
		h = mix(h, 1)
	}
	return h
}

// shared returns the hash of all that the actors have in common.
func (s *stage) shared() uint64 {
	e, st := s.engine, &s.engine.intake.stripes[0]
	started, cancelled := st.mu.started+st.started.Load(), st.mu.cancelled+st.cancelled.Load()
	h := s.queues()
	for _, v := range []uint64{
		s.timeout.word.v.Load(), e.clock.parked.v.Load(), e.owner.Load(), uint64(e.life.Load()), uint64(len(e.clock.wake)),
		uint64(e.timeouts.n), uint64(e.cancels.n), uint64(st.mu.withdrawn), e.active,
		uint64(e.wheel.Size()), e.wheel.Next(), uint64(started), uint64(cancelled), uint64(s.timeout.at.Bucket), uint64(e.limit.taken.Load()), s.task, uint64(s.clock),
		e.clock.hand.Load(),
	} {
		h = mix(h, v)
	}
	return h
}

// state returns the hash of everything that the rest of a run depends on.
func (s *stage) state() uint64 {
	h := mix(s.shared(), s.past)
	for _, a := range s.actors {
		h = mix(h, a.seen)
		if a.over {
			h = mix(h, 3)
		}
	}
	return h
}

// newStage prepares a scenario up to the point where the actors begin.
func newStage(sc scenario) *stage {
	e := &engine{
		limit:   limit{most: int64(len(sc.callers)) + 1}, // counted, never reached
		logger:  quiet,
		intake:  intake[*Timeout]{stripes: make([]stripe[*Timeout], 1), shift: 64},
		stall:   time.Hour,
		stopped: make(chan struct{}),
	}
	e.clock.ticker = newTicker(1000 * delayUnit) // so that no delay is rounded up, which would hide a deadline that is too early
	e.wheel = wheel.New(2, false, func(t *Timeout, l wheel.Location) { t.at = l })
	e.mu.workers = map[uint64]*worker{}
	engines.add(e)
	e.clock.start()
	e.watch = time.AfterFunc(time.Hour, func() {})
	e.life.Store(started)
	w := &worker{engine: e, room: make([]*Timeout, 0, 4)}
	e.mu.current = w
	s := &stage{engine: e, worker: w}
	e.init(&s.timeout, s.number(0))
	if sc.start != startIdle {
		s.before = reference{pending: true, due: 2}
	}
	switch sc.start {
	case startIdle:
	case startFresh:
		s.before.pending = e.armFresh(&s.timeout, state(2)<<dueShift|armed) == nil
	case startQueued:
		s.reset(2)
	case startFar:
		_, _ = e.arm(&s.timeout, 2*time.Duration(e.clock.nanos))
	default:
		s.reset(2)
		w.pass(0)
	}
	switch sc.start {
	case startLater:
		s.before.due = 4
		s.reset(4)
	case startAgain:
		s.before.due = 1
		_, _ = e.arm(&s.timeout, time.Duration(e.clock.nanos))
	case startDropping:
		s.before.pending = false
		s.timeout.Cancel()
	}
	for len(e.clock.wake) > 0 {
		<-e.clock.wake
	}
	for _, acts := range sc.callers {
		s.enter(strings.Contains(acts, "S"), func() { s.call(acts) })
	}
	if len(sc.ticks) > 0 {
		s.enter(true, func() { s.work(sc) })
	}
	if sc.clock > 0 {
		s.enter(false, func() {
			for range sc.clock {
				s.pause()
				s.clock += s.engine.clock.nanos
			}
		})
	}
	return s
}

// number returns the task with a number.
func (s *stage) number(n uint64) TimerTask {
	return TaskFunc(func(*Timeout) {
		// Callers do not see when the worker takes its decision, so the decision may have come at
		// any earlier time. The reference checks that it did not come before the timeout was armed.
		s.ended(act{kind: fired, tick: s.worker.tick, task: n})
	})
}

func (s *stage) reset(tick uint64) bool {
	was, _ := s.engine.armAt(&s.timeout, int64(tick)*s.engine.clock.nanos)
	return was
}

// enter adds an actor, which does not begin yet.
func (s *stage) enter(looks bool, do func()) {
	a := &actor{looks: looks}
	a.next, _ = iter.Pull(func(yield func(struct{}) bool) {
		a.yield = yield
		do()
	})
	s.actors = append(s.actors, a)
}

// call makes the calls of a caller.
func (s *stage) call(acts string) {
	for ; acts != ""; acts = acts[1:] {
		a := act{kind: actKind(acts[0]), call: s.began()}
		switch a.kind {
		case reset:
			acts = acts[1:]
			a.tick = uint64(acts[0] - '0')
			a.answer = s.reset(a.tick)
		case delay:
			acts = acts[1:]
			ticks := uint64(acts[0] - '0')
			s.current.seen = mix(s.current.seen, uint64(s.clock))
			a.tick = uint64(s.clock/s.engine.clock.nanos) + ticks
			a.answer, _ = s.engine.arm(&s.timeout, time.Duration(ticks)*time.Duration(s.engine.clock.nanos))
		case cancel:
			a.answer = s.timeout.Cancel()
		case bind:
			s.task++
			s.engine.init(&s.timeout, s.number(s.task))
			a.answer = true
		case finish:
			unprocessed, _ := s.engine.stop()
			a.answer = len(unprocessed) > 0
		}
		s.ended(a)
	}
}

// work makes the worker's passes and puts it to sleep.
func (s *stage) work(sc scenario) {
	e := s.engine
	for _, tick := range sc.ticks {
		s.began()
		if sc.clock > 0 {
			tick = e.clock.floor(e.clock.now())
		}
		if !s.worker.pass(tick) {
			return
		}
	}
	if sc.sleeps && e.timeouts.n == 0 && e.cancels.n == 0 {
		s.until, s.asleep = e.clock.beginSleep(s.worker.tick, e.active, e.wheel.Next(), e.intake.empty)
	}
}

// goOn lets actor i do one step.
func (s *stage) goOn(i int) {
	s.current = s.actors[i]
	if _, more := s.current.next(); !more {
		s.current.over = true
	}
	s.current = nil
}

// judge returns what is wrong with a run that is over, or nil.
func (s *stage) judge() error {
	e := s.engine
	st := s.timeout.load()
	if e.life.Load() == started && s.asleep && len(e.clock.wake) == 0 && st.phase() == relative && e.clock.parked.Load()&deep != 0 {
		return fmt.Errorf("the worker sleeps until tick %d over a timeout of which it does not know when it is due", s.until)
	}
	if e.life.Load() == started && s.asleep && len(e.clock.wake) == 0 && st.pending() && st.tick() < s.until && st.phase() != relative {
		return fmt.Errorf("the worker sleeps until tick %d over a timeout that is due at %d", s.until, st.tick())
	}
	pending := st.pending()
	if n := e.pending(); (n == 1) != pending || n > 1 {
		return fmt.Errorf("PendingTimeouts is %d, the timeout is %v", n, st)
	}
	if n := e.limit.taken.Load(); n != e.pending() {
		return fmt.Errorf("%d places are taken, the timeout is %v", n, st)
	}
	if !linearizable(s.before, s.acts, pending) {
		return fmt.Errorf("no order explains %v, the timeout is %v", s.acts, st)
	}
	if e.life.Load() != started {
		return nil
	}
	// A linked timeout is in one bucket, or in the worker's hands, and no other is in any.
	if n := e.wheel.Size(); n > 1 || n == 1 && st&linked == 0 {
		return fmt.Errorf("the wheel has %d entries, the state is %x", n, uint64(st))
	}
	// What is left must fire, once, and leave nothing behind.
	before := len(s.acts)
	s.worker.pass(8)
	s.worker.pass(9)
	if fires := len(s.acts) - before; pending != (fires == 1) || fires > 1 {
		return fmt.Errorf("pending: %t, and then it fired %d times", pending, fires)
	}
	if st := s.timeout.load(); e.wheel.Size() != 0 || e.intake.waiting() != 0 || st&(linked|queued) != 0 || e.pending() != 0 {
		return fmt.Errorf("something is left: state %x, %d in the wheel, %d in queues, %d pending", uint64(st), e.wheel.Size(), e.intake.waiting(), e.pending())
	}
	return nil
}

// close lets the parts of a stage go.
func (s *stage) close() {
	s.engine.watch.Stop()
	s.engine.clock.sleep.Stop()
	engines.remove(s.engine.number)
}

// explore runs a scenario in every order that makes a difference: where a run comes to a state that
// an earlier one came to, nothing new follows. It returns how many states there are, and the first
// run that went wrong.
func explore(sc scenario) (states int, err error) {
	defer func() { scheduler = nil }()
	known := map[uint64]bool{}
	var path, open []int // the actor chosen at each step; a bit for each that is still to be tried there
	for {
		s := newStage(sc)
		scheduler = s
		for step, fresh := 0, true; ; step++ {
			var ready []int
			for i, a := range s.actors {
				if a.ready() {
					ready = append(ready, i)
				}
			}
			if len(ready) == 0 {
				break
			}
			choice := ready[0]
			switch {
			case step < len(path):
				choice = path[step]
			case fresh && !known[s.state()]:
				known[s.state()] = true
				path = append(path, choice)
				rest := 0
				for _, i := range ready[1:] {
					rest |= 1 << i
				}
				open = append(open, rest)
			default:
				fresh = false // a known state: run to the end in any order
			}
			s.goOn(choice)
		}
		s.current = nil
		err = s.judge()
		scheduler = nil
		s.close()
		if err != nil {
			return len(known), fmt.Errorf("%w; actors in turn: %v", err, path)
		}
		for len(open) > 0 && open[len(open)-1] == 0 {
			path, open = path[:len(path)-1], open[:len(open)-1]
		}
		if len(open) == 0 {
			return len(known), nil
		}
		last := len(open) - 1
		for i := range s.actors {
			if open[last]&(1<<i) != 0 {
				open[last] &^= 1 << i
				path[last] = i
				break
			}
		}
	}
}

var (
	starts = []startKind{startIdle, startQueued, startFresh, startLinked, startLater, startDropping}
	pairs  = [][]string{{"R1", "R1"}, {"R1", "R3"}, {"R3", "R3"}, {"R1", "C"}, {"R3", "C"}, {"C", "C"}}
)

// A caller that does one thing or two, and a worker that passes twice and goes to sleep.
func TestInterleavingsOfCallerAndWorker(t *testing.T) {
	var all []scenario
	for _, start := range starts {
		for _, acts := range []string{"R1", "R3", "C", "R1C", "CR1", "R3C", "CR3", "R1R3", "R3R1"} {
			all = append(all, scenario{start: start, callers: []string{acts}, ticks: []uint64{1, 2}, sleeps: true})
		}
	}
	exploreAll(t, all)
}

// A caller that cancels, binds another task and arms with the same deadline, while the worker is
// about to fire.
func TestInterleavingsOfInitAndWorker(t *testing.T) {
	var all []scenario
	for _, start := range starts {
		several := []string{"CBR2", "R1CBR1"}
		if start == startQueued || start == startLinked {
			several = append(several, "CBR2CBR2")
		}
		for _, acts := range several {
			all = append(all, scenario{start: start, callers: []string{acts}, ticks: []uint64{2}})
		}
		all = append(all, scenario{start: start, callers: []string{"CBR2", "S"}}, scenario{start: start, callers: []string{"R1CBR1", "S"}})
	}
	exploreAll(t, all)
}

// Callers that leave a delay to the worker, while time passes.
func TestInterleavingsOfDelays(t *testing.T) {
	var all []scenario
	for _, start := range append(slices.Clone(starts), startFar, startAgain) {
		for _, acts := range []string{"D1", "CD1", "D2C"} {
			all = append(all, scenario{start: start, callers: []string{acts}, ticks: []uint64{0, 0}, clock: 1, sleeps: true})
		}
		for _, acts := range []string{"D2D1", "D1CD1", "R3D1", "D1R1"} {
			all = append(all, scenario{start: start, callers: []string{acts}, ticks: []uint64{0}, clock: 1, sleeps: start == startIdle || start == startFar})
		}
		for _, callers := range [][]string{{"D1", "D1"}, {"D1", "C"}, {"D2", "R1"}} {
			all = append(all, scenario{start: start, callers: callers, ticks: []uint64{0}})
			all = append(all, scenario{start: start, callers: append(slices.Clone(callers), "S")})
		}
	}
	// The same delay again, between the worker's first look and its last.
	for _, start := range []startKind{startIdle, startFar, startLinked, startLater, startAgain} {
		all = append(all, scenario{start: start, callers: []string{"D1D1"}, ticks: []uint64{0, 0}, clock: 1})
	}
	exploreAll(t, all)
}

// Two callers, and a worker that passes once.
func TestInterleavingsOfTwoCallersAndWorker(t *testing.T) {
	var all []scenario
	for _, start := range starts {
		for _, callers := range pairs {
			all = append(all, scenario{start: start, callers: callers, ticks: []uint64{2}, sleeps: start == startIdle})
		}
	}
	exploreAll(t, all)
}

// Three callers, while the worker does nothing.
func TestInterleavingsOfThreeCallers(t *testing.T) {
	var all []scenario
	for _, start := range starts {
		for _, callers := range pairs {
			all = append(all, scenario{start: start, callers: append(slices.Clone(callers), "R2")}, scenario{start: start, callers: append(slices.Clone(callers), "C")})
		}
	}
	exploreAll(t, all)
}

// Callers, one of which stops the timer, after its worker has ended.
func TestInterleavingsWithStop(t *testing.T) {
	var all []scenario
	for _, start := range starts {
		for _, callers := range [][]string{{"R1"}, {"R3"}, {"C"}, {"R1", "C"}, {"R3", "C"}, {"R1", "R3"}, {"R1C"}, {"CR1"}} {
			all = append(all, scenario{start: start, callers: append(callers, "S")})
		}
	}
	exploreAll(t, all)
}

func exploreAll(t *testing.T, all []scenario) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // what a run leaves behind is small
	states := 0
	for _, sc := range all {
		n, err := explore(sc)
		states += n
		require.NoError(t, err, "%v", sc)
	}
	t.Logf("%d scenarios, %d states", len(all), states)
}
