package journaled

import (
	"context"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Java admin reads and moves the due times in the tables, and inserts log rows there, but does
// not know the shared log. The two must not be used together, and nothing keeps a Java admin from
// starting. So two rules hold on each database where a Java admin could run:
//
// Due times are claimed in the tables, under the lock that Java schedulers take. So each due time
// belongs to one scheduler, ours or Java's, also if a process dies: no due time that the log has as
// planned is due in the tables. Claims, results and ends of runs are in the log.
//
// The ids of log rows that the memory may give are reserved. So a row that a Java admin inserts has
// a higher id, by which it is recognized. Then nothing is planned for a while, and the reason is
// reported, so that users see what is wrong.

// besideJava reports whether a Java admin could use the tables.
func (f *front) besideJava() bool { return f.shared != nil && f.store.Dialect.LockSchedule != "" }

// foreignLife is how long nothing is planned after a log row of a Java admin was found. Many jobs
// are due once a minute, so a Java admin that still runs shows itself in that time.
const foreignLife = 90 * time.Second

// A foreign is the last log row that was found and is not from a process with the shared log. Zero
// means that none was found.
type foreign struct {
	id int64
	at time.Time
}

// refuseJava returns an error if a Java admin has inserted log rows within foreignLife. It is
// called before the first process has the log. Until then each row of ours has a fire or a history.
func refuseJava(ctx context.Context, tx *database.Tx, now time.Time) error {
	if tx.Dialect.LockSchedule == "" {
		return nil
	}
	var last int64
	err := tx.Query(ctx, `SELECT l.id FROM (SELECT id, trigger_time FROM xxl_job_log ORDER BY id DESC LIMIT 100) l
		WHERE l.trigger_time > ? AND NOT EXISTS (SELECT 1 FROM xxlwheel_run r WHERE r.log_id = l.id)
			AND NOT EXISTS (SELECT 1 FROM xxlwheel_fire f WHERE f.log_id = l.id) ORDER BY l.id`,
		[]any{tx.Dialect.Datetime(now.Add(-foreignLife))}, func(r database.Row) error { return r.Scan(&last) })
	if err == nil && last != 0 {
		err = fmt.Errorf("a Java admin inserted row %d of xxl_job_log less than %v ago: it must be stopped for that long before a shared log is used", last, foreignLife)
	}
	return err
}

// claimInTables claims due jobs as ClaimDue does, in the tables.
func (s *Store) claimInTables(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) (planned []xxladapter.Fire, claimed int, err error) {

	if err := s.front.refuseForeign(); err != nil {
		return nil, 0, err
	}
	var ids []int64
	return s.Store.ClaimDue(with(ctx, claims(&ids)), by, ahead, limit, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		ids = ids[:0]
		for _, j := range due {
			ids = append(ids, j.ID)
		}
		return decide(now, due)
	})
}

// reserveLogs reserves the log row ids that the memory may give until the next cut, so that nobody
// else gets one.
func (f *front) reserveLogs(ctx context.Context, tx *database.Tx, last int64) error {
	if !f.besideJava() || last+idJump <= f.shared.reserved {
		return nil
	}
	to := last + 2*idJump // one reservation serves a million runs
	err := reserve(ctx, tx, "xxl_job_log", to)
	if err == nil {
		f.shared.reserved = to
	}
	return err
}

// meet compares the highest id of a log row with the highest one that was given. If somebody else
// has inserted a row, the memory continues far enough above that row to stay clear of further ones
// until the next reservation.
//
// REQUIRES: f.mu is held.
func (f *front) meet(id int64) {
	if !f.besideJava() || id <= f.m.lastLog {
		return
	}
	f.m.lastLog = id + idJump/2
	f.know(0, id)
	f.shared.foreign = foreign{id, f.Clock()}
}

// refuseForeign returns an error if a log row of somebody else was found recently.
func (f *front) refuseForeign() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.shared.foreign
	if found.id == 0 || f.Clock().Sub(found.at) > foreignLife {
		return nil
	}
	return fmt.Errorf("row %d of xxl_job_log is not from a scheduler with the shared log: a Java admin uses the same database, and must be stopped; "+
		"no due times are planned for %v", found.id, foreignLife)
}
