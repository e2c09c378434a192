package audit

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A movingStore gets another row after some of the first reads.
type movingStore struct {
	*memstore.Store
	moves []bool // after which reads
	empty int    // reads that found no row
}

func appendRow(ctx context.Context, store *memstore.Store) error {
	object, fields := xxladapter.AuditObject{Kind: xxladapter.AuditAlarm}, xxladapter.Fields{{Name: "mail", Value: "SENT"}}
	return store.AppendAudit(xxladapter.WithCall(ctx, "POST /api/v1/alarms/test"), object, fields)
}

func (s *movingStore) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	rows, err := s.Store.AuditRows(ctx, f)
	if len(rows) == 0 {
		s.empty++
	}
	if err != nil || len(s.moves) == 0 {
		return rows, err
	}
	moves := s.moves[0]
	s.moves = s.moves[1:]
	if !moves {
		return rows, nil
	}
	return rows, appendRow(ctx, s.Store)
}

// TestRowsThatComeDuringACheckBreakNothing appends rows after the first reads of a check. At the
// first read the audit is empty, has one row, or fills a page. Without a row after a full page, the
// next read finds none.
func TestRowsThatComeDuringACheckBreakNothing(t *testing.T) {
	for _, c := range []struct {
		before int
		moves  []bool
		empty  int
	}{
		{0, []bool{true, true, true}, 1},
		{1, []bool{true, true, true}, 0},
		{api.MaxPage, []bool{true, true, true}, 0},
		{api.MaxPage, []bool{false}, 1},
		{api.MaxPage, []bool{false, true, true}, 1},
	} {
		store := &movingStore{Store: memstore.New(time.Now)}
		want := c.before
		for range c.before {
			require.NoError(t, appendRow(t.Context(), store.Store))
		}
		for _, moves := range c.moves {
			if moves {
				want++
			}
		}
		store.moves = c.moves
		s := New(Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
		check, err := s.verify(t.Context(), api.None{})
		require.NoError(t, err)
		require.Nil(t, check.Broken, "%+v", c)
		require.EqualValues(t, want, check.Rows, "%+v", c)
		require.Equal(t, c.empty, store.empty, "%+v", c)
	}
}
