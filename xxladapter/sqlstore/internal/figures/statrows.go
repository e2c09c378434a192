package figures

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// statRowColumns are the columns that the statistics read of a log row, its history and its
	// fire. A message is read only where it tells which kind of failure the row is.
	statRowColumns = `l.id, l.job_group, l.job_id, l.trigger_time, l.trigger_code, l.handle_code,
		CASE WHEN l.handle_code = 500 THEN l.handle_msg END,
		r.log_id, r.due_ms, r.trigger_type, r.attempt, r.claimed_ms, r.sent_ms, r.finished_ms, f.id`
	statRowJoins = ` LEFT JOIN xxlwheel_run r ON r.log_id = l.id LEFT JOIN xxlwheel_fire f ON f.log_id = l.id`

	// SelectNewStatRows reads rows after one id and up to another, and SelectOpenStatRows reads
	// those that were open.
	SelectNewStatRows = `SELECT l.id, '', ` + statRowColumns + ` FROM xxl_job_log l` + statRowJoins + `
		WHERE l.id > ? AND l.id <= ? ORDER BY l.id LIMIT ?`
	SelectOpenStatRows = `SELECT o.log_id, o.counted, ` + statRowColumns + `
		FROM xxlwheel_stat_open o LEFT JOIN xxl_job_log l ON l.id = o.log_id` + statRowJoins + `
		WHERE o.log_id > ? ORDER BY o.log_id LIMIT ?`
	// selectDeletedStatRows is completed by the ids. It leaves out what is counted for good.
	selectDeletedStatRows = `SELECT l.id, o.counted, ` + statRowColumns + `
		FROM xxl_job_log l LEFT JOIN xxlwheel_stat_open o ON o.log_id = l.id` + statRowJoins + `
		WHERE (l.id > ? OR o.log_id IS NOT NULL) AND `
)

// A statRow is a log row as the statistics see it.
type statRow struct {
	id      int64                 // of the log row, which may be gone
	counted xxladapter.StatResult // the result it is counted by so far; empty if it is not counted
	log     xxladapter.Log        // without an id if the row is gone
	history *xxladapter.RunHistory
	open    bool // its fire is open
}

// statRows reads rows with one of the statements above.
func (s *Store) statRows(ctx context.Context, query string, args ...any) (rows []statRow, err error) {
	err = s.db.Query(ctx, query, args, collectStatRows(&rows))
	return rows, err
}

func collectStatRows(to *[]statRow) func(database.Row) error {
	return func(r database.Row) error {
		var (
			row                                         statRow
			l                                           = &row.log
			h                                           xxladapter.RunHistory
			attempt, triggerCode, handleCode, fire, run int64
		)
		err := r.Scan(&row.id, database.Text(&row.counted), database.Integer(&l.ID), database.Integer(&l.GroupID),
			database.Integer(&l.JobID), database.Datetime(&l.TriggerTime),
			database.Integer(&triggerCode), database.Integer(&handleCode), database.Text(&l.HandleMsg),
			database.Integer(&run), database.Milli(&h.Due), database.Text(&h.Type), database.Integer(&attempt),
			database.Milli(&h.Claimed), database.Milli(&h.Sent), database.Milli(&h.Finished), database.Integer(&fire))
		l.TriggerCode, l.HandleCode, row.open = int(triggerCode), int(handleCode), fire != 0
		if run != 0 {
			h.LogID, h.Attempt = run, int(attempt)
			row.history = &h
		}
		*to = append(*to, row)
		return err
	}
}

// A statKey names one row of xxlwheel_stat.
type statKey struct {
	ofGroup    bool // the sum of a group, whose job is 0
	hour       int64
	job, group int64
}

// A lastResult is the result of a job's newest run that has one.
type lastResult struct {
	logID  int64
	result xxladapter.StatResult
}

// statWork is what a turn changes.
type statWork struct {
	figures map[statKey]*xxladapter.Figures // to add
	opened  map[int64]xxladapter.StatResult // open rows to remember, with what they are counted by
	closed  []int64                         // open rows to forget
	last    map[int64]lastResult            // by job id
}

func newStatWork() *statWork {
	return &statWork{
		figures: map[statKey]*xxladapter.Figures{}, opened: map[int64]xxladapter.StatResult{},
		last: map[int64]lastResult{},
	}
}

func (w *statWork) empty() bool { return len(w.figures)+len(w.opened)+len(w.closed) == 0 }

// addNew counts rows that nobody has looked at.
func (w *statWork) addNew(rows []statRow) {
	for _, r := range rows {
		if now, final := w.count(r); !final {
			w.opened[r.id] = now
		}
	}
}

// addOpen counts what has become of open rows.
func (w *statWork) addOpen(rows []statRow) {
	for _, r := range rows {
		if r.log.ID == 0 {
			w.closed = append(w.closed, r.id) // another program has deleted it
			continue
		}
		now, final := w.count(r)
		if final || now != r.counted {
			w.closed = append(w.closed, r.id)
		}
		if !final && now != r.counted {
			w.opened[r.id] = now
		}
	}
}

// addDeleted counts a row that is deleted, by what is known of it.
func (w *statWork) addDeleted(r statRow) {
	w.count(r)
	w.closed = append(w.closed, r.id)
}

// count adds a row to its job's and its group's hour. A row without a trigger time belongs to no
// hour.
func (w *statWork) count(r statRow) (now xxladapter.StatResult, final bool) {
	now, final = xxladapter.StatResultOf(&r.log, r.open)
	if now != "" && r.log.ID >= w.last[r.log.JobID].logID {
		w.last[r.log.JobID] = lastResult{r.log.ID, now}
	}
	if r.log.TriggerTime.IsZero() || now == r.counted && !final {
		return now, final
	}
	hour := hourOf(r.log.TriggerTime)
	for _, key := range []statKey{{false, hour, r.log.JobID, r.log.GroupID}, {true, hour, 0, r.log.GroupID}} {
		if w.figures[key] == nil {
			w.figures[key] = new(xxladapter.Figures)
		}
		w.figures[key].CountRun(&r.log, r.history, r.open, r.counted)
	}
	return now, final
}

// hourOf returns the hour of t, in hours since 1970.
func hourOf(t time.Time) int64 {
	return t.Truncate(xxladapter.StatHour).Unix() / int64(xxladapter.StatHour/time.Second)
}
