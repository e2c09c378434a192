package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// firstDue completes a SELECT with the due jobs. Arguments: until when they
	// are due, the node, until when those of all shards are due, the node again,
	// and their number.
	firstDue = allDue + ` ORDER BY trigger_next_time, id LIMIT ?`
	allDue   = ` FROM xxl_job_info
		WHERE trigger_status = 1 AND trigger_next_time <= ?
			AND (id % 64 IN (SELECT shard FROM xxlwheel_shard WHERE node = ?)
				OR trigger_next_time < ? AND EXISTS (SELECT 1 FROM xxlwheel_shard WHERE node = ?))`
	selectDue    = `SELECT ` + jobColumns + firstDue
	selectDueIDs = `SELECT id` + firstDue

	// lookDue tells whether a term holds and a job is due. Arguments: node, number
	// and now; and those of allDue. A server's clock goes behind it.
	lookDue = `SELECT (SELECT COUNT(*) FROM xxlwheel_lease WHERE node = ? AND term = ? AND until_ms > ?),
		(SELECT COUNT(*) FROM (SELECT 1` + allDue + ` LIMIT 1) AS due)`

	// countDue counts due jobs, also those whose rows are locked. Arguments: those of
	// firstDue.
	countDue = `SELECT COUNT(*) FROM (SELECT 1` + allDue + ` LIMIT ?) AS due`

	// The guard lets a stop, a restart and another scheduler win over a
	// decision that was made from what the job was before.
	advanceJob = `UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ?, trigger_status = ?
		WHERE id = ? AND trigger_status = 1 AND trigger_next_time = ?`

	insertMisfire = `INSERT INTO xxlwheel_misfire (job_id, due_ms, until_ms, policy, at_ms) VALUES (?, ?, ?, ?, ?)`

	isScheduled = `SELECT 1 FROM xxlwheel_fire WHERE job_id = ? AND due_ms = ? AND trigger_type = 'CRON'`
)

// ClaimDue implements [xxladapter.Store]. decide runs inside the transaction
// and holds up every other write, so it must not call the store. A decision
// about a job that was not due is ignored.
func (s *Store) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) (planned []xxladapter.Fire, claimed int, err error) {

	asked := ahead
	if s.dialect.lockSchedule != "" && s.others.expected() {
		if err := s.lookForOthers(ctx, by.Node); err != nil {
			return nil, 0, err
		}
		ahead = s.others.ahead(asked, s.resting.Load())
	}
	if s.resting.Load() {
		if due, err := s.looksDue(ctx, by, ahead); !due || err != nil {
			return nil, 0, err
		}
	}
	var found []int64
	if s.dialect.lockByID {
		if found, err = s.findDue(ctx, by, ahead, limit); err != nil {
			return nil, 0, err
		}
	}
	locked := 0 // due jobs that another session holds
	var decisions []decided
	err = s.writeBy(ctx, s.scans, func(ctx context.Context, tx *tx) error {
		planned, claimed, locked, decisions = nil, 0, 0, nil
		if err := tx.lockSchedule(ctx); err != nil {
			return err
		}
		now := s.clock() // after the wait for the lock
		if err := tx.fence(ctx, by, now); err != nil {
			return err
		}
		var due []*xxladapter.Job
		var err error
		if s.dialect.lockByID {
			due, err = tx.stillDue(ctx, toMilli(now.Add(ahead)), found)
		} else {
			args := append(dueArgs(by.Node, now, ahead), max(limit, 0))
			due, err = tx.due(ctx, args)
			if err == nil && len(due) < limit && s.dialect.lockDue != "" {
				locked, err = tx.countLocked(ctx, args, len(due))
			}
		}
		until := now.Add(asked)
		if err == nil && s.dialect.lockSchedule != "" {
			for _, j := range due {
				s.others.saw(j.ID, toMilli(j.TriggerNext))
			}
			until = now.Add(min(ahead, s.others.ahead(asked, s.resting.Load())))
			due = slices.DeleteFunc(due, func(j *xxladapter.Job) bool { return toMilli(j.TriggerNext) > toMilli(until) })
		}
		if err != nil || len(due) == 0 {
			return err
		}
		claimed = len(due)
		read := make(map[int64]decided, len(due)) // without the decision; decide may write to jobs
		for _, j := range due {
			read[j.ID] = decided{before: toMilli(j.TriggerNext), group: j.GroupID}
		}
		all := decide(now, due)
		for i := range all {
			if until.Before(now.Add(asked)) {
				shorten(&all[i], until) // where the caller sees it too
			}
			d := all[i]
			if of, isDue := read[d.JobID]; isDue {
				delete(read, d.JobID) // only the first one about a job counts
				of.Decision = d
				decisions = append(decisions, of)
			}
		}
		if s.dialect.storeTogether != nil {
			planned, err = s.dialect.storeTogether(ctx, s, tx, decisions)
			return err
		}
		for _, d := range decisions {
			fires, err := s.store(ctx, tx, d)
			if err != nil {
				return err
			}
			planned = append(planned, fires...)
		}
		return nil
	})
	if err != nil {
		s.others.forget(decisions)
		return nil, 0, err
	}
	if s.dialect.lockSchedule != "" {
		s.others.stored(decisions)
	}
	s.resting.Store(claimed+locked == 0)
	return planned, claimed + locked, nil
}

