// Package scheduler turns schedules into fires: it scans the store for jobs
// that are due soon, decides what becomes of each, commits that, and then arms
// the committed fires in a hashed wheel timer, which hands them out when they
// are due.
//
// The scan follows XXL-JOB's JobScheduleHelper: second-aligned, a window of
// five seconds ahead, three branches by how late a job is found. Where
// upstream keeps "this must fire" in the memory of one process, here it is a
// fire record, written in the transaction that moves the job's next trigger
// time. The wheel is a cache of those records: whatever it forgets, the sweep
// finds again.
package scheduler
