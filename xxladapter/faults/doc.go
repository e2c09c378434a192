// Package faults kills, freezes and restarts real scheduler processes and real
// database servers under load, and lets package checker judge what became of
// every due time. It holds tests only.
//
// Others put a network between the two that cuts, stalls and falls silent, by
// [testserver.Proxy].
//
// Each test runs on SQLite with one scheduler, and on MariaDB and PostgreSQL
// with three; those that kill schedulers also with two on one SQLite file. The executors are part of the test: they take every run they are
// handed, also a second one with the same log id, so that nothing is hidden by
// an executor that knows better.
//
//	go test ./xxladapter/faults                    one of the tests, in ten seconds
//	make test-all                                  a few rounds of each fault, among all other tests
//	make faults                                    many rounds, with a new seed
//	make faults FOR=10m                            as many of them as ten minutes have room for, of each test on each store
//	make faults ARGS='-seed 7'                     with the seed of a failure
//	make faults ARGS='-jobs 200'                   on a machine that has other things to do
//
// A few rounds of each take some four minutes on two cores, six tests at a time. The tests of a
// soak run one after another. A history that is not clean is kept by go test -artifacts, for
// xxlwheel check.
package faults
