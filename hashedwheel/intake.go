package hashedwheel

import (
	"math/bits"
	"runtime"
	"sync/atomic"
)

// stripesPerProc makes it unlikely that two running goroutines share a stripe: on two processors
// there are 32 stripes, and one pair of goroutines in 32 shares one.
const stripesPerProc = 16

// maxStripes bounds the memory of the stripes and the time to look through them.
const maxStripes = 256

// An intake is the concurrent part of a timer: any number of goroutines leave timeouts in it, and
// one worker collects them.
type intake[E any] struct {
	stripes []stripe[E] // length is a power of two

	// shift turns a hash into an index.
	shift uint

	// busy is the index of the stripe in which take last found entries; recycle gives segments to
	// that stripe. Only the worker uses it.
	busy int
}

func newIntake[E any]() intake[E] {
	n := min(runtime.GOMAXPROCS(0)*stripesPerProc, maxStripes)
	log := bits.Len(uint(n - 1))
	return intake[E]{stripes: make([]stripe[E], 1<<log), shift: uint(64 - log)}
}

// pick returns the stripe of the calling goroutine.
func (in *intake[E]) pick() *stripe[E] { return &in.stripes[in.index()] }

// empty reports whether nothing waits in any stripe.
func (in *intake[E]) empty() bool {
	for i := range in.stripes {
		if !in.stripes[i].empty() {
			return false
		}
	}
	return true
}

// take moves lane l of every stripe to the end of q. It returns how many entries were withdrawn
// since the last take of any lane.
func (in *intake[E]) take(l lane, q *queue[E]) (withdrawn int) {
	for i := range in.stripes {
		taken, n := in.stripes[i].take(l)
		if taken.n > 0 {
			in.busy = i
		}
		q.append(&taken)
		withdrawn += n
	}
	return withdrawn
}

// takeNotices empties the notices of all stripes, and returns into with them appended.
func (in *intake[E]) takeNotices(into []call) []call {
	for i := range in.stripes {
		into = in.stripes[i].takeNotices(into)
	}
	return into
}

// close makes every later push fail.
func (in *intake[E]) close() {
	for i := range in.stripes {
		in.stripes[i].close()
	}
}

// counts sums the counters of the stripes.
func (in *intake[E]) counts() (started, cancelled, resets int64) {
	// Cancellations are summed before starts. In the other order, a timeout that is started and
	// cancelled between the two loops would count as cancelled and not as started.
	for i := range in.stripes {
		s := &in.stripes[i]
		s.mu.Lock()
		cancelled += s.mu.cancelled + s.cancelled.Load()
		s.mu.Unlock()
	}
	for i := range in.stripes {
		s := &in.stripes[i]
		s.mu.Lock()
		started += s.mu.started + s.started.Load()
		s.mu.Unlock()
		resets += s.resets.Load()
	}
	return started, cancelled, resets
}

// waiting returns how many entries and notices wait in all stripes.
func (in *intake[E]) waiting() (n int64) {
	for i := range in.stripes {
		s := &in.stripes[i]
		s.mu.Lock()
		n += int64(s.mu.timeouts.n + s.mu.cancels.n + len(s.mu.notices))
		s.mu.Unlock()
	}
	return n
}

// trim gives the spare segments of all stripes back to the collector.
func (in *intake[E]) trim() {
	for i := range in.stripes {
		in.stripes[i].trim()
	}
}

// recycle gives an emptied segment to the busy stripe, which is likely to need it next.
func (in *intake[E]) recycle(seg *segment[E]) { in.stripes[in.busy].recycle(seg) }

// segmentLen makes a segment of pointers, with its header, exactly 4096 bytes.
const segmentLen = 509

// maxSpareSegments bounds what one stripe keeps for reuse: 32 KiB.
const maxSpareSegments = 8

// A segment is a block of entries in the linked list of a queue.
type segment[E any] struct {
	next    *segment[E]
	done    int // entries at the front that the worker has processed
	n       int // entries in it, including the processed ones
	entries [segmentLen]E
}

// A queue is a list of segments, oldest first. It is not safe for concurrent use; the stripe that
// holds it locks.
type queue[E any] struct {
	first, last *segment[E]
	n           int
}

// A stripe is one of several places where callers leave timeouts for the worker: many producers,
// one consumer. Goroutines are spread over the stripes, so that the lock is nearly always free. A
// stripe's lock and an append cost less than a lock-free queue's two atomic operations and its
// node, and leave no holes that a consumer would have to wait for.
type stripe[E any] struct {
	mu struct { // guards the queues and, in a Batch, the stripe's magazine of free slots
		latch
		closed   bool
		timeouts queue[E] // to be filed, or moved to an earlier tick
		cancels  queue[E] // to be removed from the wheel
		notices  []call   // calls of Cancelled still to be made
		spare    *segment[E]
		spares   int

		// withdrawn is how many entries were taken back since the worker's last poll. The worker
		// need not process them, but they show that the timer is in use.
		withdrawn int

		// Counted by callers that hold the lock anyway.
		started, cancelled int64
	}

	// Counted by callers that do not hold the lock. These are the hot path's only shared writes,
	// one for each operation.
	started   atomic.Int64 // armed while not pending
	cancelled atomic.Int64 // cancelled while pending
	resets    atomic.Int64 // armed again while pending

	// _ keeps neighbouring stripes off each other's cache lines, two of which are fetched together.
	_ [128]byte
}

