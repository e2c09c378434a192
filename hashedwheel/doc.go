// Package hashedwheel runs many approximate timeouts on one goroutine.
//
// A HashedWheelTimer keeps its timeouts in a ring of buckets, one bucket for each
// tick. A timeout that lies further ahead than one revolution stays in its
// bucket and waits for the hand to come round. Adding and cancelling cost O(1);
// precision is one tick.
//
// The structure is scheme 6 of Varghese and Lauck, "Hashed and Hierarchical
// Timing Wheels" (SOSP 1987), with the vocabulary of Netty's HashedWheelTimer.
//
// # Guarantees
//
// A timeout never fires before its deadline. It fires at the first tick boundary
// at or after the deadline, so it is less than one tick late when the worker keeps
// up. Ticks fire in order; timeouts due in the same tick fire in no defined
// order. No lock is held while a task runs. A task that panics is recovered,
// counted and logged, and harms no other. A timer with nothing pending wakes nobody.
//
// # When not to use it
//
// For a few hundred timers, or when one tick of lateness matters, use
// time.AfterFunc.
package hashedwheel
