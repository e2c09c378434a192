// Package records is the part of package sqlstore that all databases share: statements, and the
// code that follows from their rows. A database creates a [Store] from its connections and a
// [Dialect], and sets its [Acts].
//
// Where to look:
//
//	the store and its parts        store.go, description.go, place.go
//	what differs by database       dialect.go, acts.go, columns.go, widths.go
//	statements and transactions    tx.go, rows.go, readers.go, lookup.go, find.go, filter.go,
//	                               pooledwriter.go, guests.go
//	schedules: claims of due jobs  schedule.go, others.go, resume.go, restrictions.go, pauses.go,
//	                               calendars.go, backfills.go, clock.go, zone.go
//	fires: claim, settle, finish   fires.go, firechange.go, firebatch.go, firequeue.go,
//	                               firewrites.go, accept.go, settlehold.go, orders.go
//	a front before the tables      front.go
//	runs and their histories       logs.go, runlist.go, histories.go, runtexts.go, stuck.go
//	jobs and their groups          jobs.go, joblist.go, jobedits.go, jobwrites.go, jobkeys.go,
//	                               jobruns.go, glue.go, versions.go, tags.go, declare.go, groups.go,
//	                               drains.go, registry.go
//	schedulers                     leases.go, leadership.go, renewal.go, prolong.go, sessions.go,
//	                               shardmoves.go
//	figures                        reports.go, stats.go, statrows.go, statstore.go, lastresults.go,
//	                               changes.go
//	alarms, users, audit           alarms.go, users.go, credentials.go, audit.go
//	deletion of old rows           purge.go, removed.go
//	copies and take-over           copy.go, takeover.go, upstream.go
package records
