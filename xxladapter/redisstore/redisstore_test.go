//go:build unix

package redisstore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var quiet = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	testserver.Cases(5, 50)
	testserver.Main(m)
}

func TestOnSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunBriefly(t, openOnSQLite, stallingOn(onlyRedis))
}

func TestOnPostgres(t *testing.T) {
	testserver.Long(t) // TestOnSQLite has the same rules without a server's pauses
	t.Parallel()
	storetest.Run(t, openOnPostgres, stallingOn(redisAndPostgres))
}

func TestModelOnPostgres(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	storetest.RunModel(t, openOnPostgres,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

func TestOnMySQL(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	storetest.Run(t, openOnMySQL, stallingOn(redisAndMySQL))
}

func TestModelOnMySQL(t *testing.T) {
	if !testserver.Soak() {
		t.Skip("takes three minutes; TestOnMySQL has the rules")
	}
	t.Parallel()
	storetest.RunModel(t, openOnMySQL,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

func openOnMySQL(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return open(t, testserver.Redis(t), emptyMySQL(t), clock)
}

// emptyMySQL returns a database of the test's own, with tables.
func emptyMySQL(t testing.TB) string {
	t.Helper()
	url := testserver.MySQL(t)
	require.NoError(t, sqlstore.MigrateMySQL(t.Context(), url, true, sqlstore.Options{Logger: quiet}))
	return url
}

func TestModelOnSQLite(t *testing.T) {
	t.Parallel()
	storetest.RunModel(t, openOnSQLite,
		func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}

// openOnPostgres opens an empty store in a database of its own.
func openOnPostgres(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return open(t, testserver.Redis(t), emptyPostgres(t), clock)
}

// emptyPostgres returns a database of the test's own, with tables.
func emptyPostgres(t testing.TB) string {
	t.Helper()
	return testserver.PostgresCopy(t, func(url string) error {
		s, err := sqlstore.OpenPostgres(context.Background(), url, sqlstore.Options{Logger: quiet})
		if err != nil {
			return err
		}
		return s.Close()
	})
}

func openOnSQLite(t *testing.T, clock func() time.Time) xxladapter.Store {
	t.Helper()
	return open(t, testserver.Redis(t), "sqlite:"+emptySQLite(t), clock)
}

// emptySQLite returns a file of the test's own, with tables.
func emptySQLite(t testing.TB) string {
	t.Helper()
	content, err := migrated()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

// A stallable is a network that a test may keep from delivering anything.
type stallable []*testserver.Proxy

// stall holds everything on all its proxies until resume is called.
func (s stallable) stall() (resume func()) {
	for _, p := range s {
		p.HoldNew(true)
		p.Stall()
	}
	time.Sleep(sqlstore.PenLife) // a process that has the pen needs no server for what its memory has
	return func() {
		for _, p := range s {
			p.HoldNew(false)
			p.Resume()
		}
	}
}

// stallingOn returns a [storetest.StallOpener] of stores on the places that through returns.
func stallingOn(through func(t *testing.T) (redis, behind string, net stallable)) storetest.StallOpener {
	return func(t *testing.T, clock func() time.Time) (xxladapter.Store, func() func()) {
		redis, behind, net := through(t)
		return open(t, redis, behind, clock).Store, net.stall // without Compare, which waits for the servers
	}
}

// onlyRedis returns the places of a store on SQLite whose Redis is behind a proxy.
func onlyRedis(t *testing.T) (redis, behind string, net stallable) {
	t.Helper()
	server := testserver.NewProxy(t, testserver.Redis(t))
	return server.URL(), "sqlite:" + emptySQLite(t), stallable{server}
}

// redisAnd returns the places of a store on tables at a URL; both servers are behind proxies.
func redisAnd(t *testing.T, url string) (redis, behind string, net stallable) {
	t.Helper()
	server, tables := testserver.NewProxy(t, testserver.Redis(t)), testserver.NewProxy(t, url)
	return server.URL(), tables.URL(), stallable{server, tables}
}

func redisAndPostgres(t *testing.T) (redis, behind string, net stallable) {
	t.Helper()
	return redisAnd(t, emptyPostgres(t))
}

func redisAndMySQL(t *testing.T) (redis, behind string, net stallable) {
	t.Helper()
	return redisAnd(t, emptyMySQL(t))
}

// TestACloseThatCannotWriteLosesNothing stalls each of the servers behind a store that has
// acknowledged a fire, and closes it. The next process has the fire.
func TestACloseThatCannotWriteLosesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		through func(t *testing.T) (redis, behind string, net stallable)
		stalled func(stallable) stallable
	}{
		"redis":  {onlyRedis, func(net stallable) stallable { return net }},
		"tables": {redisAndPostgres, func(net stallable) stallable { return net[1:] }},
		"both":   {redisAndMySQL, func(net stallable) stallable { return net }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis, behind, net := c.through(t)
			s := open(t, redis, behind, time.Now).Store
			planned, err := s.PlanFires(t.Context(), []xxladapter.Fire{{
				JobID: 1, Due: time.Now().Add(time.Hour), Type: xxladapter.TriggerCron,
			}})
			require.NoError(t, err)
			resume := c.stalled(net).stall()
			begun := time.Now()
			require.ErrorContains(t, s.Close(), "nothing is lost, the next start writes them")
			took := time.Since(begun)
			t.Log("the close took", took)
			require.Less(t, took, 10*time.Second)
			resume()
			next := open(t, redis, behind, time.Now)
			fires, err := next.OpenFires(t.Context(), xxladapter.FireFilter{})
			require.NoError(t, err)
			require.Len(t, fires, 1)
			require.Equal(t, planned[0].ID, fires[0].ID)
			require.NoError(t, next.Close())
		})
	}
}

// migrated returns the content of a file with tables. It creates them once, because that takes most
// of the time that a test needs.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "redisstore")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "x.db")
	s, err := sqlstore.OpenSQLite(context.Background(), file, sqlstore.Options{Logger: quiet})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// A compared is a store whose tables must have the same as Redis when it is closed.
type compared struct {
	*Store
	t testing.TB
}

func (c compared) Close() error {
	found, err := c.Compare(context.Background())
	if err == nil || !strings.HasSuffix(err.Error(), "sqlstore: closed") { // closing again is allowed
		require.NoError(c.t, err)
	}
	require.Empty(c.t, found.Differences)
	return c.Store.Close()
}

// open opens a store. The test closes it.
func open(t testing.TB, redis, behind string, clock func() time.Time) compared {
	t.Helper()
	s, err := Open(t.Context(), redis, behind, Options{SQL: sqlstore.Options{Logger: quiet, Clock: clock}})
	require.NoError(t, err)
	return compared{s, t}
}
