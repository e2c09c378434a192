// Package trigger takes one fire to its completion: it chooses the executor, claims the fire
// together with its log row, sends the run, settles the fire when the outcome is known, asks the
// executor while it is not, and stores the result that the executor calls back with.
//
// The order is what makes a crash harmless. A fire is claimed, with its log id and address, before
// anything is sent; it is settled only once the outcome is certain, or once asking was given up.
// Whatever a dead process left claimed is therefore ambiguous and never "not sent", and
// [HandOver.Resolve] asks the executor before it sends again, unless the job's settings say
// otherwise, and always sends the same log id.
package trigger
