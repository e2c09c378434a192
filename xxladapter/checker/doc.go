// Package checker judges what a job scheduler did. From the changes of its jobs and from what
// executors recorded it computes every due time that had to fire, finds a run for each, and reports
// what was missed, what was extra, what came at the wrong time, and what became of results and
// children.
//
// The method is that of Jepsen's analysis of Chronos. A due time t is a target with the window from
// t to t + epsilon. Windows that are open at the final read are ignored. Every target needs a run
// of its own. Remaining runs are extra unless a retry, a manual trigger or a parent explains them.
// A misfire record consumes the due times that it names. If a run or its log row says for which due
// time it was, target and run are matched directly. Otherwise, as with executors that do not learn
// the due time, the windows are matched so that as few targets as possible stay empty. Overlapping
// windows can then hide a fault: a job due every second and an epsilon of two seconds leave room
// for a run that never came.
//
// # What may fire or not
//
// A change takes effect at one instant between its request and its acknowledgement. A due time in
// between may fire or not, and so may one shortly before a stop or an edit, if its window was not
// over. A change without an acknowledgement, or one that overlaps another, leaves the job in any of
// the states that it may lead to, until a later change is certain.
//
// # Format
//
// A history is JSON Lines: each line is a flat object whose kind says what it is. Times are whole
// milliseconds since 1970 in UTC. Fields that are 0, empty or unknown may be omitted, unless they
// are marked with a star. The order of lines matters only in that a recorder's runs ascend by n,
// and a start or an end comes after its run.
//
//	change   job* op* asked* acked first type conf zone children retries
//	run      job* at* log due shard shards start end code by n
//	start    by* n* at*
//	end      by* n* at* code
//	misfire  job* due* until* strategy* at*
//	loss     since* until*
//	trigger  job* type* log of asked acked
//	resend   log* at
//	result   log* at* code
//	acked    log* at*
//	log      log* job* due trigger_code handle_code handled
//	final    at*
//
// A change has the op create, start, stop, edit or remove. With create and edit it has the fields
// of the definition, among which type is required: a value of [xxladapter.ScheduleType]. A strategy
// is a misfire strategy: DO_NOTHING, FIRE_ONCE_NOW, LATEST or ALL. STORE_LOST means that the store
// no longer knows whether the due times fired. Each of them may then have one run, whose log row
// may be missing.
//
// A loss says that the store may have lost what was stored from since to until. A run may have no
// result if it ended no later than until, and its executor learnt no earlier than since that the
// scheduler has the result. An acked line says when the executor learnt that; without one, Check
// assumes the run's end plus the grace.
//
// A run is the arrival of a trigger at an executor. The field by names the recorder, which numbers
// its runs n from 1; its start and end lines refer to that number, and a complete run line needs
// neither. A run with neither start nor end arrived and did not run, so a handler that records its
// own runs must record a start.
//
// A trigger is a reason for a run, with the type MANUAL, API, BACKFILL, PARENT or RETRY. The field
// of is the log id of the earlier run that failed or ended and so led to this one. Without the log
// id of its own run, a trigger explains one run between asked and shortly after acked. CRON and
// MISFIRE with a log id say that a run belongs to the schedule.
//
// The log lines are a dump of the log table, all rows or none. final is the moment of the final
// read.
//
// What is judged depends on what is recorded. If there is any result or log line, results have to
// be applied once. If there is any log line, log ids have to exist. Without trigger lines, retries
// and children are explained by the ends of the runs before them.
//
// # Limits
//
// Ten million runs take some 2.5 GiB. Check expects a scheduler that continues from the due time,
// also after a misfire; fixed rates of an upstream admin continue from the time of the scan, and
// drift. If the start of a FIX_RATE does not record its first due time, Check takes the phase from
// the first runs, if the start could have had it. Check does not know what becomes of a FIX_DELAY
// that misfires. It does not count how often a failed run was tried again.
//
// # The source
//
// The files whose names begin with history hold what is recorded and how it is written and read.
// All others judge a history that was read; they open no file and know no format.
package checker
