// Package xxladapter holds the words of an XXL-JOB compatible scheduler: jobs, groups of executors,
// fires, logs, and the [Store] that keeps them. The only subpackage that it imports is errorrule.
//
// This runs a scheduler in a program; the example of this package adds an executor and a job:
//
//	store, err := sqlstore.OpenSQLite(ctx, "jobs.db", sqlstore.Options{})
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	scheduler, err := node.New(node.Options{Store: store})
//	if err != nil {
//		return err
//	}
//	return scheduler.Run(ctx, listener) // until ctx ends; executors register at the listener
//
// One trip of a job:
//
//	scheduler    decides what is due (a pure function) and arms committed fires in a hashed wheel
//	             timer
//	sqlstore     claims due jobs: one transaction writes their fires and moves their next trigger
//	             times
//	route        chooses an executor's address
//	trigger      claims the fire with that address, sends the run, and stores the result
//	wire         is the protocol in which runs and results are sent
//	executor     runs the handler and reports the result
//	admin        receives the result and hands it to trigger
//
// # What it promises
//
// Every due time of an enabled job gives one fire, or one record of a misfire, also if schedulers
// or the database are killed. Nothing fires before its due time by the store's clock. A fire is
// claimed at most once, by one scheduler. A result is stored before it is acknowledged. README.md
// names the tests that hold each promise.
//
// # What it costs
//
// A run costs writes of the database: its fire, its claim, its log row and its result. Runs that
// come together share these writes. bench/results/scheduler.md has how many runs a second each
// database allows. At 500 runs a second, spread over each second, 99 % were sent within 8 ms of
// their due time on two processors (AMD EPYC). With nothing due, a scheduler sends 1.8 statements a
// second to MariaDB.
//
// # When not to use it
//
// Use package hashedwheel, or time, for what ends with the process or is due more often than every
// 100 ms. Use a workflow engine where steps pass data to each other: a child job only follows the
// success of its parent. Do not rely on it for an effect that must happen exactly once: one
// scheduler claims a due time, but if an answer is lost the run may or may not have happened, and
// the job's [Settings] decide whether it is sent again.
//
// # Words
//
//	strategy     how a job chooses: an address (route), what happens to a run while another one of
//	             the job is in progress (block), what becomes of missed due times (misfire, as in
//	             Misfire.Strategy), of a request without an answer (ambiguous)
//	fire         the record that one due time or order gives one trigger
//	hand-over    the sending of a claimed fire to an executor
//	run          one execution on an executor; its log is the text that it wrote, and its log row, a
//	             [Log], is what the store keeps of it; XXL-JOB numbers runs by logId
//	status       what the two codes of a log row say: running, success or fail ([LogStatus]); a list
//	             of jobs shows the status of each job's newest ended run ([LastResult]), and the
//	             statistics tell why runs failed: timeout, killed, lost, not sent ([StatResult])
//	node         one process of a store, as xxlwheel serve is; the scheduler is the part of it that
//	             plans, and what all nodes of a store are together
//	presence     the lock of a database server by which a node shows that it is alive; a session is a
//	             user's, or a connection's to a database or an elector
//	order        a trigger by an operator or a program, which has a fire of its own
//	ambiguous    sent to an executor that has not answered; a call of a store that has not answered
//	             is in doubt
//	partition    one of the [Partitions] of the jobs, by job id, each of which one node plans
//	shard        one run of a sharding broadcast
//	pen          the right to write to a shared log, such as that of redisstore
//	ring         the timer in which a scheduler arms fires, as XXL-JOB calls it
//	trip         a fire with its hand-over, its run and its result
//
// # Map of the folders
//
// Several schedulers:
//
//	elect        lets etcd or ZooKeeper say which scheduler may lead
//	spread       distributes the fires that a leader plans over the nodes, which hand them over
//
// Executors without an open port:
//
//	queue        carries runs and calls through a broker, in place of HTTP; queue/delivery is what
//	             it and an executor agree on: deliveries, acknowledgements, calls
//
// Pure functions, which know no store:
//
//	transition   the states of a fire and its run: what a claim and a result make of them
//	cron         parses schedules and computes due times
//	preview      shows what a schedule will do: due times, days, words, clock changes
//	forecast     counts the fires to expect, by quarter of an hour
//	graph        the graph of child jobs: arranges them in layers
//	why          explains from records alone why a job did not run, for xxlwheel job why
//	declare      compares jobs that files declare with those of a store, as xxlwheel apply does
//	triggermsg   writes and reads the text that says how a run was handed over
//	fromxxljob   decides what a store takes from a database of XXL-JOB: the plan of a takeover
//
// Services beside the scheduler:
//
//	maintenance  expires registrations, ends lost runs, fetches run logs, deletes old rows
//	alarm        reports failed runs by mail and chat
//	events       tells listeners what has changed, with one poll for all
//	metrics      exports the figures of a node to Prometheus
//	telemetry    sends traces, metrics and logs to OpenTelemetry
//
// People and programs that call:
//
//	accounts     authenticates users: passwords, sessions, personal tokens; accounts/openid asks a
//	             provider of OpenID Connect who somebody is
//	access       authorizes callers: tokens, rights, addresses and TLS, for admin and executor alike
//	errorrule    names the rules that an [Error] can be about, with their parameters
//	errortext    has the text of each rule in Chinese
//	console      the web page, a client of admin's API
//	assistant    offers calls of admin's API as tools to assistants
//
// Stores:
//
//	memstore     a [Store] in memory: the reference, and the store of other packages' tests
//	sqlstore     a [Store] on SQLite, MySQL, MariaDB and PostgreSQL, with XXL-JOB's own tables
//	redisstore   a [Store] that handles fires and runs in Redis, and writes them to the tables of
//	             PostgreSQL or MySQL in bulk later; what follows from a loss of Redis is decided
//	             in sqlstore/internal/journaled
//
// The process:
//
//	node         wires one scheduler process together
//	cmd/xxlwheel the one binary
//	deploy       files for systemd, containers, Kubernetes and Prometheus; deploytest tests them
//	docs         pages for operators
//
// Tests:
//
//	storetest    the suite that every [Store] passes, and the part of it for a [SchedulingStore]
//	electtest    the suite in elect that every elector passes; elect/etcdtest runs an etcd server
//	testserver   starts databases and faulty networks
//	wire/recorded reads exchanges that were recorded with programs of XXL-JOB
//	faults       kills, freezes and cuts off whole processes, and lets checker judge
//	checker      judges recorded histories, as Jepsen's checkers do: every due time fired, none twice
//	conventions  holds imports, names, locks and links of the whole repository to their rules
//
// Where a fault is mended:
//
//	a due time is wrong               cron
//	a misfire, a late or double fire  scheduler (what is due), transition (what a claim may do)
//	an ambiguous or lost run          trigger, maintenance/lost.go
//	a retry or a child job            transition
//	a lease, a partition              sqlstore/internal/leases, spread
//	a list of runs, a count           sqlstore/internal/runs, sqlstore/internal/figures
//	a call of the API                 admin, admin/internal in the folder of its subject
//	one database alone                sqlstore/internal, in the folder of its name
//	a loss of Redis                   sqlstore/internal/journaled, sharedload.go
//	a reply that XXL-JOB misreads     wire
//
// Tables, columns and enumerations carry the names of XXL-JOB 3.4.2.
package xxladapter
