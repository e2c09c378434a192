//go:build unix

package testserver

import (
	"context"
	"database/sql"
	"io"
	"log"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
)

// proxied is a database with a table t of one column n, with 7 in it.
type proxied struct {
	proxy  *Proxy
	db     *sql.DB // through the proxy
	direct *sql.DB
}

// onBoth runs a test through a proxy in front of each of the servers.
func onBoth(t *testing.T, test func(t *testing.T, p proxied)) {
	for name, open := range map[string]func(t *testing.T) (string, func(string) *sql.DB){
		"mariadb": func(t *testing.T) (string, func(string) *sql.DB) {
			return MySQL(t), func(url string) *sql.DB { db, err := OpenMySQL(url); require.NoError(t, err); return db }
		},
		"postgres": func(t *testing.T) (string, func(string) *sql.DB) {
			return Postgres(t), func(url string) *sql.DB { db, err := sql.Open("pgx", url); require.NoError(t, err); return db }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, connect := open(t)
			p := proxied{proxy: NewProxy(t, url), direct: connect(url)}
			p.db = connect(p.proxy.URL())
			t.Cleanup(func() { p.proxy.close(); require.NoError(t, p.db.Close()); require.NoError(t, p.direct.Close()) })
			p.order(t, p.direct, `CREATE TABLE t (n int PRIMARY KEY)`, `INSERT INTO t VALUES (7)`)
			test(t, p)
		})
	}
}

func (p proxied) order(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		_, err := db.ExecContext(t.Context(), s)
		require.NoError(t, err)
	}
}

// numbers returns the rows of the table, read on a separate connection to the server.
func (p proxied) numbers(t *testing.T) (found []int) {
	t.Helper()
	rows, err := p.direct.QueryContext(t.Context(), `SELECT n FROM t ORDER BY n`)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var n int
		require.NoError(t, rows.Scan(&n))
		found = append(found, n)
	}
	require.NoError(t, rows.Err())
	return found
}

// insert inserts n by a statement alone, or in a transaction that it commits if commit is set.
func (p proxied) insert(ctx context.Context, n int, commit bool) error {
	// On a separate connection, because database/sql repeats what it considers unsent, and pgx
	// reports that for every statement without arguments whose answer was lost.
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if !commit {
		_, err := conn.ExecContext(ctx, inserting(n))
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, inserting(n)); err != nil {
		return err
	}
	return tx.Commit()
}

func inserting(n int) string { return `INSERT INTO t VALUES (` + string(rune('0'+n)) + `)` }

func commits(r *Request) bool { return r.Commits }

func TestAProxyPassesEverything(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		var seen []Request
		p.proxy.Always(Hold, func(r *Request) bool { seen = append(seen, *r); return false })
		require.NoError(t, p.insert(t.Context(), 1, true))
		require.NoError(t, p.insert(t.Context(), 2, false))
		stmt, err := p.db.PrepareContext(t.Context(), map[bool]string{true: `SELECT n FROM t WHERE n > ?`, false: `SELECT n FROM t WHERE n > $1`}[isMySQL(p.db)])
		require.NoError(t, err)
		for range 3 {
			rows, err := stmt.QueryContext(t.Context(), 1)
			require.NoError(t, err)
			count := 0
			for rows.Next() {
				count++
			}
			require.NoError(t, rows.Err())
			require.Equal(t, 2, count)
		}
		require.NoError(t, stmt.Close())
		_, err = p.db.ExecContext(t.Context(), `SELEKT`)
		require.Error(t, err)
		require.Equal(t, []int{1, 2, 7}, p.numbers(t))

		kinds := map[string]int{}
		for _, r := range seen {
			switch {
			case r.Commits && len(r.Transaction) == 3:
				kinds["transaction"]++
			case r.Commits && slices.Equal(r.Transaction, []string{inserting(2)}):
				kinds["alone"]++
			case r.Commits && r.Contains("SELEKT"): // as far as is known before it fails
			case r.Commits:
				t.Errorf("commits: %q", r.Transaction)
			case r.Contains("n > "):
				kinds["prepared"]++
			}
		}
		require.Equal(t, map[string]int{"transaction": 1, "alone": 1, "prepared": 3}, kinds)
	})
}

func isMySQL(db *sql.DB) bool { _, ok := db.Driver().(*mysql.MySQLDriver); return ok }

func TestAProxyCutsCommits(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		want := []int{7}
		for n, c := range []struct {
			fault  Fault
			commit bool
		}{{CutBefore, true}, {CutBefore, false}, {CutAfter, true}, {CutAfter, false}} {
			trap := p.proxy.Trap(c.fault, commits)
			require.Error(t, p.insert(t.Context(), n, c.commit), "%v", c)
			<-trap.Sprung()
			require.Equal(t, 1, trap.Count())
			if c.fault == CutAfter {
				want = append(want, n)
				slices.Sort(want)
			}
			require.Equal(t, want, p.numbers(t))
		}
		require.NoError(t, p.insert(t.Context(), 9, true), "a trap that is set once")
	})
}

