//go:build unix

package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A javaAdmin sends the statements of a Java admin's scan, in its order and in its transactions,
// for jobs that are due each second. Before the statements that move the times, it calls fire with
// what a Java admin would submit to its ring, and skip with what it would skip as late.
type javaAdmin struct {
	db *sql.DB
	// together selects the way of releases from 3.3.0 on: everything is in one transaction, and
	// from 3.4.0 on one UPDATE changes many jobs. Earlier releases keep a transaction open for the
	// lock and commit every other statement by itself.
	together   bool
	fire, skip func(job, due int64)
}

type javaSession interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

const (
	javaWindow = 5000 // ms
	javaBatch  = 100
)

func (a *javaAdmin) scan(ctx context.Context) error {
	transaction, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = transaction.Rollback() }()
	err = database.Select(ctx, transaction, `select * from xxl_job_lock where lock_name = 'schedule_lock' for update`, nil,
		func(database.Row) error { return nil })
	if err != nil {
		return err
	}
	var session javaSession = a.db
	if a.together {
		session = transaction
	}
	if err := a.scanLocked(ctx, session); err != nil {
		return err
	}
	return transaction.Commit()
}

type javaJob struct{ id, last, next int64 }

func (a *javaAdmin) scanLocked(ctx context.Context, session javaSession) error {
	now := time.Now().UnixMilli()
	var jobs []*javaJob
	err := database.Select(ctx, session, `SELECT t.id, t.trigger_last_time, t.trigger_next_time FROM xxl_job_info AS t
		WHERE t.trigger_status = 1 and t.trigger_next_time <= ? ORDER BY id ASC LIMIT 6000`, []any{now + javaWindow}, func(r database.Row) error {
		var j javaJob
		err := r.Scan(&j.id, &j.last, &j.next)
		jobs = append(jobs, &j)
		return err
	})
	if err != nil {
		return err
	}
	for _, j := range jobs {
		a.decide(j, now)
	}
	for len(jobs) > 0 {
		n := 1
		if a.together {
			n = min(javaBatch, len(jobs))
		}
		if err := a.advance(ctx, session, jobs[:n]); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	return nil
}

func (a *javaAdmin) decide(j *javaJob, now int64) {
	if now > j.next+javaWindow {
		a.refresh(j, now, false)
		return
	}
	if now <= j.next {
		a.refresh(j, j.next, true)
		return
	}
	a.refresh(j, now, true)
	if !a.together && now+javaWindow > j.next { // "pre-read again", which later releases never reach
		a.refresh(j, j.next, true)
	}
}

// refresh consumes the job's due time and continues at the first second after from.
func (a *javaAdmin) refresh(j *javaJob, from int64, fires bool) {
	next := from/1000*1000 + 1000
	for due := j.next; due < next; due += 1000 {
		if fires && due == j.next {
			a.fire(j.id, due)
		} else {
			a.skip(j.id, due)
		}
	}
	j.last, j.next = j.next, next
}

func (a *javaAdmin) advance(ctx context.Context, session javaSession, jobs []*javaJob) error {
	if !a.together {
		j := jobs[0]
		_, err := session.ExecContext(ctx, `UPDATE xxl_job_info SET trigger_last_time = ?, trigger_next_time = ?, trigger_status = 1 WHERE id = ?`,
			j.last, j.next, j.id)
		return err
	}
	var lasts, nexts, ids strings.Builder
	for i, j := range jobs {
		fmt.Fprintf(&lasts, " WHEN %d THEN %d", j.id, j.last)
		fmt.Fprintf(&nexts, " WHEN %d THEN %d", j.id, j.next)
		if i > 0 {
			ids.WriteByte(',')
		}
		fmt.Fprint(&ids, j.id)
	}
	_, err := session.ExecContext(ctx, `UPDATE xxl_job_info SET trigger_last_time = CASE id`+lasts.String()+` END,
		trigger_next_time = CASE id`+nexts.String()+` END WHERE id IN (`+ids.String()+`) AND trigger_status = 1`)
	return err
}

// A shared records who consumed which due time.
type shared struct {
	mu  sync.Mutex
	who map[records.DueTime][]string
}

// parties returns how many schedulers have consumed due times. Skipping a due time does not count.
func (s *shared) parties() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	for _, names := range s.who {
		for _, name := range names {
			seen[name] = true
		}
	}
	delete(seen, "java, left out")
	return len(seen)
}

