package transfer

import (
	"context"
	"database/sql"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/registry"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/runs"
)

// An Upstream reads a database of XXL-JOB that is not the store's own. All that it reads is as of
// one moment, except for log rows.
type Upstream struct {
	DB *sql.DB
	// Rewrite turns queries into those for the tables of its release; nil leaves them as they are.
	Rewrite func(query string) string
	// Tokens says that groups have a column for access tokens.
	Tokens bool
	Zone   *time.Location // of its datetime columns
	Now    time.Time      // by its clock
	// OwnTables says that it has tables of ours.
	OwnTables bool
}

const upstreamQuiet = `SELECT (SELECT MAX(update_time) FROM xxl_job_registry), (SELECT MAX(trigger_time) FROM xxl_job_log),
	(SELECT MAX(trigger_last_time) FROM xxl_job_info)`

// Read reads everything but log rows.
func (u *Upstream) Read(ctx context.Context) (_ *fromxxljob.Database, err error) {
	tx, err := u.DB.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }() // it has read only
	db := &fromxxljob.Database{OwnTables: u.OwnTables, ReadAt: u.Now.In(u.Zone)}
	token := `''`
	if u.Tokens {
		token = `access_token`
	}
	for _, list := range []struct {
		query string
		scan  func(database.Row) error
	}{
		{`SELECT id, app_name, title, address_type, address_list, update_time, ` + token + `, NULL FROM xxl_job_group ORDER BY id`,
			func(r database.Row) error {
				g, err := registry.ScanGroup(r)
				db.Groups = append(db.Groups, g)
				return err
			}},
		{`SELECT ` + records.UpstreamJob + `, NULL FROM xxl_job_info ORDER BY id`, func(r database.Row) error {
			j, err := records.ScanJob(r)
			db.Jobs = append(db.Jobs, j)
			return err
		}},
		{`SELECT id, job_id, glue_type, glue_source, glue_remark, add_time FROM xxl_job_logglue ORDER BY id`,
			func(r database.Row) error {
				var v xxladapter.GlueVersion
				db.Versions = append(db.Versions, &v)
				return r.Scan(
					&v.ID, &v.JobID, database.Text(&v.Type), database.Text(&v.Source), database.Text(&v.Remark),
					database.Datetime(&v.Added),
				)
			}},
		{`SELECT id, username, password, role, permission FROM xxl_job_user ORDER BY id`, func(r database.Row) error {
			var user fromxxljob.User
			var role int64
			err := r.Scan(
				&user.ID, database.Text(&user.Name), database.Text(&user.Password), &role,
				database.IDList(&user.Groups),
			)
			user.Admin = role == 1
			db.Users = append(db.Users, user)
			return err
		}},
		{`SELECT trigger_day, running_count, suc_count, fail_count FROM xxl_job_log_report WHERE trigger_day IS NOT NULL ORDER BY trigger_day`, func(r database.Row) error {
			var begin time.Time
			var day xxladapter.DailyReport
			err := r.Scan(database.Datetime(&begin), &day.Running, &day.Success, &day.Failed)
			if day.Day = begin.In(u.Zone).Format(time.DateOnly); !begin.IsZero() {
				db.Days = append(db.Days, day)
			}
			return err
		}},
		{upstreamQuiet, func(r database.Row) error {
			var beat, triggered, last time.Time
			err := r.Scan(database.Datetime(&beat), database.Datetime(&triggered), database.Milli(&last))
			for _, at := range []time.Time{beat, triggered, last} {
				if at.After(db.WrittenAt) {
					db.WrittenAt = at
				}
			}
			return err
		}},
	} {
		if err := database.Select(ctx, tx, u.text(list.query), nil, list.scan); err != nil {
			return nil, err
		}
	}
	return db, nil
}

func (u *Upstream) text(query string) string {
	if u.Rewrite == nil {
		return query
	}
	return u.Rewrite(query)
}

// lastLog returns the id of the newest log row, or 0.
func (u *Upstream) lastLog(ctx context.Context) (id int64, err error) {
	err = u.DB.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) FROM xxl_job_log`).Scan(&id)
	return id, err
}

// logs reads at most limit log rows with ids above after, and up to last.
func (u *Upstream) logs(ctx context.Context, after, last int64, limit int) (rows []*xxladapter.Log, err error) {
	err = database.Select(ctx, u.DB, `SELECT `+runs.LogColumns+
		` FROM xxl_job_log WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`, []any{after, last, limit}, func(r database.Row) error {
		l, err := runs.ScanLog(r)
		rows = append(rows, l)
		return err
	})
	return rows, err
}
