package sqlstore

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5/pgxpool"
)

// keyedSettings are those of connections whose statements name all rows by
// keys, so that one plan, made once, is right for any number of rows and any
// size of the tables. It has to be the one by the indexes of the keys, also if it
// is made while the tables are empty or have no figures yet.
var keyedSettings = map[string]string{
	"plan_cache_mode":   "force_generic_plan",
	"enable_hashjoin":   "off",
	"enable_mergejoin":  "off",
	"enable_seqscan":    "off",
	"enable_bitmapscan": "off",
}

// scanSettings let scans read due jobs along the index as well, so that they
// read no more than they take.
var scanSettings = map[string]string{"enable_sort": "off"}

// postgresPools are the connections of a store: those that everything shares,
// and one each for what every fire does, for scans and for leases, so that none waits
// for the others.
type postgresPools struct{ shared, groups, lookups, scans, leases *pgxpool.Pool }

// ownConnections is how many connections are not shared.
const ownConnections = 4

// newPostgresPools connects nothing yet.
func newPostgresPools(ctx context.Context, config *pgxpool.Config) (_ *postgresPools, err error) {
	p := new(postgresPools)
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.shared, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	if p.groups, err = pgxpool.NewWithConfig(ctx, ownConfig(config, keyedSettings)); err != nil {
		return nil, err
	}
	if p.lookups, err = pgxpool.NewWithConfig(ctx, ownConfig(config, keyedSettings)); err != nil {
		return nil, err
	}
	if p.scans, err = pgxpool.NewWithConfig(ctx, ownConfig(config, keyedSettings, scanSettings)); err != nil {
		return nil, err
	}
	if p.leases, err = pgxpool.NewWithConfig(ctx, ownConfig(config)); err != nil {
		return nil, err
	}
	return p, nil
}

// ownConfig is that of a pool with one connection.
func ownConfig(config *pgxpool.Config, settings ...map[string]string) *pgxpool.Config {
	config = config.Copy()
	config.MaxConns = 1
	for _, s := range settings {
		maps.Copy(config.ConnConfig.RuntimeParams, s)
	}
	return config
}

func (p *postgresPools) close() {
	for _, pool := range []*pgxpool.Pool{p.shared, p.groups, p.lookups, p.scans, p.leases} {
		if pool != nil {
			pool.Close()
		}
	}
}
