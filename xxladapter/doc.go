// Package xxladapter holds the words of an XXL-JOB compatible scheduler: jobs, groups of
// executors, fires, logs, and the [Store] that keeps them. It imports none of its subpackages.
//
// One trip of a job, in the order of the packages:
//
//	sqlstore   claims due jobs; one transaction writes their fire records and moves their next
//	           trigger times
//	scheduler  decides what is due (a pure function) and, after the commit, arms the records in a
//	           hashed wheel timer
//	trigger    takes what the wheel hands out: claims the fire, asks
//	route      for an address and sends it over
//	wire       the XXL-JOB protocol, to an
//	executor   which runs the handler and calls back to
//	admin      whose result goes through trigger into the store
//
// Beside that trip:
//
//	spread       chooses the nodes that hand over what a leader plans, and sends them the ids of fires
//	queue        carries runs and calls through a broker, in place of HTTP
//	elect        lets etcd or ZooKeeper say which scheduler may lead
//	cron         parses schedules and computes due times
//	forecast     counts the fires to expect, by quarter of an hour
//	declare      compares jobs that files declare with those of a store
//	takeover     decides what a store takes from a database of XXL-JOB
//	graph        arranges jobs and their child jobs in layers
//	preview      shows what a schedule will do: due times, days, words, clock changes
//	errortext    says which rule an error is about, by a code and in Chinese
//	why          says why a job did not run, from records alone
//	maintenance  expires registrations, ends lost runs, fetches run logs, deletes old rows
//	alarm        reports failed runs by mail and chat
//	events       tells listeners what has changed, with one poll for all
//	accounts     signs users in: passwords, sessions, personal tokens
//	openid       asks a provider of OpenID Connect who somebody is
//	access       checks tokens, addresses and TLS, for admin and executor alike
//	console      the web page, a client of admin's API
//	metrics      shows all of it to Prometheus
//	telemetry    sends traces, metrics and logs to OpenTelemetry
//	node         wires one scheduler process together
//	assistant    offers calls of admin's API as tools to assistants
//	cmd/xxlwheel the one binary
//	deploy       files for systemd, containers, Kubernetes and Prometheus, tested by cmd/xxlwheel and deploytest
//	docs         pages for operators
//
// Stores and tests:
//
//	transition  what a claim, a settlement and a result make of a fire and its log row; pure functions
//	memstore    a [Store] in memory: the reference, and the store of other packages' tests
//	sqlstore    a [Store] on SQLite, MySQL, MariaDB and PostgreSQL, with XXL-JOB's own tables
//	redisstore  a [Store] on PostgreSQL whose fires and runs end in Redis first
//	storetest   the suite that every [Store] passes
//	electtest   the suite that every elector passes, in elect; elect/etcdtest is etcd's server
//	checker     judges recorded histories: every due time fired, none twice
//	testserver  starts databases and faulty networks for tests
//	faults      kills, freezes and cuts off whole processes, and lets checker judge
//	conventions holds imports, names, locks and links of the whole repository to their rules
//
// Tables, columns and enumerations carry the names of XXL-JOB 3.4.2.
package xxladapter
