package mysql

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// ownConnections is the number of connections that are not shared.
const ownConnections = 10

// pools are the connections of a store. What every fire needs has connections of its own, so that a
// wait for the schedule lock or a term blocks nothing else, and no other call blocks a fire.
type pools struct {
	network *network.Connections
	zone    *time.Location // of datetime columns
	shared  int            // number of connections of reads and writes

	reads, writes               *sql.DB
	scans, polls, leases, fires *sql.DB
	byID                        *sql.DB // one connection for each table
	sessions                    *sql.DB // keeps no idle connections
}

// newPools creates the pools. It does not connect yet.
func newPools(at *server, f *serverFacts, opts database.Options) (_ *pools, err error) {
	p := &pools{network: network.New(), zone: at.zone, shared: max(4, opts.Connections-ownConnections)}
	// Whole seconds, as the server counts.
	limit := max(time.Second, opts.LockLife.Truncate(time.Second))
	session := sessionOf(at.zone, f, limit)
	slow, short := network.Fixed(network.SlowSilence), network.Fixed(network.LeaseSilence)
	quick, patient := network.Fixed(network.QuickSilence),
		&network.Patience{Min: network.QuickSilence, Max: network.SlowSilence}
	for _, pool := range []struct {
		db      **sql.DB
		at      *server
		silence *network.Patience
		conns   int
	}{
		// Half of the shared ones read and half of them write, so that writes that wait for a lock
		// block no reads.
		{&p.reads, at, slow, p.shared - p.shared/2},
		{&p.writes, at, quick, p.shared / 2},
		{&p.scans, at, quick, 1}, // a full scan, which may be slow, is a poll
		{&p.polls, at, patient, 2},
		{&p.leases, at, short, 1},
		{&p.fires, at.batching(), quick, 1},
		{&p.byID, at, quick, 3},
	} {
		db, err := pool.at.open(session, opts.Logger, p.network.Dialer(pool.silence))
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		db.SetMaxOpenConns(pool.conns)
		db.SetMaxIdleConns(pool.conns)
		if f.idleVariable == waitTimeout {
			// The pool has to close idle connections before the server does: a scan, for example,
			// uses its own again only after two seconds.
			db.SetConnMaxIdleTime(limit * 3 / 4)
		}
		*pool.db = db
	}
	session[waitTimeout] = sessionIdle
	p.sessions, err = at.open(session, opts.Logger, p.network.Dialer(network.Fixed(network.AnySilence)))
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	p.sessions.SetMaxIdleConns(-1)
	return p, nil
}

// sessionOf returns the variables of each connection; limit bounds how long it holds rows when its
// node does not answer.
func sessionOf(zone *time.Location, f *serverFacts, limit time.Duration) settings {
	return settings{
		// The statements rely on these modes: no silent truncation of values, and no other meaning
		// of quotes and backslashes.
		"sql_mode":                 "'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		"time_zone":                "'" + offset(time.Now().In(zone)) + "'",
		f.idleVariable:             fmt.Sprint(int(limit / time.Second)),
		"innodb_lock_wait_timeout": fmt.Sprint(int(network.LockWait / time.Second)),
	}
}

// offset returns t's zone in a form that the server understands without its zone tables.
func offset(t time.Time) string { return t.Format("-07:00") }

func (p *pools) close() error {
	var errs []error
	for _, db := range []*sql.DB{p.reads, p.writes, p.scans, p.polls, p.leases, p.fires, p.byID, p.sessions} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}
