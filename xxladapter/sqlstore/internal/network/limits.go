package network

import "time"

// The time limits towards a database server. A connection whose peer has gone without a
// word, behind a firewall or after a failover, looks like one whose server is slow,
// and only time tells them apart. A due time that is found more than five seconds
// late is a misfire, and a lease lasts for four, so what every fire needs must give
// up earlier, on connections that nothing slow runs on. What may take long has
// connections of its own and a long limit.
//
//	what                                      the server may be silent for
//	leases                              leaseSilence
//	groups of fires, look-ups, writes   quickSilence
//	scans and sweeps                    quickSilence, or four times the longest recent wait
//	listings, purges and texts          slowSilence
//	migrations and checks at the start  any time, while the kernel reaches it
//
// A wait for a row lock ends with an answer of the server's before quickSilence, and is repeated.
const (
	// QuickSilence is how long a server may take to answer a statement that takes
	// milliseconds. Two of them in a row have to fit into the window of five seconds.
	QuickSilence = 2500 * time.Millisecond

	// LeaseSilence is shorter, because an attempt at a lease ends after two seconds, and
	// the repetition on another connection has to come before.
	LeaseSilence = 1200 * time.Millisecond

	// SlowSilence is for statements that may read much, or carry it.
	SlowSilence = 30 * time.Second

	// LockWait is how long the server lets a statement wait for a row. MySQL counts in
	// whole seconds and may take one more.
	LockWait = time.Second

	// LockLife is how long the server leaves a silent session its locks, unless the options of
	// the store say otherwise. It is shorter than QuickSilence, so that a call which is
	// made again finds the rows free that the silent connection had locked.
	LockLife = 2 * time.Second

	// WriteLife bounds one write with all its attempts. It is longer than a frozen
	// holder keeps its rows, see [Options.LockLife].
	WriteLife = 15 * time.Second

	// GroupLife bounds the work on one group of fires, and on one look-up by ids: one
	// silent connection and the repetition on another one. What fails is then done
	// alone by each caller.
	GroupLife = 2 * QuickSilence

	// DialLimit bounds the making of a connection: TCP's first repetition comes after
	// one second.
	DialLimit = 3 * time.Second

	// OpenDialLimit is dialLimit while a store is opened, when nothing waits, and how
	// long a greeting may take.
	OpenDialLimit = 10 * time.Second

	// unackedLimit is how long the kernel waits for its peer to acknowledge what was
	// sent before it gives a connection up, and keepAliveIdle how long a connection
	// is quiet before it asks. So a peer that has gone is found in seconds also while
	// slowSilence runs.
	unackedLimit  = 3 * time.Second
	keepAliveIdle = 2 * time.Second

	// CloseLimit is how long Close waits for connections to say goodbye.
	CloseLimit = time.Second

	// StatementLife bounds every statement on PostgreSQL, but for migrations.
	StatementLife = SlowSilence

	// PingAfter is how long a connection may rest before it is tried out.
	PingAfter = 5 * time.Second
)

const (
	// WriteAttempts is how often a transaction is tried at most that the database
	// takes back for reasons of its own, such as a deadlock. Waits for locks do not
	// count.
	WriteAttempts = 10

	// ReadAttempts is how often a query is tried at most. After a restart of the
	// server each idle connection of the pool may be a lost one.
	ReadAttempts = 10
)
