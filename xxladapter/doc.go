// Package xxladapter holds the words of an XXL-JOB compatible scheduler: jobs,
// groups of executors, fires, logs, and the [Store] that keeps them. It imports
// none of its subpackages.
//
// One trip of a job, in the order of the packages:
//
//	store      claims due jobs; one transaction writes their fire records and
//	           moves their next trigger times
//	scheduler  decides what is due (a pure function) and, after the commit,
//	           arms the records in a hashed wheel timer
//	trigger    takes what the wheel hands out: claims the fire, asks
//	route      for an address and sends it over
//	wire       the XXL-JOB protocol, to an
//	executor   which runs the handler and calls back to
//	admin      whose result goes through trigger into the store
//
// Beside them, maintenance keeps the registry in order, alarm tells people of
// failed runs, cron reads schedules,
// memstore and sqlstore implement [Store], node wires a scheduler process
// together, and cmd/xxlwheel is the one binary.
//
// Tables, columns and enumerations carry the names of XXL-JOB 3.4.2.
package xxladapter