// lane names one of a stripe's queues.
type lane int

const (
	laneTimeouts lane = iota
	laneCancels
)

func (s *stripe[E]) lane(l lane) *queue[E] {
	if l == laneCancels {
		return &s.mu.cancels
	}
	return &s.mu.timeouts
}

// A call is a timeout and the task that it had when it fired or was cancelled. The task is kept
// here because Init may bind the timeout to another one before the call is made.
type call struct {
	t    *Timeout
	task TimerTask
}

// announce leaves a cancellation for the worker to report. It returns false, without taking c, if
// the stripe is closed.
func (s *stripe[E]) announce(c call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.closed {
		return false
	}
	s.mu.notices = append(s.mu.notices, c)
	return true
}

// takeNotices empties the notices, and returns into with them appended.
func (s *stripe[E]) takeNotices(into []call) []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if into == nil {
		into = s.mu.notices
	} else {
		into = append(into, s.mu.notices...)
	}
	s.mu.notices = nil
	return into
}

// pushLocked leaves e for the worker. It returns how many entries the queue holds now.
//
// REQUIRES: s.mu is held.
func (s *stripe[E]) pushLocked(l lane, e E) int {
	q := s.lane(l)
	if q.last == nil || q.last.n == segmentLen {
		s.growLocked(q)
	}
	q.last.entries[q.last.n] = e
	q.last.n++
	q.n++
	return q.n
}

// newestLocked returns the address of the entry of laneTimeouts that was pushed last, or nil if the
// last segment is empty.
//
// REQUIRES: s.mu is held.
func (s *stripe[E]) newestLocked() *E {
	last := s.mu.timeouts.last
	if last == nil || last.n == 0 {
		return nil
	}
	return &last.entries[last.n-1]
}

// withdrawLocked removes the entry that newestLocked returns.
//
// REQUIRES: s.mu is held.
func (s *stripe[E]) withdrawLocked() {
	q := &s.mu.timeouts
	q.last.n--
	q.n--
	var zero E
	q.last.entries[q.last.n] = zero
	s.mu.withdrawn++
}

// growLocked gives q a segment with room.
//
// REQUIRES: s.mu is held.
func (s *stripe[E]) growLocked(q *queue[E]) {
	seg := s.mu.spare
	if seg != nil {
		s.mu.spare, seg.next = seg.next, nil
		s.mu.spares--
	} else {
		seg = new(segment[E])
	}
	if q.last == nil {
		q.first = seg
	} else {
		q.last.next = seg
	}
	q.last = seg
}

// take empties a queue and returns what it held, and how many entries were withdrawn from the
// stripe since the last take.
func (s *stripe[E]) take(l lane) (taken queue[E], withdrawn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	withdrawn, s.mu.withdrawn = s.mu.withdrawn, 0
	if q := s.lane(l); q.n > 0 { // an empty queue keeps its segment for the next push
		taken, *q = *q, queue[E]{}
	}
	return taken, withdrawn
}

// empty reports whether nothing waits in the stripe.
func (s *stripe[E]) empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.timeouts.n == 0 && s.mu.cancels.n == 0 && len(s.mu.notices) == 0
}

// close makes every later push fail.
func (s *stripe[E]) close() {
	s.mu.Lock()
	s.mu.closed = true
	s.mu.Unlock()
}

// trim gives the spare segments back to the collector.
func (s *stripe[E]) trim() {
	s.mu.Lock()
	s.mu.spare, s.mu.spares = nil, 0
	s.mu.Unlock()
}

// recycle keeps emptied segments for later pushes, up to maxSpareSegments. The others are left to
// the collector. first is the head of a list.
func (s *stripe[E]) recycle(first *segment[E]) {
	s.mu.Lock()
	for first != nil && s.mu.spares < maxSpareSegments {
		next := first.next
		first.next, s.mu.spare = s.mu.spare, first
		s.mu.spares++
		first = next
	}
	s.mu.Unlock()
}

// append adds the entries of other, which is empty afterwards.
func (q *queue[E]) append(other *queue[E]) {
	if other.n == 0 {
		return
	}
	if q.last == nil {
		q.first = other.first
	} else {
		q.last.next = other.first
	}
	q.last = other.last
	q.n += other.n
	*other = queue[E]{}
}

// groupLen is the largest number of entries that groups passes to one call of f.
const groupLen = 128

// groups calls f for at most limit entries, oldest first and at most groupLen at a time, and takes
// them out. Emptied segments go to free.
func (q *queue[E]) groups(limit int, f func([]E), free func(*segment[E])) (done int) {
	for q.first != nil && done < limit {
		seg := q.first
		entries := seg.entries[seg.done:seg.n]
		entries = entries[:min(len(entries), limit-done, groupLen)]
		f(entries)
		clear(entries)
		seg.done += len(entries)
		done += len(entries)
		q.n -= len(entries)
		if seg.done < seg.n {
			continue
		}
		q.first = seg.next
		if q.first == nil {
			q.last = nil
		}
		seg.n, seg.done, seg.next = 0, 0, nil
		free(seg)
	}
	return done
}

// each works like groups, for one entry at a time.
func (q *queue[E]) each(limit int, f func(E), free func(*segment[E])) (done int) {
	return q.groups(limit, func(group []E) {
		for _, e := range group {
			f(e)
		}
	}, free)
}
