// Package bench compares the timers of package hashedwheel with what else
// a Go program can use. It has only tests:
//
//	go test -bench . ./bench
//
// The contenders are in bench/contender and what is measured is in bench/cases.
// Third-party timers are in bench/rivals, a module of its own, and go through the
// same cases. README.md says how to read the figures.
package bench
