package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// An opened is a store with what belongs to it.
type opened struct {
	xxladapter.Store
	place    string  // the URL of the store, or "memory"
	redis    string  // the URL of the Redis in front of the store; empty means none
	dir      string  // for files of the measurement; removed with the store
	db       *sql.DB // for the tool's own statements; nil for a store in memory
	closings []func() error
}

var logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))

// open opens the store that -store and -redis name.
func open(ctx context.Context, p plan) (_ *opened, err error) {
	o, spec := &opened{redis: p.redis}, p.store
	defer func() {
		if err != nil {
			o.cleanUp()
		}
	}()
	if o.dir, err = os.MkdirTemp("", "xxlwheel-load-"); err != nil {
		return nil, err
	}
	o.closings = append(o.closings, func() error { return os.RemoveAll(o.dir) })
	if spec == "memory" {
		store := memstore.New(time.Now)
		o.place, o.Store = spec, store
		o.closings = append(o.closings, store.Close)
		return o, nil
	}
	switch file := filepath.Join(o.dir, "load.db"); spec {
	case "sqlite":
		spec = "sqlite:" + file
	case "journal":
		spec = "sqlite:" + file + "?journal=on"
	}
	o.place = spec
	store, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	o.Store = store
	o.closings = append(o.closings, store.Close)
	if o.db, err = openDatabase(spec); err != nil {
		return nil, err
	}
	o.closings = append(o.closings, o.db.Close)
	return o, nil
}

// openDatabase opens the database of a store for this tool's own statements.
func openDatabase(place string) (*sql.DB, error) {
	if file, ok := sqlstore.FileOf(place); ok {
		return sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(60000)")
	}
	if !strings.HasPrefix(place, "mysql:") {
		return sql.Open("pgx", place)
	}
	u, err := url.Parse(place)
	if err != nil {
		return nil, errors.New("-store is not a URL")
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	config.User = u.User.Username()
	config.Passwd, _ = u.User.Password()
	return sql.Open("mysql", config.FormatDSN())
}

// cleanUp releases everything, in the reverse order.
func (o *opened) cleanUp() {
	for i := len(o.closings) - 1; i >= 0; i-- {
		if err := o.closings[i](); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
		}
	}
}

// work returns how much the database has done so far, and the unit in which it counts that. The
// unit is empty for SQLite and for a store in memory, which count nothing.
func (o *opened) work(ctx context.Context) (n int64, unit string, err error) {
	switch {
	case strings.HasPrefix(o.place, "mysql:"):
		var name string
		err = o.db.QueryRowContext(ctx, `SHOW GLOBAL STATUS LIKE 'Questions'`).Scan(&name, &n)
		return n, "statements", err
	case strings.HasPrefix(o.place, "postgres"):
		err = o.db.QueryRowContext(
			ctx, `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()`,
		).Scan(&n)
		return n, "transactions", err
	}
	return 0, "", nil
}
