// Package transfer brings records from one place to another: [Copy] brings a store into an empty
// one, which may be of another kind, and [TakeOver] brings a database of XXL-JOB into a store. It
// builds on the packages whose rows it writes.
package transfer
