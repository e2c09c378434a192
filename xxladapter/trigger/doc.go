// Package trigger takes one fire to its completion: it chooses the executor, claims the fire
// together with its log row, sends the run, settles the fire when the outcome is known, asks the
// executor while it is not, and stores the result that the executor calls back with.
//
// The order is what makes a crash harmless. A fire is claimed, with its log id and address, before
// anything is sent; it is settled only once the outcome is certain, or once asking was given up.
// Whatever a dead process left claimed is therefore ambiguous and never "not sent", and
// [HandOver.Resolve] asks the executor before it sends again, unless the job's settings say
// otherwise, and always sends the same log id.
//
// # What it costs
//
// Each fire costs a claim and a settlement in the store, which share transactions with those of
// other fires, and one request, which fires share if the executor takes batches.
// bench/results/scheduler.md has the processor time of a whole trip. A hand-over in flight is a
// goroutine.
//
// # Limits
//
// By default, a [Pool] hands over at most 200 fires of ordinary jobs and 100 of slow jobs at a
// time; one app gets at most half of each. For each of the two, up to 40,000 more wait in memory;
// all others wait in the store. An executor that answers slowly therefore delays its own app alone.
//
// # When not to use it
//
// Most programs want package node, which connects it to a scheduler and a store. An executor is in
// package executor.
package trigger
