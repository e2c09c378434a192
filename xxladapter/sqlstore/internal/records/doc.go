// Package records is the [xxladapter.Store] that all databases share. A database creates a [Store]
// from its [database.DB], and sets its [Acts]. The store is composed of subjects, which are
// packages beside this one: audit, users, registry, leases, figures and runs. What decides about
// jobs, schedules and fires is here, because one transaction changes all three.
//
// Where to look:
//
//	the store and its parts        store.go, description.go, changes.go
//	what differs by database       acts.go
//	schedules: claims of due jobs  schedule.go, others.go, resume.go, restrictions.go, pauses.go,
//	                               calendars.go, backfills.go
//	fires: claim, settle, finish   fires.go, firechange.go, firebatch.go, firequeue.go,
//	                               firewrites.go, accept.go, settlehold.go, finish.go, stuck.go,
//	                               orders.go
//	runs whose fires are open      runhistories.go
//	a front before the tables      frontwrites.go
//	jobs                           jobs.go, joblist.go, jobedits.go, jobwrites.go, jobkeys.go,
//	                               glue.go, versions.go, tags.go, declare.go
package records
