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

// A movingStore gets another row after each of the first reads.
type movingStore struct {
	*memstore.Store
	moves int
}

func appendRow(ctx context.Context, store *memstore.Store) error {
	object, fields := xxladapter.AuditObject{Kind: xxladapter.AuditAlarm}, xxladapter.Fields{{Name: "mail", Value: "SENT"}}
	return store.AppendAudit(xxladapter.WithCall(ctx, "POST /api/v1/alarms/test"), object, fields)
}

func (s *movingStore) AuditRows(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	rows, err := s.Store.AuditRows(ctx, f)
	if err != nil || s.moves == 0 {
		return rows, err
	}
	s.moves--
	return rows, appendRow(ctx, s.Store)
}

// TestRowsThatComeDuringACheckBreakNothing appends a row after each of the first reads of a check.
// At the first read the audit is empty, has one row, or fills a page.
func TestRowsThatComeDuringACheckBreakNothing(t *testing.T) {
	for _, before := range []int{0, 1, api.MaxPage} {
		store := &movingStore{Store: memstore.New(time.Now)}
		for range before {
			require.NoError(t, appendRow(t.Context(), store.Store))
		}
		store.moves = 3
		s := New(Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
		check, err := s.verify(t.Context(), api.None{})
		require.NoError(t, err)
		require.Nil(t, check.Broken, "%d rows before", before)
		require.EqualValues(t, before+3, check.Rows)
	}
}
