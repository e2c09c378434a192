package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	// InOrder sorts due jobs and limits their number. Argument: the most jobs to select.
	InOrder = ` ORDER BY trigger_next_time, id LIMIT ?`
	// DueOrBehind selects due jobs, whether or not they are behind. A job is behind while it has a
	// fire of BehindFires. Arguments: the last due time for the node's partitions, the node, the
	// end of the due times for all partitions, and the node again.
	DueOrBehind = ` FROM xxl_job_info
		WHERE trigger_status = 1 AND trigger_next_time <= ?
			AND (id % 64 IN (SELECT partition_id FROM xxlwheel_partition WHERE node = ?)
				OR trigger_next_time < ? AND EXISTS (SELECT 1 FROM xxlwheel_partition WHERE node = ?))`
	// AllDue selects the due jobs that are not behind, in any order and number. Arguments: those of
	// DueOrBehind, then that of BehindFires.
	//
	// It counts the fires of a job, which reads an index for each due job. Databases turn NOT
	// EXISTS into a join, in which PostgreSQL would compare each due job with each planned fire.
	AllDue = DueOrBehind + `
			AND (SELECT COUNT(*)` + BehindFires + ` AND xxlwheel_fire.job_id = xxl_job_info.id) = 0`
	// BehindFires selects the planned fires that are overdue, so that their jobs are behind.
	// Argument: the time before which they are due.
	BehindFires = ` FROM xxlwheel_fire WHERE due_ms < ? AND state = 'planned' AND xxlwheel_fire.trigger_type IN ('CRON', 'MISFIRE')`
	// SelectDue reads the first due jobs. Arguments: those of AllDue, and the most jobs to read.
	SelectDue = `SELECT ` + JobColumns + AllDue + InOrder

	// SelectAnyDue reads whether a term holds and whether a job is due. Arguments: the term's node,
	// its number and now, then those of AllDue. A column with the server's clock may be appended.
	SelectAnyDue = `SELECT (SELECT COUNT(*) FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?),
		(SELECT COUNT(*) FROM (SELECT 1` + AllDue + ` LIMIT 1) AS due)`

	// advanceJob stores a decision about a job, unless a stop, a restart or another scheduler has
	// changed the job since it was read.
	advanceJob = `UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ?, trigger_status = ?
		WHERE id = ? AND trigger_status = 1 AND trigger_next_time = ?`

	// InsertMisfire inserts a misfire, whose strategy is in the column policy. Arguments: those of
	// [MisfireValues].
	InsertMisfire = insertMisfires + `(?, ?, ?, ?, ?, ?, ?)`
	// RecordMisfire is [database.Dialect.RecordMisfire] where databases agree.
	RecordMisfire = InsertMisfire + ` ON CONFLICT (job_id, pause_id) WHERE pause_id IS NOT NULL DO UPDATE
		SET until_ms = CASE WHEN xxlwheel_misfire.until_ms > excluded.until_ms THEN xxlwheel_misfire.until_ms ELSE excluded.until_ms END, at_ms = excluded.at_ms`

	// IsScheduled finds the fire of a due time of the schedule. Arguments: job and due time.
	IsScheduled = `SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ? AND trigger_type = 'CRON'`
)

// ClaimDue implements [xxladapter.Store]. decide runs inside the transaction, which blocks every
// other write on SQLite, so it must not call the store. A decision about a job that was not due is
// ignored.
func (s *Store) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) (planned []xxladapter.Fire, claimed int, err error) {

	asked := ahead
	if s.Dialect.LockSchedule != "" && s.others.expected() {
		if err := s.findOthers(ctx, by.Node); err != nil {
			return nil, 0, err
		}
		ahead = s.others.ahead(asked, s.Resting.Load())
	}
	if s.Resting.Load() {
		if due, err := s.anyDue(ctx, by, ahead); !due || err != nil {
			return nil, 0, err
		}
	}
	claimable, err := s.Acts.Claimable(ctx, by, ahead, limit)
	if err != nil {
		return nil, 0, err
	}
	locked := 0 // due jobs that another session holds
	var decisions []Decided
	var restricted revision
	err = s.WriteBy(ctx, s.ScanWrites, func(ctx context.Context, tx *database.Tx) error {
		planned, claimed, locked, decisions = nil, 0, 0, nil
		if err := LockSchedule(ctx, tx); err != nil {
			return err
		}
		now := s.Clock() // after the wait for the lock
		if restricted, err = s.fencedRestrictions(ctx, tx, by, now); err != nil {
			return err
		}
		now = s.Clock() // a pause that this scan has waited for began earlier
		due, passed, until, err := s.lockDue(ctx, tx, claimable, now, asked, ahead)
		if locked = passed; err != nil || len(due) == 0 {
			return err
		}
		claimed = len(due)
		for _, j := range due {
			j.Restrictions = restricted.known
		}
		decisions = decideDue(due, now, until, until.Before(now.Add(asked)), decide)
		if planned, err = s.Acts.StoreDecisions(ctx, tx, decisions); err != nil {
			return err
		}
		var stops []audit.Stop
		for _, d := range decisions {
			if d.Stop {
				stops = append(stops, audit.Stop{JobID: d.JobID, GroupID: d.Group, Name: d.name, Reason: d.Reason})
			}
		}
		return s.RecordStops(ctx, tx, by.Node, now, stops)
	})
	if err != nil {
		s.others.forget(decisions)
		return nil, 0, err
	}
	s.restrictions.keep(restricted)
	if s.Dialect.LockSchedule != "" {
		s.others.stored(decisions)
	}
	s.Resting.Store(claimed+locked == 0)
	return planned, claimed + locked, nil
}

