package hashedwheel

import (
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// defaultTickDuration and defaultTicksPerWheel are Netty's.
	defaultTickDuration  = 100 * time.Millisecond
	defaultTicksPerWheel = 512

	// minTickDuration is Netty's floor. Below it the operating system's own scheduling is coarser
	// than the tick.
	minTickDuration = time.Millisecond

	// maxTicksPerWheel is Netty's ceiling, 1<<30, and 1<<26 on 32-bit processors: more buckets than
	// that do not fit into their memory.
	maxTicksPerWheel = 1 << (22 + bits.UintSize/8)
)

// Options configures a HashedWheelTimer or a Batch. The zero value is a timer with Netty's
// defaults.
type Options struct {
	// TickDuration is the time between two bucket visits. On an idle machine a timeout is late by
	// less than one tick, or two after a delay of 32 ticks and more. Positive values below 1ms are
	// raised to 1ms and the change is logged. Negative values are refused. Zero means 100ms.
	TickDuration time.Duration

	// TicksPerWheel is the number of buckets, rounded up to a power of two. Negative values and
	// values over 1<<30, or 1<<26 on a 32-bit processor, are refused, and so is a wheel whose
	// revolution, TickDuration times TicksPerWheel, does not fit into a time.Duration. A layered
	// wheel uses it for its finest layer, and at least 64. An empty bucket costs 40 bytes. Zero
	// means 512.
	TicksPerWheel int

	// MaxPendingTimeouts limits the timeouts that are accepted, not fired and not cancelled; in a
	// Batch, the payloads. The limit is exact, at the price of one counter that all goroutines
	// share.
	//
	// A timeout that has fired keeps its place until its task returns: the task can arm it again
	// or, if it runs on the worker, start another timeout in its place. A task that arms its
	// timeout and then cancels it gives the place back at once. If runs of one timeout overlap, the
	// first that returns gives the place back. A payload of a Batch gives its place back before the
	// function is called.
	//
	// Negative values are refused, unlike in Netty, where they mean no limit: here they are more
	// likely the result of a wrong calculation. Zero means no limit.
	MaxPendingTimeouts int64

	// Executor runs the tasks, or the calls of a Batch's function. Without one, a task that takes
	// long delays the others of its timer by at most about two ticks or 20ms, whichever is longer,
	// and each slow task right behind it adds one to three milliseconds. A slow function of a Batch
	// delays all later payloads until it returns. Nil means that the worker runs the tasks itself,
	// one after the other, which is the fastest.
	Executor Executor

	// Layered selects a hierarchical wheel, which needs no rounds: better for many timeouts that
	// lie many revolutions ahead. False means a single wheel with rounds.
	Layered bool

	// Logger receives panics of tasks, refusals of the executor and warnings. Nil means
	// slog.Default().
	Logger *slog.Logger
}

// withDefaults returns o with its defaults, or an error that names the field that is out of range.
func (o Options) withDefaults() (Options, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	switch {
	case o.TickDuration < 0:
		return o, fmt.Errorf("hashedwheel: Options.TickDuration is %v, must not be negative", o.TickDuration)
	case o.TickDuration == 0:
		o.TickDuration = defaultTickDuration
	}
	switch {
	case o.TicksPerWheel < 0:
		return o, fmt.Errorf("hashedwheel: Options.TicksPerWheel is %d, must not be negative", o.TicksPerWheel)
	case o.TicksPerWheel > maxTicksPerWheel:
		return o, fmt.Errorf(
			"hashedwheel: Options.TicksPerWheel is %d, must not be over %d", o.TicksPerWheel, maxTicksPerWheel,
		)
	case o.TicksPerWheel == 0:
		o.TicksPerWheel = defaultTicksPerWheel
	}
	o.TicksPerWheel = 1 << bits.Len(uint(o.TicksPerWheel-1))
	if o.MaxPendingTimeouts < 0 {
		return o, fmt.Errorf(
			"hashedwheel: Options.MaxPendingTimeouts is %d, must not be negative", o.MaxPendingTimeouts,
		)
	}
	if longest := time.Duration(1<<63-1) / time.Duration(o.TicksPerWheel); o.TickDuration >= longest {
		return o, fmt.Errorf("hashedwheel: Options.TickDuration is %v, must be under %v with %d ticks per wheel",
			o.TickDuration, longest, o.TicksPerWheel)
	}
	if o.TickDuration < minTickDuration {
		o.Logger.Warn("hashedwheel: tick duration raised to the minimum",
			"given", o.TickDuration, "used", minTickDuration)
		o.TickDuration = minTickDuration
	}
	return o, nil
}

var (
	// ErrStopped is returned when a timeout is offered to a timer that has been stopped. The
	// timeout was not accepted: it will not run, and Stop did not and will not return it.
	ErrStopped = errors.New("hashedwheel: timer stopped")

	// ErrTooManyPending is returned when a timeout is offered to a timer that already holds
	// Options.MaxPendingTimeouts timeouts that are pending or whose tasks run. No timeout was
	// armed; there is room again as soon as one has run or is cancelled.
	ErrTooManyPending = errors.New("hashedwheel: too many pending timeouts")

	// ErrStopInTask is returned by Stop when it is called from inside a task that the worker runs
	// itself. Stop waits for that task, so it would never return. The timer was not changed.
	ErrStopInTask = errors.New("hashedwheel: stop called from inside a task")
)

// A limit counts the places that pending timeouts take. If there is no limit it counts nothing, and
// costs nothing. The paddings keep taken, which each start and each fire write, off the cache lines
// of the fields around it.
type limit struct {
	most  int64 // 0 means no limit
	_     [64]byte
	taken atomic.Int64
	_     [64]byte
}

// reserve takes one place and reports whether there was one. It never exceeds the limit, not even
// for a moment, so it refuses no other caller in error.
func (l *limit) reserve() bool {
	if l.most == 0 {
		return true
	}
	for {
		n := l.taken.Load()
		if n >= l.most {
			return false
		}
		if l.taken.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release gives n places back.
func (l *limit) release(n int64) {
	if l.most > 0 {
		l.taken.Add(-n)
	}
}
