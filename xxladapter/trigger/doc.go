// Package trigger takes one fire to its completion: it chooses the executor, claims the fire
// together with its log row, sends the run, settles what is known of the outcome, asks again where
// it is not, and stores the result that the executor calls back with.
//
// The order is what makes a crash harmless. A fire is claimed, with its log id and address, before
// anything is sent; it is settled only after the answer was seen. Whatever a dead process left
// claimed is therefore ambiguous and never "not sent", and [HandOver.Resolve] asks the executor
// before sending again, always with the same log id.
package trigger