// lockDue reads and locks due jobs, and returns until when they may be planned. That is earlier
// than the caller asked for beside a scheduler that knows nothing of our side tables.
func (s *Store) lockDue(
	ctx context.Context, tx *database.Tx, read DueReader, now time.Time, asked, ahead time.Duration,
) (due []*xxladapter.Job, locked int, until time.Time, err error) {
	until = now.Add(asked)
	due, locked, err = read(ctx, tx, now)
	if err != nil || s.Dialect.LockSchedule == "" {
		return due, locked, until, err
	}
	for _, j := range due {
		s.others.saw(j.ID, database.ToMilli(j.TriggerNext))
	}
	until = now.Add(min(ahead, s.others.ahead(asked, s.Resting.Load())))
	due = slices.DeleteFunc(
		due, func(j *xxladapter.Job) bool { return database.ToMilli(j.TriggerNext) > database.ToMilli(until) },
	)
	return due, locked, until, nil
}

// decideDue returns the decisions about due jobs; only the first about each job counts. With short,
// it drops what they plan after until, and so changes what decide has returned.
func decideDue(due []*xxladapter.Job, now, until time.Time, short bool,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) (decisions []Decided) {

	type read struct {
		next, group int64
		name        string
	}
	reads := make(map[int64]read, len(due)) // decide may write to jobs
	for _, j := range due {
		reads[j.ID] = read{database.ToMilli(j.TriggerNext), j.GroupID, j.Name}
	}
	all := decide(now, due)
	decisions = make([]Decided, 0, len(all))
	for i := range all {
		if short {
			shorten(&all[i], until)
		}
		if r, isDue := reads[all[i].JobID]; isDue {
			delete(reads, all[i].JobID)
			decisions = append(decisions, Decided{Decision: all[i], before: r.next, Group: r.group, name: r.name})
		}
	}
	return decisions
}

// anyDue reports whether there is anything to claim. It takes no lock and writes nothing, so a
// store in which nothing is due costs no more than this.
func (s *Store) anyDue(ctx context.Context, by xxladapter.Term, ahead time.Duration) (bool, error) {
	now := s.Clock()
	var (
		terms, due int
		micros     int64
		sent       time.Time
	)
	query, found := SelectAnyDue, []any{&terms, &due}
	if s.Server != nil {
		query, found = SelectAnyDue+`, `+s.Dialect.PreciseClock, append(found, &micros)
		sent = time.Now()
	}
	args := append([]any{by.Node, by.Number, database.ToMilli(now)}, AllDueArgs(by.Node, now, ahead)...)
	err := s.QueryBy(ctx, s.ScanReads, query, args, func(r database.Row) error { return r.Scan(found...) })
	if err == nil && s.Server != nil {
		s.Server.Saw(time.UnixMicro(micros), sent)
	}
	if err == nil && terms == 0 {
		err = transition.Fenced(by)
	}
	return due > 0, err
}

// AllDueArgs returns the arguments of AllDue, in its order.
func AllDueArgs(node string, now time.Time, ahead time.Duration) []any {
	return []any{
		database.ToMilli(now.Add(ahead)), node, database.ToMilli(now.Add(ahead / 5)), node,
		database.ToMilli(now.Add(-xxladapter.BehindAfter)),
	}
}

// Decided is a decision, with the job's trigger_next_time, group and name at that time.
type Decided struct {
	xxladapter.Decision
	before int64
	Group  int64
	name   string
}

