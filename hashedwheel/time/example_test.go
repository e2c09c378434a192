package time_test

import (
	"fmt"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
	"github.com/xxlwheel/xxlwheel/hashedwheel/time"
)

// All of this is written for package time. Only the import has changed.
func Example() {
	timeout := time.NewTimer(30 * time.Second)
	defer timeout.Stop()
	answer := make(chan string, 1)
	time.AfterFunc(5*time.Millisecond, func() { answer <- "pong" })
	select {
	case text := <-answer:
		fmt.Println(text)
	case <-timeout.C:
		fmt.Println("no answer within 30s")
	}
	fmt.Println(timeout.Stop(), time.January, time.Date(2026, 2, 30, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
	// Output:
	// pong
	// true January 2026-03-02
}

// A wheel of one's own has its own tick, and its timers can be counted.
func ExampleOn() {
	wheel, err := hashedwheel.New(hashedwheel.Options{TickDuration: 10 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer wheel.Stop()
	clock := time.On(wheel)

	idle := clock.AfterFunc(time.Minute, func() { fmt.Println("silent for a minute") })
	fmt.Println(wheel.PendingTimeouts())
	fmt.Println(idle.Reset(time.Minute), idle.Stop())
	clock.Sleep(time.Millisecond)
	fmt.Println(wheel.PendingTimeouts())
	// Output:
	// 1
	// true true
	// 0
}

// A function that does not block needs no goroutine. The zero Clock is that of the package-level
// functions.
func ExampleClock_Inline() {
	var clock time.Clock
	done := make(chan string, 1)
	clock.Inline().AfterFunc(time.Millisecond, func() { done <- "called by the worker" })
	fmt.Println(<-done)
	// Output: called by the worker
}
