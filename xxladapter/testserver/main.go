//go:build unix

package testserver

import (
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, stops the servers they started, and looks
// for leaks as [goleak.VerifyTestMain] does.
func Main(m *testing.M, options ...goleak.Option) {
	goleak.VerifyTestMain(stopping{m}, options...)
}

// stopping is a [testing.M] that stops the shared servers after its tests.
type stopping struct{ *testing.M }

func (s stopping) Run() int {
	defer stopShared()
	return s.M.Run()
}

var (
	sharedMu sync.Mutex
	shared   []func() // stop what the whole test binary shares
)

// atEnd has stop called when all tests have run.
func atEnd(stop func()) {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	shared = append(shared, stop)
}

func stopShared() {
	sharedMu.Lock()
	defer sharedMu.Unlock()
	for _, stop := range shared {
		stop()
	}
	shared = nil
}

// missing skips the test, or fails it where servers are required.
func missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("XXLWHEEL_REQUIRE_SERVERS") == "1" {
		t.Fatalf("%s, and XXLWHEEL_REQUIRE_SERVERS is 1", what)
	}
	t.Skip(what)
}
