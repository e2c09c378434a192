//go:build unix

package postgres

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestIdleCostsOfPostgres(t *testing.T) {
	t.Parallel()
	config, err := configOf(testserver.PostgresCopy(t, migrateURL), database.Options{Connections: 8, LockLife: network.LockLife})
	require.NoError(t, err)
	var traced queryCounter
	config.ConnConfig.Tracer = &traced
	s, err := openPools(t.Context(), config, database.Options{Clock: time.Now, Logger: fixture.Quiet})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	fixture.IdleCosts(t, s, traced.Load)
}

// A queryCounter counts the queries that pgx sends, alone and in batches.
type queryCounter struct{ atomic.Int64 }

func (c *queryCounter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.Add(1)
	return ctx
}

func (c *queryCounter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (c *queryCounter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	c.Add(int64(d.Batch.Len()))
	return ctx
}

func (c *queryCounter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (c *queryCounter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