// storeDecision stores a decision and returns the fires that it planned.
func (s *Store) storeDecision(ctx context.Context, tx *database.Tx, d Decided) ([]xxladapter.Fire, error) {
	status := 1
	if d.Stop {
		status = 0
	}
	changed, err := tx.Exec(
		ctx, advanceJob, database.ToMilli(d.Last), database.ToMilli(d.Next), status, d.JobID, d.before,
	)
	if changed == 0 || err != nil {
		return nil, err
	}
	var planned []xxladapter.Fire
	for _, f := range d.Fires {
		f.JobID, f.GroupID = d.JobID, d.Group
		f, ok, err := s.PlanDue(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		if ok {
			planned = append(planned, f)
		}
	}
	misfires := slices.Clone(d.Misfires)
	for i := range misfires {
		misfires[i].JobID = d.JobID
	}
	return planned, WriteMisfires(ctx, tx, misfires)
}

// LockSchedule waits for other schedulers on databases where some may know nothing of our side
// tables.
func LockSchedule(ctx context.Context, t *database.Tx) error {
	if t.Dialect.LockSchedule == "" {
		return nil
	}
	locked, err := t.Has(ctx, t.Dialect.LockSchedule)
	if err == nil && !locked {
		return ErrNoScheduleLock
	}
	return err
}

// PlanDue plans a fire that a scan decided on. If it is the schedule's own fire for a due time that
// already has one, PlanDue plans nothing. If a fire of another type has the due time, f gets the
// next free one.
func (s *Store) PlanDue(
	ctx context.Context, tx *database.Tx, f xxladapter.Fire,
) (_ xxladapter.Fire, ok bool, err error) {
	planned, ok, err := s.planAt(ctx, tx, f)
	if ok || err != nil {
		return planned, ok, err
	}
	if f.Type == xxladapter.TriggerCron {
		promised, err := tx.Has(ctx, IsScheduled, f.JobID, database.ToMilli(f.Due))
		if promised || err != nil {
			return xxladapter.Fire{}, false, err
		}
	}
	planned, err = s.planFrom(ctx, tx, f)
	return planned, err == nil, err
}

// Misfires implements [xxladapter.Store].
func (s *Store) Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	query, args := MisfireList(f)
	var found []xxladapter.Misfire
	err := s.Query(ctx, query, args, func(r database.Row) error {
		var m xxladapter.Misfire
		err := r.Scan(
			&m.ID, &m.JobID, database.Milli(&m.Due), database.Milli(&m.Until), database.Text(&m.Strategy),
			database.Milli(&m.At), &m.PauseID, database.Text(&m.Calendar),
		)
		found = append(found, m)
		return err
	})
	return found, err
}

const (
	oldMisfires  = `SELECT id FROM xxlwheel_misfire WHERE at_ms < ? ORDER BY id LIMIT ?`
	dropMisfires = `DELETE FROM xxlwheel_misfire WHERE at_ms < ? AND id <= ?`
)

// PurgeMisfires implements [xxladapter.Store]. It scans the table, once a day, because an index
// would cost a write for each misfire.
func (s *Store) PurgeMisfires(ctx context.Context, before time.Time, limit int) (deleted int, err error) {
	last := int64(0)
	err = s.Query(
		ctx, oldMisfires, []any{database.CeilMilli(before), limit}, func(r database.Row) error { return r.Scan(&last) },
	)
	if err != nil || last == 0 {
		return 0, err
	}
	err = s.WriteLazily(ctx, func(ctx context.Context, tx *database.Tx) error {
		n, err := tx.Exec(ctx, dropMisfires, database.CeilMilli(before), last)
		deleted = int(n)
		return err
	})
	return deleted, err
}

// MisfireList returns the statement that lists misfires, with its arguments. Those of a job are
// found by its index alone, which has the times too, so that only the listed rows are read.
func MisfireList(f xxladapter.MisfireFilter) (query string, args []any) {
	var where database.Conditions
	if f.JobID != 0 {
		where.Add(`job_id = ?`, f.JobID)
	}
	if !f.From.IsZero() {
		where.Add(`until_ms >= ?`, database.CeilMilli(f.From))
	}
	if !f.To.IsZero() {
		where.Add(`due_ms < ?`, database.CeilMilli(f.To))
	}
	order := where.PageByID(f.AfterID, f.Newest)
	const rows = `SELECT id, job_id, due_ms, until_ms, policy, at_ms, COALESCE(pause_id, 0), calendar FROM xxlwheel_misfire`
	if f.JobID == 0 {
		return where.Selecting(rows, order, f.Limit)
	}
	ids, args := where.Selecting(`SELECT id FROM xxlwheel_misfire`, order, f.Limit)
	return rows + ` WHERE id IN (SELECT id FROM (` + ids + `) AS listed) ORDER BY ` + order, args
}

// ErrNoScheduleLock means that the row that all schedulers lock is missing. Upstream's schedulers
// would run without a lock.
var ErrNoScheduleLock = errors.New("table xxl_job_lock has no row schedule_lock, without which several schedulers fire the same jobs: INSERT INTO xxl_job_lock VALUES ('schedule_lock')")
