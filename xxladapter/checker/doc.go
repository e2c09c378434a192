// Package checker judges what a job scheduler did. From the changes of its
// jobs and from what executors recorded it computes every due time that had to
// fire, finds a run for each, and reports what is missing, what is too much,
// what came at the wrong time, and what became of results and children.
//
// The method is that of Jepsen's analysis of Chronos: a due time t is a target,
// with the window from t to t + epsilon; windows that are open at the final
// read are left out; every target needs a run of its own; runs that are left
// over are extra unless a retry, a manual trigger or a parent explains them.
// A misfire record takes the due times that it names. Where a run
// says what it was due for, or its log row does, target and run are matched
// directly. Where it does not, as with executors that are not told, the windows
// are matched so that as few targets as possible stay empty. Windows that
// overlap can then hide a fault: a job due every second and an epsilon of two
// leave room for a run that never came.
//
// # What is free
//
// A change takes effect at one instant between its request and its
// acknowledgement. What is due in between may fire or not, and so may what was due
// before a stop or an edit so shortly that its window was not over. A change
// without an acknowledgement, or one that overlaps another, leaves the job in
// any of the states that it may lead to, until one change is certain again.
//
// # Format
//
// A history is JSON Lines: each line a flat object whose kind says what it
// is. Times are whole milliseconds since 1970 in UTC. Fields that are 0, empty
// or unknown may be left out, unless they are marked with a star. The order of
// lines matters only in that a start or an end comes after its run.
//
//	change   job* op* asked* acked first type conf zone children retries
//	run      job* at* log due shard shards start end code by n
//	start    by* n* at*
//	end      by* n* at* code
//	misfire  job* due* until* policy* at*
//	trigger  job* type* log of asked acked
//	resend   log* at
//	result   log* at* code
//	log      log* job* due trigger_code handle_code handled
//	final    at*
//
// A change has the op create, start, stop, edit or remove; with create and
// edit come the definition's fields, of which type is needed, as in XXL-JOB:
// NONE, CRON, FIX_RATE, FIX_DELAY or ONCE. A run is the arrival of a trigger
// at an executor. The recorder by numbers its runs n from 1, and its start and
// end lines refer to that; a run line that has all of it needs neither. A run
// with neither start nor end arrived and did not run, so that a handler that
// records itself must give a start. A trigger is a reason for a run, with the
// type MANUAL, API, PARENT or RETRY; without the log id of the run it explains
// one run between asked and shortly after acked. CRON and MISFIRE with a log
// id say that a run is the schedule's. The log lines are a dump of the log
// table, all rows or none. A policy is DO_NOTHING, FIRE_ONCE_NOW, LATEST or
// ALL. final is the moment of the final read.
//
// What is judged depends on what is there: that results were applied once, if
// there is any result or log line; that log ids exist, if there is any log
// line. Retries and children without trigger lines are explained by the ends
// of the runs before them.
//
// # Limits
//
// Ten million runs take some 2.5 GiB. Check expects a scheduler that goes on
// from the due time, also after a misfire; the fixed rates of an upstream admin
// go on from the time of the scan, and drift. A FIX_RATE whose start does not say its first due
// time has the phase that its first runs have, as long as that is possible.
// What becomes of a FIX_DELAY that misfires is not known to it. How often a
// failed run was tried again is not counted.
package checker
