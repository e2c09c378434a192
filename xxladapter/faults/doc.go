// Package faults kills, freezes and restarts real scheduler processes and real
// database servers under load, and lets package checker judge what became of
// every due time. It holds tests only.
//
// Each test runs on SQLite with one scheduler, and on MariaDB and PostgreSQL
// with three. The executors are part of the test: they take every run they are
// handed, also a second one with the same log id, so that nothing is hidden by
// an executor that knows better.
//
//	go test ./xxladapter/faults                    a few rounds of each fault
//	make faults                                    many rounds, with a new seed
//	go test ./xxladapter/faults -long -seed 7      the same, with the seed of a failure
package faults
