// Package hashedwheel runs many approximate timeouts on one goroutine: it is made for servers with
// hundreds of thousands of timeouts, nearly all of which are moved or cancelled before they fire.
//
// # The wheel
//
// A HashedWheelTimer keeps its timeouts in a ring of buckets. A hand moves from bucket to bucket,
// one in each tick, and fires what is due in the bucket that it reaches. Adding, moving and
// cancelling cost O(1), where the heap of the time package costs O(log n).
//
// With eight buckets and a tick of 10ms, a revolution takes 80ms. A timeout that is due at tick 3
// goes to bucket 3. One that is due at tick 11 goes to bucket 11 & 7 = 3 too, and the hand passes
// it once: it has one remaining round. A delay longer than a revolution can be handled in three
// ways: by more buckets, so that rounds are rare; by rounds, which is the default; and by layers
// (Options.Layered), where coarser wheels hand timeouts down to finer ones as the hand comes near,
// so that no tick looks at a timeout that is not nearly due.
//
// The structures are schemes 6 and 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels"
// (SOSP 1987). The words and the behaviour at the edges are those of Netty's HashedWheelTimer.
//
// # Guarantees
//
//   - A timeout never fires before its deadline.
//   - It fires at the first tick boundary at or after its deadline: less than Options.TickDuration
//     late, plus however long the machine or a task delays the worker. A delay of 32 ticks or more
//     may add one tick: the caller then reads no clock, and the worker counts the delay from the
//     moment at which it takes the timeout, which is within a tick while it keeps up. Periodic
//     timeouts are never armed in that way.
//   - Ticks fire in order. Within a tick the order is unspecified.
//   - Every timeout that was accepted fires once, is cancelled once, or is returned by Stop; a
//     periodic one fires until it is cancelled or returned by Stop. The results of Cancel, Reset
//     and Stop say which, exactly.
//   - No lock is held while a task runs. A task that panics is recovered, counted and logged. A
//     task that takes long does not stop the wheel: another goroutine takes the wheel over.
//   - With nothing pending the worker never wakes. With distant timeouts only, it sleeps until the
//     next one is due.
//   - Time is the monotonic clock. In a testing/synctest bubble it is the bubble's.
//
// # Clock jumps, suspend and overload
//
//   - Setting the wall clock moves no timeout.
//   - While a machine is suspended, the monotonic clock of Linux stands still, for package time
//     too. So the suspend does not count: a timeout that was a minute away is a minute away
//     afterwards. On systems whose clock continues, a suspend is like a pause of the process.
//   - After a pause of the process, all that became due fires at once, tick by tick. A periodic
//     timeout fires once and skips the other deadlines that have passed.
//   - If timeouts are added faster than the worker files them, none is lost and the hand still
//     moves: after each 4,096 that it files, the worker fires what is due; that of a Batch does so
//     after each 100,000. The rest waits in queues that grow without limit, unless there is
//     Options.MaxPendingTimeouts. A timeout that is due before it is filed fires late, and never
//     early. Stats.Queued shows how many wait, and Stats.TickLag how late the worker is.
//
// # What to use
//
//	timer, err := hashedwheel.New(hashedwheel.Options{TickDuration: 10 * time.Millisecond})
//	if err != nil {
//		return err
//	}
//	defer timer.Stop()
//	timeout := timer.AfterFunc(30*time.Second, func() { log.Print("no answer") })
//	timeout.Stop() // true: this call prevented the run
//
// By purpose:
//
//   - NewTimeout and AfterFunc return a handle, one allocation of 32 bytes.
//   - A Timeout inside your own struct, bound by Init and armed by Reset, costs no allocation
//     however often it is armed. Moving it further ahead writes one word.
//   - NewIdleOf reports members that have been silent for a period; each member may have its own
//     period. Touch reads no clock, and a touch that soon follows another writes nothing. NewIdle
//     is the same with values of any type.
//   - NewConnIdle does it for net.Conn and net.Listener. A wrapped connection keeps sendfile,
//     splice and half-close.
//   - Batch delivers payloads of any type to one function: no handle, no closure, and nothing for
//     the garbage collector to look at if the payload has no pointers.
//   - Every, EveryDelay, After, Sleep and WithTimeout do on the wheel what tickers, time.After,
//     time.Sleep and context.WithTimeout do without it.
//
// # When not to use it
//
// For a few hundred timers, or when a tick of lateness matters, use time.AfterFunc. A tick under a
// millisecond is raised to one: the scheduling of the operating system is no finer. A timer wakes
// at every tick at which something is due, so a small tick with many spread-out deadlines costs
// processor time.
package hashedwheel
