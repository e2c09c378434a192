package network

import "time"

// The time limits towards a database server. A connection whose peer has vanished, behind a
// firewall or after a failover, looks like one whose server is slow, and only time tells them
// apart. A due time that is found more than five seconds late is a misfire, and a lease lasts for
// four. So what every fire needs must give up earlier, on connections that carry nothing slow. What
// may take long has connections of its own and a long limit.
//
//	what                                the server may be silent for
//	leases                              LeaseSilence
//	batches of fires, lookups, writes   QuickSilence
//	scans and sweeps                    QuickSilence, or twice the longest recent wait
//	listings, purges and texts          SlowSilence
//	migrations and checks at the start  any time, while the kernel reaches it
//
// A wait for a row lock ends with the server's answer before QuickSilence, and is retried.
const (
	// QuickSilence limits the wait for a statement that takes milliseconds. Two of them in a row
	// have to fit into the window of five seconds.
	QuickSilence = 2500 * time.Millisecond

	// LeaseSilence is shorter, because an attempt at a lease ends after two seconds, and a retry on
	// another connection has to fit into it.
	LeaseSilence = 1200 * time.Millisecond

	// SlowSilence is for statements that may read or transfer much.
	SlowSilence = 30 * time.Second

	// LockWait is how long the server lets a statement wait for a row. MySQL counts whole seconds
	// and may take one more.
	LockWait = time.Second

	// LockLife is how long the server leaves a silent session its locks, unless the options of the
	// store say otherwise. It is shorter than QuickSilence, so that a retried call finds the rows
	// free that the silent connection had locked.
	LockLife = 2 * time.Second

	// WriteLife limits one write with all its attempts. It is longer than a frozen holder keeps its
	// rows, see LockLife.
	WriteLife = 15 * time.Second

	// BatchLife limits the work on one batch of fires, and on one batch of lookups: one silent
	// connection and the retry on another one. Each caller of a failed batch retries alone.
	BatchLife = 2 * QuickSilence

	// DialLimit limits the time to connect. TCP's first retransmission comes after one second.
	DialLimit = 3 * time.Second

	// OpenDialLimit is DialLimit while a store is opened, when nothing waits. It also limits the
	// wait for a greeting.
	OpenDialLimit = 10 * time.Second

	// unackedLimit is how long the kernel waits for the peer to acknowledge sent data before it
	// drops a connection, and keepAliveIdle how long a connection is idle before the kernel probes
	// it. So a vanished peer is found in seconds, even with SlowSilence.
	unackedLimit  = 3 * time.Second
	keepAliveIdle = 2 * time.Second

	// CloseLimit is how long Close waits for the goodbyes on connections.
	CloseLimit = time.Second

	// StatementLife limits every statement on PostgreSQL, except in migrations.
	StatementLife = SlowSilence

	// PingAfter is the idle time after which a connection is tested before use.
	PingAfter = 5 * time.Second
)

const (
	// WriteAttempts limits the attempts at a transaction that the database rolls back for reasons
	// of its own, such as a deadlock. Waits for locks do not count.
	WriteAttempts = 10

	// ReadAttempts limits the attempts at a query. After a restart of the server every idle
	// connection of the pool may be lost.
	ReadAttempts = 10
)
