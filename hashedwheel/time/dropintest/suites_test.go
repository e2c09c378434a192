package dropintest

import "time"

// A suite is the tests of one package.
type suite struct {
	name   string
	module string
	pkg    string        // the folder in the module
	tests  bool          // change test files, too, because they use timers of the package
	short  []string      // flags of go test in the short form
	within time.Duration // limit of one run in the short form

	// known maps tests to the reasons why they fail now and then even without the wheel.
	known map[string]string

	// ignore is a test file that makes the package's leak checker ignore the wheel's goroutine, as
	// users of the wheel have to do. Empty means that none is needed.
	ignore string

	// complaint is what the package's TestMain prints after all tests have passed: it counts
	// goroutines, of which the wheel has one and package time none. Empty means that it prints
	// nothing.
	complaint string
}

var suites = []suite{
	{name: "yamux", module: "github.com/hashicorp/yamux", pkg: ".", short: []string{"-short"}, within: 100 * time.Second,
		known: map[string]string{
			"TestHalfCloseSessionShutdown": "the kernel decides whether the end or a reset of the connection is seen first",
			"TestSendData_VeryLarge":       "it keeps all processors busy and wants each answer within 250 ms",
		}},
	{name: "smux", module: "github.com/xtaci/smux", pkg: ".", tests: true, short: []string{"-skip=^Test8GB"}, within: 100 * time.Second},
	{name: "http2", module: "golang.org/x/net", pkg: "http2", within: 100 * time.Second},
	{name: "websocket", module: "github.com/coder/websocket", pkg: ".", within: 100 * time.Second,
		complaint: "goroutine leak detected, expected 1 but got 2 goroutines"},
	{name: "grpc", module: "google.golang.org/grpc", pkg: "internal/transport", within: 100 * time.Second,
		ignore: `package transport

import "google.golang.org/grpc/internal/leakcheck"

func init() { leakcheck.RegisterIgnoreGoroutine("hashedwheel.(*worker).work") }
`},
}
