package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/users"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

const (
	insertTaken = `INSERT INTO xxlwheel_taken (source, kind, from_id, to_id) VALUES (?, ?, ?, ?)`
	moveTaken   = `UPDATE xxlwheel_taken SET to_id = ? WHERE source = ? AND kind = ? AND from_id = ?`

	insertUpstreamUser = `INSERT INTO xxl_job_user (username, password, role, permission) VALUES (?, ?, ?, ?)`

	// insertTakenJob inserts a job as insertJob in package records does, and also its id. The
	// trigger times are 0, and the other times are those that the job had where it is taken from.
	insertTakenJob = `INSERT INTO xxl_job_info (
		id, job_group, job_desc, author, alarm_email,
		schedule_type, schedule_conf, misfire_strategy,
		executor_route_strategy, executor_handler, executor_param, executor_block_strategy,
		executor_timeout, executor_fail_retry_count,
		glue_type, glue_source, glue_remark, glue_updatetime,
		child_jobid, trigger_status, trigger_last_time, trigger_next_time, add_time, update_time
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?)`
)

// The kinds of xxlwheel_taken for log rows. Each has one row for a source: from_id is the last row
// to take, and to_id the last one that was taken.
const (
	takenLogs     = "log"     // they got new ids
	takenSameLogs = "samelog" // they kept their ids
)

// withoutID returns an INSERT without its first column, the id, so that the database generates it.
func withoutID(insert string) string {
	insert = strings.Replace(insert, "id, ", "", 1)
	return strings.Replace(insert, "VALUES (?, ", "VALUES (", 1)
}

// withID returns an INSERT that also stores the id, as its first value.
func withID(insert string) string {
	insert = strings.Replace(insert, "(", "(id, ", 1)
	return strings.Replace(insert, "VALUES (", "VALUES (?, ", 1)
}

// A TakeOver takes a database of XXL-JOB into a store.
type TakeOver struct {
	From *Upstream
	To   *records.Store
	fromxxljob.Options
	DryRun bool
	// Logs takes the log rows of ended runs too. Progress is called after each part of them, with
	// the ids of the last row taken and of the last one to take. Nil is allowed.
	Logs     bool
	Progress func(done, last int64)
}

// Run takes what the store does not have. Everything but log rows is taken in one transaction. Log
// rows follow in parts; after an error, the next Run continues there.
func (t *TakeOver) Run(ctx context.Context) (*fromxxljob.Report, error) {
	db, err := t.From.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.Options.From, err)
	}
	var (
		plan     *fromxxljob.Plan
		original = *db
	)
	err = t.To.WriteBy(ctx, t.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		if _, err := tx.LockTerm(ctx); err != nil { // takeovers run one after the other
			return err
		}
		has, err := target(ctx, t.To, tx, t.Options.From)
		if err != nil {
			return err
		}
		if plan, err = fromxxljob.Compare(cloned(&original), has, t.Options); err != nil || t.DryRun {
			return err
		}
		return takeOver(ctx, t.To, tx, plan)
	})
	if err != nil {
		return nil, err
	}
	plan.Report.DryRun = t.DryRun
	if t.Logs {
		if err := t.logs(ctx, plan); err != nil {
			return &plan.Report, err
		}
	}
	if !t.DryRun {
		err = t.reserveLogs(ctx)
	}
	return &plan.Report, err
}

// reserveLogs lets new runs of the store have ids above those of the database. An executor that has
// worked for both remembers a run by its id for a while: it would refuse another run with the same
// id, and a result that it has not reported yet would end that other run.
func (t *TakeOver) reserveLogs(ctx context.Context) error {
	last, err := t.From.lastLog(ctx)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.Options.From, err)
	}
	return t.To.WriteBy(ctx, t.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		var newest int64
		err := tx.Query(ctx, `SELECT COALESCE(MAX(id), 0) FROM xxl_job_log`, nil, func(r database.Row) error {
			return r.Scan(&newest)
		})
		if err != nil || newest >= last {
			return err
		}
		return reserveLog(ctx, t.To, tx, last)
	})
}

