package hashedwheel

import (
	"log/slog"
	"math/bits"
	"sync/atomic"
	"time"
)

// lateBuckets is the number of lateness classes: class k > 0 holds what is at least 2^(k-1) and
// less than 2^k microseconds late.
const lateBuckets = 40

// Some fires share one reading of the clock for the measurement of their lateness: as many as run
// in about clockSpan, and at most clockEvery. If clockPause has passed since the last reading,
// nothing is known of the next fires, which may be slow: they begin to share anew.
const (
	clockSpan  = 4_000 // nanoseconds
	clockPause = 16 * clockSpan
	clockEvery = 128
)

// A lateness collects how late a worker's timeouts fire, and is published after each batch, so that
// a fire costs no atomic operation for it.
type lateness struct {
	now    int64
	left   int // fires until the clock is read again
	share  int // fires for one reading
	counts [lateBuckets]int64
	fired  int64
	max    int64
}

func (l *lateness) add(e *engine, s state) {
	if l.left == 0 {
		l.sample(e.clock.now())
	}
	l.left--
	late := max(l.now-e.clock.deadline(s), 0)
	l.fired++
	l.max = max(l.max, late)
	l.counts[min(bits.Len64(uint64(late)/1000), lateBuckets-1)]++
}

// sample takes a reading of the clock.
func (l *lateness) sample(now int64) {
	switch pause := now - l.now; {
	case pause < clockSpan:
		l.share = min(2*l.share+1, clockEvery)
	case pause < clockPause:
		l.share = max(l.share/2, 1)
	default:
		l.share = 1
	}
	l.now, l.left = now, l.share
}

func (l *lateness) publish(t *tally) {
	if l.fired == 0 {
		return
	}
	t.fired.Add(l.fired)
	for i, n := range l.counts {
		if n != 0 {
			t.late[i].Add(n)
			l.counts[i] = 0
		}
	}
	for {
		m := t.maxLate.Load()
		if l.max <= m || t.maxLate.CompareAndSwap(m, l.max) {
			break
		}
	}
	l.fired, l.max, l.left = 0, 0, 0
}

// Stats is a snapshot of a timer. Counters count since New and never decrease. The numbers are read
// one after the other while the timer continues, so they belong to nearly the same moment.
type Stats struct {
	Started   int64 // timeouts armed while they were not pending
	Reset     int64 // timeouts armed again while they were pending
	Fired     int64 // runs of tasks, each run of a periodic one included
	Cancelled int64 // timeouts cancelled while they were pending, by Stop too
	Rejected  int64 // refused by MaxPendingTimeouts
	Unarmed   int64 // timeouts of AfterFunc, Every and EveryDelay that the timer refused, full or stopped
	Refused   int64 // tasks that the Executor refused, and the worker ran
	Panicked  int64 // panics in user code
	HandOvers int64 // times another worker took over because a task stalled or ended the one before
	WakeUps   int64 // times the worker woke, to work or for nothing

	Pending int64 // accepted, not fired, not cancelled
	Queued  int64 // left by callers and not yet processed by the worker

	// Idle counts the part of the other fields that serves Idles. The rest is the caller's own.
	Idle IdleStats

	// Lateness is how long after its deadline a timeout fires, counted since New. P50 and P99 are
	// upper bounds within a factor of two. The maximum is up to a 128th of a tick too small, which
	// is how exactly a timeout keeps its deadline. A delay of 32 ticks and more counts from when
	// the worker took the timeout, within a tick. Up to 128 fires share a reading of the clock if
	// those before them in the tick were quick: what slow tasks among them add to the lateness of
	// the next is then missing.
	LatenessP50, LatenessP99, LatenessMax time.Duration

	// TickLag is how far behind the clock the worker's last tick began.
	TickLag time.Duration
}

// IdleStats is what the Idles of a timer, and its ConnIdles, contribute to Stats.
type IdleStats struct {
	Members  int64 // at this moment
	Reported int64 // members found silent

	// The following count timeouts that serve an Idle, one for each member and one for each coarse
	// clock. Each is contained in the field of Stats that has its name.
	Started   int64
	Reset     int64
	Fired     int64
	Cancelled int64 // those cancelled by the timer's Stop are not in it
}

