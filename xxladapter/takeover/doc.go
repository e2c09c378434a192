// Package takeover decides what a store takes from a database of XXL-JOB: which groups, jobs, users
// and figures are new there, which ids they get, and what has to change. It reads and writes
// nothing; package sqlstore does.
package takeover