// looksDue reports whether there is anything to claim, by a look that takes no
// lock and writes nothing. A store in which nothing is due costs no more.
func (s *Store) looksDue(ctx context.Context, by xxladapter.Term, ahead time.Duration) (bool, error) {
	now := s.clock()
	var (
		terms, due int
		micros     int64
		sent       time.Duration
	)
	query, found := lookDue, []any{&terms, &due}
	if s.server != nil {
		query, found = lookDue+`, `+s.dialect.preciseClock, append(found, &micros)
		sent = time.Since(s.server.started)
	}
	err := s.queryBy(ctx, s.scanReads, query, append([]any{by.Node, by.Number, toMilli(now)}, dueArgs(by.Node, now, ahead)...),
		func(r row) error { return r.Scan(found...) })
	if err == nil && s.server != nil {
		s.server.saw(time.UnixMicro(micros), sent)
	}
	if err == nil && terms == 0 {
		err = fenced(by)
	}
	return due > 0, err
}

// dueArgs are the arguments of allDue.
func dueArgs(node string, now time.Time, ahead time.Duration) []any {
	return []any{toMilli(now.Add(ahead)), node, toMilli(now.Add(ahead / 5)), node}
}

// decided is a decision, with the job's trigger_next_time and group when it was made.
type decided struct {
	xxladapter.Decision
	before int64
	group  int64
}

// store stores a decision and returns the fires that it planned.
func (s *Store) store(ctx context.Context, tx *tx, d decided) ([]xxladapter.Fire, error) {
	status := 1
	if d.Stop {
		status = 0
	}
	changed, err := tx.exec(ctx, advanceJob, toMilli(d.Last), toMilli(d.Next), status, d.JobID, d.before)
	if changed == 0 || err != nil {
		return nil, err
	}
	var planned []xxladapter.Fire
	for _, f := range d.Fires {
		f.JobID, f.GroupID = d.JobID, d.group
		f, ok, err := s.planDue(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		if ok {
			planned = append(planned, f)
		}
	}
	for _, m := range d.Misfires {
		_, err := tx.exec(ctx, insertMisfire, d.JobID, toMilli(m.Due), toMilli(m.Until), string(m.Policy), toMilli(m.At))
		if err != nil {
			return nil, err
		}
	}
	return planned, nil
}

// due reads and locks jobs of the node's shards that are due, for a decision
// about them; args are those of firstDue.
func (t *tx) due(ctx context.Context, args []any) ([]*xxladapter.Job, error) {
	var due []*xxladapter.Job
	err := t.query(ctx, selectDue+t.dialect.lockDue, args, func(r row) error {
		j, err := scanJob(r)
		due = append(due, j)
		return err
	})
	return due, err
}

// countLocked counts the due jobs that the SELECT of due jobs has passed by,
// because another session holds their rows; found is how many it has read.
func (t *tx) countLocked(ctx context.Context, args []any, found int) (locked int, err error) {
	err = t.query(ctx, countDue, args, func(r row) error { return r.Scan(&locked) })
	return max(locked-found, 0), err
}

// stillDue reads and locks the jobs that were found due, as far as they still
// are.
func (t *tx) stillDue(ctx context.Context, until int64, found []int64) ([]*xxladapter.Job, error) {
	var due []*xxladapter.Job
	for ids := range slices.Chunk(found, 1000) {
		batch := make([]any, len(ids))
		for i, id := range ids {
			batch[i] = id
		}
		// By the key also where most rows are meant: a walk would wait for others.
		query := t.dialect.text(`SELECT ` + jobColumns + ` FROM xxl_job_info FORCE INDEX (PRIMARY) WHERE id IN (?` +
			strings.Repeat(`, ?`, len(batch)-1) + `)` + t.dialect.lock)
		rows, err := t.QueryContext(ctx, query, batch...)
		if err == nil {
			err = scanAll(rows, func(r row) error {
				j, err := scanJob(r)
				if j.Running && toMilli(j.TriggerNext) <= until {
					due = append(due, j)
				}
				return err
			})
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(due, func(a, b *xxladapter.Job) int {
		return cmp.Or(a.TriggerNext.Compare(b.TriggerNext), cmp.Compare(a.ID, b.ID))
	})
	return due, nil
}

// lockSchedule waits for other schedulers, where there may be any that know
// nothing of our side tables.
func (t *tx) lockSchedule(ctx context.Context) error {
	if t.dialect.lockSchedule == "" {
		return nil
	}
	locked, err := t.has(ctx, t.dialect.lockSchedule)
	if err == nil && !locked {
		return errNoScheduleLock
	}
	return err
}

// planDue plans a fire that a scan decided on, unless it is a due time's own and
// was promised before. Another fire that happens to hold the due time must not
// swallow it.
func (s *Store) planDue(ctx context.Context, tx *tx, f xxladapter.Fire) (_ xxladapter.Fire, ok bool, err error) {
	planned, ok, err := s.planAt(ctx, tx, f)
	if ok || err != nil {
		return planned, ok, err
	}
	if f.Type == xxladapter.TriggerCron {
		promised, err := tx.has(ctx, isScheduled, f.JobID, toMilli(f.Due))
		if promised || err != nil {
			return xxladapter.Fire{}, false, err
		}
	}
	planned, err = s.planFrom(ctx, tx, f)
	return planned, err == nil, err
}

// Misfires implements [xxladapter.Store].
func (s *Store) Misfires(ctx context.Context, f xxladapter.MisfireFilter) ([]xxladapter.Misfire, error) {
	var where conditions
	if f.JobID != 0 {
		where.add(`job_id = ?`, f.JobID)
	}
	order := where.pageByID(f.AfterID, f.Newest)
	query, args := where.selecting(`SELECT id, job_id, due_ms, until_ms, policy, at_ms FROM xxlwheel_misfire`, order, f.Limit)
	var found []xxladapter.Misfire
	err := s.query(ctx, query, args, func(r row) error {
		var m xxladapter.Misfire
		err := r.Scan(&m.ID, &m.JobID, milli{&m.Due}, milli{&m.Until}, text(&m.Policy), milli{&m.At})
		found = append(found, m)
		return err
	})
	return found, err
}