// reserveLog inserts a log row and deletes it, so that the table generates higher ids from now on.
func reserveLog(ctx context.Context, s *records.Store, tx *database.Tx, id int64) error {
	row := append([]any{id}, s.LogValues(&xxladapter.Log{TriggerCode: xxladapter.ResultFail})...)
	if _, err := tx.Exec(ctx, withID(runs.InsertLog), row...); err != nil {
		return err
	}
	if err := advance(ctx, tx, true, "xxl_job_log"); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM xxl_job_log WHERE id = ?`, id)
	return err
}

// cloned returns a database whose rows may be changed.
func cloned(db *fromxxljob.Database) *fromxxljob.Database {
	c := *db
	c.Groups, c.Jobs, c.Versions = clonedRows(db.Groups), clonedRows(db.Jobs), clonedRows(db.Versions)
	return &c
}

func clonedRows[T any](rows []*T) []*T {
	clones := make([]*T, len(rows))
	for i, r := range rows {
		c := *r
		clones[i] = &c
	}
	return clones
}

// target reads what the store has.
func target(ctx context.Context, s *records.Store, tx *database.Tx, from string) (*fromxxljob.Target, error) {
	has := &fromxxljob.Target{
		GroupsByApp: map[string]int64{}, UserNames: map[string]bool{}, GroupIDs: map[int64]bool{},
		JobIDs: map[int64]bool{}, Schedules: map[int64]fromxxljob.Schedule{}, Days: map[string]bool{},
		Taken: map[fromxxljob.Kind]map[int64]int64{fromxxljob.KindGroup: {}, fromxxljob.KindJob: {}, fromxxljob.KindUser: {}},
		Title: s.Dialect.Widths.Title, Param: s.Dialect.Widths.Param,
	}
	name := func(r database.Row) error {
		var name string
		err := r.Scan(database.Text(&name))
		has.UserNames[name] = true
		return err
	}
	for _, list := range []struct {
		query string
		scan  func(database.Row) error
	}{
		{`SELECT id, app_name FROM xxl_job_group ORDER BY id DESC`, func(r database.Row) error {
			var id int64
			var app string
			err := r.Scan(&id, database.Text(&app))
			has.GroupsByApp[app], has.GroupIDs[id] = id, true
			return err
		}},
		{`SELECT id, schedule_type, schedule_conf FROM xxl_job_info`, func(r database.Row) error {
			var id int64
			var s fromxxljob.Schedule
			err := r.Scan(&id, database.Text(&s.Type), database.Text(&s.Conf))
			has.JobIDs[id], has.Schedules[id] = true, s
			return err
		}},
		{`SELECT username FROM xxl_job_user`, name},
		{users.UserNames, name},
		{`SELECT trigger_day FROM xxl_job_log_report WHERE trigger_day IS NOT NULL`, func(r database.Row) error {
			var day time.Time
			err := r.Scan(database.Datetime(&day))
			has.Days[day.In(s.Zone).Format(time.DateOnly)] = true
			return err
		}},
		{`SELECT source, kind, from_id, to_id FROM xxlwheel_taken ORDER BY source, kind, from_id`,
			func(r database.Row) error {
				var source, kind string
				var was, is int64
				err := r.Scan(database.Text(&source), database.Text(&kind), &was, &is)
				if taken := has.Taken[fromxxljob.Kind(kind)]; source == from && taken != nil {
					taken[was] = is
				} else if source != from && !slices.Contains(has.Others, source) {
					has.Others = append(has.Others, source)
				}
				return err
			}},
	} {
		if err := tx.Query(ctx, list.query, nil, list.scan); err != nil {
			return nil, err
		}
	}
	return has, nil
}

// takeOver writes a plan, and sets the new ids in its report.
func takeOver(ctx context.Context, s *records.Store, tx *database.Tx, plan *fromxxljob.Plan) error {
	groups, changes, err := takeGroups(ctx, s, tx, plan)
	if err != nil {
		return err
	}
	jobs, err := takeJobs(ctx, s, tx, plan, groups)
	if err != nil {
		return err
	}
	versions := make([][]any, len(plan.Versions))
	for i, v := range plan.Versions {
		at := s.Dialect.Datetime(v.Added)
		versions[i] = []any{plan.IDs[fromxxljob.KindJob][v.JobID], string(v.Type), v.Source, v.Remark, at, at}
	}
	if err := tx.InsertAll(ctx, records.InsertGlue, versions); err != nil {
		return err
	}
	if err := takeUsers(ctx, s, tx, plan, groups); err != nil {
		return err
	}
	if err := takeDays(ctx, s, tx, plan); err != nil {
		return err
	}
	if err := remember(ctx, tx, plan); err != nil || xxladapter.CallOf(ctx) == "" {
		return err
	}
	if err := s.RecordVersions(ctx, tx, jobs); err != nil {
		return err
	}
	for _, c := range jobs {
		changes = audit.AppendChange(changes, c.Is.Audited(), nil, c.Is.Fields())
	}
	return s.RecordAll(ctx, tx, changes)
}

// takeGroups inserts new groups and returns the ids of all, by those in the database.
func takeGroups(
	ctx context.Context, s *records.Store, tx *database.Tx, plan *fromxxljob.Plan,
) (ids map[int64]int64, changes []audit.Change, err error) {
	ids = plan.IDs[fromxxljob.KindGroup]
	for _, g := range slices.SortedFunc(
		slices.Values(plan.Groups), func(a, b *xxladapter.Group) int { return cmp.Compare(a.AppName, b.AppName) },
	) {
		if err := registry.LockApp(ctx, tx, g.AppName); err != nil {
			return nil, nil, err
		}
	}
	for _, g := range plan.Groups {
		was := g.ID
		addresses := g.Addresses
		if g.AddressType == xxladapter.AddressAuto {
			if addresses, err = registry.Registered(ctx, tx, g.AppName); err != nil {
				return nil, nil, err
			}
		}
		values := []any{
			g.AppName, g.Title, int64(g.AddressType), database.JoinAddresses(addresses), s.Dialect.Datetime(s.Clock()),
		}
		if plan.Report.KeptIDs {
			_, err = tx.Exec(ctx, withID(registry.InsertGroup), append([]any{g.ID}, values...)...)
		} else {
			g.ID, err = tx.Insert(ctx, registry.InsertGroup, values...)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("group %d: %w", was, err)
		}
		if err := registry.SetToken(ctx, tx, g.ID, g.AccessToken); err != nil {
			return nil, nil, err
		}
		ids[was] = g.ID
		changes = audit.AppendChange(changes, g.Audited(), nil, g.Fields())
	}
	for was, id := range ids {
		if id < 0 { // joins the new group with that id in the database
			ids[was] = ids[-id]
		}
	}
	return ids, changes, advance(ctx, tx, plan.Report.KeptIDs, "xxl_job_group")
}

// takeJobs inserts new jobs and returns them with their new ids.
func takeJobs(
	ctx context.Context, s *records.Store, tx *database.Tx, plan *fromxxljob.Plan, groups map[int64]int64,
) ([]*transition.JobChange, error) {
	ids, keep := plan.IDs[fromxxljob.KindJob], plan.Report.KeptIDs
	rows, was := make([][]any, len(plan.Jobs)), make([]int64, len(plan.Jobs))
	for i, j := range plan.Jobs {
		was[i], j.GroupID = j.ID, groups[j.GroupID]
		row := []any{
			j.ID, j.GroupID, j.Name, j.Author, j.AlarmEmail,
			string(j.ScheduleType), j.ScheduleConf, string(j.Misfire),
			string(j.Route), j.Handler, j.Param, string(j.Block),
			int64(j.Timeout / time.Second), j.RetryCount,
			string(j.GlueType), j.GlueSource, j.GlueRemark, s.Dialect.Datetime(j.GlueUpdated),
			"", s.Dialect.Datetime(j.Added), s.Dialect.Datetime(j.Updated),
		}
		if rows[i] = row; !keep {
			rows[i] = row[1:]
		}
	}
	given := was
	var err error
	if keep {
		err = tx.InsertAll(ctx, insertTakenJob, rows)
	} else {
		given, err = tx.InsertRows(ctx, withoutID(insertTakenJob), rows)
	}
	if err != nil {
		return nil, err
	}
	for i, id := range given {
		ids[was[i]] = id
		plan.Jobs[i].ID = id
	}
	for i := range plan.Report.Taken {
		plan.Report.Taken[i].ID = ids[plan.Report.Taken[i].From]
	}
	var children [][]any
	changes := make([]*transition.JobChange, len(plan.Jobs))
	for i, j := range plan.Jobs {
		was := j.ChildIDs
		j.ChildIDs = nil
		for _, child := range was {
			j.ChildIDs = append(j.ChildIDs, ids[child])
		}
		if len(j.ChildIDs) > 0 {
			children = append(children, []any{j.ID, database.JoinIDs(j.ChildIDs)})
		}
		changes[i] = &transition.JobChange{Is: j}
	}
	if _, err := tx.UpdateRows(ctx, "xxl_job_info", records.ChildColumns, children); err != nil {
		return nil, err
	}
	return changes, advance(ctx, tx, keep, "xxl_job_info")
}

func takeUsers(
	ctx context.Context, s *records.Store, tx *database.Tx, plan *fromxxljob.Plan, groups map[int64]int64,
) error {
	for _, u := range plan.Users {
		role, of := 0, []int64(nil)
		if u.Admin {
			role = 1
		}
		for _, g := range u.Groups {
			if id := groups[g]; id != 0 {
				of = append(of, id)
			}
		}
		id, err := tx.Insert(ctx, insertUpstreamUser, u.Name, u.Password, role, database.OrNull(database.JoinIDs(of)))
		if err != nil {
			return fmt.Errorf("user %d: %w", u.ID, err)
		}
		plan.IDs[fromxxljob.KindUser][u.ID] = id
	}
	return nil
}

func takeDays(ctx context.Context, s *records.Store, tx *database.Tx, plan *fromxxljob.Plan) error {
	now := s.Dialect.Datetime(s.Clock())
	rows := make([][]any, len(plan.Days))
	for i, d := range plan.Days {
		noon, err := time.ParseInLocation(time.DateTime, d.Day+" 12:00:00", s.Zone)
		if err != nil {
			return err
		}
		rows[i] = []any{s.Dialect.Datetime(figures.DayOf(noon, s.Zone)), d.Running, d.Success, d.Failed, now}
	}
	return tx.InsertAll(ctx, figures.InsertDay, rows)
}

// remember stores the ids of what is new, or was taken again.
func remember(ctx context.Context, t *database.Tx, plan *fromxxljob.Plan) error {
	var was [][]any
	for _, kind := range []fromxxljob.Kind{fromxxljob.KindGroup, fromxxljob.KindJob, fromxxljob.KindUser} {
		known := map[int64]int64{}
		err := t.Query(ctx, `SELECT from_id, to_id FROM xxlwheel_taken WHERE source = ? AND kind = ?`, []any{
			plan.Report.From, string(kind),
		}, func(r database.Row) error {
			var from, to int64
			err := r.Scan(&from, &to)
			known[from] = to
			return err
		})
		if err != nil {
			return err
		}
		for from, to := range plan.IDs[kind] {
			switch before, isKnown := known[from]; {
			case !isKnown:
				was = append(was, []any{plan.Report.From, string(kind), from, to})
			case before != to: // it was removed, and is taken again
				if _, err := t.Exec(ctx, moveTaken, to, plan.Report.From, string(kind), from); err != nil {
					return err
				}
			}
		}
	}
	return t.InsertAll(ctx, insertTaken, was)
}

// advance keeps a table from generating the ids that rows have kept.
func advance(ctx context.Context, t *database.Tx, kept bool, table string) error {
	if !kept || t.Dialect.AdvanceIDs == nil {
		return nil
	}
	return t.Query(ctx, t.Dialect.AdvanceIDs(table), nil, func(database.Row) error { return nil })
}

// logRows is how many log rows are taken in one transaction.
const logRows = 500

// A logMark is a row of xxlwheel_taken for log rows.
type logMark struct {
	kind       string
	last, done int64
}

// logs takes the log rows of ended runs, up to the newest one at the first call for a source.
func (t *TakeOver) logs(ctx context.Context, plan *fromxxljob.Plan) error {
	mark, err := t.logMark(ctx, plan.Report.KeptIDs)
	if err != nil {
		return err
	}
	known := map[int64]int64{}
	for _, j := range plan.Report.Taken { // without those that were deleted since
		known[j.From] = j.ID
	}
	groups := map[int64]int64{}
	if !t.DryRun {
		err = t.To.Query(ctx, `SELECT id, job_group FROM xxl_job_info`, nil, func(r database.Row) error {
			var job, group int64
			err := r.Scan(&job, &group)
			groups[job] = group
			return err
		})
		if err != nil {
			return err
		}
	}
	open, orphans := 0, 0
	for mark.done < mark.last {
		rows, err := t.From.logs(ctx, mark.done, mark.last, logRows)
		if err != nil {
			return fmt.Errorf("read %s: %w", t.Options.From, err)
		}
		if len(rows) == 0 {
			break
		}
		var take []*xxladapter.Log
		for _, l := range rows {
			job, has := known[l.JobID]
			switch {
			case !has:
				orphans++
			case l.Status() == xxladapter.LogRunning || l.TriggerTime.IsZero():
				open++
			default:
				group, has := plan.IDs[fromxxljob.KindGroup][l.GroupID]
				if !has { // XXL-JOB has removed it since
					group = groups[job]
				}
				l.JobID, l.GroupID = job, group
				if l.AlarmStatus <= 0 {
					l.AlarmStatus = xxladapter.AlarmNotNeeded // XXL-JOB has reported it, or never will
				}
				take = append(take, l)
			}
		}
		mark.done = rows[len(rows)-1].ID
		if !t.DryRun {
			if err := t.takeLogs(ctx, take, mark); err != nil {
				return err
			}
		}
		plan.Report.Logs.Taken += len(take)
		if t.Progress != nil {
			t.Progress(mark.done, mark.last)
		}
	}
	plan.Report.Logs.Left = open + orphans
	note := func(n int, text string) {
		if n > 0 {
			plan.Report.Notes = append(plan.Report.Notes, fromxxljob.Note{
				What: fromxxljob.Left, Kind: "log", Text: fmt.Sprintf("%d runs %s", n, text),
			})
		}
	}
	note(open, "have not ended, or have no trigger time")
	note(orphans, "are of jobs that do not exist or were left")
	return nil
}

// logMark reads the mark of log rows, or stores a new one.
func (t *TakeOver) logMark(ctx context.Context, keptIDs bool) (m logMark, err error) {
	err = t.To.Query(ctx, `SELECT kind, from_id, to_id FROM xxlwheel_taken WHERE source = ? AND kind IN ('`+takenLogs+
		`', '`+takenSameLogs+`')`,
		[]any{t.Options.From}, func(r database.Row) error { return r.Scan(database.Text(&m.kind), &m.last, &m.done) })
	if err != nil || m.kind != "" {
		return m, err
	}
	if m.last, err = t.From.lastLog(ctx); err != nil {
		return m, fmt.Errorf("read %s: %w", t.Options.From, err)
	}
	if m.last == 0 || t.DryRun {
		return m, nil
	}
	return m, t.To.WriteBy(ctx, t.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		m.kind = takenLogs
		has, err := tx.Has(ctx, `SELECT 1 FROM xxl_job_log LIMIT 1`)
		if err != nil {
			return err
		}
		if !has && keptIDs {
			// Schedulers of the store get ids above those that are to come.
			m.kind = takenSameLogs
			if err := reserveLog(ctx, t.To, tx, m.last); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, insertTaken, t.Options.From, m.kind, m.last, 0)
		return err
	})
}

// takeLogs inserts log rows and moves the mark.
func (t *TakeOver) takeLogs(ctx context.Context, logs []*xxladapter.Log, m logMark) error {
	insert, keep := runs.InsertLog, m.kind == takenSameLogs
	if keep {
		insert = withID(insert)
	}
	rows := make([][]any, len(logs))
	for i, l := range logs {
		if rows[i] = t.To.LogValues(l); keep {
			rows[i] = append([]any{l.ID}, rows[i]...)
		}
	}
	return t.To.WriteBy(ctx, t.To.BulkWrites, func(ctx context.Context, tx *database.Tx) error {
		moved, err := tx.Exec(ctx, `UPDATE xxlwheel_taken SET to_id = ? WHERE source = ? AND kind = ? AND to_id < ?`,
			m.done, t.Options.From, m.kind, m.done)
		if err == nil && moved != 1 {
			err = errors.New("another process takes the same log rows")
		}
		if err != nil {
			return err
		}
		return tx.InsertAll(ctx, insert, rows)
	})
}
