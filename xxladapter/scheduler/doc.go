// Package scheduler turns schedules into fires: it scans the store for jobs that are due soon,
// decides what becomes of each, commits that, and then arms the committed fires in a hashed wheel
// timer, which hands them out when they are due.
//
// The scan follows XXL-JOB's JobScheduleHelper: second-aligned, a window of five seconds ahead,
// three branches by how late a job is found. Where upstream keeps "this must fire" in the memory of
// one process, here it is a fire record, written in the transaction that moves the job's next
// trigger time. The wheel is a cache of those records: whatever it forgets, the sweep finds again.
//
// # What it promises
//
// Every due time of a job that is switched on gives one fire record, or belongs to a record of a
// misfire. A record is handed out at or after its due time by the store's clock, and may be handed
// out again by another scheduler after a crash: the claim in the store decides who sends it. There
// is no bound on how late it is handed out. A due time becomes a misfire only if it was not planned
// within the misfire window of its job, or if a pause or a calendar suppresses it.
//
// # What it costs
//
// While jobs come due, it scans once a second, in transactions that aim at 4 ms and write one row
// for each due time. With 100,000 jobs of which none is due, a scheduler sends 1.8 statements a
// second to MariaDB and takes 0.2 % of a processor; bench/results/scheduler.md has the other
// databases, and what a whole trip costs. Memory holds the fires of the next few seconds, and
// retries and orders of the next minute.
//
// # When not to use it
//
// Most programs want package node, which wires a scheduler to its executors. For timeouts inside
// one process use package hashedwheel. DESIGN.md says what was decided and what was rejected.
//
// The example of package xxladapter runs a whole scheduler inside a program; the example here runs
// only the part that plans.
package scheduler
