// Package dropintest runs the test suites of well-known Go packages with their timers on the
// wheel: in a copy of each package the import of time is changed to hashedwheel/time and nothing
// else, and what its own tests pass before they have to pass after.
//
// It is a module of its own, so that those packages reach no other dependencies.
//
//	go test -v .                            # a selection, three minutes on two cores
//	XXLWHEEL_TEST_SOAK=1 go test -timeout 1h -v .   # all tests of each package
package dropintest
