// Package transfer brings records from one place to another: [Copy] brings a store into an empty
// one, which may be of another kind, and [TakeOver] brings a database of XXL-JOB into a store. It
// stands above the subjects whose rows it writes.
package transfer
