package mysql

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/transfer"
)

// OpenUpstream opens a database of XXL-JOB to read it, and nothing else. name is its address
// without user and password. The caller has to call close.
func OpenUpstream(
	ctx context.Context, address string, opts database.Options,
) (u *transfer.Upstream, name string, close func() error, err error) {
	opts = opts.WithDefaults()
	at, err := parse(address)
	if err != nil {
		return nil, "", nil, err
	}
	db, err := at.patiently(opts.Logger)
	if err != nil {
		return nil, "", nil, err
	}
	u = &transfer.Upstream{DB: db, Zone: at.zone}
	name = at.cfg.Addr + "/" + at.cfg.DBName
	prepare := func() error {
		facts, err := readServer(ctx, db)
		if err != nil {
			return err
		}
		found, err := readColumns(ctx, db)
		if err != nil {
			return err
		}
		release, err := found.schema()
		if err != nil {
			return err
		}
		if len(found["xxl_job_user"]) == 0 {
			return errors.New("has no table xxl_job_user")
		}
		u.Rewrite, u.Tokens = release.rewrite, release.tokens
		if u.Now, err = timeOf(ctx, db); err != nil {
			return err
		}
		var own int
		if err := db.QueryRowContext(ctx, Schema.HasTable).Scan(&own); err != nil {
			return err
		}
		u.OwnTables = own > 0
		if at.zone != nil {
			return nil
		}
		if at.zone, err = facts.location(opts.Logger); err != nil {
			return err
		}
		// A connection reads times in the zone with which its pool was opened.
		u.Zone = at.zone
		if err := db.Close(); err != nil {
			return err
		}
		u.DB, err = at.patiently(opts.Logger)
		return err
	}
	if err := prepare(); err != nil {
		return nil, "", nil, errors.Join(fmt.Errorf("open %s: %w", at, reason(err)), db.Close())
	}
	return u, name, u.DB.Close, nil
}
