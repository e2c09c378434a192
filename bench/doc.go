// Package bench compares the timers of package hashedwheel with the alternatives of a Go program.
// It contains only tests:
//
//	go test -bench . ./bench
//
// The contenders are in bench/contender, the cases in bench/cases. Third-party timers are in
// bench/rivals, a separate module, and run the same cases; Netty is in bench/netty. bench/report
// runs all of them and writes bench/results, and bench/load measures the scheduler. README.md says
// how to read the figures.
package bench
