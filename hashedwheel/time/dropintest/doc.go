// Package dropintest runs the test suites of well-known Go packages with their timers on the wheel.
// In a copy of each package, the import of time is changed to hashedwheel/time, and nothing else.
// Tests that pass without the change have to pass with it.
//
// It is a module of its own, so that no other module depends on those packages.
//
//	go test -v .                            # a selection, three minutes on two cores
//	XXLWHEEL_TEST_SOAK=1 go test -timeout 1h -v .   # all tests of each package
package dropintest