// An idleTally counts for IdleStats. Touch counts nothing.
type idleTally struct {
	members, reported                atomic.Int64
	started, reset, fired, cancelled atomic.Int64
}

func (t *idleTally) stats() IdleStats {
	return IdleStats{
		Members:   t.members.Load(),
		Reported:  t.reported.Load(),
		Started:   t.started.Load(),
		Reset:     t.reset.Load(),
		Fired:     t.fired.Load(),
		Cancelled: t.cancelled.Load(),
	}
}

// Stats returns the timer's numbers. A call locks every stripe a few times, one after the other.
func (w *HashedWheelTimer) Stats() Stats {
	e := w.engine
	// A part is read before the whole that contains it.
	s := Stats{
		Idle:      e.idle.stats(),
		Pending:   w.PendingTimeouts(),
		Fired:     e.fired(),
		Rejected:  e.rejected.Load(),
		Unarmed:   e.unarmed.n.Load(),
		Refused:   e.tally.refused.Load(),
		Panicked:  e.tally.panicked.Load(),
		HandOvers: e.tally.handOvers.Load(),
		WakeUps:   e.clock.wakeUps.Load(),
		TickLag:   time.Duration(e.tally.lag.Load()),
	}
	s.Started, s.Cancelled, s.Reset = e.intake.counts()
	s.Queued = e.intake.waiting() + e.waiting.Load()
	var counts [lateBuckets]int64
	var sum int64
	for i := range counts {
		counts[i] = e.tally.late[i].Load()
		sum += counts[i]
	}
	s.LatenessMax = time.Duration(e.tally.maxLate.Load())
	s.LatenessP50 = quantile(counts[:], sum, 50, s.LatenessMax)
	s.LatenessP99 = quantile(counts[:], sum, 99, s.LatenessMax)
	return s
}

// fired returns how many timeouts have fired. The owner word has the lower bits of the present
// number, and the tally has the whole number up to the last batch.
func (e *engine) fired() int64 {
	known := e.tally.fired.Load()
	return known + int64((ownership(e.owner.Load())-ownership(known))&firedMask)
}

// quantile returns the upper end of the class that holds the given percentage.
func quantile(counts []int64, sum, percent int64, most time.Duration) time.Duration {
	if sum == 0 {
		return 0
	}
	rank := (sum*percent + 99) / 100
	for i, n := range counts {
		if rank -= n; rank <= 0 {
			return min(time.Microsecond<<i, most)
		}
	}
	return most
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

// logPause is the least time between two lines of a sparseLog.
const logPause = 10 * time.Second

// A sparseLog writes at most one line in logPause about something that may happen very often. Its
// methods may be called from any goroutine.
type sparseLog struct {
	logger *slog.Logger
	last   atomic.Int64 // when the last line was written, in nanoseconds since 1970; 0 before the first
	held   atomic.Int64 // how many lines were left out since
}

// warn writes a line and the number of lines left out before it, or leaves the line out.
func (l *sparseLog) warn(message string, args ...any) {
	last, now := l.last.Load(), time.Now().UnixNano()
	since := now - last // negative if the clock was set back
	if 0 <= since && since < int64(logPause) || !l.last.CompareAndSwap(last, now) {
		l.held.Add(1)
		return
	}
	l.logger.Warn(message, append(args, "left_out", l.held.Swap(0))...)
}

// An unarmedLog counts and logs timeouts that were refused to callers who get no error.
type unarmedLog struct {
	n   atomic.Int64
	log sparseLog
}

// reportUnarmed counts and logs that name could not arm a timeout, if err is not nil.
func (e *engine) reportUnarmed(name string, err error) {
	if err == nil {
		return
	}
	e.unarmed.n.Add(1)
	e.unarmed.log.warn("hashedwheel: a timeout will not fire, since the timer refused it", "by", name, "err", err)
}
