// Package time is the standard package time with its timers on a hashed wheel: one changed import
// puts the timers of a whole file on it.
//
//	import "github.com/xxlwheel/xxlwheel/hashedwheel/time"
//
// Every exported name of package time is here. Timer, Ticker, NewTimer, AfterFunc, After,
// NewTicker, Tick and Sleep are timeouts of a wheel with a tick of a millisecond. That wheel is
// made at the first use and never stopped. All other names are package time's own: a Duration, a
// Time, a Month is the same type in both packages. On puts the timers on a wheel of your own.
//
// # What is the same
//
// The rules are those of package time since Go 1.23:
//
//   - Nothing fires early.
//   - After Stop or Reset has returned, no time of an earlier setting is received from C. Both
//     return true for a timer that has expired if its time has not been received.
//   - A Ticker drops ticks for slow receivers and keeps its phase.
//   - A function given to AfterFunc has a goroutine of its own, so it may block.
//   - Misuse panics with the same messages.
//   - In a testing/synctest bubble the package-level functions make timers of package time, which
//     are on the bubble's clock and need no goroutine. For a wheel in a bubble see On.
//
// # What is different
//
//   - Precision: what is due fires at the next tick, so up to a millisecond later than with package
//     time, or two after a delay of 32 ms and more. A timer of less than a tick takes up to two
//     ticks.
//   - Times: what is sent is the time of the fire. Package time sends the time at which the timer
//     was due, so the times of its Ticker are whole periods apart, however late it fires.
//   - A goroutine: the worker of the wheel exists from the first use on, idle or not. Leak checkers
//     see it. With go.uber.org/goleak ignore it by
//     goleak.IgnoreAnyFunction("github.com/xxlwheel/xxlwheel/hashedwheel.(*worker).work").
//   - Garbage: a pending timer and a running ticker are not collected when they are no longer
//     referenced. A timer is collected once it has fired. A ticker that is dropped without Stop
//     never stops, as before Go 1.23.
//   - cap(C) is 1 and len(C) may be 1, where package time shows an unbuffered channel.
//   - *Timer and *Ticker are other types than package time's. Where another package's function or
//     field needs one of those, use package time's.
//   - UTC and Local are copies. To change the local zone assign to the standard time.Local;
//     assigning to Local here changes nothing.
//   - %v prints other fields of a Timer. The GODEBUG setting asynctimerchan has no effect.
//   - Deadlines of package context and package net stay with package time. See
//     hashedwheel.HashedWheelTimer.WithTimeout for contexts.
//
// # What it costs
//
// Nanoseconds on two cores of a virtual AMD EPYC, Go 1.26, medians of five interleaved rounds; they
// vary by half. Changing the import alone makes hardly any program faster. What is gained is
// cheaper AfterFunc with many timers pending, Inline, and a wheel that can be limited and watched.
//
//	                                       wheel   package time
//	AfterFunc and Stop, none pending         215            194
//	the same, a million pending              242            365
//	NewTimer and Stop, none pending          382            306
//	the same, a million pending              393            295
//	an answer or a timer, none pending       805            822
//	the same, a million pending              873            925
//	Reset of one timer                        44             46
//	Reset of one of a million                424            421
//	AfterFunc and its call                   812            740
//	the same by Inline                       334
//	the same, ten thousand that block       2628           1891
//	a tick of ten thousand tickers          1329           1360
//
// The last four are processor time. AfterFunc allocates 80 bytes, package time's 112.
package time
