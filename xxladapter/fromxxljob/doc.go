// Package fromxxljob decides what a takeover takes from a database of XXL-JOB: which groups, jobs,
// users and daily figures are new in the store, which ids they get, and which values have to
// change. It reads and writes nothing; package sqlstore does.
package fromxxljob
