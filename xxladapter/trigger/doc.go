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
// For each fire a claim and a settlement in the store, which share transactions with those of other
// fires, and one request, which executors that take batches share too. bench/results/scheduler.md
// has the processor time of a whole trip. A hand-over in flight is a goroutine.
//
// # Limits
//
// A [Pool] hands over 200 fires at a time, and 100 of slow jobs, of which one app gets half;
// 40,000 more wait in memory, and all others in the store. An executor that answers slowly
// therefore delays its own app alone.
//
// # When not to use it
//
// Most programs want package node, which connects it to a scheduler and a store. An executor is in
// package executor.
package trigger
