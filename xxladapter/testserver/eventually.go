package testserver

import (
	"testing"
	"time"
)

// Eventually polls until ok returns true, and fails the test after limit with the name of what was
// waited for. It is for what other processes and real sockets do, which a synctest bubble cannot
// contain and no event reports.
func Eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	if !Within(limit, ok) {
		t.Fatalf("not within %v: %s", limit, what)
	}
}

// Within polls as [Eventually] does, and reports whether ok returned true within limit.
func Within(limit time.Duration, ok func() bool) bool {
	pause := time.Millisecond
	for deadline := time.Now().Add(limit); ; pause = min(2*pause, 20*time.Millisecond) {
		polled := time.Now()
		if ok() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		// A poll may run a whole command, and must leave the processor to what it waits for. One
		// that waited for a frozen server is repeated soon all the same.
		time.Sleep(min(max(pause, 4*time.Since(polled)), 200*time.Millisecond))
	}
}