// TestAProxyCutsBatches sends statements with several results in one request, of which the last one
// commits.
func TestAProxyCutsBatches(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		send := func(n int) error {
			conn, err := p.db.Conn(t.Context())
			require.NoError(t, err)
			defer conn.Close()
			if isMySQL(p.db) {
				rows, err := conn.QueryContext(t.Context(), `START TRANSACTION; SELECT n FROM t; SELECT ';' FROM t; `+inserting(n)+`; COMMIT`)
				for err == nil && rows.NextResultSet() {
				}
				if err == nil {
					err = rows.Err()
					_ = rows.Close()
				}
				return err
			}
			var batch pgx.Batch
			for _, s := range []string{`BEGIN`, `SELECT n FROM t`, inserting(n), `COMMIT`} {
				batch.Queue(s)
			}
			return conn.Raw(func(raw any) error {
				return raw.(*stdlib.Conn).Conn().SendBatch(t.Context(), &batch).Close()
			})
		}
		require.NoError(t, send(1))
		p.proxy.Trap(CutAfter, commits)
		require.Error(t, send(2))
		p.proxy.Trap(CutBefore, commits)
		require.Error(t, send(3))
		require.NoError(t, send(4))
		require.Equal(t, []int{1, 2, 4, 7}, p.numbers(t))
	})
}

func TestAProxyDeliversLate(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		for n, commit := range []bool{true, false} {
			trap := p.proxy.Trap(Hold, commits)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- p.insert(ctx, n, commit) }()
			<-trap.Sprung()
			p.proxy.HoldNew(true) // PostgreSQL's client opens another connection to cancel what it gives up
			cancel()
			if commit {
				p.db.SetMaxIdleConns(0) // a commit of MySQL's driver waits for its answer
				trap.Release()
				<-ended
			} else {
				require.Error(t, <-ended)
				require.NotContains(t, p.numbers(t), n)
				trap.Release()
			}
			require.Eventually(t, func() bool { return slices.Contains(p.numbers(t), n) }, 10*time.Second, time.Millisecond)
			p.proxy.HoldNew(false)
		}
	})
}

func TestAProxyGoesSilent(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		within := func(limit time.Duration, n int) error {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			return p.insert(ctx, n, false)
		}
		const silent = 50 * time.Millisecond
		require.NoError(t, within(startWithin, 0))
		p.proxy.Silence()
		require.ErrorIs(t, within(silent, 1), context.DeadlineExceeded)
		require.NoError(t, within(startWithin, 2), "a new connection works")

		p.proxy.Silence()
		p.proxy.HoldNew(true)
		require.ErrorIs(t, within(silent, 3), context.DeadlineExceeded)
		require.Error(t, within(silent, 3))
		p.proxy.HoldNew(false)
		require.NoError(t, within(startWithin, 4))

		for i, fault := range []Fault{SilentBefore, SilentAfter} {
			trap := p.proxy.Trap(fault, commits)
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancel(t.Context())
			go func() { ended <- p.insert(ctx, 5+i, false) }()
			<-trap.Sprung()
			cancel()
			require.Error(t, <-ended)
		}
		require.Equal(t, []int{0, 2, 4, 6, 7}, p.numbers(t))
	})
}

// TestAServerGivesSilentConnectionsUp checks that the server's side of a silent connection ends,
// and that its client continues to wait.
func TestAServerGivesSilentConnectionsUp(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		query := `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()`
		if strings.HasPrefix(p.proxy.URL(), "mysql") {
			query = `SELECT count(*) FROM information_schema.processlist WHERE db = database()`
		}
		sessions := func() (n int) {
			require.NoError(t, p.direct.QueryRowContext(t.Context(), query).Scan(&n))
			return n
		}
		require.NoError(t, p.insert(t.Context(), 0, false))
		before := sessions()
		p.proxy.Silence()
		p.proxy.EndSilenced()
		require.Eventually(t, func() bool { return sessions() == before-1 }, 10*time.Second, 10*time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, p.insert(ctx, 1, false), context.DeadlineExceeded)
	})
}

func TestAProxyStalls(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		require.NoError(t, p.insert(t.Context(), 0, false))
		p.proxy.Stall()
		ended := make(chan error, 1)
		go func() { ended <- p.insert(t.Context(), 1, false) }()
		select {
		case err := <-ended:
			t.Fatal("something passed: ", err)
		case <-time.After(50 * time.Millisecond): // no event reports that nothing will come
		}
		p.proxy.Resume()
		require.NoError(t, <-ended)
	})
}

func TestAProxyResetsAndRefuses(t *testing.T) {
	onBoth(t, func(t *testing.T, p proxied) {
		require.NoError(t, mysql.SetLogger(log.New(io.Discard, "", 0)))
		conn, err := p.db.Conn(t.Context())
		require.NoError(t, err)
		p.proxy.Reset()
		_, err = conn.ExecContext(t.Context(), inserting(1))
		require.Error(t, err)
		_ = conn.Close()
		require.NoError(t, p.insert(t.Context(), 2, false), "a new connection works")
		p.proxy.Refuse()
		p.proxy.Reset()
		var refused *net.OpError
		require.ErrorAs(t, p.insert(t.Context(), 3, false), &refused)
		p.proxy.Accept(t)
		require.NoError(t, p.insert(t.Context(), 4, false))
		require.Equal(t, []int{2, 4, 7}, p.numbers(t))
	})
}