func (s *shared) note(who string) func(job, due int64) {
	return func(job, due int64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := records.DueTime{Job: job, Due: due}
		s.who[at] = append(s.who[at], who)
	}
}

// TestBesideAJavaAdmin lets schedulers of both kinds scan the same jobs: each due time belongs to
// exactly one of them.
func TestBesideAJavaAdmin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		release  string
		together bool
		dueIndex bool
	}{"UpTo3.2": {"2.3", false, false}, "From3.4": {"3.4", true, false}, "WithADueIndex": {"3.4", true, true}} {
		t.Run(name, func(t *testing.T) {
			if name != "From3.4" {
				testserver.Long(t) // each takes as long as the one that always runs
			}
			t.Parallel()
			besideAJavaAdmin(t, c.release, c.together, c.dueIndex)
		})
	}
}

func besideAJavaAdmin(t *testing.T, release string, together, dueIndex bool) {
	const jobs = 300
	length := time.Duration(testserver.Count(5, 12)) * time.Second
	ctx := t.Context()
	address := mysqlDatabase(t, release)
	if dueIndex {
		require.NoError(t, testserver.OrderMySQL(address, createDueIndex))
	}
	ours := []*records.Store{openMySQLAt(t, address, database.Options{}), openMySQLAt(t, address, database.Options{})}
	for _, s := range ours {
		defer func() { require.NoError(t, s.Close()) }()
	}
	group, err := ours[0].SaveGroup(ctx, &xxladapter.Group{AppName: "java-app", Title: "java"})
	require.NoError(t, err)
	begin := time.Now().Truncate(time.Second).Add(2 * time.Second)
	var wg sync.WaitGroup
	created := make([]error, jobs)
	for i := range jobs {
		wg.Go(func() {
			id, err := xxladapter.CreateJob(ctx, ours[0], &xxladapter.Job{GroupID: group, Name: fmt.Sprint("job ", i)})
			if err == nil {
				err = storetest.StartAt(ctx, ours[0], id, begin)
			}
			created[i] = err
		})
	}
	wg.Wait()
	for _, err := range created {
		require.NoError(t, err)
	}

	server, err := parse(address)
	require.NoError(t, err)
	db, err := server.patiently(fixture.Quiet)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	if together { // the Java admin's default; ours is READ COMMITTED
		db.SetMaxOpenConns(1)
		_, err = db.ExecContext(ctx, `SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ`)
		require.NoError(t, err)
	}
	all := &shared{who: map[records.DueTime][]string{}}
	java := &javaAdmin{db: db, together: together, fire: all.note("java"), skip: all.note("java, left out")}

	end := time.Now().Add(length)
	// More often than once a second, so that they meet.
	again := func() bool {
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond) // the pause of a real program
		// On a busy machine one of them may get no turn for a while.
		return time.Now().Before(end) || all.parties() < 3 && time.Now().Before(end.Add(time.Minute))
	}
	wg.Go(func() {
		for again() {
			if err := java.scan(ctx); err != nil {
				t.Errorf("java: %v", err)
			}
		}
	})
	for i, s := range ours {
		term := fixture.TermOf(t, s, fmt.Sprint("n", i))
		note := all.note(term.Node)
		wg.Go(func() {
			for again() {
				if _, err := s.Lease(ctx, term.Node, 1000*time.Hour); err != nil {
					t.Errorf("%s: %v", term.Node, err)
				}
				fires, _, err := s.ClaimDue(ctx, term, 5*time.Second, 1000, fixture.EachSecond)
				if err != nil {
					t.Errorf("%s: %v", term.Node, err)
				}
				for _, f := range fires {
					note(f.JobID, database.ToMilli(f.Due))
				}
			}
		})
	}
	wg.Wait()

	kept, err := ours[0].Jobs(ctx, xxladapter.JobFilter{})
	require.NoError(t, err)
	require.Len(t, kept, jobs)
	count := map[string]int{}
	for _, j := range kept {
		require.True(t, j.Running)
		for due := begin; due.Before(j.TriggerNext); due = due.Add(time.Second) {
			who := all.who[records.DueTime{Job: j.ID, Due: database.ToMilli(due)}]
			require.Len(t, who, 1, "job %d, due %v: %v", j.ID, due, who)
			count[who[0]]++
			delete(all.who, records.DueTime{Job: j.ID, Due: database.ToMilli(due)})
		}
	}
	require.Empty(t, all.who)
	require.Positive(t, count["java"])
	require.Positive(t, count["n0"])
	require.Positive(t, count["n1"])
	t.Log(count)
}

