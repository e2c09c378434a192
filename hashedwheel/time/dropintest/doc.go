// Package dropintest runs the test suites of well-known Go packages with their timers on the wheel.
// In a copy of each package, the import of time is changed to hashedwheel/time. The only other
// change of its code is a test file that makes a leak checker ignore the wheel's goroutine, where
// the package has one. Tests that pass without the changes have to pass with them.
//
// It is a module of its own, so that no other module depends on those packages.
//
//	go test -v .                            # a selection, three minutes on two cores
//	XXLWHEEL_TEST_SOAK=1 go test -timeout 1h -v .   # all tests of each package
package dropintest
