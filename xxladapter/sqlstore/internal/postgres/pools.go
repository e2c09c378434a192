package postgres

import (
	"context"
	"maps"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// keyedSettings are for connections whose statements name all rows by keys. One plan, made once, is
// then right for any number of rows and any size of the tables. It has to use the indexes of the
// keys even if it is made while the tables are empty or have no statistics yet.
var keyedSettings = map[string]string{
	"plan_cache_mode":   "force_generic_plan",
	"enable_hashjoin":   "off",
	"enable_mergejoin":  "off",
	"enable_seqscan":    "off",
	"enable_bitmapscan": "off",
}

// scanSettings make scans read due jobs in the order of the index, so that they read no more jobs
// than they take.
var scanSettings = map[string]string{"enable_sort": "off"}

// pools are the connections of a store. Reads and bulk writes share one pool, and other writes
// another; whatever each fire needs has a pool of its own, so that none waits for the others.
type pools struct {
	network                                               *network.Connections
	reads, writes, batches, lookups, scans, polls, leases *pgxpool.Pool
}

// ownConnections is the number of connections that are not shared: two of polls, two of sessions
// and one of each other pool.
const ownConnections = 8

// newPools creates the pools, with the config's connections divided between reads and writes. It
// does not connect yet.
func newPools(ctx context.Context, config *pgxpool.Config) (_ *pools, err error) {
	p := &pools{network: network.New()}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	open := func(conns int32, silence *network.Patience, settings ...map[string]string) *pgxpool.Pool {
		if err != nil {
			return nil
		}
		var pool *pgxpool.Pool
		pool, err = pgxpool.NewWithConfig(ctx, poolConfig(config, conns, p.network, silence, settings...))
		return pool
	}
	quick, patient := network.Fixed(network.QuickSilence),
		&network.Patience{Min: network.QuickSilence, Max: network.SlowSilence}
	p.reads = open(config.MaxConns-config.MaxConns/2, network.Fixed(network.SlowSilence))
	p.writes = open(max(1, config.MaxConns/2), quick)
	p.batches = open(1, quick, keyedSettings)
	p.lookups = open(1, quick, keyedSettings)
	p.scans = open(1, quick, keyedSettings, scanSettings)
	p.polls = open(2, patient)
	p.leases = open(1, network.Fixed(network.LeaseSilence))
	return p, err
}

// poolConfig returns the configuration of a pool whose connections end when the server is silent
// for too long.
func poolConfig(
	config *pgxpool.Config, conns int32, sockets *network.Connections, silence *network.Patience,
	settings ...map[string]string,
) *pgxpool.Config {
	config = config.Copy()
	config.MaxConns = conns
	config.ConnConfig.DialFunc = sockets.Dialer(silence)
	for _, s := range settings {
		maps.Copy(config.ConnConfig.RuntimeParams, s)
	}
	return config
}

func (p *pools) close() {
	for _, pool := range []*pgxpool.Pool{p.reads, p.writes, p.batches, p.lookups, p.scans, p.polls, p.leases} {
		if pool != nil {
			pool.Close()
		}
	}
}
