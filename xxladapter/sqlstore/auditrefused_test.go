//go:build unix

package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// refusals make a database refuse each row of the audit, and tables lists its tables.
var refusals = map[string]struct {
	statements []string
	tables     string
}{
	"sqlite": {
		[]string{`CREATE TRIGGER refuse BEFORE INSERT ON xxlwheel_audit BEGIN SELECT RAISE(ABORT, 'no row today'); END`},
		`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
	},
	"mysql": {
		[]string{`CREATE TRIGGER refuse BEFORE INSERT ON xxlwheel_audit FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no row today'`},
		`SELECT table_name FROM information_schema.tables WHERE table_schema = database()`,
	},
	"postgres": {
		[]string{
			`CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'no row today'; END $$ LANGUAGE plpgsql`,
			`CREATE TRIGGER refuse BEFORE INSERT ON xxlwheel_audit FOR EACH ROW EXECUTE FUNCTION refuse()`,
		},
		`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
	},
}

// ofNodes are the tables that the leases of nodes change.
var ofNodes = []string{"xxlwheel_lease", "xxlwheel_partition", "xxlwheel_partition_move", "xxlwheel_term"}

// contents returns the rows of all tables as texts, except the tables that leases change.
func contents(t *testing.T, db *sql.DB, engine string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, name := range rowsOf(t, db, refusals[engine].tables) {
		if !slices.Contains(ofNodes, name) {
			all[name] = rowsOf(t, db, `SELECT * FROM `+name)
		}
	}
	require.NotEmpty(t, all["xxl_job_info"])
	return all
}

// rowsOf returns the rows of a query as sorted texts.
func rowsOf(t *testing.T, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err, query)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		text := values[0].String
		for i := range values[1:] {
			text += fmt.Sprintf(" | %v %q", values[i+1].Valid, values[i+1].String)
		}
		texts = append(texts, text)
	}
	require.NoError(t, rows.Err())
	slices.Sort(texts)
	return texts
}

// TestAChangeWithoutItsRowIsNoChange lets a database refuse rows of the audit. Every method of the
// store that writes one for a call must fail, and leave all tables as they are.
func TestAChangeWithoutItsRowIsNoChange(t *testing.T) {
	t.Parallel()
	for engine, open := range map[string]func(t *testing.T) (*records.Store, *sql.DB){
		"sqlite": func(t *testing.T) (*records.Store, *sql.DB) {
			file := filepath.Join(t.TempDir(), "refused.db")
			s := openFile(t, file, nil)
			db, err := sql.Open("sqlite", file)
			require.NoError(t, err)
			return s, db
		},
		"mysql": func(t *testing.T) (*records.Store, *sql.DB) {
			url := mysqlDatabase(t, "3.4")
			db, err := testserver.OpenMySQL(url)
			require.NoError(t, err)
			return openMySQLAt(t, url, Options{}), db
		},
		"postgres": func(t *testing.T) (*records.Store, *sql.DB) {
			url := testserver.PostgresCopy(t, migrateURL)
			db, err := sql.Open("pgx", url)
			require.NoError(t, err)
			return openURL(t, url, Options{}), db
		},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s, db := open(t)
			defer func() { require.NoError(t, s.Close()) }()
			defer db.Close()
			changes := auditedChanges(t, s)
			for _, statement := range refusals[engine].statements {
				_, err := db.ExecContext(t.Context(), statement)
				require.NoError(t, err)
			}
			ctx := xxladapter.WithCall(t.Context(), "test")
			before := contents(t, db, engine)
			for _, name := range slices.Sorted(maps.Keys(changes)) {
				require.ErrorContains(t, changes[name](ctx), "no row today", name)
				for table, rows := range contents(t, db, engine) {
					require.Equal(t, before[table], rows, "%s: %s", name, table)
				}
			}
		})
	}
	checkAllChange(t)
}

// auditedChanges fills a store and returns one change by each method that writes a row of the
// audit.
func auditedChanges(t *testing.T, s *records.Store) map[string]func(ctx context.Context) error {
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		require.NoError(t, err)
	}
	now := s.Clock().Truncate(time.Second)
	id := fixture.AddDue(t, s, "due", now.Add(-time.Second))
	j, err := s.Job(ctx, id)
	must(err)
	off, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: j.GroupID, Name: "off", GlueSource: "echo"})
	must(err)
	empty, err := s.SaveGroup(ctx, &xxladapter.Group{AppName: "empty-app", Title: "e"})
	must(err)
	user, err := s.CreateUser(ctx, &xxladapter.User{Name: "ann"}, false)
	must(err)
	token := func(digest string) *xxladapter.Credential {
		return &xxladapter.Credential{UserID: user, Kind: xxladapter.CredentialToken, Digest: digest, Name: digest, Expires: now.Add(time.Hour)}
	}
	ci, err := s.CreateCredential(ctx, token("ci"))
	must(err)
	calendar, err := s.SaveCalendar(ctx, &xxladapter.Calendar{Name: "free"}, time.Time{})
	must(err)
	pause, err := s.CreatePause(ctx, xxladapter.Pause{GroupID: j.GroupID, Note: "n", Until: now.Add(time.Hour)})
	must(err)
	must(s.DrainExecutor(ctx, empty, xxladapter.Drain{Address: "http://a/"}))
	backfill := func(of int64) *xxladapter.Backfill {
		return &xxladapter.Backfill{
			JobID: of, Dues: []time.Time{now.Add(-time.Hour)},
			BackfillProgress: xxladapter.BackfillProgress{From: now.Add(-2 * time.Hour), To: now, Parallel: 1, Total: 1},
		}
	}
	begun, err := s.CreateBackfill(ctx, backfill(off))
	must(err)
	_, err = s.AgreeZone(ctx, "UTC")
	must(err)
	term := fixture.TermOf(t, s, "n1")
	fires, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: off, Due: now.Add(-time.Minute), Type: xxladapter.TriggerManual}})
	must(err)
	claimed, err := s.ClaimFire(ctx, term, fires[0].ID, []*xxladapter.Log{{JobID: off, GroupID: j.GroupID, TriggerTime: now.Add(-time.Minute)}})
	must(err)
	_, err = s.SettleFire(ctx, term, xxladapter.Settlement{FireID: claimed[0].ID, LogID: claimed[0].LogID, Code: 500})
	must(err)
	next := func(time.Time) time.Time { return now.Add(time.Minute) }
	edited := func(of int64) *xxladapter.Job {
		e, err := s.Job(ctx, of)
		must(err)
		e.Author = "somebody else"
		return e
	}
	lastOf := func(_ any, err error) error { return err }
	return map[string]func(ctx context.Context) error{
		"CreateJob": func(ctx context.Context) error {
			return lastOf(xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: j.GroupID, Name: "new"}))
		},
		"UpdateJob": func(ctx context.Context) error { return xxladapter.UpdateJob(ctx, s, edited(id), false) },
		"StartJob":  func(ctx context.Context) error { return lastOf(xxladapter.StartJob(ctx, s, off, time.Time{}, next)) },
		"StopJob":   func(ctx context.Context) error { return xxladapter.StopJob(ctx, s, id, time.Time{}) },
		"RemoveJob": func(ctx context.Context) error { return xxladapter.RemoveJob(ctx, s, off) },
		"EditJobs": func(ctx context.Context) error {
			return lastOf(s.EditJobs(ctx, []xxladapter.JobEdit{{Act: xxladapter.ActUpdate, Job: edited(id)}, {Act: xxladapter.ActRemove, Job: edited(off)}}, false))
		},
		"SaveGroup": func(ctx context.Context) error {
			return lastOf(s.SaveGroup(ctx, &xxladapter.Group{ID: empty, AppName: "empty-app", Title: "another"}))
		},
		"RemoveGroup": func(ctx context.Context) error { return s.RemoveGroup(ctx, empty) },
		"DrainExecutor": func(ctx context.Context) error {
			return s.DrainExecutor(ctx, empty, xxladapter.Drain{Address: "http://b/"})
		},
		"UndrainExecutor": func(ctx context.Context) error { return s.UndrainExecutor(ctx, empty, "http://a/") },
		"CreateUser": func(ctx context.Context) error {
			return lastOf(s.CreateUser(ctx, &xxladapter.User{Name: "bob"}, false))
		},
		"UpdateUser": func(ctx context.Context) error {
			hash := "another"
			return s.UpdateUser(ctx, user, xxladapter.UserChange{Password: &hash, EndTokens: true})
		},
		"RemoveUser":       func(ctx context.Context) error { return s.RemoveUser(ctx, user) },
		"CreateCredential": func(ctx context.Context) error { return lastOf(s.CreateCredential(ctx, token("another"))) },
		"RemoveCredential": func(ctx context.Context) error { return s.RemoveCredential(ctx, user, ci) },
		"SaveCalendar": func(ctx context.Context) error {
			return lastOf(s.SaveCalendar(ctx, &xxladapter.Calendar{Name: "free", Note: "changed"}, calendar))
		},
		"RemoveCalendar": func(ctx context.Context) error { return s.RemoveCalendar(ctx, "free") },
		"CreatePause":    func(ctx context.Context) error { return lastOf(s.CreatePause(ctx, xxladapter.Pause{Note: "all"})) },
		"EndPause":       func(ctx context.Context) error { return lastOf(s.EndPause(ctx, pause.ID)) },
		"PlanOrder": func(ctx context.Context) error {
			_, _, err := s.PlanOrder(ctx, xxladapter.Fire{JobID: off, Due: now, Type: xxladapter.TriggerManual}, "key", "request")
			return err
		},
		"CreateBackfill": func(ctx context.Context) error { return lastOf(s.CreateBackfill(ctx, backfill(id))) },
		"CancelBackfill": func(ctx context.Context) error { return s.CancelBackfill(ctx, begun) },
		"Declare": func(ctx context.Context) error {
			return lastOf(s.Declare(ctx, &xxladapter.Declaration{
				Groups: []*xxladapter.Group{{AppName: "declared-app", Title: "d"}}, Remove: []xxladapter.SeenJob{{ID: off}},
				Jobs: []xxladapter.DeclaredJob{{Job: xxladapter.Job{Name: "declared"}, App: "declared-app", Key: "declared"}},
			}))
		},
		"ChangeZone": func(ctx context.Context) error {
			if err := s.Resign(ctx, term); err != nil {
				return err
			}
			err := s.ChangeZone(ctx, "Asia/Shanghai")
			term = fixture.TermOf(t, s, "n1")
			return err
		},
		"PurgeLogs": func(ctx context.Context) error {
			return lastOf(s.PurgeLogs(ctx, xxladapter.LogPurge{Before: now, Unalarmed: true}, 10))
		},
		"ClaimDue": func(ctx context.Context) error { // the schedule of a job has ended
			_, _, err := s.ClaimDue(ctx, term, 5*time.Second, 10, func(_ time.Time, due []*xxladapter.Job) (all []xxladapter.Decision) {
				for _, j := range due {
					all = append(all, xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Stop: true, Reason: "ended"})
				}
				return all
			})
			return err
		},
		"AppendAudit": func(ctx context.Context) error {
			return s.AppendAudit(ctx, xxladapter.AuditObject{Kind: xxladapter.AuditJob, ID: id}, xxladapter.Fields{{Name: "note", Value: "n"}})
		},
	}
}

// checkAllChange checks that the changes above include each method of the store whose name says
// that it changes something for a caller.
func checkAllChange(t *testing.T) {
	s := openFile(t, filepath.Join(t.TempDir(), "names.db"), nil)
	defer func() { require.NoError(t, s.Close()) }()
	changes := auditedChanges(t, s)
	unaudited := []string{
		"AdvanceBackfill", "PurgeAudit", "PurgeJobVersions", "PurgeMisfires", "PurgeStats", "SaveTexts", // of the scheduler, not of a caller
	}
	changing := regexp.MustCompile(`^(Create|Update|Save|Remove|Start|Stop|Edit|Drain|Undrain|Cancel|End|Change|Declare|Purge|Advance)([A-Z]|$)`)
	for m := range reflect.TypeFor[xxladapter.Store]().Methods() {
		if changing.MatchString(m.Name) && !slices.Contains(unaudited, m.Name) {
			require.Contains(t, changes, m.Name, "a method that changes something for a caller")
		}
	}
}
