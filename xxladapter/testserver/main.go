package testserver

import (
	"flag"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// atOnce returns how many parallel tests run at the same time unless -parallel says otherwise. They
// wait for servers and for time to pass, so processors are no limit. Long tests run six at a time,
// because some of them load the machine. In a soak one test runs at a time, because its load needs
// the whole machine.
func atOnce() int {
	switch {
	case Soak():
		return 1
	case IsLong():
		return 6
	}
	return 12
}

// gcPercent is the GOGC of a scheduler (node.Tune). With the default, tests take a sixth more
// processor time.
const gcPercent = 400

// Main runs the tests of a package, stops the servers they started, and looks for leaks as
// [goleak.VerifyTestMain] does. GOGC becomes 400 unless the environment sets it.
func Main(m *testing.M, options ...goleak.Option) {
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if !given("test.parallel") {
		if err := flag.Set("test.parallel", strconv.Itoa(atOnce())); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(stopping{m}, options...)
}

// given reports whether a flag has been set, by the command line or by the test binary.
func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// stopping is a [testing.M] that stops the shared servers after its tests.
type stopping struct{ *testing.M }

func (s stopping) Run() int {
	defer stopShared()
	return s.M.Run()
}

var (
	sharedMu sync.Mutex // guards shared
	shared   []func()   // each stops a server of the whole test binary
)

// atEnd registers stop, which is called when all tests have run.
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