// TestLittleWaitsWhenOurOnlyProcessDies scans beside a Java admin, which cannot see the fires that
// we have planned. So we plan only about a second ahead, and for the whole window once we are alone
// again.
func TestLittleWaitsWhenOurOnlyProcessDies(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	for name, together := range map[string]bool{"BesideUpTo3.2": false, "BesideFrom3.4": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			release := map[bool]string{false: "2.3", true: "3.4"}[together]
			address := mysqlDatabase(t, release)
			ours := openMySQLAt(t, address, database.Options{})
			defer func() { require.NoError(t, ours.Close()) }()
			begin := time.Now().Truncate(time.Second).Add(2 * time.Second)
			for i := range 50 {
				fixture.AddDue(t, ours, fmt.Sprint("job", i), begin)
			}
			server, err := parse(address)
			require.NoError(t, err)
			db, err := server.patiently(fixture.Quiet)
			require.NoError(t, err)
			defer func() { require.NoError(t, db.Close()) }()
			nobody := func(int64, int64) {}
			java := &javaAdmin{db: db, together: together, fire: nobody, skip: nobody}

			term := fixture.TermOf(t, ours, "n1")
			// waiting returns how far ahead fires are planned at most after our scans, while each
			// side scans about once a second. The first scans do not count.
			waiting := func(beside bool, first, scans int) (ahead time.Duration) {
				pause := func() { time.Sleep(time.Duration(250+rand.IntN(500)) * time.Millisecond) } // either may be the first to read a due time
				for i := range first + scans {
					pause()
					if beside {
						require.NoError(t, java.scan(ctx))
					}
					pause()
					_, _, err := ours.ClaimDue(ctx, term, 5*time.Second, 1000, fixture.EachSecond)
					require.NoError(t, err)
					if i < first {
						continue
					}
					died, err := ours.Now(ctx)
					require.NoError(t, err)
					fires, err := ours.OpenFires(ctx, xxladapter.FireFilter{})
					require.NoError(t, err)
					for _, f := range fires {
						ahead = max(ahead, f.Due.Sub(died))
					}
				}
				return ahead
			}
			require.Greater(t, waiting(false, 3, 1), 3*time.Second, "alone")
			// We notice the admin only if a second begins between its scan and ours, about every
			// other time. What was planned before that is due five seconds later. So one attempt
			// may miss the admin; without the rule each attempt does.
			for attempt := 1; ; attempt++ {
				ahead := waiting(true, 16, 10)
				if ahead <= records.BesideOthersIdle {
					break
				}
				require.Less(t, attempt, 3, "planned %v ahead beside a Java admin", ahead)
			}
			require.Greater(t, waiting(false, int(records.OthersLife/time.Second)+4, 1), 3*time.Second, "alone again")
		})
	}
}
