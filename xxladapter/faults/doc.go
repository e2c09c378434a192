// Package faults contains only tests. They kill, freeze and restart real scheduler processes and
// real database servers under load, and package checker judges what happened to every due time.
// Some tests put a [testserver.Proxy] between the two, a network that cuts, stalls or falls silent.
//
// Most tests run with three schedulers on MariaDB and on PostgreSQL; some of Redis run on
// PostgreSQL alone. Tests that need no second scheduler, database server or Redis also run with one
// scheduler on SQLite, with and without a journal, and some that kill schedulers with two
// schedulers on one SQLite file. The executors are part of the test: they accept every run, even a
// second one with the same log id, so they hide no duplicate.
//
//	go test ./xxladapter/faults                    one of the tests, in ten seconds
//	make test-all                                  a few rounds of each fault, among all other tests
//	make faults                                    many rounds, with a new seed
//	make faults FOR=10m                            as many rounds as fit into ten minutes, of each test on each store
//	make faults ARGS='-seed 7'                     with the seed of a failure
//	make faults ARGS='-jobs 200'                   on a machine that does other work too
//
// A few rounds of each take some four minutes on two cores, six tests at a time. The tests of a
// soak run one after another. A history that is not clean is kept by go test -artifacts, for
// xxlwheel check.
package faults
